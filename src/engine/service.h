#ifndef ENGINE_SERVICE_H
#define ENGINE_SERVICE_H

#include "engine/sim_state.h"

/// The service of a chunk on a link, inline for the engines' inner loops. `wake` is told when a link's FIFO was empty.

void sim_grow_ring(struct sim *sim, struct link_state *state);
void sim_overflow(struct sim *sim, uint32_t link, uint32_t message);

static inline void append(struct sim *sim, uint32_t link, const struct chunk *chunk, void (*wake)(struct sim *, uint32_t, int64_t)) {
    struct link_state *state = &sim->links[link];
    bool was_empty = state->head == state->tail;
    if (!state->ring || state->tail - state->head == 1u << state->ring_log2) sim_grow_ring(sim, state);
    state->ring[state->tail++ & ((1u << state->ring_log2) - 1)] = *chunk;
    if (was_empty) wake(sim, link, chunk->join);
}

/// Sets join and out of a chunk whose service on `link` began with its head leaving at `first` and ended at `end`.
static inline bool send_on(const struct sim *sim, uint32_t link, struct chunk *chunk, int64_t first, int64_t end) {
    const struct link_state *state = &sim->links[link];
    int64_t latency = sim->classes[state->rate_class].latency_ticks;
    if (__builtin_add_overflow(end, latency, &chunk->tail) || chunk->tail == INT64_MAX) return false; // INT64_MAX is never
    if (state->to == chunk->destination) {
        chunk->out = DELIVERED;
        chunk->join = chunk->tail;
    } else if (chunk->destination & REDUCTION_BIT) {
        chunk->out = REDUCED;
        chunk->join = sim->config.switching == CUT_THROUGH ? first + latency : chunk->tail;
    } else {
        chunk->out = sim->router.next_link(sim->router.state, state->to, chunk->destination, chunk->selector);
        chunk->join = sim->config.switching == CUT_THROUGH ? first + latency : chunk->tail;
    }
    return true;
}

static inline void chunk_waits(struct sim *sim, uint32_t link, int64_t now, int64_t start, int64_t service, int64_t bytes,
                               uint64_t chunks) {
    struct waiting_run run = {start, service, bytes, chunks};
    queue_peak_wait(&sim->queues[link], &run, now);
}

/// Serves a chunk that joins `link` now (its head at `now`, its tail at chunk->tail). Returns the link's new free_at.
static inline int64_t serve(struct sim *sim, uint32_t link, const struct chunk *chunk, int64_t now,
                            void (*wake)(struct sim *, uint32_t, int64_t)) {
    struct link_state *state = &sim->links[link];
    int64_t bytes, service;
    if (chunk->size_class != UNCACHED_SIZE) {
        bytes = sim->size_bytes[chunk->size_class];
        service = sim->service_ticks[chunk->size_class * sim->class_count + state->rate_class];
    } else {
        bytes = sim_uncached_bytes(sim, chunk);
        service = sim_service_of(sim, &sim->classes[state->rate_class], bytes);
    }
    int64_t first = now > state->free_at ? now : state->free_at;
    int64_t start = chunk->tail - service > first ? chunk->tail - service : first;
    int64_t end;
    struct chunk sent = *chunk;
    if (__builtin_add_overflow(start, service, &end) || !send_on(sim, link, &sent, first, end)) {
        sim_overflow(sim, link, chunk->message);
        return state->free_at;
    }
    state->free_at = end;
    state->busy_ticks += service;
    state->bytes += (uint64_t)bytes;
    state->chunks++;
    sim->totals.chunk_hops++;
    if (start > now && bytes > 0) chunk_waits(sim, link, now, start, service, bytes, 1);
    if (sim->observer.service) sim->observer.service(sim->observer.context, link, chunk->message, now, start, end, bytes);
    append(sim, link, &sent, wake);
    return end;
}

#endif
