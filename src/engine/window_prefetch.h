#ifndef ENGINE_WINDOW_PREFETCH_H
#define ENGINE_WINDOW_PREFETCH_H

#include "engine/window_state.h"

/// What the window engine asks the caches for ahead of its use.

/// Where a link will put its next chunks: asked for as soon as something joins it, for these writes miss the caches.
static inline void prefetch_tail(const struct sim *sim, uint32_t link) {
    const struct link_state *state = &sim->links[link];
    if (!state->ring) return;
    uint32_t mask = (1u << state->ring_log2) - 1;
    __builtin_prefetch(&state->ring[state->tail & mask], 1);
    __builtin_prefetch(&state->ring[(state->tail + 2) & mask], 1);
    __builtin_prefetch(&sim->queues[link], 1);
}

enum { LINKS_IN_CACHE = 2048 }; ///< of so many the records are as near as asking for them would bring them

/// The records of a node's links, then the heads of its in-links: asked for in time, for most are not in the nearest cache.
static inline void prefetch_links(const struct engine *engine, uint32_t place) {
    if (in_links_are_many(&engine->in, place)) return;
    for (uint32_t p = engine->in.first[place]; p < engine->in.first[place + 1]; p++)
        if (engine->in.next[p] < engine->end) __builtin_prefetch(&engine->sim->links[engine->in.links[p]], 1);
}

static inline void prefetch_heads(const struct engine *engine, uint32_t place) {
    if (in_links_are_many(&engine->in, place)) return;
    for (uint32_t p = engine->in.first[place]; p < engine->in.first[place + 1]; p++) {
        if (engine->in.next[p] >= engine->end) continue;
        const struct link_state *state = &engine->sim->links[engine->in.links[p]];
        uint32_t mask = (1u << state->ring_log2) - 1;
        __builtin_prefetch(&state->ring[state->head & mask]);
        __builtin_prefetch(&state->ring[(state->head + 2) & mask]);
    }
}

/// What the visits after that to a place will touch. The next group is likely to follow.
static inline void prefetch_after(const struct engine *engine, uint32_t place) {
    const int64_t *next = engine->times.node_next;
    uint32_t places = graph_nodes(engine->sim->graph);
    if (place + 3 < places && next[place + 3] < engine->end) prefetch_links(engine, place + 3);
    if (place + 1 < places && next[place + 1] < engine->end) prefetch_heads(engine, place + 1);
}

#endif
