#ifndef RECORD_RESULT_H
#define RECORD_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/algorithm.h"
#include "algos/choice.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/figures.h"
#include "engine/graph.h"

/// All that is known after a run: what reports read. It holds nothing of the run itself; of the network it has the graph and, where
/// that was folded, the quotient, for the functions below: no report looks into either.

enum run_status { RUN_COMPLETE, RUN_STALLED, RUN_OVERFLOW, RUN_LIMIT, RUN_INTERRUPTED };
extern const char *const run_status_names[]; ///< "complete", "stalled", "overflow", "limit", "interrupted"

/// What a link carried.
struct carried_load {
    uint64_t bytes, chunks;
    int64_t busy_ticks, peak_queue_bytes;
};

/// A link and what it carried; made when it is asked for (link_result_of).
struct link_result {
    uint32_t from, to, port; ///< nodes, and the port it leaves by
    int64_t bandwidth_bytes_per_s;
    uint64_t bytes, chunks;
    int64_t busy_ticks, peak_queue_bytes;
};

/// A lower bound on the time, of the largest kind ("endpoint", "link", "latency", "bisection"; NULL: none known).
struct lower_bound {
    int64_t ticks;
    const char *kind;
    bool partial; ///< there were too many messages to follow them all
};

struct collective_result {
    const struct algorithm *algorithm;
    struct collective_args args;
    struct choice choice; ///< how auto was decided; no candidates where the scenario names the algorithm
    uint32_t repeat;
    int64_t start_ticks, end_ticks;
    int64_t *rank_end_ticks; ///< args.size entries; -1: not ended
    struct lower_bound bound;
};

/// What was proved of the collectives: that every rank ends with exactly what was promised, each contribution once.
enum proof_state {
    PROOF_OFF,    ///< not asked for, or nothing to prove
    PROOF_PROVED, ///< of all
    PROOF_LEFT,   ///< too many messages to follow
};
extern const char *const proof_state_names[]; ///< "off", "proved", "left"

/// What need not be simulated because it is known, exactly (--shortcuts).
enum shortcut {
    SHORTCUT_SOLO,     ///< a message that shares no link is one event
    SHORTCUT_REPLAY,   ///< a collective that goes as it went before
    SHORTCUT_SYMMETRY, ///< one representative for all endpoints that look the same
    SHORTCUT_COUNT,
};
extern const char *const shortcut_names[]; ///< "solo", "replay", "symmetry", NULL

/// What a shortcut saved: how often it was taken, and what was counted without being simulated.
struct shortcut_saving {
    uint64_t uses, messages, chunk_hops;
    uint64_t rounds; ///< of replays: repetitions that were counted as one, all their collectives together
};

/// What an assertion of the scenario came to.
enum value_unit { UNIT_TIME, UNIT_BYTES, UNIT_RATE, UNIT_SHARE, UNIT_NUMBER };
struct value {
    int64_t whole; ///< TIME: ticks, BYTES
    double real;   ///< RATE: bytes per second, SHARE, NUMBER; NaN: there is none
};
struct assertion_outcome {
    char *text;
    bool holds;
    enum value_unit unit;
    struct value value;
};

struct run_result {
    enum run_status status;
    enum proof_state proof;
    uint64_t proved_collectives; ///< repetitions counted one by one
    struct error error;          ///< why it did not complete
    uint32_t threads;            ///< that simulated it
    const char *one_thread;      ///< why not more, where more were wanted; else NULL
    int64_t ticks_per_s;
    uint64_t seed;
    int64_t makespan_ticks;
    bool has_alpha_beta; ///< the closed form was asked for beside the run
    int64_t alpha_beta_ticks;
    uint32_t ranks;
    uint32_t *place; ///< rank -> endpoint
    size_t collective_count;
    struct collective_result *collectives;
    uint64_t messages, chunks, chunk_hops;
    unsigned __int128 bytes_on_links;
    struct digest digest;
    bool no_digest;        ///< too many deliveries to count one by one
    bool has_orbit_digest; ///< over the times, bytes and hops of all deliveries
    struct digest orbit_digest;
    struct shortcut_saving savings[SHORTCUT_COUNT];
    const char *untaken[SHORTCUT_COUNT]; ///< why a shortcut that was allowed saved nothing in a complete run; else NULL
    struct lower_bound bound;            ///< of the whole run
    int64_t *bytes_sent;                 ///< per rank
    const struct graph *graph;           ///< borrowed: links by number are sorted by node and port
    uint32_t link_count;
    uint32_t load_count;
    struct carried_load *loads; ///< per link, or of a folded network per folded link
    struct quotient *quotient;  ///< which link has which load; NULL: each has its own
    uint32_t endpoints, switches;
    char **node_names;      ///< the user's names per node, or NULL
    struct figures figures; ///< the workload's own
    size_t assertion_count;
    struct assertion_outcome *assertions; ///< of a complete run, in the scenario's order
};

void run_result_free(struct run_result *result);

/// Which of the loads a link has, a link that has it, and how many have.
uint32_t load_of_link(const struct run_result *result, uint32_t link);
uint32_t link_of_load(const struct run_result *result, uint32_t load);
uint32_t links_of_load(const struct run_result *result, uint32_t load);

struct link_result link_result_of(const struct run_result *result, uint32_t link);

/// The ranks that did things of their own: all, or of a folded network those that stood for the others.
uint32_t original_ranks(const struct run_result *result);
uint32_t original_rank(const struct run_result *result, uint32_t number);

/// How many links carried something.
uint32_t links_used(const struct run_result *result);

/// busy / makespan; 0 where that is 0.
double load_utilization(const struct run_result *result, const struct carried_load *load);
double link_utilization(const struct run_result *result, const struct link_result *link);

/// bytes / time, and that times the collective's bus factor (all-reduce 2(p-1)/p; reduce-scatter, all-gather, all-to-all
/// (p-1)/p; else 1: nccl-tests, PERFORMANCE.md). NaN where the time is 0.
double collective_algbw(const struct run_result *result, const struct collective_result *collective);
double collective_busbw(const struct run_result *result, const struct collective_result *collective);

/// The least and the most that a rank posted; 0 without ranks.
void bytes_sent_range(const struct run_result *result, int64_t *least, int64_t *most);

/// Indexes of the `count` links with the most busy time, ties by index; returns how many (those that carried nothing are left out).
uint32_t hottest_links(const struct run_result *result, uint32_t count, uint32_t *out);

#endif
