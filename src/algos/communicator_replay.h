#ifndef ALGOS_COMMUNICATOR_REPLAY_H
#define ALGOS_COMMUNICATOR_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/sim.h"

/// How a collective went that was run alone, all its ranks starting together on idle links. Wherever the same ranks start it
/// together again while nothing else uses these links, it goes the same way, shifted in time.
struct rehearsal {
    int64_t ticks; ///< from the start to the end of the last rank
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
        uint32_t rank, messages;
        int64_t bytes;
    } * senders;
};

void rehearsal_free(struct rehearsal *rehearsal);

#endif
