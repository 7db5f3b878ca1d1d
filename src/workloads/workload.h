#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/choice.h"
#include "algos/communicator.h"
#include "base/error.h"
#include "base/field.h"
#include "base/figures.h"
#include "base/memory.h"
#include "workloads/plan.h"

/// What the ranks do. `src/workloads/NAME.c` defines `const struct workload_type NAME_workload`
/// (tp_decode.c: tp_decode_workload, its type in the scenario "tp-decode").

/// Decides what "auto" is, by running every candidate for the request (its own algorithm does not matter) alone.
struct chooser {
    void *context;
    void (*choose)(void *context, const struct collective_request *request, struct choice *out);
};

/// What a workload may ask about the network it runs on, before and during the run.
struct network_view {
    void *context;
    uint32_t link_count;
    /// Runs a collective apart, alone on idle links and from time 0; NULL where it may go otherwise another time (routes that
    /// depend on message numbers), or where a recorder wants to see every chunk. The caller frees it (rehearsal_free).
    struct rehearsal *(*rehearse)(void *context, const struct collective_request *request);
    /// Marks (with 1) every link that a message between two ranks may take; `marks` has link_count entries.
    void (*mark_links)(void *context, uint32_t from, uint32_t to, uint8_t *marks);
    /// "3->s0"; `out` has LINK_NAME_SIZE bytes.
    char *(*link_name)(void *context, uint32_t link, char *out);
};
enum { LINK_NAME_SIZE = 40 };

/// How many ranks have come so far at one instant.
struct meeting {
    uint64_t number;
    int64_t at;
    uint32_t count;
};

/// One more comes to `number` now; returns how many have by now.
static inline uint32_t meeting_add(struct meeting *meeting, uint64_t number, int64_t now) {
    if (meeting->count == 0 || meeting->number != number || meeting->at != now) *meeting = (struct meeting){number, now, 0};
    return ++meeting->count;
}

/// What a workload may know of the place where it runs.
struct workload_place {
    struct communicator *comm;
    uint32_t ranks;
    int64_t ticks_per_s;
    uint64_t seed;
    /// The shape's dims and group size where all its endpoints take part; else 0. Algorithms need them.
    uint32_t dim_count;
    uint32_t dims[6];
    uint32_t group_size;
    const struct tree_source *trees;    ///< for in-network reduction
    const struct network_view *network; ///< NULL before a run
    bool shared;                        ///< other workloads may use it meanwhile
    /// How often a job must do the same for it to tell of rounds (communicator_round.h); 0: others may act meanwhile, it must not.
    uint64_t fewest_rounds;
    const struct round_teller *rounds_of; ///< tells in place of the job, of which it may ask what it would tell; NULL: nobody
    const struct chooser *chooser;        ///< NULL: nothing is run, only checked; the default stands in for auto
};

/// A workload that was made ready to run once. A job is the first member of a workload's own struct.
struct job {
    const struct workload_type *type;
    /// Told once per rank when that rank's part is done; set by whoever starts the job.
    struct done_call rank_done;
    /// Of jobs whose rounds may be part of others' (workload_place.rounds_of); else all 0.
    struct round_teller rounds;
};

/// How one collective went; filled in as the run proceeds, in depth-first order of the file.
struct collective_outcome {
    const struct algorithm *algorithm;
    struct collective_args args;
    struct choice choice;  ///< no candidates unless the scenario says auto
    const uint32_t *ranks; ///< member -> rank; NULL: the same
    int64_t start_ticks, end_ticks;
    int64_t *rank_end_ticks; ///< args.size entries; -1: not ended yet
    uint32_t repeat;         ///< how many times in a row; start is of the first, end of the last
};

struct outcomes {
    size_t count, capacity;
    struct collective_outcome **items; ///< owned
};

struct workload_type {
    struct variant_type variant; ///< must be the first member
    /// Checks the config against the place (ranks that do not exist, an algorithm that cannot) and counts how many
    /// collective numbers it takes. The error's `where` is a pointer below the workload's object.
    bool (*accepts)(const void *config, const struct workload_place *place, uint32_t *orders, struct error *err);
    /// What it will post, for a config that was accepted; owned by the arena, and borrows from the config. NULL: it cannot
    /// be told without a run.
    const struct plan *(*plan)(const void *config, const struct workload_place *place, struct arena *arena);
    /// Makes the job. Its collectives are numbered from `order` on; outcomes are appended to `outcomes`.
    struct job *(*prepare)(const void *config, const struct workload_place *place, uint32_t order, struct outcomes *outcomes);
    /// Rank begins its part now. A rank with no part in it is done at once.
    void (*start)(struct job *job, uint32_t rank);
    /// Whether it may be in a round of a sequence, which needs the next two. NULL: it may not.
    bool (*repeatable)(const void *config);
    /// A job of the same config, never started, is found to have done all that `like` did, so much later.
    void (*repeat)(struct job *job, const struct job *like, int64_t ticks);
    /// A job that has begun, no further than to ask for starts, and one of the same config, never started, change places in what is
    /// reported; the first has begun so much later.
    void (*change_places)(struct job *begun, struct job *fresh, int64_t ticks);
    /// Whether all that happens to a rank concerns only that rank (communicator_set_local). NULL: it does not.
    bool (*local)(const void *config);
    /// Whether each rank could have a job of its own: what the job does for a rank needs nothing of what it knows of others.
    /// NULL: it could not.
    bool (*apart)(const void *config);
    /// How many times in a row what it repeats most is done; *overlaps becomes true where a rank may compute while it is in a
    /// collective. NULL: once, and it may.
    uint64_t (*repeats)(const void *config, bool *overlaps);
    /// Whether all ranks take part from the beginning and do just what the plan says. NULL: they do not.
    bool (*uniform)(const void *config);
    /// About how long the run will last, in nanoseconds: for the choice of the clock and for the time left. NULL: not known.
    int64_t (*span_ns)(const void *config);
    /// Adds to a stall report what this job waits for outside of collectives. NULL: nothing.
    void (*describe)(const struct job *job, char *out, size_t out_size);
    /// Adds its own figures after the run, whether it came to its end or not. NULL: it has none.
    void (*report)(const struct job *job, struct figures *figures);
    void (*release)(struct job *job);
};

extern const struct family workload_family;

static inline const struct workload_type *workload_type(const struct variant *variant) {
    return (const struct workload_type *)variant->type;
}

#endif
