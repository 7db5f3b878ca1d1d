// Timers and deliveries at representatives of a folded network, and what is posted because of them.
#include "engine/quotient_lists.h"

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

/// A chunk joins its first link.
static inline void inject(struct engine *engine, uint32_t node, const struct chunk *chunk) {
    const int64_t now = engine->sim->now;
    const struct long_hop way = ask_hop(engine, node, chunk->destination, chunk->selector);
    struct joins *joins = joins_of(engine, way.hop.link);
    keep_small(engine, way.hop.link, now);
    uint32_t kind = chunk->selector | way.straight | (uint32_t)chunk->size_class << KIND_SIZE;
    *add_join(joins, now, TIE_POSTED) = (struct joining){{chunk->message, way.hop.destination, kind, 1 + way.straight}, now};
}

static void inject_message(struct engine *engine, uint32_t id, uint32_t node) {
    struct sim *sim = engine->sim;
    uint64_t chunks = sim->messages[id].chunks_left;
    if (id & LISTED) fatal("more than %u live messages", LISTED);
    for (uint64_t k = 0; k < chunks && !sim->overflowed; k++) {
        struct chunk chunk = sim_make_chunk(sim, id, k);
        inject(engine, node, &chunk);
    }
}

/// Messages that were posted together (sim_post_many), of one chunk each.
static void inject_list(struct engine *engine, uint32_t id, uint32_t node) {
    struct sim *sim = engine->sim;
    const struct router *router = &sim->router;
    const struct message like = sim->messages[id];
    const struct message_target *targets = &sim->targets[like.number];
    const uint32_t count = like.destination, first = quotient_keep_list(engine, &like, targets);
    sim_free_message(sim, id);
    uint32_t number = sim->next_number[like.source];
    struct chunk chunk = {.size_class = sim_size_class(sim, like.bytes) & 0xfff};
    for (uint32_t i = 0; i < count && !sim->overflowed; i++) {
        uint32_t to = chunk.destination = targets[i].destination;
        chunk.message = first == NOT_KEPT ? quotient_record(engine, &like, &targets[i]) : first + i;
        if (router->selector) chunk.selector = router->selector(router->state, like.source, to, number + i, 0) & 0xfffff;
        inject(engine, node, &chunk);
    }
    sim->next_number[like.source] += count;
    sim->totals.messages += count;
    sim->totals.chunks += count;
}

/// Numbers what was posted at this instant; its chunks join after all others.
static void inject_posts(struct engine *engine) {
    struct sim *sim = engine->sim;
    if (sim->posts_unsorted) sim_sort_posts(sim);
    for (size_t i = 0; i < sim->post_count && !sim->overflowed; i++) {
        uint32_t id = sim->posts[i].message, node = node_of(engine->quotient, sim_post_source(sim, &sim->posts[i]));
        if (sim_is_list(&sim->messages[id])) {
            inject_list(engine, id, node);
            continue;
        }
        sim_number_post(sim, &sim->messages[id]);
        inject_message(engine, id, node);
    }
    sim->post_count = sim->target_count = 0;
}

static void deliver(struct engine *engine, const struct passing *arrival) {
    struct sim *sim = engine->sim;
    if (arrival->message & LISTED) {
        const struct message message = quotient_listed(engine, arrival->message);
        digest_add_orbit(&sim->orbit_digest, sim->now, message.bytes, arrival->hops, sim->orbit_size);
        sim->client.delivered(sim->client.context, &message, sim->now);
        sim->delivered++;
        quotient_drop_listed(engine, arrival->message);
        return;
    }
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
            deliver(engine, &arrivals->chunks[arrivals->order[next++].chunk].chunk);
            if (now > sim->totals.end_ticks) sim->totals.end_ticks = now;
        } else {
            break;
        }
    }
    if (sim->post_count == 0) return next;
    if (engine->streams.running) fatal("something was posted at %lld, which was to be quiet", (long long)now);
    inject_posts(engine);
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
