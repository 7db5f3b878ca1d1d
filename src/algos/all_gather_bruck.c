// Bruck all-gather: in steps m = 1, 2, 4 … < p rank r, who knows the m blocks from its own on, sends them to r - m (the last
// time only as many as are wanted) and learns the next ones from r + m. ceil(log2 p) alpha + (p-1)/p n/beta, any p.
// Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in multiport message-passing
// systems (1997).
#include "algos/algorithm.h"
#include "algos/blocks_steps.h"
#include "algos/log2.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return log2_ceil(args->size);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint32_t p = view->size, r = view->rank, m = UINT32_C(1) << k, from = (r + m) % p;
    uint32_t count = m < p - m ? m : p - m;
    struct blocks known = {args_vector(args), p, r, count}, news = {args_vector(args), p, from, count};
    step_phase(out, "all-gather", k, log2_ceil(p));
    blocks_send(out, view, (r + p - m) % p, &known);
    blocks_receive(out, view, from, &news, COMBINE_COPY);
}

const struct algorithm all_gather_bruck_algorithm = {
    .kind = ALL_GATHER,
    .name = "bruck",
    .summary = "twice as much each time: the ring's bytes in log2(p) steps, any p",
    .steps = steps,
    .step = step,
};
