// What comes in at nodes of a folded network within a window, and what is posted because of it. Nothing that leaves a link inside a
// window comes in within the same.
#include <stdlib.h>
#include <string.h>

#include "engine/quotient_state.h"

enum { AHEAD = 8 };

// ---- hops

/// Asks for the first time, or every time where hops are not kept.
static struct hop find_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct quotient *quotient = engine->quotient;
    struct hop hop = quotient_hop(quotient, node, destination, selector);
    if (!engine->keeps) return hop;
    bool fixed = quotient->nodes[node].fixed;
    uint32_t endpoints = quotient->whole->endpoints;
    if (!engine->kept[node]) {
        engine->kept[node] = pages_allocate_zeroed(endpoints * sizeof *engine->kept[node]);
        if (fixed) engine->kept_ports[node] = allocate_zeroed(endpoints, sizeof *engine->kept_ports[node]);
    }
    engine->kept[node][destination] = (struct kept_hop){hop.link + 1, hop.destination};
    if (fixed) engine->kept_ports[node][destination] = hop.out_port;
    return hop;
}

static inline struct hop ask_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t kind) {
    const struct kept_hop *kept = engine->kept[node] ? &engine->kept[node][destination] : NULL;
    if (!kept || kept->link == 0) return find_hop(engine, node, destination, kind & ((1u << KIND_SIZE) - 1));
    return (struct hop){kept->link - 1, kept->destination, engine->kept_ports[node] ? engine->kept_ports[node][destination] : 0};
}

/// The tie rule (model.md, "Links"), for the ports of the whole network.
static inline uint32_t tie_of(const struct engine *engine, const struct fifo *in_link, uint32_t node, const struct hop *hop) {
    const struct graph *graph = engine->sim->graph;
    const struct quotient_node *place = &engine->quotient->nodes[node];
    uint32_t in = in_link->in_port, out = place->fixed ? hop->out_port : engine->fifos[hop->link].out_port;
    if (place->node < graph->endpoints) return endpoint_tie(in, out);
    return switch_tie(in, out, graph->switch_ports[place->node - graph->endpoints]);
}

// ---- what comes in

/// What is the same for all chunks of one in-link.
struct entrance {
    struct engine *engine;
    const struct fifo *fifo;
    uint32_t node;
    const struct kept_hop *kept; ///< of an endpoint through which chunks may pass; else NULL
};

static void take(const struct entrance *in, const struct passing *chunk, int64_t head, int64_t tail) {
    struct engine *engine = in->engine;
    bool fixed = engine->quotient->nodes[in->node].fixed;
    if (engine->ports_move && !fixed) {
        engine->sim->overflowed = true;
        engine->sim->next_check = 0;
        error_set(engine->sim->error, ERROR_SIMULATION, "a chunk passes through an endpoint whose ports do not move alike");
        return;
    }
    struct hop hop = ask_hop(engine, in->node, chunk->destination, chunk->kind);
    struct joining *joining = add_join(joins_of(engine, hop.link), head, tie_of(engine, in->fifo, in->node, &hop));
    *joining = (struct joining){*chunk, tail};
    joining->chunk.destination = hop.destination;
}

static inline void arrive(struct engine *engine, const struct passing *chunk, int64_t now) {
    __builtin_prefetch(&engine->sim->messages[chunk->message], 1);
    add_join(&engine->arrivals, now, 0)->chunk = *chunk;
}

/// Takes chunks of a flight before `end`; returns how many.
static uint32_t take_flight(const struct entrance *in, const struct flight *flight, int64_t end) {
    const struct fifo *fifo = in->fifo;
    int64_t head = flight->head;
    for (uint32_t i = 0; i < flight->count; i++, head += flight->spacing) {
        const struct passing *chunk = &fifo->ring[(fifo->head + i) & (fifo->room - 1)];
        bool there = chunk->destination == DELIVERED;
        if (head + (there ? flight->lag : 0) >= end) return i;
        if (there)
            arrive(in->engine, chunk, head + flight->lag);
        else
            take(in, chunk, head, head + flight->lag);
    }
    return flight->count;
}

/// The same at an endpoint whose hops are kept: the inner loop of most runs.
static uint32_t take_flight_kept(const struct entrance *in, const struct flight *flight, int64_t end) {
    struct engine *const engine = in->engine;
    const struct fifo *fifo = in->fifo;
    const struct passing *const ring = fifo->ring;
    const struct kept_hop *const kept = in->kept;
    const uint32_t first = fifo->head, mask = fifo->room - 1, count = flight->count, in_port = fifo->in_port;
    const int64_t spacing = flight->spacing, lag = flight->lag;
    int64_t head = flight->head;
    uint32_t i = 0;
    for (; i < count && head < end; i++, head += spacing) {
        const struct passing *chunk = &ring[(first + i) & mask];
        if (chunk->destination == DELIVERED) {
            if (head + lag >= end) return i;
            arrive(engine, chunk, head + lag);
            continue;
        }
        if (count - i > AHEAD) __builtin_prefetch(&kept[ring[(first + i + AHEAD) & mask].destination]);
        const struct kept_hop hop = kept[chunk->destination];
        if (hop.link == 0) {
            take(in, chunk, head, head + lag);
            continue;
        }
        struct joins *joins = joins_of(engine, hop.link - 1);
        struct joining *joining = add_join(joins, head, endpoint_tie(in_port, joins->out_port));
        joining->chunk = *chunk;
        joining->chunk.destination = hop.destination;
        joining->tail = head + lag;
    }
    return i;
}

