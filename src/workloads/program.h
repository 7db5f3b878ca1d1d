#ifndef WORKLOADS_PROGRAM_H
#define WORKLOADS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algos/communicator.h"

/// Programs of dependent pieces of work, in which compute and communication overlap. A program is a list of nodes in one
/// order that all ranks know; a node is compute, a collective or some messages. Each rank enters a node as soon as those
/// it comes after have been left by that same rank; nothing else orders nodes. What a rank does in two nodes runs at the
/// same time, but for its processor, of which it has one (communicator_compute). A rank that has no part in a node leaves
/// it when it enters it.
///
/// Nodes are asked for by number whenever they are looked at and never kept, so that thousands of layers and steps take
/// no memory. A rank looks at most `window` nodes beyond the first that it has not left.
struct program;

enum node_kind { NODE_COMPUTE, NODE_COLLECTIVE, NODE_MESSAGES };

/// Ranks first, first + stride, … in teams of `team`: each team does the node on its own. A stride of 0 counts as 1, a
/// team of 0 is everyone.
struct rank_set {
    uint32_t first, count, stride, team;
};

struct node_message {
    uint32_t from, to; ///< ranks
    int64_t bytes;
};

enum { NODE_AFTER = 6 };

struct node {
    enum node_kind kind;
    uint32_t after[NODE_AFTER]; ///< how many nodes back those are that it comes after (1: the one before); ends with 0
    struct rank_set ranks;      ///< compute, collective: who takes part

    int64_t ticks;               ///< compute: of each rank's processor
    const int64_t *member_ticks; ///< compute: by member of the set, in place of `ticks`; NULL: all the same

    const struct algorithm *algorithm; ///< collective; args.size is the team's
    struct collective_args args;
    int64_t launch_ticks; ///< collective: of each rank's processor before it begins

    const struct node_message *messages; ///< a sender leaves when it has posted, a receiver when all to it have come
    size_t message_count;
};

/// Nodes first .. end - 1, in which node i + period is as node i.
struct node_row {
    uint64_t first, end, period;
};

struct program_source {
    void *context;
    /// Fills node `index`; *out is zeroed before. What it points to must last until the next call.
    void (*node)(void *context, uint64_t index, struct node *out);
    /// The row that a node is in, and where its first whole period begins; false: none. NULL: there are none. Each period is a round
    /// (communicator_round.h): whoever gives it needs no word of each.
    bool (*row)(void *context, uint64_t index, struct node_row *out);
};

/// Hears of each rank that takes part in a node; every pointer may be NULL. May call program_extend.
struct program_watch {
    void *context;
    void (*entered)(void *context, uint64_t index, uint32_t rank, int64_t now);
    void (*left)(void *context, uint64_t index, uint32_t rank, int64_t now);
    /// Of rounds: what decides how sums go on, relative to now; they count from here on; what has been done since is done `times` more,
    /// each time `ticks` later.
    void (*state)(void *context, int64_t now, struct word_list *words);
    void (*marked)(void *context);
    void (*skipped)(void *context, uint64_t times, int64_t ticks);
};

/// A program takes so many collective numbers, from `order` on.
enum { PROGRAM_ORDERS = 1 << 20 };

struct program_config {
    struct communicator *comm;
    uint32_t order;
    struct program_source source;
    uint64_t count;    ///< nodes
    bool open;         ///< more may come (program_extend): no rank is done before the program is closed
    uint32_t window;   ///< 0: PROGRAM_WINDOW
    bool tells_rounds; ///< all ranks take part, and all that happens meanwhile is this program's doing
    struct program_watch watch;
    struct done_call rank_done; ///< once per rank that was started
};

enum { PROGRAM_WINDOW = 64 };

struct program *program_create(const struct program_config *config);
void program_free(struct program *program);

/// Rank begins now. `rank_done` may be called before this returns.
void program_start(struct program *program, uint32_t rank);

/// From now on the program has `count` nodes, at least as many as before; `open` as in program_config.
void program_extend(struct program *program, uint64_t count, bool open);

/// How a rank spent its time, in ticks. Computing and exposed never overlap; what is neither is idleness of another kind.
struct program_account {
    int64_t start, end;    ///< of its part; the end of what it has left so far
    int64_t compute;       ///< its processor worked on nodes of compute
    int64_t communication; ///< it was in at least one collective, or waited for at least one message
    int64_t exposed;       ///< and its processor did no node of compute meanwhile
    int64_t waiting;       ///< and it was in no collective: it only waited for messages
};
struct program_account program_account(const struct program *program, uint32_t rank);

/// The ranks that are not done and the first node that each has not left, for a stall report.
void program_describe(const struct program *program, char *out, size_t out_size);

#endif
