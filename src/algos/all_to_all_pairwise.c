// Pairwise all-to-all: in step k = 1 … p-1 rank r exchanges blocks with r xor k, p a power of two.
// (p-1)(alpha + n/(p beta)).
#include "algos/algorithm.h"
#include "algos/exchange_steps.h"

static bool accepts(const struct collective_args *args, struct error *err) {
    if ((args->size & (args->size - 1)) == 0) return true;
    return error_at(err, "algorithm", "pairwise needs a power of two, not %u ranks; direct takes any number", args->size);
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size - 1;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint32_t peer = view->rank ^ ((uint32_t)k + 1);
    step_phase(out, "exchange", k, view->size - 1);
    exchange_send(args, view, peer, out);
    exchange_receive(args, view, peer, out);
}

const struct algorithm all_to_all_pairwise_algorithm = {
    .kind = ALL_TO_ALL,
    .name = "pairwise",
    .summary = "p-1 exchanges with r xor k, p a power of two",
    .accepts = accepts,
    .steps = steps,
    .step = step,
};
