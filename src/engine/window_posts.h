#ifndef ENGINE_WINDOW_POSTS_H
#define ENGINE_WINDOW_POSTS_H

#include "engine/inject.h"
#include "engine/window_incoming.h"
#include "engine/window_wake.h"

/// What is posted while the window engine visits a node: onto its first links at once, or into their buckets.

static inline void link_woke(struct sim *sim, uint32_t link, int64_t join) { window_wake(sim->engine, link, join); }

enum { FEW_POSTS = 4 };

/// Whether what joins a link now can be served at once: nothing that joins earlier can come in this window any more.
static inline bool serves_next(const struct engine *engine, uint32_t first_out, uint32_t link) {
    return engine->buckets[link - first_out].count == 0 && !engine->sim->links[link].solo;
}

static inline uint64_t key_of_posts(const struct engine *engine) {
    return (uint64_t)(engine->sim->now - engine->begin) << TIE_BITS | INJECTED_TIE;
}

__attribute__((noinline)) static void find_posted_kind(struct sim *sim, const struct link_state *state, uint32_t id,
                                                       struct service_kind *kind) {
    const struct chunk chunk = sim_only_chunk(sim, id, 0);
    *kind = service_kind_of(sim, state, &chunk);
}

/// The link serves a message of one chunk that is posted now.
__attribute__((always_inline)) static inline void serve_post(struct engine *engine, uint32_t link, uint32_t id, uint32_t selector) {
    struct sim *sim = engine->sim;
    const struct message *message = &sim->messages[id];
    const struct link_state *state = &sim->links[link];
    struct service_kind *kind = &engine->posted[state->rate_class];
    if (kind->bytes != message->bytes) find_posted_kind(sim, state, id, kind);
    struct chunk chunk = {.tail = sim->now, .message = id, .destination = message->destination, .selector = selector & 0xfffff};
    chunk.size_class = kind->size_class & 0xfff;
    serve_kind(sim, link, &chunk, sim->now, kind, link_woke);
}

/// A message of one chunk joins its first link. `few` are served at once, if their link can.
__attribute__((always_inline)) static inline void inject_only_chunk(struct engine *engine, uint32_t first_out, uint32_t id, bool few) {
    struct sim *sim = engine->sim;
    struct message *message = &sim->messages[id];
    sim_number_post(sim, message);
    uint32_t selector, link = sim_only_way(sim, message, &selector);
    if (few && serves_next(engine, first_out, link)) {
        serve_post(engine, link, id, selector);
    } else {
        const struct chunk chunk = sim_only_chunk(sim, id, selector);
        add_entry(engine, first_out, link, key_of_posts(engine), (uintptr_t)made_chunks_keep(&engine->made, &chunk));
    }
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
            uintptr_t what =
                injected->count > 1 || injected->waits ? 2 * j + 1 : (uintptr_t)made_chunks_keep(&engine->made, &injected->chunk);
            add_entry(engine, first_out, injected->link, key_of_posts(engine), what);
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
