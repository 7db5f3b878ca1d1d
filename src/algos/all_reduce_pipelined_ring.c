// Pipelined ring: the vector in k slices (`pieces`, by default 4), a ring all-reduce on each, side by side: while one slice
// waits out its latency another is on the wire. About 2(p-1) max(alpha + n/(k p beta), n/(p beta)).
#include "algos/algorithm.h"
#include "algos/ring_steps.h"

static const char *const options[] = {"pieces", NULL};

enum { DEFAULT_PIECES = 4, MOST_PIECES = 4096 };

static bool accepts(const struct collective_args *args, struct error *err) {
    return args->pieces <= MOST_PIECES || error_at(err, "pieces", "pipelined-ring runs a ring for each piece: at most %d", MOST_PIECES);
}

static uint32_t machines(const struct collective_args *args) { return args->pieces ? args->pieces : DEFAULT_PIECES; }

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return 2 * ((uint64_t)args->size - 1);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    ring_all_reduce_step(view, span_block(args_vector(args), machines(args), machine), k, out);
}

const struct algorithm all_reduce_pipelined_ring_algorithm = {
    .kind = ALL_REDUCE,
    .name = "pipelined-ring",
    .summary = "ring on k = pieces slices side by side (by default 4): hides latency behind transmission",
    .options = options,
    .accepts = accepts,
    .machines = machines,
    .steps = steps,
    .step = step,
};
