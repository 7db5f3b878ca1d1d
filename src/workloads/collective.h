#ifndef WORKLOADS_COLLECTIVE_H
#define WORKLOADS_COLLECTIVE_H

#include "algos/custom.h"
#include "base/field.h"
#include "workloads/workload.h"

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
    const char *inner, *outer; ///< names of all-reduces, or NULL
    struct matrix matrix, expect;
    const struct custom_schedule *schedule_file;
    struct integers ranks; ///< a sub-group in its own order; empty: all
    struct records start;  ///< struct rank_time
    int64_t repeat;
};

enum { SYNC_FREE, SYNC_STEP };

extern const struct field collective_fields[];

/// Whether the keys fit together (variant_type.check).
bool collective_check(const void *config, struct error *err);

bool collective_is_auto(const struct collective_config *config);

/// The algorithm the scenario names, or the default; also for auto. NULL: there is none of that name.
const struct algorithm *collective_algorithm(const struct collective_config *config);

struct collective_args collective_args_of(const struct collective_config *config, const struct workload_place *place);

/// The sub-group as ranks; NULL: all in order. The caller frees it.
uint32_t *collective_ranks(const struct collective_config *config);

/// Refuses the name of an algorithm at `key`: what the collective has, `others` (NULL at the end) before them, and what was meant.
bool collective_unknown_algorithm(enum collective_kind kind, const char *key, const char *const *others, const char *written,
                                  struct error *err);

/// Whether the matrices, if any, are of that many ranks and say the same.
bool collective_accepts_matrix(const struct collective_config *config, uint32_t size, struct error *err);

/// Whether the algorithm can run with these arguments on these ranks (NULL: all) in this place.
bool collective_possible(const struct algorithm *algorithm, const struct collective_args *args, const uint32_t *ranks,
                         const struct workload_place *place, struct error *err);

#endif
