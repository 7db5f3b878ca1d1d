// Rabenseifner's all-reduce: fold; halve the range that a rank works on in exchanges at distances 1, 2, 4 …, adding; then the
// mirror image, which gathers; unfold. 2 log2(p) alpha + 2(p-1)/p n/beta for a power of two.
// Rabenseifner: Optimization of collective reduction operations (2004).
#include "algos/algorithm.h"
#include "algos/halving_steps.h"

extern const struct algorithm reduce_scatter_recursive_halving_algorithm, all_gather_recursive_doubling_algorithm;

/// The range that the rank of this number keeps in the exchange at distance 2^level.
static struct range range_at(const struct fold *fold, uint32_t number, uint32_t level) {
    struct range range = {0, fold->power};
    for (uint32_t i = 0; i <= level; i++) range = range_kept(range, number, UINT32_C(1) << i);
    return range;
}

static struct span range_span(struct span data, const struct fold *fold, struct range range) {
    return span_blocks(data, fold->power, range.first, range.end);
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return fold_steps(args->size, 2 * log2_floor(args->size));
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct span data = args_vector(args);
    struct fold fold = fold_of(view);
    uint32_t levels = log2_floor(fold.power);
    struct fold_plan plan = {.core = 2 * levels, .given = data, .returned = data, .combine = COMBINE_ADD};
    if (!fold_enter(&fold, view, &plan, &k, out)) return;
    bool halving = k < levels;
    uint32_t level = (uint32_t)(halving ? k : plan.core - 1 - k), peer = fold.number ^ UINT32_C(1) << level;
    struct range kept = range_at(&fold, fold.number, level), other = range_at(&fold, peer, level);
    step_phase(out, halving ? "reduce-scatter" : "all-gather", halving ? k : k - levels, levels);
    step_send(out, view, fold_member(&fold, peer), range_span(data, &fold, halving ? other : kept));
    step_receive(out, view, fold_member(&fold, peer), range_span(data, &fold, halving ? kept : other),
                 halving ? COMBINE_ADD : COMBINE_COPY);
}

const struct algorithm all_reduce_rabenseifner_algorithm = {
    .kind = ALL_REDUCE,
    .name = "rabenseifner",
    .summary = "halving, then doubling: the ring's bytes in 2 log2(p) steps",
    .steps = steps,
    .step = step,
    .halves = {&reduce_scatter_recursive_halving_algorithm, &all_gather_recursive_doubling_algorithm},
};
