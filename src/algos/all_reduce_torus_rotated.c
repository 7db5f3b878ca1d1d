// Torus all-reduce with all links busy: with d dimensions of more than one rank, 2d torus all-reduces side by side, each on
// 1/(2d) of the vector. Machine m < d begins with dimension m, last dimension counted as 0, and goes on to the next ones;
// machine d + m does the same the other way round every ring. On a k^d torus each of the 2d directed links of a rank then
// carries one machine's ring at any time: 2d(k-1) alpha + (p-1)/p n/(d beta).
// Jain, Sabharwal: Optimal bucket algorithms for large MPI collectives on torus interconnects (2010).
#include "algos/algorithm.h"
#include "algos/torus_steps.h"

/// Dimensions of more than one rank.
static uint32_t busy_dims(const struct collective_args *args) {
    uint32_t dims = 0;
    for (uint32_t i = 0; i < args->dim_count; i++) dims += args->dims[i] > 1;
    return dims;
}

static uint32_t machines(const struct collective_args *args) {
    uint32_t dims = busy_dims(args);
    return dims ? 2 * dims : 1;
}

static bool accepts(const struct collective_args *args, struct error *err) {
    if (torus_filled(args)) return true;
    return error_at(err, "algorithm",
                    "torus-rotated needs a torus, mesh, ring or hypercube with a rank on every endpoint; ring runs on any shape");
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return 2 * torus_half_steps(args);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    uint32_t d = busy_dims(args), first = machine % d, at = 0;
    struct view forward[6];
    struct torus_rings rings = {.count = d};
    for (uint32_t i = args->dim_count; i-- > 0;) {
        if (args->dims[i] == 1) continue;
        uint32_t place = (at++ + d - first) % d;
        forward[place] = torus_ring(args, view, i);
        rings.ring[place] = machine < d ? forward[place] : view_reversed(&forward[place]);
    }
    torus_all_reduce_step(&rings, span_block(args_vector(args), machines(args), machine), k, out);
}

const struct algorithm all_reduce_torus_rotated_algorithm = {
    .kind = ALL_REDUCE,
    .name = "torus-rotated",
    .summary = "2d torus all-reduces on 1/(2d) of the vector each, dimensions rotated and directions opposed: all links busy",
    .accepts = accepts,
    .machines = machines,
    .steps = steps,
    .step = step,
};
