#ifndef ENGINE_WINDOW_INCOMING_H
#define ENGINE_WINDOW_INCOMING_H

#include "engine/service.h"
#include "engine/solo.h"
#include "engine/waiting.h"
#include "engine/window_prefetch.h"

/// What comes in at a node that the window engine visits: into the buckets of its out-links, or to be delivered.

static inline void add_entry(struct engine *engine, uint32_t first_out, uint32_t link, uint64_t key, uintptr_t what) {
    struct bucket *bucket = &engine->buckets[link - first_out];
    if (bucket->count == 0) {
        engine->touched[engine->touched_count++] = link;
        prefetch_tail(engine->sim, link);
    }
    bucket_add(bucket, key, what);
}

/// An in-link of the node that is being visited, and what its ties need of the node.
struct incoming {
    uint32_t port;
    uint32_t first_out;    ///< of the node
    uint32_t switch_ports; ///< 0: an endpoint
};

static inline void add_join(struct engine *engine, const struct incoming *in, const struct chunk *chunk) {
    uint32_t out_port = engine->in.out_port[chunk->out];
    uint32_t tie = in->switch_ports ? switch_tie(in->port, out_port, in->switch_ports) : endpoint_tie(in->port, out_port);
    uint64_t key = (uint64_t)(chunk->join - engine->begin) << TIE_BITS | tie;
    add_entry(engine, in->first_out, chunk->out, key, (uintptr_t)chunk);
}

/// Takes all of a list of messages that joins in this window; false when none is left.
static inline bool take_waiting(struct engine *engine, const struct incoming *in, struct chunk *entry) {
    struct sim *sim = engine->sim;
    struct chunk_run *run = &sim->runs[entry->message];
    int64_t latency = sim->classes[sim->links[run->link].rate_class].latency_ticks;
    do {
        struct chunk *chunk = made_chunks_new(&engine->made);
        waiting_take(sim, run, latency, chunk);
        if (chunk->out == DELIVERED)
            arrivals_add(&engine->arrivals, chunk->join, chunk->message, 1);
        else
            add_join(engine, in, chunk);
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
static inline bool take_run(struct engine *engine, const struct incoming *in, uint32_t link, struct chunk *entry) {
    struct sim *sim = engine->sim;
    if (entry->join >= engine->end) return true;
    struct chunk_run *run = &sim->runs[entry->message];
    if (run->waiting) return take_waiting(engine, in, entry);
    if (run->ends) {
        arrivals_add(&engine->arrivals, entry->join, run->message, run->chunks_left);
        if (run->solo) solo_end(sim, entry->message);
        sim_free_run(sim, entry->message);
        return false;
    }
    if (run->may_be_solo && solo_begin_late(sim, entry->message)) return false;
    int64_t latency = sim->classes[sim->links[link].rate_class].latency_ticks;
    do {
        struct chunk *chunk = made_chunks_new(&engine->made);
        run_take(sim, run, latency, chunk);
        add_join(engine, in, chunk);
        if (run->chunks_left == 0) {
            sim_free_run(sim, entry->message);
            return false;
        }
        entry->join = run_next_join(sim, run, latency);
    } while (entry->join < engine->end);
    return true;
}

/// Takes from an in-link all that joins in this window; returns when the next joins.
static inline int64_t take_link(struct engine *engine, uint32_t link, struct incoming *in) {
    struct link_state *state = &engine->sim->links[link];
    struct chunk *ring = state->ring;
    const uint32_t mask = (1u << state->ring_log2) - 1, tail = state->tail;
    const int64_t end = engine->end;
    uint32_t head = state->head;
    int64_t next = INT64_MAX;
    in->port = state->in_port;
    for (; head != tail; head++) {
        struct chunk *chunk = &ring[head & mask];
        if (chunk->join >= end) {
            next = chunk->join;
            break;
        }
        if (chunk->out < RUN_OF_CHUNKS) {
            add_join(engine, in, chunk);
        } else if (chunk->out == DELIVERED) {
            __builtin_prefetch(&engine->sim->messages[chunk->message], 1);
            arrivals_add(&engine->arrivals, chunk->join, chunk->message, 1);
        } else if (take_run(engine, in, link, chunk)) {
            next = chunk->join;
            break;
        }
    }
    state->head = head;
    return next;
}

/// The same for all in-links of a node that has many.
__attribute__((noinline)) static int64_t take_many(struct engine *engine, const struct incoming *like, uint32_t first, uint32_t last) {
    struct incoming in = *like;
    int64_t next = INT64_MAX;
    for (uint32_t p = first; p < last;) {
        uint32_t group = p / LINKS_A_GROUP, stop = (group + 1) * LINKS_A_GROUP < last ? (group + 1) * LINKS_A_GROUP : last;
        if (engine->in.due_groups.least[group] < engine->end) {
            for (; p < stop; p++)
                if (engine->in.next[p] < engine->end) engine->in.next[p] = take_link(engine, engine->in.links[p], &in);
            due_groups_renew(&engine->in.due_groups, group);
        }
        if (engine->in.due_groups.least[group] < next) next = engine->in.due_groups.least[group];
        p = stop;
    }
    return next;
}

/// The same for all in-links of a node.
static inline int64_t take(struct engine *engine, uint32_t node, uint32_t place) {
    const struct graph *graph = engine->sim->graph;
    struct incoming in = {.first_out = graph->first_out[node]};
    if (node >= graph->endpoints) in.switch_ports = graph->switch_ports[node - graph->endpoints];
    int64_t *const link_next = engine->in.next, end = engine->end, next = INT64_MAX;
    uint32_t first = engine->in.first[place], last = engine->in.first[place + 1];
    if (last - first >= MANY_LINKS) return take_many(engine, &in, first, last);
    for (uint32_t p = first; p < last; p++) {
        int64_t joins = link_next[p];
        if (joins < end) joins = link_next[p] = take_link(engine, engine->in.links[p], &in);
        if (joins < next) next = joins;
    }
    return next;
}

#endif
