// Naive broadcast: the root sends the whole vector to every rank, in one step. alpha + (p-1) n/beta.
#include "algos/algorithm.h"
#include "algos/naive_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    (void)k;
    struct view rooted = view_from_root(view, args->root);
    naive_broadcast_step(&rooted, args_vector(args), out);
}

const struct algorithm broadcast_naive_algorithm = {
    .kind = BROADCAST,
    .name = "naive",
    .summary = "one step of n to every rank; p-1 times n at the root: only for tiny vectors",
    .steps = steps,
    .step = step,
};
