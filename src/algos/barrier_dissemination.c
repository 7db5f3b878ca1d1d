// Dissemination barrier: in steps m = 1, 2, 4 … < p, 0 bytes to r+m, from r-m. ceil(log2 p) alpha.
// Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (1988).
// For the proof the vector is p blocks of 0 bytes, block j meaning "rank j has arrived": before step m rank r knows the m
// blocks that end with its own, and learns the m before them.
#include "algos/algorithm.h"
#include "algos/blocks_steps.h"
#include "algos/log2.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return log2_ceil(args->size);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint32_t p = view->size, r = view->rank, m = UINT32_C(1) << k;
    uint32_t from = (r + p - m) % p, count = m < p - m ? m : p - m;
    struct blocks known = {args_vector(args), p, (r + 1 + p - count) % p, count};
    struct blocks news = {args_vector(args), p, (from + 1 + p - count) % p, count};
    step_phase(out, "dissemination", k, log2_ceil(p));
    blocks_send(out, view, (r + m) % p, &known);
    blocks_receive(out, view, from, &news, COMBINE_COPY);
}

const struct algorithm barrier_dissemination_algorithm = {
    .kind = BARRIER,
    .name = "dissemination",
    .summary = "log2(p) steps of 0 bytes",
    .steps = steps,
    .step = step,
};
