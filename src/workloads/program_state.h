#ifndef WORKLOADS_PROGRAM_STATE_H
#define WORKLOADS_PROGRAM_STATE_H

#include "workloads/program.h"

/// What the files of programs share: program.c (nodes, ranks that enter and leave them) and program_round.c (rounds).

enum { NOT_ENTERED, INSIDE, LEFT };
enum { LIVE_BUCKETS = 1024, ORDERS_EACH = 64 };

/// What a rank's processor was asked to do for a node.
struct task {
    uint64_t index;
    int64_t start, end;
    bool launch; ///< of a collective, which begins then
};

struct rank {
    uint64_t low;       ///< all nodes before have been left
    uint8_t *state;     ///< of nodes low .. low + window - 1, at their number and program->mask
    struct task *tasks; ///< of its processor, in order; the first ends first
    size_t task_count, task_capacity;
    uint32_t collectives, messages; ///< nodes of communication that it is in
    int64_t since;                  ///< the account is right up to then
    struct program_account account;
    bool started, done, advancing;
    bool again; ///< there is more to look at
};

/// A team's collective, or a node's messages, while a rank is or may get into it.
struct live {
    struct live *next; ///< in its bucket
    struct program *program;
    uint64_t index;
    uint32_t team, left, members; ///< how many ranks have left it, of how many
    uint32_t collective;          ///< the communicator's id
    uint32_t *ranks;              ///< of a team: member -> rank
    uint32_t *awaited;            ///< of messages: per rank, how many have not come yet
};

/// What a node comes after: asked far more often than all of the node.
struct dependence {
    uint64_t number; ///< of the node, + 1; 0: none
    uint32_t after[NODE_AFTER];
};

struct program {
    struct program_config config;
    uint32_t rank_count;
    uint64_t mask;                  ///< one less than a power of two, and no less than the window
    struct dependence *dependences; ///< of the nodes looked at last, at their number and mask
    struct rank *ranks;
    struct live *live[LIVE_BUCKETS]; ///< by the node's number

    // rounds
    struct node_row row;           ///< that rank 0 is in; all 0: none
    uint64_t round, marked_round;  ///< where the period begins that rank 0 has come to
    struct program_account *marks; ///< per rank
};

/// Rank 0 has come on: tells if a round begins.
void program_see_round(struct program *program);

#endif
