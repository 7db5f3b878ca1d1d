// Tree all-reduce: binomial reduce to rank 0, then binomial broadcast. 2 ceil(log2 p) (alpha + n/beta).
// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH (2005).
#include "algos/algorithm.h"
#include "algos/binomial_steps.h"

extern const struct algorithm reduce_binomial_algorithm, broadcast_binomial_algorithm;

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return 2 * binomial_steps(args->size);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint64_t half = binomial_steps(view->size);
    if (k < half)
        binomial_reduce_step(view, args_vector(args), k, out);
    else
        binomial_broadcast_step(view, args_vector(args), k - half, out);
}

static uint64_t next_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k) {
    (void)args;
    (void)machine;
    uint64_t half = binomial_steps(view->size), up = k < half ? binomial_next_up(view, k) : half;
    return up < half ? up : half + binomial_next_down(view, k < half ? 0 : k - half);
}

const struct algorithm all_reduce_tree_algorithm = {
    .kind = ALL_REDUCE,
    .name = "tree",
    .summary = "2 log2(p) steps of n, up to rank 0 and down again; simple, any p",
    .steps = steps,
    .step = step,
    .next_step = next_step,
    .halves = {&reduce_binomial_algorithm, &broadcast_binomial_algorithm},
};
