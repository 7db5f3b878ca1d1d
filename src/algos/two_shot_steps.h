#ifndef ALGOS_TWO_SHOT_STEPS_H
#define ALGOS_TWO_SHOT_STEPS_H

#include "algos/step.h"

/// Reduce-scatter and all-gather in one step each, every pair speaking directly: alpha + (p-1)/p n/beta.

/// Sends block r+k to its rank, k = 1 … p-1, and adds up the own block.
static inline void direct_reduce_scatter_step(const struct view *view, struct span data, struct step *out) {
    uint32_t p = view->size, r = view->rank;
    step_phase(out, "reduce-scatter", 0, 1);
    for (uint32_t k = 1; k < p; k++) step_send(out, view, (r + k) % p, span_block(data, p, (r + k) % p));
    for (uint32_t k = 1; k < p; k++) step_receive(out, view, (r + p - k) % p, span_block(data, p, r), COMBINE_ADD);
}

/// Sends the own block to r+1, r+2, …
static inline void direct_all_gather_step(const struct view *view, struct span data, struct step *out) {
    uint32_t p = view->size, r = view->rank;
    step_phase(out, "all-gather", 0, 1);
    for (uint32_t k = 1; k < p; k++) step_send(out, view, (r + k) % p, span_block(data, p, r));
    for (uint32_t k = 1; k < p; k++) step_receive(out, view, (r + p - k) % p, span_block(data, p, (r + p - k) % p), COMBINE_COPY);
}

#endif
