#ifndef ENGINE_QUEUEING_H
#define ENGINE_QUEUEING_H

#include "engine/sim_state.h"

/// The peak of what waits for a link. A queue is *even* as long as all chunks that the link has carried are of one size, and any that
/// waits begins when the one before it ends: then how many wait follows from when the last begins, and their peak is a number in the
/// link's record, at hand. Once it is not it is kept as runs (queue_peak.h).

/// Makes a link's queue uneven if it is even yet. Before link_state.free_at, size_class change because of what makes it so.
struct queue_peak *queue_uneven(struct sim *sim, uint32_t link);

/// Before chunks of another size than the last join a link: its counts, its queue.
void queue_meet_size(struct sim *sim, uint32_t link, uint32_t size_class);

/// One of an even queue begins `wait` after it joins, and more wait than ever; the last begins at `last_start`.
void queue_raise(struct sim *sim, uint32_t link, int64_t wait, int64_t last_start);

/// One joins a queue that is uneven, or is from now on.
void queue_join_unevenly(struct sim *sim, uint32_t link, const struct waiting_run *one, int64_t now);

/// Whether more wait than ever when one joins whose service begins `wait` later; `ticks` of each.
static inline bool queue_rises(const struct link_state *state, int64_t wait, int64_t ticks) {
    return wait > (int64_t)state->peak_chunks * ticks;
}

/// A chunk of link_state.size_class joins `now` and waits until `start`, before link_state.free_at takes account of it.
static inline void queue_join(struct sim *sim, uint32_t link, int64_t start, int64_t ticks, int64_t bytes, int64_t now) {
    const struct link_state *state = &sim->links[link];
    if (state->uneven || start != state->free_at)
        queue_join_unevenly(sim, link, &(struct waiting_run){start, ticks, bytes, 1}, now);
    else if (queue_rises(state, start - now, ticks))
        queue_raise(sim, link, start - now, start);
}

/// Chunks of link_state.size_class join together; `run` begins when the link is free, or now.
void queue_join_many(struct sim *sim, uint32_t link, const struct waiting_run *run, int64_t now);

int64_t queue_peak_bytes(const struct sim *sim, uint32_t link);

#endif
