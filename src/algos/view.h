#ifndef ALGOS_VIEW_H
#define ALGOS_VIEW_H

#include <stddef.h>
#include <stdint.h>

/// A group of ranks as one of its members sees it. Algorithms are written for members 0 .. size-1 of a view; a view of a
/// view (a ring of the torus, the ranks of a node, the ranks counted from the root) lets one serve inside another.
/// Member i of the view is member first + stride * ((i + rotate) mod size) of the parent; without one, rank i of the collective.
struct view {
    uint32_t rank; ///< which member this is
    uint32_t size;
    int64_t first, stride;
    uint32_t rotate;
    const struct view *parent;
};

static inline uint32_t view_member(const struct view *view, uint32_t member) {
    for (; view->parent; view = view->parent) {
        uint32_t turned = member + view->rotate;
        if (turned >= view->size) turned -= view->size;
        member = (uint32_t)(view->first + view->stride * (int64_t)turned);
    }
    return member;
}

/// All `size` ranks of a collective, seen by `rank`.
static inline struct view view_all(uint32_t rank, uint32_t size) { return (struct view){.rank = rank, .size = size}; }

/// The same members counted from `root`, who is member 0.
static inline struct view view_from_root(const struct view *parent, uint32_t root) {
    uint32_t size = parent->size;
    return (struct view){.rank = (parent->rank + size - root) % size, .size = size, .stride = 1, .rotate = root, .parent = parent};
}

/// The same members in reversed order.
static inline struct view view_reversed(const struct view *parent) {
    uint32_t last = parent->size - 1;
    return (struct view){.rank = last - parent->rank, .size = parent->size, .first = last, .stride = -1, .parent = parent};
}

/// Every `stride`-th member from `first` on, `size` of them, of which the parent's rank must be one.
static inline struct view view_strided(const struct view *parent, uint32_t first, uint32_t stride, uint32_t size) {
    return (struct view){.rank = (parent->rank - first) / stride, .size = size, .first = first, .stride = stride, .parent = parent};
}

#endif
