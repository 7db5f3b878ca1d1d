// In-network all-reduce (NVLink SHARP, SHARP): every rank posts its vector to the switches, which reduce it chunk by chunk
// and send the sum back to all. alpha + n/beta: half of what any method of endpoints alone needs.
// Graham et al.: Scalable hierarchical aggregation protocol (SHARP) (2016).
#include "algos/algorithm.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine, (void)k;
    struct span vector = args_vector(args);
    step_send(out, view, view->rank, vector);
    step_last(out)->in_network = true;
    step_receive(out, view, view->rank, vector, COMBINE_COPY);
    step_last(out)->in_network = true;
}

const struct algorithm all_reduce_in_network_algorithm = {
    .kind = ALL_REDUCE,
    .name = "in-network",
    .summary = "the switches reduce and send back, alpha + n/beta; needs a tree of switches that all ranks share",
    .in_network = true,
    .steps = steps,
    .step = step,
};
