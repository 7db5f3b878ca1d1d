// Hierarchical all-reduce on nodes of g ranks: reduce-scatter inside the node; all-reduce of block r mod g among the ranks
// of equal r mod g, one a node; all-gather inside the node. With rings 2(g-1)(alpha_in + n/(g beta_in)) +
// 2(p/g-1)(alpha_out + n/(p beta_out)).
//
// `inner` and `outer` name other all-reduces. An inner one that is a reduction to rank 0 and a broadcast (tree) leaves the
// exchange between nodes to the first rank of each; one without halves (one-shot, recursive-doubling …) is done whole, and
// every rank then takes part between the nodes with the whole vector: more bytes, fewer steps.
// Mikami et al.: Massively distributed SGD: ImageNet/ResNet-50 training in a flash (2018), for the three phases.
#include <string.h>

#include "algos/algorithm.h"

extern const struct algorithm all_reduce_ring_algorithm;

static const char *const options[] = {"inner", "outer", NULL};

/// One algorithm on some of the ranks.
struct stage {
    const struct algorithm *algorithm;
    struct collective_args args;
};

/// The three stages; the last has no algorithm where the first was done whole.
struct stages {
    struct stage before, between, after;
};

static struct stage stage_of(const struct collective_args *args, const struct algorithm *algorithm, uint32_t size, struct span part) {
    struct stage stage = {algorithm, *args};
    stage.args.size = size;
    stage.args.part = part;
    stage.args.root = stage.args.dim_count = stage.args.group_size = 0;
    stage.args.inner = stage.args.outer = NULL;
    if (algorithm) stage.args.kind = algorithm->kind;
    return stage;
}

static const struct algorithm *or_ring(const struct algorithm *algorithm) { return algorithm ? algorithm : &all_reduce_ring_algorithm; }

/// As rank `local` of its node sees them.
static struct stages stages_of(const struct collective_args *args, uint32_t local) {
    const struct algorithm *inner = or_ring(args->inner);
    struct span whole = args_vector(args), part = whole;
    bool halves = inner->halves[0] != NULL;
    if (halves && inner->halves[0]->kind == REDUCE_SCATTER) part = span_block(whole, args->group_size, local);
    return (struct stages){
        .before = stage_of(args, halves ? inner->halves[0] : inner, args->group_size, whole),
        .between = stage_of(args, or_ring(args->outer), args->size / args->group_size, part),
        .after = stage_of(args, inner->halves[1], args->group_size, whole),
    };
}

/// Machines side by side become one, in lockstep.
static uint64_t stage_steps(const struct stage *stage) {
    uint64_t most = 0;
    if (!stage->algorithm) return 0;
    for (uint32_t m = 0; m < algorithm_machines(stage->algorithm, &stage->args); m++) {
        uint64_t steps = stage->algorithm->steps(&stage->args, m);
        if (steps > most) most = steps;
    }
    return most;
}

static void stage_step(const struct stage *stage, const struct view *view, uint64_t k, struct step *out) {
    uint32_t machines = algorithm_machines(stage->algorithm, &stage->args);
    for (uint32_t m = 0; m < machines; m++) {
        size_t first = out->count;
        if (k < stage->algorithm->steps(&stage->args, m)) stage->algorithm->step(&stage->args, view, m, k, out);
        for (size_t i = first; i < out->count; i++) out->operations[i].piece = out->operations[i].piece * machines + m;
    }
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    struct stages stages = stages_of(args, 0);
    return stage_steps(&stages.before) + stage_steps(&stages.between) + stage_steps(&stages.after);
}

/// Whether the rank has anything of the vector between the first stage and the last.
static bool has_part(const struct stages *stages, uint32_t local) { return local == 0 || stages->before.algorithm->kind != REDUCE; }

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    uint32_t g = args->group_size, local = view->rank % g;
    struct stages stages = stages_of(args, local);
    struct view node = view_strided(view, view->rank - local, 1, g);
    struct view rail = view_strided(view, local, g, view->size / g);
    uint64_t before = stage_steps(&stages.before), between = stage_steps(&stages.between);
    if (k < before)
        stage_step(&stages.before, &node, k, out);
    else if (k >= before + between)
        stage_step(&stages.after, &node, k - before - between, out);
    else if (has_part(&stages, local))
        stage_step(&stages.between, &rail, k - before, out);
}

/// The first step >= k in which some machine of the rank has something to do.
static uint64_t stage_next(const struct stage *stage, const struct view *view, uint64_t k) {
    uint64_t first = stage_steps(stage);
    for (uint32_t m = 0; k < first && m < algorithm_machines(stage->algorithm, &stage->args); m++) {
        uint64_t steps = stage->algorithm->steps(&stage->args, m);
        uint64_t next = k < steps ? algorithm_next_step(stage->algorithm, &stage->args, view, m, k) : steps;
        if (next < steps && next < first) first = next;
    }
    return first;
}

static uint64_t next_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k) {
    (void)machine;
    uint32_t g = args->group_size, local = view->rank % g;
    struct stages stages = stages_of(args, local);
    struct view node = view_strided(view, view->rank - local, 1, g);
    struct view rail = view_strided(view, local, g, view->size / g);
    uint64_t before = stage_steps(&stages.before), end = before + stage_steps(&stages.between);
    if (k < before) k = stage_next(&stages.before, &node, k);
    if (k >= before && k < end) k = has_part(&stages, local) ? before + stage_next(&stages.between, &rail, k - before) : end;
    return k < end ? k : end + stage_next(&stages.after, &node, k - end);
}

/// What a level lacks is an error of the key that names it.
static bool stage_accepts(const struct stage *stage, const char *key, struct error *err) {
    struct error inside = {0};
    if (stage->algorithm && stage->algorithm->in_network)
        return error_at(err, key, "in-network works on all ranks of a collective, not on those of a node; ring can be a level");
    if (!stage->algorithm || !stage->algorithm->accepts || stage->algorithm->accepts(&stage->args, &inside)) return true;
    return error_at(err, strcmp(inside.where, "algorithm") == 0 ? key : inside.where, "%s", inside.text);
}

static bool accepts(const struct collective_args *args, struct error *err) {
    uint32_t g = args->group_size;
    if (g == 0)
        return error_at(err, "algorithm",
                        "hierarchical needs nodes of several ranks (a cluster, all its endpoints); ring runs on any shape");
    if (args->size % g)
        return error_at(err, "algorithm", "hierarchical needs a multiple of the %u ranks of a node, not %u ranks; ring takes any number", g,
                        args->size);
    struct stages stages = stages_of(args, 0);
    return stage_accepts(&stages.before, "inner", err) && stage_accepts(&stages.between, "outer", err) &&
           stage_accepts(&stages.after, "inner", err);
}

const struct algorithm all_reduce_hierarchical_algorithm = {
    .kind = ALL_REDUCE,
    .name = "hierarchical",
    .summary = "reduce-scatter in the node, all-reduce of 1/g between nodes, all-gather in the node; best where nodes are faster inside",
    .options = options,
    .accepts = accepts,
    .steps = steps,
    .step = step,
    .next_step = next_step,
};
