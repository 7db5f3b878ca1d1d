// All-to-all with a size of its own for every pair: the direct one, its blocks as the matrix says. Zero entries are not sent.
#include "algos/algorithm.h"
#include "algos/direct_steps.h"

static const char *const options[] = {"matrix", "schedule", "order", NULL};

static bool accepts(const struct collective_args *args, struct error *err) {
    if (!args->matrix) return error_at(err, "matrix", "matrix needs the bytes of every pair; direct sends equal blocks");
    return direct_accepts(args, err);
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return direct_steps(args);
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    direct_step(args, view, k, out);
}

const struct algorithm all_to_all_matrix_algorithm = {
    .kind = ALL_TO_ALL,
    .name = "matrix",
    .summary = "direct, with a size of its own for every pair",
    .options = options,
    .accepts = accepts,
    .steps = steps,
    .step = step,
};