/// Takes what comes in before `end` by one link; returns when the next does.
static int64_t collect_from(struct engine *engine, uint32_t node, struct fifo *fifo, int64_t end) {
    bool endpoint = engine->quotient->nodes[node].node < engine->quotient->whole->endpoints;
    const struct entrance in = {engine, fifo, node, endpoint && !engine->ports_move ? engine->kept[node] : NULL};
    while (fifo->head != fifo->tail) {
        struct flight *flight = &fifo->flights[fifo->first_flight & (fifo->flight_room - 1)];
        uint32_t taken = in.kept ? take_flight_kept(&in, flight, end) : take_flight(&in, flight, end);
        if (taken == 0) break;
        int64_t tail = flight->head + (taken - 1) * flight->spacing + flight->lag;
        if (tail > engine->latest) engine->latest = tail;
        flight->head += taken * flight->spacing;
        flight->count -= taken;
        fifo->head += taken;
        if (flight->count > 0) break;
        fifo->first_flight++;
    }
    return fifo_next(fifo);
}

void quotient_collect(struct engine *engine, uint32_t node, int64_t end) {
    int64_t least = INT64_MAX;
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++) {
        if (engine->next[p] < end) engine->next[p] = collect_from(engine, node, &engine->fifos[engine->in_links[p]], end);
        if (engine->next[p] < least) least = engine->next[p];
    }
    engine->node_next[node] = least;
}

// ---- timers, deliveries, and what is posted because of them

/// The number of the representative that posts.
static uint32_t node_of(const struct quotient *quotient, uint32_t source) {
    uint32_t low = 0, high = quotient->endpoint_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (quotient->nodes[middle].node <= source)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Serves what has joined rather than make room for more, if nothing can come before it: an instant may post millions.
static inline void keep_small(struct engine *engine, uint32_t link, int64_t now) {
    struct joins *joins = &engine->joins[link];
    if (joins->count == 0 || joins->count < joins->room) return;
    quotient_sort(engine, joins);
    if (joins->order[joins->count - 1].time <= now) quotient_serve(engine, link);
}

static void inject_message(struct engine *engine, uint32_t id, uint32_t node) {
    struct sim *sim = engine->sim;
    uint64_t chunks = sim->messages[id].chunks_left;
    for (uint64_t k = 0; k < chunks && !sim->overflowed; k++) {
        struct chunk chunk = sim_make_chunk(sim, id, k);
        struct hop hop = ask_hop(engine, node, chunk.destination, chunk.selector);
        struct joins *joins = joins_of(engine, hop.link);
        keep_small(engine, hop.link, sim->now);
        uint32_t kind = chunk.selector | (uint32_t)chunk.size_class << KIND_SIZE;
        *add_join(joins, sim->now, TIE_POSTED) = (struct joining){{id, hop.destination, kind, 0}, sim->now};
    }
}

/// Numbers what was posted at this instant; its chunks join after all others.
static void inject_posts(struct engine *engine) {
    struct sim *sim = engine->sim;
    if (sim->posts_unsorted) sim_sort_posts(sim);
    for (size_t i = 0; i < sim->post_count && !sim->overflowed; i++) {
        uint32_t id = sim->posts[i].message;
        sim_number_post(sim, &sim->messages[id]);
        inject_message(engine, id, node_of(engine->quotient, sim_post_source(sim, &sim->posts[i])));
    }
    sim->post_count = 0;
}

static void deliver(struct sim *sim, const struct passing *arrival) {
    const struct message *message = &sim->messages[arrival->message];
    if (message->chunks_left == 1) digest_add_orbit(&sim->orbit_digest, sim->now, message->bytes, arrival->hops, sim->orbit_size);
    sim_deliver(sim, arrival->message, 1);
}

/// Arrivals of an instant from the one numbered `next` on; returns the first of a later one.
static uint32_t settle_instant(struct engine *engine, uint32_t next, int64_t now) {
    struct sim *sim = engine->sim;
    const struct joins *arrivals = &engine->arrivals;
    sim->now = now;
    if (now > engine->latest) engine->latest = now;
    for (;;) {
        if (sim->timers.count > 0 && sim->timers.entries[0].time <= now) {
            sim_take_timer(sim);
        } else if (next < arrivals->count && arrivals->order[next].time == now) {
            deliver(sim, &arrivals->chunks[arrivals->order[next++].chunk].chunk);
            if (now > sim->totals.end_ticks) sim->totals.end_ticks = now;
        } else {
            break;
        }
    }
    if (sim->post_count > 0) inject_posts(engine);
    return next;
}

void quotient_settle(struct engine *engine) {
    struct joins *arrivals = &engine->arrivals;
    quotient_sort(engine, arrivals);
    for (uint32_t next = 0; next < arrivals->count;) next = settle_instant(engine, next, arrivals->order[next].time);
    arrivals->count = 0;
}

void quotient_settle_at(struct engine *engine, int64_t now) {
    settle_instant(engine, 0, now);
    engine->arrivals.count = 0;
}
