// Pipelined binomial broadcast: the binomial tree, the vector passed on in k pieces (`pieces`, by default 8). Piece j does in
// step j + t what the broadcast does in step t; a rank may send several pieces in one step, to different children.
// (k + ceil(log2 p) - 1) steps; at the root ceil(log2 p) n/beta in all.
#include "algos/algorithm.h"
#include "algos/binomial_steps.h"

static const char *const options[] = {"pieces", NULL};

enum { DEFAULT_PIECES = 8 };

static uint32_t pieces_of(const struct collective_args *args) { return args->pieces ? args->pieces : DEFAULT_PIECES; }

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1 ? (uint64_t)pieces_of(args) + binomial_steps(args->size) - 1 : 0;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct view rooted = view_from_root(view, args->root);
    uint32_t pieces = pieces_of(args);
    uint64_t rounds = binomial_steps(view->size);
    for (uint64_t round = 0; round < rounds && round <= k; round++) {
        if (k - round >= pieces) continue;
        struct span piece = span_block(args_vector(args), pieces, (int64_t)(k - round));
        binomial_broadcast_step(&rooted, piece, round, out);
    }
    step_phase(out, "broadcast", k, rounds + pieces - 1);
}

const struct algorithm broadcast_pipelined_binomial_algorithm = {
    .kind = BROADCAST,
    .name = "pipelined-binomial",
    .summary = "log2(p) + k - 1 steps of n/k down the binomial tree, k = pieces (by default 8)",
    .options = options,
    .steps = steps,
    .step = step,
};
