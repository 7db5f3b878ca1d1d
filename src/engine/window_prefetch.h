#ifndef ENGINE_WINDOW_PREFETCH_H
#define ENGINE_WINDOW_PREFETCH_H

#include "engine/window_state.h"

/// What the window engine asks the caches for ahead of its use.

enum { LINKS_IN_CACHE = 2048 }; ///< of so many the records are as near as asking for them would bring them

/// Where a link will put its next chunks: asked for as soon as something joins it, for these writes miss the caches.
static inline void prefetch_far_end(const struct sim *sim, uint32_t link) { __builtin_prefetch(sim_in_link(sim, link), 1); }

/// The rings from which the next visit will take, for they lie anywhere; the records of the links follow each other.
static inline void prefetch_rings(const struct engine *engine, uint32_t place) {
    uint32_t node = engine->domains.node_at[place];
    const struct in_links *in = &engine->sim->in;
    if (in_links_are_many(in, node)) return;
    for (uint32_t p = in->first[node]; p < in->first[node + 1]; p++) {
        const struct in_link *link = &in->items[p];
        if (link->first.join < engine->end && link->head != link->tail) __builtin_prefetch(in_link_at(link, link->head), 1);
    }
}

/// What the visit after that to a place will touch, which is likely to be to the next.
static inline void prefetch_after(const struct engine *engine, uint32_t place) {
    uint32_t places = graph_nodes(engine->sim->graph);
    if (place + 1 < places && engine->times.node_next[place + 1] < engine->end) prefetch_rings(engine, place + 1);
}

#endif
