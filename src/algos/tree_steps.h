#ifndef ALGOS_TREE_STEPS_H
#define ALGOS_TREE_STEPS_H

#include "algos/log2.h"
#include "algos/step.h"

/// A binary tree over positions 1 .. p in symmetric order (left subtree, node, right subtree). A position's lowest bit
/// tells its height in a full tree, so odd positions are leaves and even ones are not. The root is the largest power of
/// two; no position is deeper than log2_floor(p). 0 stands for none.

static inline uint32_t tree_lowest_bit(uint32_t position) { return position & (~position + 1); }

static inline uint32_t tree_parent(uint32_t size, uint32_t position) {
    uint32_t bit = tree_lowest_bit(position), left = position ^ bit, right = left | bit << 1;
    return right <= size ? right : left;
}

static inline uint32_t tree_left_child(uint32_t position) {
    uint32_t bit = tree_lowest_bit(position);
    return bit > 1 ? position - bit / 2 : 0;
}

static inline uint32_t tree_right_child(uint32_t size, uint32_t position) {
    for (uint32_t bit = tree_lowest_bit(position) / 2; bit; bit /= 2)
        if (bit <= size - position) return position + bit;
    return 0;
}

/// 0 at the root.
static inline uint32_t tree_depth(uint32_t size, uint32_t position) {
    uint32_t depth = 0;
    for (; (position = tree_parent(size, position)); depth++) continue;
    return depth;
}

#endif
