// Bruck all-to-all: in round i the blocks whose distance has bit i set travel to r + 2^i, all in one message; a block is home
// when all bits of its distance have been travelled. ceil(log2 p) (alpha + n/(2 beta)) for a power of two.
// Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in multiport message-passing
// systems (1997).
//
// A rank holds one block of each distance d. It lies in slot r - d of the result, where that distance's last one belongs;
// before its first move it lies in the data, as the block for r + d.
#include "algos/algorithm.h"
#include "algos/exchange_steps.h"
#include "algos/log2.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return log2_ceil(args->size);
}

/// Adds the message by which the blocks of this bit leave `holder`, as this rank, its sender or its receiver, sees it.
static void add_message(const struct collective_args *args, const struct view *view, uint32_t peer, uint32_t bit, bool is_send,
                        struct step *out) {
    uint32_t p = view->size, r = view->rank, holder = is_send ? r : peer;
    for (uint32_t d = bit; d < p; d = (d + 1) | bit) {
        uint32_t travelled = d & (bit - 1), source = (holder + p - travelled) % p, home = (source + d) % p;
        bool unmoved = is_send && travelled == 0;
        struct span span = exchange_span(args, source, home, unmoved ? home : (r + p - d) % p);
        enum vector vector = unmoved ? VECTOR_DATA : VECTOR_RESULT;
        if (d > bit)
            step_join(out, span, vector);
        else
            exchange_add(out, view, peer, is_send, span, vector);
    }
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint32_t p = view->size, bit = UINT32_C(1) << k;
    step_phase(out, "round", k, log2_ceil(p));
    add_message(args, view, (view->rank + bit) % p, bit, true, out);
    add_message(args, view, (view->rank + p - bit) % p, bit, false, out);
}

const struct algorithm all_to_all_bruck_algorithm = {
    .kind = ALL_TO_ALL,
    .name = "bruck",
    .summary = "log2(p) rounds of about n/2; fewest steps, best for small blocks",
    .steps = steps,
    .step = step,
};
