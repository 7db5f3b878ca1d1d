#ifndef ENGINE_WINDOW_PREFETCH_H
#define ENGINE_WINDOW_PREFETCH_H

#include "engine/window_state.h"

/// What the window engine asks the caches for ahead of its use.

enum { LINKS_IN_CACHE = 8192 };    ///< of so many the records are as near as asking for them would bring them
enum { RINGS_IN_CACHE = 2 << 20 }; ///< bytes: what is on its way on so few links is as far off when it takes more
enum { RING_AHEAD = 6 };

static inline bool prefetch_pays(const struct engine *engine) {
    const struct sim *sim = engine->sim;
    return !engine->due_groups.least && (sim->graph->link_count > LINKS_IN_CACHE || sim->ring_bytes > RINGS_IN_CACHE);
}

/// Where a link will put its next chunk.
static inline void prefetch_far_end(const struct sim *sim, uint32_t link) { __builtin_prefetch(sim_in_link(sim, link), 1); }

static inline void prefetch_records(const void *first, const void *end) {
    for (const char *line = first; line < (const char *)end; line += 64) __builtin_prefetch(line, 1);
}

/// The records of the links of a node.
static inline void prefetch_links(const struct engine *engine, uint32_t place, uint32_t node) {
    const struct sim *sim = engine->sim;
    prefetch_records(sim->in.items + sim->in.first[node], sim->in.items + sim->in.first[node + 1]);
    prefetch_records(sim->links + sim->graph->first_out[node], sim->links + sim->graph->first_out[node + 1]);
    __builtin_prefetch(&engine->timers.first[place]);
}

/// The rings from which a node will take.
static inline void prefetch_rings(const struct engine *engine, uint32_t node) {
    const struct in_links *in = &engine->sim->in;
    for (uint32_t p = in->first[node]; p < in->first[node + 1]; p++) {
        const struct in_link *link = &in->items[p];
        if (link->first.join >= engine->end) continue;
        for (uint32_t k = 0; k < RING_AHEAD && k < link->tail - link->head; k++) __builtin_prefetch(in_link_at(link, link->head + k), 1);
    }
}

/// Where the first chunk of each link of a node will go on.
static inline void prefetch_far_ends(const struct engine *engine, uint32_t node) {
    const struct in_links *in = &engine->sim->in;
    for (uint32_t p = in->first[node]; p < in->first[node + 1]; p++) {
        struct in_link *link = &in->items[p];
        if (link->first.join >= engine->end) continue;
        const struct chunk *oldest = in_link_oldest(link);
        if (oldest->out < RUN_OF_CHUNKS)
            prefetch_far_end(engine->sim, oldest->out);
        else if (oldest->out == DELIVERED)
            __builtin_prefetch(&engine->sim->messages[oldest->message], 1);
    }
}

/// What the visits after that to a place will touch, each step in time for the next. The next places are likely to follow.
static inline void prefetch_after(const struct engine *engine, uint32_t place) {
    enum { LINKS_AHEAD = 4, RINGS_AHEAD = 2, FAR_ENDS_AHEAD = 1 };
    const int64_t *next = engine->times.node_next, end = engine->end;
    const uint32_t *node_at = engine->domains.node_at;
    if (place + LINKS_AHEAD >= graph_nodes(engine->sim->graph)) return;
    if (next[place + LINKS_AHEAD] < end) prefetch_links(engine, place + LINKS_AHEAD, node_at[place + LINKS_AHEAD]);
    if (next[place + RINGS_AHEAD] < end) prefetch_rings(engine, node_at[place + RINGS_AHEAD]);
    if (next[place + FAR_ENDS_AHEAD] < end) prefetch_far_ends(engine, node_at[place + FAR_ENDS_AHEAD]);
}

#endif
