#ifndef ANALYSIS_POSTED_H
#define ANALYSIS_POSTED_H

#include "workloads/plan.h"

/// What a collective posts in one of its steps. Messages to oneself use no link and are left out.

struct posted_message {
    uint32_t from, to; ///< ranks; the same one: to the switches that reduce, and back
    int64_t bytes;
};

/// Zero-initialise; set count to 0 to begin anew.
struct posted {
    size_t count, capacity;
    struct posted_message *messages;
    struct step step; ///< scratch
};
void posted_free(struct posted *posted);

/// Adds what all ranks of a collective post in step k of one of its machines.
void posted_add_step(struct posted *posted, const struct plan *collective, uint32_t machine, uint64_t k);

static inline uint32_t plan_machines(const struct plan *collective) { return algorithm_machines(collective->algorithm, &collective->args); }

/// The steps of the longest machine.
uint64_t plan_steps(const struct plan *collective);

#endif
