// Direct all-to-all: every block straight to its rank, at distance k in step k, or all at once.
// (p-1)(alpha + n/(p beta)); all at once alpha + (p-1)/p n/beta.
#include "algos/algorithm.h"
#include "algos/direct_steps.h"

static const char *const options[] = {"schedule", "order", NULL};

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return direct_steps(args);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    direct_step(args, view, k, out);
}

static int64_t exchanges(const struct collective_args *args, uint32_t rank, uint64_t k, uint32_t *peers) {
    (void)k;
    if (args->schedule != SCHEDULE_ALL_AT_ONCE || !exchange_alike(args)) return -1;
    struct direct_walk to = direct_walk_from(args, rank);
    for (uint32_t i = 1; i < args->size; i++) {
        direct_walk_on(&to, 1);
        *peers++ = to.peer;
    }
    return args->part.bytes / args->size;
}

const struct algorithm all_to_all_direct_algorithm = {
    .kind = ALL_TO_ALL,
    .name = "direct",
    .summary = "every block straight to its rank, one distance a step or all at once; best for large blocks",
    .options = options,
    .accepts = direct_accepts,
    .steps = steps,
    .step = step,
    .exchanges = exchanges,
};
