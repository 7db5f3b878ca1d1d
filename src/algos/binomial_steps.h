#ifndef ALGOS_BINOMIAL_STEPS_H
#define ALGOS_BINOMIAL_STEPS_H

#include "algos/algorithm.h"
#include "algos/blocks_steps.h"
#include "algos/log2.h"

/// The binomial tree rooted at member 0 of a view: ceil(log2 p) steps each way, one message a rank and step:
/// ceil(log2 p) (alpha + n/beta). The parent of r is r without its lowest bit.

static inline uint64_t binomial_steps(uint32_t size) { return log2_ceil(size); }

enum binomial_role { BINOMIAL_IDLE, BINOMIAL_PARENT, BINOMIAL_CHILD };

/// What a rank does in the step at distance `mask`, and with whom: parents have r mod 2*mask = 0, children = mask.
static inline enum binomial_role binomial_role(const struct view *view, uint32_t mask, uint32_t *peer) {
    uint32_t r = view->rank, place = r & (2 * mask - 1);
    if (place == mask) {
        *peer = r - mask;
        return BINOMIAL_CHILD;
    }
    *peer = r + mask;
    return place == 0 && mask < view->size - r ? BINOMIAL_PARENT : BINOMIAL_IDLE;
}

/// The distance of step k on the way down (largest first) and on the way up.
static inline uint32_t binomial_mask_down(uint32_t size, uint64_t k) { return UINT32_C(1) << (binomial_steps(size) - 1 - k); }
static inline uint32_t binomial_mask_up(uint64_t k) { return UINT32_C(1) << k; }

/// The first step >= k on the way down in which a rank is not idle: it hears from its parent, then serves its children, the
/// furthest first; binomial_steps(size) where there is none.
static inline uint64_t binomial_next_down(const struct view *view, uint64_t k) {
    uint32_t r = view->rank, beyond = view->size - r, child = r & (~r + 1);
    uint64_t steps = binomial_steps(view->size);
    if (k >= steps) return steps;
    uint32_t mask = binomial_mask_down(view->size, k);
    if (r > 0 && mask >= child) {
        mask = child;
    } else if (mask >= beyond) {
        if (beyond == 1) return steps;
        mask = UINT32_C(1) << log2_floor(beyond - 1);
    }
    return steps - 1 - log2_floor(mask);
}

/// The same on the way up: it hears from its children, the nearest first, then tells its parent.
static inline uint64_t binomial_next_up(const struct view *view, uint64_t k) {
    uint32_t r = view->rank, child = r & (~r + 1);
    uint64_t steps = binomial_steps(view->size);
    if (k >= steps || r == 0) return k;
    uint32_t mask = binomial_mask_up(k);
    if (mask > child) return steps;
    return mask < view->size - r ? k : log2_floor(child);
}

/// Scatter and gather: the blocks of the ranks below member `child`, itself included: those of the members child .. child + mask - 1.
static inline struct blocks binomial_subtree(const struct collective_args *args, uint32_t child, uint32_t mask) {
    uint32_t p = args->size, count = mask < p - child ? mask : p - child;
    return (struct blocks){args_vector(args), p, (child + args->root) % p, count};
}

/// Step k of the broadcast: member 0 has `data` at first, everyone in the end.
static inline void binomial_broadcast_step(const struct view *view, struct span data, uint64_t k, struct step *out) {
    uint32_t peer;
    step_phase(out, "broadcast", k, binomial_steps(view->size));
    switch (binomial_role(view, binomial_mask_down(view->size, k), &peer)) {
    case BINOMIAL_PARENT: step_send(out, view, peer, data); break;
    case BINOMIAL_CHILD: step_receive(out, view, peer, data, COMBINE_COPY); break;
    case BINOMIAL_IDLE: break;
    }
}

/// Step k of the reduction: member 0 ends with the sum.
static inline void binomial_reduce_step(const struct view *view, struct span data, uint64_t k, struct step *out) {
    uint32_t peer;
    step_phase(out, "reduce", k, binomial_steps(view->size));
    switch (binomial_role(view, binomial_mask_up(k), &peer)) {
    case BINOMIAL_PARENT: step_receive(out, view, peer, data, COMBINE_ADD); break;
    case BINOMIAL_CHILD: step_send(out, view, peer, data); break;
    case BINOMIAL_IDLE: break;
    }
}

#endif
