// All that may happen at one instant of a folded network: what joins, is delivered, is posted.
#include <stdlib.h>
#include <string.h>

#include "engine/quotient_state.h"

enum { INSERTION_MOST = 24 };

// ---- sorting

/// By tie, stable: insertion for few, merging for many.
static void sort_joins(struct joining *items, size_t count, struct joining *space) {
    if (count <= INSERTION_MOST) {
        for (size_t i = 1; i < count; i++) {
            if (items[i].tie >= items[i - 1].tie) continue;
            struct joining moved = items[i];
            size_t j = i;
            do {
                items[j] = items[j - 1];
                j--;
            } while (j > 0 && moved.tie < items[j - 1].tie);
            items[j] = moved;
        }
        return;
    }
    size_t half = count / 2, i = 0, j = half, out = 0;
    sort_joins(items, half, space);
    sort_joins(items + half, count - half, space);
    if (items[half].tie >= items[half - 1].tie) return;
    memcpy(space, items, half * sizeof *items);
    while (i < half && j < count) items[out++] = items[j].tie < space[i].tie ? items[j++] : space[i++];
    memcpy(items + out, space + i, (half - i) * sizeof *items);
}

// ---- hops

struct hop quotient_find_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct quotient *quotient = engine->quotient;
    struct hop hop = quotient_hop(quotient, node, destination, selector);
    if (!engine->keeps) return hop;
    bool fixed = quotient->nodes[node].fixed;
    uint32_t endpoints = quotient->whole->endpoints;
    if (!engine->kept[node]) {
        engine->kept[node] = pages_allocate(endpoints * sizeof *engine->kept[node]);
        memset(engine->kept[node], 0, endpoints * sizeof *engine->kept[node]);
        if (fixed) engine->kept_ports[node] = allocate_zeroed(endpoints, sizeof *engine->kept_ports[node]);
    }
    engine->kept[node][destination] = (struct kept_hop){hop.link + 1, hop.destination};
    if (fixed) engine->kept_ports[node][destination] = hop.out_port;
    return hop;
}

// ---- what comes in

static inline struct joining *add_join(struct joins *joins) {
    ARRAY_RESERVE(joins->items, joins->capacity, joins->count + 1);
    return &joins->items[joins->count++];
}

static void pass_on(struct engine *engine, const struct fifo *in_link, uint32_t node, const struct passing *chunk) {
    if (engine->ports_move && !engine->quotient->nodes[node].fixed) {
        engine->sim->overflowed = true;
        engine->sim->next_check = 0;
        error_set(engine->sim->error, ERROR_SIMULATION, "a chunk passes through an endpoint whose ports do not move alike");
        return;
    }
    struct hop hop = ask_hop(engine, node, chunk->destination, selector_of(chunk));
    struct joining *joining = add_join(&engine->joins);
    joining->chunk = *chunk;
    joining->chunk.destination = hop.destination;
    joining->link = hop.link;
    joining->tie = tie_of(engine, in_link, node, &hop);
}

void quotient_collect(struct engine *engine, uint32_t node, int64_t now) {
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++) {
        if (engine->next[p] != now) continue;
        struct fifo *fifo = &engine->fifos[engine->in_links[p]];
        int64_t next = INT64_MAX;
        for (; fifo->head != fifo->tail; fifo->head++) {
            const struct passing *chunk = &fifo->ring[fifo->head & (fifo->room - 1)];
            if (chunk->join != now) {
                next = chunk->join;
                prefetch_hop(engine, node, chunk);
                break;
            }
            if (chunk->destination != DELIVERED) {
                pass_on(engine, fifo, node, chunk);
                continue;
            }
            ARRAY_RESERVE(engine->arrivals, engine->arrival_capacity, engine->arrival_count + 1);
            engine->arrivals[engine->arrival_count++] = (struct arrival){chunk->message, chunk->hops};
        }
        engine->next[p] = next;
    }
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

