#ifndef ENGINE_SOLO_H
#define ENGINE_SOLO_H

#include "engine/sim_state.h"

/// A message of several chunks none of whose links has another user is one event: its last tail at the destination. What its
/// chunks do to the links on the way is known when it is posted (passage.h), and is put there at once. When another chunk
/// is about to join one of these links before the message is through with it, the message's chunks are put back where
/// they are at that moment, and go on one by one.
///
/// For an engine that goes from node to node: each is done up to a time of its own, and whatever comes to a node from
/// another comes no earlier than that.
struct solos;

/// `done_until`: the time up to which a node has taken what joins there (with `deliveries`: what is delivered there).
void solos_start(struct sim *sim, int64_t (*done_until)(const struct sim *sim, uint32_t node, bool deliveries));
/// Puts back the chunks of all messages that are still under way.
void solos_stop(struct sim *sim);

/// Takes over a run of chunks whose service on its first link has been reserved, and which is in no FIFO yet; false: it does not.
bool solo_begin(struct sim *sim, uint32_t run);
/// The same where chunk_run.may_be_solo is set, when the first chunk has crossed the first link; if it does, the run is in its
/// FIFO no more.
bool solo_begin_late(struct sim *sim, uint32_t run);
/// The run's message has arrived.
void solo_end(struct sim *sim, uint32_t run);

/// Where link_state.solo is set: whether messages have to give way to what joins at `time`. Then FIFOs of links will be written to.
bool solo_in_the_way(const struct sim *sim, uint32_t link, int64_t time);
/// Makes the link ready for what joins at `time`: link_state.solo is no longer set.
void solo_make_way(struct sim *sim, uint32_t link, int64_t time);

#endif
