#ifndef ALGOS_TORUS_STEPS_H
#define ALGOS_TORUS_STEPS_H

#include "algos/algorithm.h"
#include "algos/ring_steps.h"

/// All-reduce dimension by dimension on a torus whose coordinates are the ranks in C order (last dimension fastest).

/// Whether the ranks fill a shape with dims.
static inline bool torus_filled(const struct collective_args *args) {
    uint64_t ranks = 1;
    for (uint32_t i = 0; i < args->dim_count; i++) ranks *= args->dims[i];
    return args->dim_count > 0 && ranks == args->size;
}

/// The rings of one rank, one a dimension, in the order in which the reduce-scatter takes them.
struct torus_rings {
    uint32_t count;
    struct view ring[6];
};

/// Ring along dimension `dim` of the rank that sees `all`.
static inline struct view torus_ring(const struct collective_args *args, const struct view *all, uint32_t dim) {
    uint32_t stride = 1;
    for (uint32_t i = dim + 1; i < args->dim_count; i++) stride *= args->dims[i];
    uint32_t coordinate = all->rank / stride % args->dims[dim];
    return view_strided(all, all->rank - coordinate * stride, stride, args->dims[dim]);
}

/// Steps of the reduce-scatters alone (the all-gathers take as many): the sum of k_i - 1.
static inline uint64_t torus_half_steps(const struct collective_args *args) {
    uint64_t steps = 0;
    for (uint32_t i = 0; i < args->dim_count; i++) steps += args->dims[i] - 1;
    return steps;
}

/// Ring reduce-scatter along each ring in turn, each on the block that the one before left; then ring all-gather in
/// the reverse order. Step k of 2 sum(k_i - 1).
static inline void torus_all_reduce_step(const struct torus_rings *rings, struct span data, uint64_t k, struct step *out) {
    struct span within[6];
    for (uint32_t i = 0; i < rings->count; i++) {
        const struct view *ring = &rings->ring[i];
        within[i] = data;
        if (k < ring->size - 1) {
            ring_reduce_scatter_step(ring, data, k, out);
            return;
        }
        k -= ring->size - 1;
        data = span_block(data, ring->size, ring->rank);
    }
    for (uint32_t i = rings->count; i-- > 0; k -= rings->ring[i].size - 1) {
        if (k < rings->ring[i].size - 1) {
            ring_all_gather_step(&rings->ring[i], within[i], k, out);
            return;
        }
    }
}

#endif
