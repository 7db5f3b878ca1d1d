// Binomial gather: the mirror image of the binomial scatter; a rank sends its own block and those of the ranks below it.
// ceil(log2 p) alpha + (p-1)/p n/beta. The tree is counted from the root, the blocks are the ranks' own.
#include "algos/algorithm.h"
#include "algos/binomial_steps.h"

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return binomial_steps(args->size);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct view rooted = view_from_root(view, args->root);
    uint32_t peer, mask = binomial_mask_up(k);
    enum binomial_role role = binomial_role(&rooted, mask, &peer);
    step_phase(out, "gather", k, binomial_steps(view->size));
    if (role == BINOMIAL_IDLE) return;
    struct blocks blocks = binomial_subtree(args, role == BINOMIAL_PARENT ? peer : rooted.rank, mask);
    if (role == BINOMIAL_CHILD)
        blocks_send(out, &rooted, peer, &blocks);
    else
        blocks_receive(out, &rooted, peer, &blocks, COMBINE_COPY);
}

static uint64_t next_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k) {
    (void)machine;
    struct view rooted = view_from_root(view, args->root);
    return binomial_next_up(&rooted, k);
}

const struct algorithm gather_binomial_algorithm = {
    .kind = GATHER,
    .name = "binomial",
    .summary = "log2(p) steps, twice as much each time: (p-1)/p n at the root",
    .steps = steps,
    .step = step,
    .next_step = next_step,
};
