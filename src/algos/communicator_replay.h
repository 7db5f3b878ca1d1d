#ifndef ALGOS_COMMUNICATOR_REPLAY_H
#define ALGOS_COMMUNICATOR_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sim.h"

/// How a collective, or several of distinct ranks, went alone, all ranks starting together on idle links. Wherever the same ranks start it
/// together again while nothing else uses these links, it goes the same way, shifted in time.
struct rehearsal {
    uint32_t collectives; ///< how many it stands for
    int64_t ticks;        ///< from the start to the end of the last rank
    struct sim_totals totals;
    size_t link_count;
    struct rehearsed_link {
        uint32_t link;
        struct link_totals totals;
    } * links;
    size_t delivery_count;
    struct rehearsed_delivery {
        int64_t ticks; ///< after the start
        int64_t bytes;
        uint32_t from, to; ///< ranks
    } * deliveries;
    size_t sender_count;
    struct rehearsed_sender {
        uint32_t rank, messages; ///< less some multiple of the routes' message period
        int64_t bytes;
    } * senders;
};

void rehearsal_free(struct rehearsal *rehearsal);
void rehearsal_clear(struct rehearsal *rehearsal); ///< frees what it holds

/// What was counted without being simulated.
struct replay_savings {
    uint64_t collectives, messages, chunk_hops;
    uint64_t rounds; ///< repetitions that were counted as one, all their collectives together (communicator_round.h)
};

/// Rounds of more deliveries are not counted as one: they would have to be kept.
enum { ROUND_DELIVERIES_MOST = 1 << 20 };

/// When collectives that begin like one before may be replayed (communicator_set_replays).
struct replay_rules {
    uint32_t message_period; ///< messages of one source whose numbers differ by it take the same ways (router.message_period)
    bool may_give_up;        ///< stop, interrupted, where it turns out that too little can be replayed (communicator_gave_up)
    uint64_t vain_rounds;    ///< so many beginnings of rounds may pass before that without one that can be left out
};

#endif
