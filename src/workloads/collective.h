#ifndef WORKLOADS_COLLECTIVE_H
#define WORKLOADS_COLLECTIVE_H

#include "base/field.h"

/// {"type": "collective"}: one collective operation, once or several times in a row.
struct collective_config {
    uint64_t given;
    int collective;
    const char *algorithm; ///< NULL: the default of the collective
    int64_t bytes;
    int sync;
    int64_t root, from, to;
    int64_t pieces;
    int schedule, order;
    struct integers ranks; ///< a sub-group in its own order; empty: all
    struct records start;  ///< struct rank_time
    int64_t repeat;
};

#endif
