// Bidirectional ring: two ring all-reduces side by side, one half of the vector each, the second on the reversed order of
// ranks; each link direction of a ring carries one of them. 2(p-1)(alpha + n/(2 p beta)).
// Chan, van de Geijn, Gropp, Thakur: Collective communication on architectures that support simultaneous communication over
// multiple links (2006).
#include "algos/algorithm.h"
#include "algos/ring_steps.h"

static uint32_t machines(const struct collective_args *args) {
    (void)args;
    return 2;
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return 2 * ((uint64_t)args->size - 1);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    struct view reversed = view_reversed(view);
    ring_all_reduce_step(machine ? &reversed : view, span_block(args_vector(args), 2, machine), k, out);
}

static uint64_t alike_until(const struct collective_args *args, uint32_t machine, uint64_t k) {
    return ring_alike_until(span_block(args_vector(args), 2, machine), args->size, k, steps(args, machine));
}

const struct algorithm all_reduce_bidirectional_ring_algorithm = {
    .kind = ALL_REDUCE,
    .name = "bidirectional-ring",
    .summary = "two rings of opposite directions, half the vector each: half the time of ring on a ring",
    .machines = machines,
    .steps = steps,
    .step = step,
    .alike_until = alike_until,
};
