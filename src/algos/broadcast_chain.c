// Chain broadcast: rank r passes piece s-r of k on to r+1 in step s; p-2+k steps of n/k. (p-2+k)(alpha + n/(k beta)),
// least for k = sqrt((p-2) n / (alpha beta)).
// Chan, Heimlich, Purkayastha, van de Geijn: Collective communication: theory, practice, and experience (2007).
#include "algos/algorithm.h"

static const char *const options[] = {"pieces", NULL};

static bool accepts(const struct collective_args *args, struct error *err) {
    if (args->pieces > 0) return true;
    return error_at(err, "pieces", "chain needs pieces, the number of parts in which the vector is passed on; binomial needs none");
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1 ? (uint64_t)args->size - 2 + args->pieces : 0;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    struct view chain = view_from_root(view, args->root);
    uint32_t r = chain.rank, pieces = args->pieces;
    struct span data = args_vector(args);
    step_phase(out, "chain", k, steps(args, 0));
    if (r + 1 < chain.size && k >= r && k - r < pieces) step_send(out, &chain, r + 1, span_block(data, pieces, (int64_t)(k - r)));
    if (r > 0 && k + 1 >= r && k + 1 - r < pieces)
        step_receive(out, &chain, r - 1, span_block(data, pieces, (int64_t)(k + 1 - r)), COMBINE_COPY);
}

static uint64_t next_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k) {
    (void)machine;
    struct view chain = view_from_root(view, args->root);
    uint64_t r = chain.rank, first = r > 0 ? r - 1 : 0, end = r + 1 < chain.size ? r + args->pieces : first + args->pieces;
    if (k < first) return first;
    return k < end ? k : steps(args, 0);
}

const struct algorithm broadcast_chain_algorithm = {
    .kind = BROADCAST,
    .name = "chain",
    .summary = "p-2+k steps of n/k from rank to rank, k = pieces; best for large vectors on a line or ring",
    .options = options,
    .accepts = accepts,
    .steps = steps,
    .step = step,
    .next_step = next_step,
};
