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

/// A way through the steps of one machine of a collective, from the first on. It takes time for what is posted and for the
/// ranks, not for every rank in every step: members stand in the bucket of the step in which they are next looked at.
struct step_walk {
    const struct plan *collective;
    struct collective_args args; ///< the collective's; nobody asks for places
    uint32_t machine, buckets;   ///< a power of two
    uint64_t step, steps;        ///< the next, and all
    uint64_t *due;               ///< per member: in which step; NULL: all members in every step
    uint32_t *next, *first;      ///< per member and per bucket: the next one in the bucket, a member + 1; 0: none
};
struct step_walk step_walk_begin(const struct plan *collective, uint32_t machine);
void step_walk_end(struct step_walk *walk);

/// Adds what all ranks post in the walk's next step; nothing after the last.
void posted_add_step(struct posted *posted, struct step_walk *walk);

static inline uint32_t plan_machines(const struct plan *collective) { return algorithm_machines(collective->algorithm, &collective->args); }

/// The steps of the longest machine.
uint64_t plan_steps(const struct plan *collective);

/// A walk for each machine.
struct step_walk *plan_walks_begin(const struct plan *collective);
void plan_walks_end(const struct plan *collective, struct step_walk *walks);

#endif
