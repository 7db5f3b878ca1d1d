#ifndef ANALYSIS_POSTED_H
#define ANALYSIS_POSTED_H

#include "workloads/plan.h"

/// What a collective posts in one of its steps. Messages to oneself use no link and are left out.

struct posted_message {
    uint32_t from, to; ///< ranks; the same one: to the switches that reduce, and back
    int64_t bytes;
};

/// Zero-initialise.
struct posted {
    size_t count, capacity;
    struct posted_message *messages;
    size_t reduced_count, reduced_capacity;
    const struct plan **reduced; ///< collectives whose members all post to the switches
    struct step step;            ///< scratch
};
void posted_free(struct posted *posted);

/// Begins anew.
static inline void posted_clear(struct posted *posted) { posted->count = posted->reduced_count = 0; }

/// Adds what all ranks of a collective post in step k of one of its machines.
void posted_add_step(struct posted *posted, const struct plan *collective, uint32_t machine, uint64_t k);

static inline uint32_t plan_machines(const struct plan *collective) { return algorithm_machines(collective->algorithm, &collective->args); }

/// The steps of the longest machine.
uint64_t plan_steps(const struct plan *collective);

#endif
