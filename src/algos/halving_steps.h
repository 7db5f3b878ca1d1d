#ifndef ALGOS_HALVING_STEPS_H
#define ALGOS_HALVING_STEPS_H

#include "algos/fold_steps.h"

/// Exchanges of halves among the q ranks of a fold, and their mirror image. A range of numbers stands for the part of the
/// vector that a rank works on.
struct range {
    uint32_t first, end;
};

/// The half of the range that the rank of this number keeps in an exchange at `distance`: the lower where that bit of
/// the number is 0.
static inline struct range range_kept(struct range range, uint32_t number, uint32_t distance) {
    uint32_t middle = range.first + (range.end - range.first) / 2;
    return number & distance ? (struct range){middle, range.end} : (struct range){range.first, middle};
}

/// The `distance` numbers, aligned, among which a number is.
static inline struct range range_around(uint32_t number, uint32_t distance) {
    uint32_t first = number & ~(distance - 1);
    return (struct range){first, first + distance};
}

/// The blocks, one a member of the view, of those who came into the fold with a range of numbers.
static inline struct span range_blocks(struct span data, const struct view *view, const struct fold *fold, struct range range) {
    return span_blocks(data, view->size, fold_first(fold, range.first), fold_first(fold, range.end));
}

#endif
