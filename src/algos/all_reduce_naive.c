// Naive all-reduce: all send the whole vector to rank 0, which adds it up and sends it back. 2(alpha + (p-1) n/beta).
// What the others are measured against.
#include "algos/algorithm.h"
#include "algos/naive_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1 ? 2 : 0;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    if (k == 0)
        naive_reduce_step(view, args_vector(args), out);
    else
        naive_broadcast_step(view, args_vector(args), out);
}

const struct algorithm all_reduce_naive_algorithm = {
    .kind = ALL_REDUCE,
    .name = "naive",
    .summary = "all to rank 0 and back, 2 steps; p-1 times n at one rank: only for tiny vectors",
    .steps = steps,
    .step = step,
};
