// Recursive doubling all-reduce: fold, then exchange the whole vector at distances 1, 2, 4 …, then unfold.
// log2(p) (alpha + n/beta) for a power of two; two steps more otherwise.
// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH (2005).
#include "algos/algorithm.h"
#include "algos/fold_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return fold_steps(args->size, log2_floor(args->size));
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct span data = args_vector(args);
    struct fold fold = fold_of(view);
    struct fold_plan plan = {.core = log2_floor(view->size), .given = data, .returned = data, .combine = COMBINE_ADD};
    if (!fold_enter(&fold, view, &plan, &k, out)) return;
    uint32_t peer = fold_member(&fold, fold.number ^ UINT32_C(1) << k);
    step_phase(out, "doubling", k, plan.core);
    step_send(out, view, peer, data);
    step_receive(out, view, peer, data, COMBINE_ADD);
}

const struct algorithm all_reduce_recursive_doubling_algorithm = {
    .kind = ALL_REDUCE,
    .name = "recursive-doubling",
    .summary = "log2(p) exchanges of n; fewest steps, best for small vectors",
    .steps = steps,
    .step = step,
};
