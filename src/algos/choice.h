#ifndef ALGOS_CHOICE_H
#define ALGOS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "algos/algorithm.h"

/// What the algorithm "auto" found for one collective, each candidate having run alone on the same network and ranks.
struct choice {
    uint32_t candidates;               ///< how many were run; 0: there was no choice
    const struct algorithm *algorithm; ///< the fastest; NULL where none ran to its end
    int64_t ticks;
    const struct algorithm *next; ///< the next; NULL where none ran to its end
    int64_t next_ticks;
};

/// Whether "auto" may take it for a collective of that kind: a matrix is no way to do what the others do.
static inline bool choice_candidate(const struct algorithm *algorithm, enum collective_kind kind) {
    return algorithm->kind == kind && strcmp(algorithm->name, "matrix") != 0;
}

#endif
