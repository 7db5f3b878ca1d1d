// Two-shot all-reduce: every rank sends each block straight to its rank, then its sum straight to all.
// 2 alpha + 2(p-1)/p n/beta.
// TensorRT-LLM's all-reduce kernels have it under this name.
#include "algos/algorithm.h"
#include "algos/two_shot_steps.h"

extern const struct algorithm reduce_scatter_direct_algorithm, all_gather_direct_algorithm;

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1 ? 2 : 0;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    if (k == 0)
        direct_reduce_scatter_step(view, args_vector(args), out);
    else
        direct_all_gather_step(view, args_vector(args), out);
}

const struct algorithm all_reduce_two_shot_algorithm = {
    .kind = ALL_REDUCE,
    .name = "two-shot",
    .summary = "2 steps of n/p to every rank: the ring's bytes; best where every pair has a good path",
    .steps = steps,
    .step = step,
    .halves = {&reduce_scatter_direct_algorithm, &all_gather_direct_algorithm},
};
