#ifndef REPORT_WAITS_H
#define REPORT_WAITS_H

#include <stdio.h>

#include "record/named_links.h"
#include "record/waits.h"

/// Who waited behind whom.
struct wait_list {
    const struct graph *graph;
    const struct wait_pair *pairs; ///< the longest first
    size_t count;
    int64_t ticks_per_s;
};

/// As CSV, the first `most` (0: all).
void report_waits(const struct wait_list *list, int64_t most, FILE *out);

/// The first few for people.
void report_waits_table(const struct wait_list *list, FILE *out);

#endif
