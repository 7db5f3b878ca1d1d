#ifndef ALGOS_COMMUNICATOR_EPISODE_H
#define ALGOS_COMMUNICATOR_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/communicator.h"

/// An episode: collectives of distinct ranks, all of whose members start at one instant on an idle network, up to the end of the
/// last rank. The first of its kind is simulated and recorded; one that begins in the same way is not simulated: its ranks end
/// when they did then, and what it did to links and digest is counted at its end. If anything else is posted before, the clock
/// goes back to its beginning, where nothing has happened on the network since, and it is simulated after all.
struct episodes;

struct episodes *episodes_create(const struct replay_rules *rules);
void episodes_free(struct episodes *episodes);

/// What the communicator tells. A start is held until its instant has settled.
void episodes_start(struct communicator *comm, uint32_t collective, uint32_t member);
void episodes_posted(struct episodes *episodes);
void episodes_delivered(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes);
void episodes_finished(struct communicator *comm, uint32_t collective, uint32_t member, bool whole); ///< whole: its last machine
void episodes_closed(struct episodes *episodes);
void episodes_computes(struct communicator *comm, uint32_t rank);

/// A message outside of collectives; true: it is held, and sent when the clock gets here again.
struct plain_message {
    uint32_t from, to;
    int64_t bytes;
    uint32_t order, minor;
    struct done_call delivered;
    uint32_t cookie;
};
bool episodes_hold_message(struct communicator *comm, const struct plain_message *message);

/// Everything at this instant has been done, but for what is held: does that. False: nothing was held.
bool episodes_settle(struct communicator *comm);

/// The timer of an episode's ends; false where it is no longer replayed.
bool episodes_end_due(struct communicator *comm, uint32_t number);
void episodes_tell_ends(struct communicator *comm);

bool episodes_gave_up(const struct episodes *episodes);

#endif
