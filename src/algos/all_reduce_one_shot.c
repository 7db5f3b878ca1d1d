// One-shot all-reduce: every rank sends the whole vector straight to all, who add it up themselves. alpha + (p-1) n/beta.
// TensorRT-LLM's all-reduce kernels have it under this name.
#include "algos/algorithm.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    (void)k;
    uint32_t p = view->size, r = view->rank;
    struct span data = args_vector(args);
    step_phase(out, "exchange", 0, 1);
    for (uint32_t i = 1; i < p; i++) step_send(out, view, (r + i) % p, data);
    for (uint32_t i = 1; i < p; i++) step_receive(out, view, (r + p - i) % p, data, COMBINE_ADD);
}

const struct algorithm all_reduce_one_shot_algorithm = {
    .kind = ALL_REDUCE,
    .name = "one-shot",
    .summary = "one step of n to every rank: least latency, p-1 times the bytes",
    .steps = steps,
    .step = step,
};