static void inject_message(struct engine *engine, uint32_t id, uint32_t node) {
    struct sim *sim = engine->sim;
    uint64_t chunks = sim->messages[id].chunks_left;
    for (uint64_t k = 0; k < chunks; k++) {
        struct chunk chunk = sim_make_chunk(sim, id, k);
        struct hop hop = ask_hop(engine, node, chunk.destination, chunk.selector);
        serve_chunk(engine, hop.link,
                    &(struct passing){.tail = sim->now,
                                      .message = id,
                                      .destination = hop.destination,
                                      .kind = chunk.selector | (uint32_t)chunk.size_class << KIND_SIZE},
                    sim->now);
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

static void deliver(struct sim *sim, const struct arrival *arrival) {
    const struct message *message = &sim->messages[arrival->message];
    if (message->chunks_left == 1) digest_add_orbit(&sim->orbit_digest, sim->now, message->bytes, arrival->hops, sim->orbit_size);
    sim_deliver(sim, arrival->message, 1);
    if (sim->now > sim->totals.end_ticks) sim->totals.end_ticks = sim->now;
}

void quotient_settle(struct engine *engine) {
    struct sim *sim = engine->sim;
    size_t next = 0;
    for (;;) {
        if (sim->timers.count > 0 && sim->timers.entries[0].time <= sim->now)
            sim->client.timer(sim->client.context, (uint32_t)heap_pop(&sim->timers).payload, sim->now);
        else if (next < engine->arrival_count)
            deliver(sim, &engine->arrivals[next++]);
        else
            break;
    }
    engine->arrival_count = 0;
}

// ---- links serve

void quotient_grow(struct sim *sim, struct fifo *fifo) {
    uint32_t count = fifo->tail - fifo->head, room = fifo->room ? 2 * fifo->room : 16;
    if (room > UINT32_C(1) << 30) fatal("more than 2^30 chunks in flight on one link");
    struct passing *ring = pages_allocate(room * sizeof *ring);
    for (uint32_t i = 0; i < count; i++) ring[i] = fifo->ring[(fifo->head + i) & (fifo->room - 1)];
    sim->ring_bytes += (room - fifo->room) * sizeof *ring;
    pages_free(fifo->ring);
    fifo->ring = ring, fifo->room = room;
    fifo->head = 0, fifo->tail = count;
}

void quotient_count(struct fifo *fifo) {
    fifo->chunks += fifo->alike;
    fifo->bytes += fifo->alike * (uint64_t)fifo->last_bytes;
    fifo->busy_ticks += (int64_t)fifo->alike * fifo->last_ticks;
    fifo->alike = 0;
}

void quotient_size_up(struct engine *engine, struct fifo *fifo, uint32_t class, uint32_t message) {
    const struct sim *sim = engine->sim;
    const struct rate_class *rate = &sim->classes[fifo->rate_class];
    bool cached = class != UNCACHED_SIZE;
    quotient_count(fifo);
    fifo->last_bytes = cached ? sim->size_bytes[class] : sim_uncached_bytes(sim, &(struct chunk){.message = message});
    fifo->last_ticks =
        cached ? sim->service_ticks[class * sim->class_count + fifo->rate_class] : sim_service_of(sim, rate, fifo->last_bytes);
    fifo->last_class = cached ? class : NO_CLASS; // those are of any size
    fifo->last_start = last_start_of(fifo->last_ticks, fifo->latency_ticks);
    fifo->waits_until = -1;
}

void quotient_overflow(struct sim *sim) {
    sim->overflowed = true; // a run in full will say where
    sim->next_check = 0;
    error_set(sim->error, ERROR_SIMULATION, "the clock overflows");
}

void quotient_serve_all(struct engine *engine) {
    struct joins *joins = &engine->joins;
    int64_t now = engine->sim->now;
    if (joins->count > 1) {
        if (joins->count > INSERTION_MOST) ARRAY_RESERVE(engine->sort_space, engine->sort_capacity, joins->count);
        sort_joins(joins->items, joins->count, engine->sort_space);
    }
    for (size_t i = 0; i < joins->count; i++) serve_chunk(engine, joins->items[i].link, &joins->items[i].chunk, now);
    joins->count = 0;
    if (engine->sim->post_count > 0) inject_posts(engine);
}
