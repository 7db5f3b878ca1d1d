// Recursive halving reduce-scatter: fold; exchanges at distances q/2 … 2, 1, in each of which a rank keeps and adds the half
// that holds its own block; unfold, which gives each folded rank its block. log2(p) alpha + (p-1)/p n/beta for a power of two.
// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH (2005).
#include "algos/algorithm.h"
#include "algos/halving_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return fold_steps(args->size, log2_floor(args->size));
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct span data = args_vector(args);
    struct fold fold = fold_of(view);
    uint32_t levels = log2_floor(fold.power);
    struct span lent = span_block(data, view->size, view->rank & ~UINT32_C(1));
    struct fold_plan plan = {.core = levels, .given = data, .returned = lent, .combine = COMBINE_ADD};
    if (!fold_enter(&fold, view, &plan, &k, out)) return;
    uint32_t distance = fold.power / 2 >> k, peer = fold.number ^ distance;
    step_phase(out, "halving", k, levels);
    step_send(out, view, fold_member(&fold, peer), range_blocks(data, view, &fold, range_around(peer, distance)));
    step_receive(out, view, fold_member(&fold, peer), range_blocks(data, view, &fold, range_around(fold.number, distance)), COMBINE_ADD);
}

const struct algorithm reduce_scatter_recursive_halving_algorithm = {
    .kind = REDUCE_SCATTER,
    .name = "recursive-halving",
    .summary = "exchanges of halves: the ring's bytes in log2(p) steps; best for a power of two",
    .steps = steps,
    .step = step,
};
