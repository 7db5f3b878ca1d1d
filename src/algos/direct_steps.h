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

static inline void direct_step(const struct collective_args *args, const struct view *view, uint64_t k, struct step *out) {
    bool all = args->schedule == SCHEDULE_ALL_AT_ONCE;
    uint32_t first = all ? 1 : (uint32_t)k + 1, end = all ? args->size : first + 1;
    step_phase(out, "exchange", k, direct_steps(args));
    for (uint32_t i = first; i < end; i++) exchange_send(args, view, direct_peer(args, view->rank, i, 1), out);
    for (uint32_t i = first; i < end; i++) exchange_receive(args, view, direct_peer(args, view->rank, i, -1), out);
}

#endif
