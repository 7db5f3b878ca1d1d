// Scatter-allgather broadcast: the root sends block s to rank s, then a ring all-gather. p (alpha + n/(p beta)) and p-2 more
// n/(p beta) at the root. Blocks are counted from the root, as ranks are.
// Van de Geijn: On global combine operations (1994), with a direct scatter.
#include "algos/algorithm.h"
#include "algos/ring_steps.h"

static void scatter_step(const struct view *view, struct span data, struct step *out) {
    uint32_t p = view->size;
    step_phase(out, "scatter", 0, 1);
    if (view->rank)
        step_receive(out, view, 0, span_block(data, p, view->rank), COMBINE_COPY);
    else
        for (uint32_t member = 1; member < p; member++) step_send(out, view, member, span_block(data, p, member));
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1 ? args->size : 0;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct view rooted = view_from_root(view, args->root);
    if (k == 0)
        scatter_step(&rooted, args_vector(args), out);
    else
        ring_all_gather_step(&rooted, args_vector(args), k - 1, out);
}

const struct algorithm broadcast_scatter_allgather_algorithm = {
    .kind = BROADCAST,
    .name = "scatter-allgather",
    .summary = "a block to each rank, then the ring: about 2n in all; best for large vectors",
    .steps = steps,
    .step = step,
};
