#ifndef ALGOS_DIRECT_STEPS_H
#define ALGOS_DIRECT_STEPS_H

#include "algos/exchange_steps.h"
#include "algos/torus_steps.h"

/// All-to-all in which every block goes straight to its rank: at distance k = 1 … p-1 rank r sends to r+k and receives
/// from r-k. (p-1)(alpha + n/(p beta)) in steps; all at once alpha + (p-1)/p n/beta.
/// `order: shift` reads k as coordinates and adds them to r's one by one, so that every distance is a shift of the torus.

/// r + k, or r - k for sign -1, coordinate by coordinate.
static inline uint32_t direct_shifted(const struct collective_args *args, uint32_t r, uint32_t k, int sign) {
    uint32_t shifted = 0, stride = 1;
    for (uint32_t i = args->dim_count; i-- > 0; stride *= args->dims[i]) {
        uint32_t dim = args->dims[i], at = r / stride % dim, by = k / stride % dim;
        shifted += (sign > 0 ? at + by : at + dim - by) % dim * stride;
    }
    return shifted;
}

static inline uint32_t direct_peer(const struct collective_args *args, uint32_t r, uint32_t k, int sign) {
    if (args->order == ORDER_SHIFT) return direct_shifted(args, r, k, sign);
    uint64_t size = args->size, peer = r + (sign > 0 ? k : size - k);
    return (uint32_t)(peer < size ? peer : peer - size);
}

static inline bool direct_accepts(const struct collective_args *args, struct error *err) {
    if (args->order == ORDER_RANK || torus_filled(args)) return true;
    return error_at(err, "order", "shift needs a torus, mesh, ring or hypercube with a rank on every endpoint; rank runs on any shape");
}

static inline uint64_t direct_steps(const struct collective_args *args) {
    return args->schedule == SCHEDULE_STEPS || args->size == 1 ? args->size - 1 : 1;
}

/// Peers at rising distances, each found from the one before: a step of a million messages pays no divisions.
struct direct_walk {
    uint32_t dim_count;
    uint32_t dims[6];
    uint32_t at[6]; ///< coordinates of the peer
    uint32_t by[6]; ///< and of the distance
    uint32_t peer;
};

/// At distance 0. In the order of ranks they are a ring.
static inline struct direct_walk direct_walk_from(const struct collective_args *args, uint32_t rank) {
    bool shift = args->order == ORDER_SHIFT;
    struct direct_walk walk = {.dim_count = shift ? args->dim_count : 1, .peer = rank};
    for (uint32_t i = walk.dim_count; i-- > 0;) {
        walk.dims[i] = shift ? args->dims[i] : args->size;
        walk.at[i] = rank % walk.dims[i];
        rank /= walk.dims[i];
    }
    return walk;
}

static inline void direct_walk_on(struct direct_walk *walk, int sign) {
    uint32_t stride = 1;
    for (uint32_t i = walk->dim_count; i-- > 0; stride *= walk->dims[i]) {
        uint32_t dim = walk->dims[i], round = (dim - 1) * stride;
        bool last = walk->at[i] == (sign > 0 ? dim - 1 : 0);
        if (sign > 0)
            walk->peer = last ? walk->peer - round : walk->peer + stride;
        else
            walk->peer = last ? walk->peer + round : walk->peer - stride;
        walk->at[i] = last ? (sign > 0 ? 0 : dim - 1) : walk->at[i] + (uint32_t)sign;
        if (++walk->by[i] < dim) return;
        walk->by[i] = 0; // once round: the peer is back on this dim
    }
}

static inline void direct_step_at_once(const struct collective_args *args, const struct view *view, struct step *out) {
    uint32_t rank = view->rank;
    PAGES_RESERVE(out->operations, out->capacity, out->count + 2 * ((size_t)args->size - 1));
    const bool alike = exchange_alike(args);
    const struct span block = {.bytes = args->part.bytes / args->size, .marks = UNMARKED};
    struct direct_walk to = direct_walk_from(args, rank), from = to;
    for (uint32_t k = 1; k < args->size; k++) {
        direct_walk_on(&to, 1);
        if (alike)
            exchange_add(out, view, to.peer, true, block, VECTOR_DATA);
        else
            exchange_send(args, view, to.peer, out);
    }
    for (uint32_t k = 1; k < args->size; k++) {
        direct_walk_on(&from, -1);
        if (alike)
            exchange_add(out, view, from.peer, false, block, VECTOR_RESULT);
        else
            exchange_receive(args, view, from.peer, out);
    }
}

static inline void direct_step(const struct collective_args *args, const struct view *view, uint64_t k, struct step *out) {
    step_phase(out, "exchange", k, direct_steps(args));
    if (args->schedule == SCHEDULE_ALL_AT_ONCE) {
        direct_step_at_once(args, view, out);
        return;
    }
    exchange_send(args, view, direct_peer(args, view->rank, (uint32_t)k + 1, 1), out);
    exchange_receive(args, view, direct_peer(args, view->rank, (uint32_t)k + 1, -1), out);
}

#endif
