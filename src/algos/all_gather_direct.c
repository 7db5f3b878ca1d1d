// Direct all-gather: every rank sends its block straight to all others, in one step. alpha + (p-1)/p n/beta.
#include "algos/algorithm.h"
#include "algos/two_shot_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    (void)k;
    direct_all_gather_step(view, args_vector(args), out);
}

const struct algorithm all_gather_direct_algorithm = {
    .kind = ALL_GATHER,
    .name = "direct",
    .summary = "one step, the own block straight to all; best where every pair has a good path",
    .steps = steps,
    .step = step,
};
