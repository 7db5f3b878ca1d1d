// Torus all-reduce: ring reduce-scatter along each dimension, last dimension first, each on the block that the one before
// left; then ring all-gather, first dimension first. 2 sum(k_i - 1) alpha + 2(p-1)/p n/beta on a torus of k_1 x k_2 …
// Jain, Sabharwal: Optimal bucket algorithms for large MPI collectives on torus interconnects (2010).
#include "algos/algorithm.h"
#include "algos/torus_steps.h"

static bool accepts(const struct collective_args *args, struct error *err) {
    if (torus_filled(args)) return true;
    return error_at(err, "algorithm", "torus needs a torus, mesh, ring or hypercube with a rank on every endpoint; ring runs on any shape");
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return 2 * torus_half_steps(args);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct torus_rings rings = {.count = args->dim_count};
    for (uint32_t i = 0; i < rings.count; i++) rings.ring[i] = torus_ring(args, view, rings.count - 1 - i);
    torus_all_reduce_step(&rings, args_vector(args), k, out);
}

const struct algorithm all_reduce_torus_algorithm = {
    .kind = ALL_REDUCE,
    .name = "torus",
    .summary = "a ring along each dimension in turn: the ring's bytes in 2 sum(k_i - 1) steps",
    .accepts = accepts,
    .steps = steps,
    .step = step,
};
