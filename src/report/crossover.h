#ifndef REPORT_CROSSOVER_H
#define REPORT_CROSSOVER_H

#include <jansson.h>
#include <stdio.h>

#include "report/compare.h"
#include "report/json_writer.h"

/// A comparison of algorithms over sizes: which is the fastest at each size, and where that changes.

/// Between two sizes within 1 % (or a byte) of each other one algorithm takes over from another.
struct crossover {
    int64_t low_bytes, high_bytes; ///< `before` is the fastest at the one, `after` at the other
    size_t before, after;          ///< algorithms
};

struct crossover_study {
    const struct comparison *comparison; ///< of two axes
    size_t size_axis, algorithm_axis;
    size_t sizes, algorithms; ///< how many, in the order of the axes
    size_t count, capacity;
    struct crossover *items; ///< by rising size
};

enum { CROSSOVER_NONE = -1 };

/// The algorithm that is the fastest at a size, the first of several; CROSSOVER_NONE where none completed.
int crossover_winner(const struct crossover_study *study, size_t size);

void report_crossover_table(const struct crossover_study *study, const json_t *scenario, enum sheet_format format, FILE *out);

/// The members "winners" (one a size) and "crossovers".
void put_crossovers(struct json_writer *json, const struct crossover_study *study);

#endif
