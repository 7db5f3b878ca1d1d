// Binomial reduce: the binomial broadcast backwards. ceil(log2 p) (alpha + n/beta).
// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH (2005).
#include "algos/algorithm.h"
#include "algos/binomial_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return binomial_steps(args->size);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct view rooted = view_from_root(view, args->root);
    binomial_reduce_step(&rooted, args_vector(args), k, out);
}

static uint64_t next_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k) {
    (void)machine;
    struct view rooted = view_from_root(view, args->root);
    return binomial_next_up(&rooted, k);
}

const struct algorithm reduce_binomial_algorithm = {
    .kind = REDUCE,
    .name = "binomial",
    .summary = "log2(p) steps of n up to the root; best for small vectors",
    .steps = steps,
    .step = step,
    .next_step = next_step,
};
