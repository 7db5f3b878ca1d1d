// Ring all-reduce: ring reduce-scatter, then ring all-gather. On a ring 2(p-1)(alpha + n/(p beta)).
// Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations (2009).
#include "algos/algorithm.h"
#include "algos/ring_steps.h"

extern const struct algorithm reduce_scatter_ring_algorithm, all_gather_ring_algorithm;

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return 2 * ((uint64_t)args->size - 1);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    ring_all_reduce_step(view, args_vector(args), k, out);
}

static uint64_t alike_until(const struct collective_args *args, uint32_t machine, uint64_t k) {
    return ring_alike_until(args_vector(args), args->size, k, steps(args, machine));
}

const struct algorithm all_reduce_ring_algorithm = {
    .kind = ALL_REDUCE,
    .name = "ring",
    .summary = "2(p-1) steps of n/p to the next rank; fewest bytes, best for large vectors",
    .steps = steps,
    .step = step,
    .alike_until = alike_until,
    .halves = {&reduce_scatter_ring_algorithm, &all_gather_ring_algorithm},
};
