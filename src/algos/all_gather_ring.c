// Ring all-gather: (p-1)(alpha + n/(p beta)); rank r starts with block r.
// Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations (2009).
#include "algos/algorithm.h"
#include "algos/ring_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size - 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    ring_all_gather_step(view, args_vector(args), k, out);
}

static uint64_t alike_until(const struct collective_args *args, uint32_t machine, uint64_t k) {
    return ring_alike_until(args_vector(args), args->size, k, steps(args, machine));
}

const struct algorithm all_gather_ring_algorithm = {
    .kind = ALL_GATHER,
    .name = "ring",
    .summary = "p-1 steps of n/p to the next rank; fewest bytes, best for large vectors",
    .steps = steps,
    .step = step,
    .alike_until = alike_until,
};
