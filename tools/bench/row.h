#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

/// A workload that is timed, made from the program's own layers: a topology, and a communicator that runs on it with
/// nobody watching (no proof, no traces).
enum row_kind {
    ROW_ALL_REDUCE,  ///< ring; `bytes` a block
    ROW_ALL_TO_ALL,  ///< direct, all at once; `bytes` a pair
    ROW_RANDOM,      ///< each endpoint posts `messages` of `bytes` to random others, at random times
    ROW_PERMUTATION, ///< each rank sends `bytes` to one other, all at once; a random cycle
    ROW_SCENARIO,    ///< `workload`, as a scenario only
};

struct row {
    const char *group, *name; ///< groups make tables
    const char *title;
    const char *topology; ///< as in a scenario
    const char *workload; ///< ROW_SCENARIO: likewise
    enum row_kind kind;
    uint32_t ranks; ///< 0: all endpoints
    int64_t bytes;
    int64_t chunk_bytes; ///< 0: whole
    uint32_t messages;
    uint32_t load_percent;   ///< ROW_RANDOM on a torus: mean utilisation of a link while messages are posted
    int64_t gap_ps;          ///< ROW_RANDOM: instead of that, the mean time between messages of an endpoint
    uint32_t inside_percent; ///< ROW_RANDOM: of the messages that stay in the sender's group
    const char *peer;        ///< the same work as the peer programs' arguments; NULL: they cannot
};

struct group {
    const char *name, *title;
    const char *engines; ///< those that are shown unless asked otherwise
};

extern const struct row rows[];     ///< ends with a row without a name
extern const struct group groups[]; ///< likewise

struct measurement {
    uint64_t messages, chunks, chunk_hops;
    int64_t end_ticks;
    int64_t setup_ns; ///< CPU time of building the network and its state
    int64_t run_ns;   ///< CPU time of posting and running
    uint64_t peak_bytes;
    uint64_t saved_hops; ///< chunk-hops that shortcuts did not simulate
    uint32_t endpoints, links;
    struct digest digest;
};

/// Whether a way of running it makes sense for a row: shortcuts and threads are for collectives, and some rows are too much without
/// shortcuts.
bool row_can(const struct row *row, const char *engine);

/// Runs a row once in this process. `engine`: "heap", "window", or "auto": the best, and messages that meet nobody at once; or, as a
/// scenario, "shortcuts" or "threads": the window engine in two threads, with the times of the wall.
bool row_run(const struct row *row, const char *engine, bool store_and_forward, struct measurement *out, struct error *err);

const struct row *row_find(const char *name); ///< NULL: there is none

#endif
