// Recursive doubling all-gather: fold, which brings each folded rank's block to its neighbour; exchanges of all that is known
// at distances 1, 2, 4 …; unfold. log2(p) alpha + (p-1)/p n/beta for a power of two.
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
    struct span lent = span_block(data, view->size, view->rank & ~UINT32_C(1));
    struct fold_plan plan = {.core = log2_floor(fold.power), .given = lent, .returned = data, .combine = COMBINE_COPY};
    if (!fold_enter(&fold, view, &plan, &k, out)) return;
    uint32_t distance = UINT32_C(1) << k, peer = fold.number ^ distance;
    step_phase(out, "doubling", k, plan.core);
    step_send(out, view, fold_member(&fold, peer), range_blocks(data, view, &fold, range_around(fold.number, distance)));
    step_receive(out, view, fold_member(&fold, peer), range_blocks(data, view, &fold, range_around(peer, distance)), COMBINE_COPY);
}

const struct algorithm all_gather_recursive_doubling_algorithm = {
    .kind = ALL_GATHER,
    .name = "recursive-doubling",
    .summary = "exchanges of all that is known: the ring's bytes in log2(p) steps; best for a power of two",
    .steps = steps,
    .step = step,
};
