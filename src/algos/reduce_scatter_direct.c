// Direct reduce-scatter: every rank sends each block straight to its rank, in one step. alpha + (p-1)/p n/beta.
#include "algos/algorithm.h"
#include "algos/two_shot_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    (void)k;
    direct_reduce_scatter_step(view, args_vector(args), out);
}

const struct algorithm reduce_scatter_direct_algorithm = {
    .kind = REDUCE_SCATTER,
    .name = "direct",
    .summary = "one step, every block straight to its rank; best where every pair has a good path",
    .steps = steps,
    .step = step,
};
