#ifndef ALGOS_RING_STEPS_H
#define ALGOS_RING_STEPS_H

#include "algos/step.h"

/// The two halves of every ring method, on a view's members in order. Each takes size-1 steps and moves
/// (size-1)/size of `data` over every edge of the ring: (p-1)(alpha + n/(p beta)).
/// Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations (2009).

/// r - back mod p, for back <= p.
static inline uint32_t ring_back(uint32_t r, uint32_t back, uint32_t p) { return r >= back ? r - back : r + p - back; }

/// Step k: send block r-1-k to the next, add block r-2-k from the previous; member r ends with block r.
static inline void ring_reduce_scatter_step(const struct view *view, struct span data, uint64_t k, struct step *out) {
    uint32_t p = view->size, r = view->rank, back = (uint32_t)k;
    step_phase(out, "reduce-scatter", k, p - 1);
    step_send(out, view, ring_back(r, p - 1, p), span_block(data, p, ring_back(r, back + 1, p)));
    step_receive(out, view, ring_back(r, 1, p), span_block(data, p, ring_back(r, back + 2, p)), COMBINE_ADD);
}

/// Step k: send block r-k to the next, receive block r-1-k from the previous; member r starts with block r.
static inline void ring_all_gather_step(const struct view *view, struct span data, uint64_t k, struct step *out) {
    uint32_t p = view->size, r = view->rank, back = (uint32_t)k;
    step_phase(out, "all-gather", k, p - 1);
    step_send(out, view, ring_back(r, p - 1, p), span_block(data, p, ring_back(r, back, p)));
    step_receive(out, view, ring_back(r, 1, p), span_block(data, p, ring_back(r, back + 1, p)), COMBINE_COPY);
}

/// Reduce-scatter, then all-gather: 2(p-1) steps.
static inline void ring_all_reduce_step(const struct view *view, struct span data, uint64_t k, struct step *out) {
    uint64_t half = view->size - 1;
    if (k < half)
        ring_reduce_scatter_step(view, data, k, out);
    else
        ring_all_gather_step(view, data, k - half, out);
}

/// Where blocks are equal all steps send the same to the same neighbour.
static inline uint64_t ring_alike_until(struct span data, uint32_t p, uint64_t k, uint64_t steps) {
    return data.bytes % p == 0 ? steps : k + 1;
}

#endif
