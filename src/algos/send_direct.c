// One message of n bytes: alpha + n/beta.
#include "algos/algorithm.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->from == args->to ? 0 : 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    (void)k;
    if (view->rank == args->from) step_send(out, view, args->to, args_vector(args));
    if (view->rank == args->to) step_receive(out, view, args->from, args_vector(args), COMBINE_COPY);
}

const struct algorithm send_direct_algorithm = {
    .kind = SEND,
    .name = "direct",
    .summary = "one message",
    .steps = steps,
    .step = step,
};
