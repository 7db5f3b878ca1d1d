#ifndef ENGINE_WINDOW_INCOMING_H
#define ENGINE_WINDOW_INCOMING_H

#include "engine/service.h"
#include "engine/solo.h"
#include "engine/waiting.h"
#include "engine/window_prefetch.h"

/// What comes in at a node that the window engine visits: into the buckets of its out-links, or to be delivered.

static inline void add_entry(struct engine *engine, uint32_t first_out, uint32_t link, uint64_t key, uintptr_t what) {
    struct bucket *bucket = &engine->buckets[link - first_out];
    engine->touched[engine->touched_count] = link;
    engine->touched_count += bucket->count == 0;
    if (engine->prefetches) prefetch_far_end(engine->sim, link);
    bucket_add(bucket, key, what);
}

/// What all that comes in at a node has in common.
struct entrance {
    uint32_t first_out;    ///< of the node
    uint32_t switch_ports; ///< 0: an endpoint
};

static inline void add_join(struct engine *engine, struct entrance node, uint32_t port, const struct chunk *chunk) {
    const struct sim *sim = engine->sim;
    const struct link_state *out = &sim->links[chunk->out];
    if (sim->some_unawaited && out->to == chunk->destination) __builtin_prefetch(&sim->messages[chunk->message], 1);
    uint32_t out_port = out->out_port;
    uint32_t tie = node.switch_ports ? switch_tie(port, out_port, node.switch_ports) : endpoint_tie(port, out_port);
    uint64_t key = (uint64_t)(chunk->join - engine->begin) << TIE_BITS | tie;
    add_entry(engine, node.first_out, chunk->out, key, (uintptr_t)chunk);
}

/// Takes all of a list of messages that joins in this window; false when none is left.
__attribute__((noinline)) static bool take_waiting(struct engine *engine, struct entrance node, uint32_t port, struct chunk *entry) {
    struct sim *sim = engine->sim;
    struct chunk_run *run = &sim->runs[entry->message];
    int64_t latency = sim->classes[sim->links[run->link].rate_class].latency_ticks;
    do {
        struct chunk *chunk = made_chunks_new(&engine->made);
        uint64_t chunks = waiting_take(sim, run, entry->join, latency, chunk);
        if (chunk->out == DELIVERED)
            arrivals_add(&engine->arrivals, chunk->join, chunk->message, chunks);
        else
            add_join(engine, node, port, chunk);
        if (run->chunks_left == 0) {
            waiting_free(sim, run->waiting);
            run->waiting = NULL;
            sim_free_run(sim, entry->message);
            return false;
        }
        entry->join = waiting_next_join(sim, run, latency);
    } while (entry->join < engine->end);
    return true;
}

/// Takes all of a run that joins in this window; false when the run has ended.
__attribute__((noinline)) static bool take_run(struct engine *engine, struct entrance node, uint32_t port, struct chunk *entry) {
    struct sim *sim = engine->sim;
    if (entry->join >= engine->end) return true;
    struct chunk_run *run = &sim->runs[entry->message];
    if (run->waiting) return take_waiting(engine, node, port, entry);
    if (run->ends) {
        arrivals_add(&engine->arrivals, entry->join, run->message, run->chunks_left);
        if (run->solo) solo_end(sim, entry->message);
        sim_free_run(sim, entry->message);
        return false;
    }
    if (run->may_be_solo && solo_begin_late(sim, entry->message)) return false;
    int64_t latency = sim->classes[sim->links[run->link].rate_class].latency_ticks;
    do {
        struct chunk *chunk = made_chunks_new(&engine->made);
        run_take(sim, run, latency, chunk);
        add_join(engine, node, port, chunk);
        if (run->chunks_left == 0) {
            sim_free_run(sim, entry->message);
            return false;
        }
        entry->join = run_next_join(sim, run, latency);
    } while (entry->join < engine->end);
    return true;
}

/// What comes of a chunk or run that joins in this window; false: more of the run comes later.
static inline bool take_chunk(struct engine *engine, struct entrance node, uint32_t port, struct chunk *chunk) {
    if (chunk->out < RUN_OF_CHUNKS) {
        add_join(engine, node, port, chunk);
    } else if (chunk->out == DELIVERED) {
        __builtin_prefetch(&engine->sim->messages[chunk->message], 1);
        arrivals_add(&engine->arrivals, chunk->join, chunk->message, 1);
    } else {
        return !take_run(engine, node, port, chunk);
    }
    return true;
}

/// Takes from an in-link all that joins in this window, of which there is some. What is next is chosen without a branch,
/// which would be mispredicted.
static inline void take_link(struct engine *engine, struct in_link *from, struct entrance node) {
    struct chunk *const ring = from->ring, *chunk = in_link_oldest(from);
    const uint32_t mask = from->room - 1, tail = from->tail, port = from->in_port;
    const int64_t end = engine->end;
    uint32_t head = from->head + !from->holds_first;
    for (;;) {
        if (!take_chunk(engine, node, port, chunk)) {
            from->first.join = chunk->join;
            if (chunk == &from->first) return;
            head--;
            break;
        }
        chunk = head == tail ? &engine->never : &ring[head & mask];
        from->first.join = chunk->join;
        if (chunk->join >= end) break;
        head++;
    }
    from->head = head;
    from->holds_first = false;
    if (head == tail && from->room == SMALLEST_RING && engine->prefetches) {
        ARRAY_RESERVE(engine->spent, engine->spent_capacity, engine->spent_count + 1);
        engine->spent[engine->spent_count++] = from;
    }
}

/// The same for all in-links of a node that has many; returns when the next joins.
__attribute__((noinline)) static int64_t take_many(struct engine *engine, struct entrance node, uint32_t first, uint32_t last) {
    struct in_link *links = engine->sim->in.items;
    int64_t next = INT64_MAX;
    for (uint32_t p = first; p < last;) {
        uint32_t group = p / LINKS_A_GROUP, stop = (group + 1) * LINKS_A_GROUP < last ? (group + 1) * LINKS_A_GROUP : last;
        if (engine->due_groups.least[group] < engine->end) {
            for (; p < stop; p++)
                if (links[p].first.join < engine->end) take_link(engine, &links[p], node);
            due_groups_renew(&engine->due_groups, group);
        }
        if (engine->due_groups.least[group] < next) next = engine->due_groups.least[group];
        p = stop;
    }
    return next;
}

/// The same for all in-links of a node.
static inline int64_t take(struct engine *engine, uint32_t node) {
    const struct graph *graph = engine->sim->graph;
    struct entrance in = {.first_out = graph->first_out[node]};
    if (node >= graph->endpoints) in.switch_ports = graph->switch_ports[node - graph->endpoints];
    const struct in_links *all = &engine->sim->in;
    const int64_t end = engine->end;
    int64_t next = INT64_MAX;
    uint32_t first = all->first[node], last = all->first[node + 1];
    if (last - first >= MANY_LINKS) return take_many(engine, in, first, last);
    for (struct in_link *link = all->items + first, *stop = all->items + last; link < stop; link++) {
        if (link->first.join < end) take_link(engine, link, in);
        if (link->first.join < next) next = link->first.join;
    }
    return next;
}

#endif
