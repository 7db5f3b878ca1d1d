// Double binary tree: two pipelined binary trees side by side, one half of the vector each; a rank that has children in one
// is a leaf of the other, so all send and receive at nearly full rate. Each half goes up to the root and down again in
// `pieces` (by default 8): about 2 log2(p) + pieces steps of n/(2 pieces) in each tree.
// Sanders, Speck, Träff: Two-tree algorithms for full bandwidth broadcast, reduction and scan (2009).
//
// The second tree is the first one mirrored where p is even, shifted by one rank where it is odd. A rank `level` steps above
// the deepest passes piece j up in step j + level; the root, at level h, has it then, and it passes a rank on its way
// down in step j + 2h - level.
#include "algos/algorithm.h"
#include "algos/tree_steps.h"

static const char *const options[] = {"pieces", NULL};

enum { DEFAULT_PIECES = 8 };

static uint32_t pieces_of(const struct collective_args *args) { return args->pieces ? args->pieces : DEFAULT_PIECES; }

static uint32_t machines(const struct collective_args *args) {
    (void)args;
    return 2;
}

/// Where a member is in a tree, and who is at a position.
static uint32_t position_of(uint32_t p, uint32_t member, uint32_t tree) {
    if (tree == 0) return member + 1;
    if (p % 2 == 0) return p - member;
    return member ? member : p;
}

static uint32_t member_at(uint32_t p, uint32_t position, uint32_t tree) {
    if (tree == 0) return position - 1;
    if (p % 2 == 0) return p - position;
    return position % p;
}

struct pieces {
    struct span data;
    uint32_t count;
};

/// The piece that passes in step k where piece 0 passes in step `delay`; false: none does.
static bool piece_after(const struct pieces *pieces, uint64_t k, uint32_t delay, struct span *span) {
    if (k < delay || k - delay >= pieces->count) return false;
    *span = span_block(pieces->data, pieces->count, (int64_t)(k - delay));
    return true;
}

static uint64_t steps(const struct collective_args *args, uint32_t machine) {
    (void)machine;
    return args->size > 1 ? (uint64_t)pieces_of(args) + 2 * log2_floor(args->size) - 1 : 0;
}

static void step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    uint32_t p = view->size, position = position_of(p, view->rank, machine), height = log2_floor(p);
    uint32_t level = height - tree_depth(p, position), parent = tree_parent(p, position);
    uint32_t children[2] = {tree_left_child(position), tree_right_child(p, position)};
    struct pieces pieces = {span_block(args_vector(args), 2, machine), pieces_of(args)};
    struct span span;
    step_phase(out, machine ? "second tree" : "first tree", k, steps(args, machine));
    if (parent && piece_after(&pieces, k, level, &span)) step_send(out, view, member_at(p, parent, machine), span);
    for (int i = 0; i < 2; i++)
        if (children[i] && piece_after(&pieces, k, 2 * height - level, &span))
            step_send(out, view, member_at(p, children[i], machine), span);
    for (int i = 0; i < 2; i++)
        if (children[i] && piece_after(&pieces, k, level - 1, &span))
            step_receive(out, view, member_at(p, children[i], machine), span, COMBINE_ADD);
    if (parent && piece_after(&pieces, k, 2 * height - level - 1, &span))
        step_receive(out, view, member_at(p, parent, machine), span, COMBINE_COPY);
}

const struct algorithm all_reduce_double_tree_algorithm = {
    .kind = ALL_REDUCE,
    .name = "double-tree",
    .summary = "two pipelined binary trees, half the vector each: nearly the ring's bytes in about 2 log2(p) + pieces steps",
    .options = options,
    .machines = machines,
    .steps = steps,
    .step = step,
};
