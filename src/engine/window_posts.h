#ifndef ENGINE_WINDOW_POSTS_H
#define ENGINE_WINDOW_POSTS_H

#include "engine/inject.h"
#include "engine/window_incoming.h"
#include "engine/window_service.h"

/// What is posted while the window engine visits a node joins its first links.

enum { FEW_POSTS = 4 };

/// Whether nothing that joins a link in this window goes before what joins now.
static inline bool serves_next(const struct engine *engine, uint32_t first_out, uint32_t link) {
    if (engine->sim->links[link].solo) return false;
    return engine->touched_count == 0 || engine->buckets[link - first_out].count == 0;
}

static inline uint64_t key_of_posts(const struct engine *engine) {
    return (uint64_t)(engine->sim->now - engine->begin) << TIE_BITS | INJECTED_TIE;
}

/// The i-th of sim->injected, a run, joins its first link.
static inline void add_run(struct engine *engine, uint32_t first_out, uint32_t link, size_t i) {
    add_entry(engine, first_out, link, key_of_posts(engine), 2 * i + 1);
    engine->buckets[link - first_out].has_runs = true;
}

static inline void add_chunk(struct engine *engine, uint32_t first_out, uint32_t link, const struct chunk *chunk) {
    add_entry(engine, first_out, link, key_of_posts(engine), (uintptr_t)made_chunks_keep(&engine->made, chunk));
}

/// A message of one chunk joins its first link. `few` are served at once, if their link can.
__attribute__((always_inline)) static inline void inject_only_chunk(struct engine *engine, uint32_t first_out, uint32_t id, bool few) {
    struct sim *sim = engine->sim;
    sim_number_post(sim, &sim->messages[id]);
    struct chunk chunk;
    sim_only_chunk(sim, id, &chunk);
    if (few && serves_next(engine, first_out, chunk.out))
        window_serve(&engine->server, &chunk, sim->now);
    else
        add_chunk(engine, first_out, chunk.out, &chunk);
}

/// Posts from .. to - 1 of this instant, which are the node's, join their first links. Many are served faster together.
__attribute__((noinline)) static void inject_some(struct engine *engine, uint32_t node, size_t from, size_t to) {
    struct sim *sim = engine->sim;
    uint32_t first_out = sim->graph->first_out[node];
    bool few = to - from <= FEW_POSTS;
    for (size_t i = from; i < to; i++) {
        uint32_t id = sim->posts[i].message;
        struct message *message = &sim->messages[id];
        if (sim_is_only_chunk(message)) {
            inject_only_chunk(engine, first_out, id, few);
            continue;
        }
        size_t first = sim->injected_count;
        if (sim_is_list(message)) {
            sim_plan_many(sim, id);
        } else {
            sim_number_post(sim, message);
            sim_plan_message(sim, id);
        }
        for (size_t j = first; j < sim->injected_count; j++) {
            const struct injected *injected = &sim->injected[j];
            if (injected->count > 1 || injected->waits)
                add_run(engine, first_out, injected->link, j);
            else
                add_chunk(engine, first_out, injected->link, &injected->chunk);
        }
    }
}

__attribute__((noinline)) static void inject_posts(struct engine *engine, uint32_t node) {
    struct sim *sim = engine->sim;
    uint32_t id = sim->posts[0].message;
    const size_t count = sim->post_count;
    if (count == 1 && sim_is_only_chunk(&sim->messages[id])) {
        sim->post_count = 0;
        inject_only_chunk(engine, sim->graph->first_out[node], id, true);
        return;
    }
    if (sim->posts_unsorted) sim_sort_posts(sim);
    inject_some(engine, node, 0, count);
    sim->post_count = sim->target_count = 0;
}

#endif
