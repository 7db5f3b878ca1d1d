// Where a chunk at a representative goes on. What is kept tells how far it goes straight on as well, so that few of its hops are asked
// for: along a dim of a torus it is one question.
#include "engine/quotient_state.h"

/// A hop that is being found.
struct asked_hop {
    uint32_t node, destination;
    struct hop hop;
};

static struct kept_hop *kept_at(const struct engine *engine, uint32_t node, uint32_t destination) {
    return engine->kept[node] ? &engine->kept[node][destination] : NULL;
}

static void make_table(struct engine *engine, uint32_t node) {
    const struct quotient *quotient = engine->quotient;
    uint32_t endpoints = quotient->whole->endpoints;
    if (engine->kept[node]) return;
    engine->kept[node] = pages_allocate_zeroed(endpoints * sizeof *engine->kept[node]);
    if (quotient->nodes[node].fixed) engine->kept_ports[node] = allocate_zeroed(endpoints, sizeof *engine->kept_ports[node]);
}

static void feed(struct streams *streams, uint32_t from, uint32_t to) {
    if (!streams->possible || from == to || streams->feeds[from] >> to & 1) return;
    streams->feeds[from] |= UINT64_C(1) << to;
    streams->changed = true;
}

/// `next` is what is kept of the hop after this one, or NULL.
static void keep(struct engine *engine, const struct asked_hop *asked, const struct kept_hop *next) {
    make_table(engine, asked->node);
    const struct hop *hop = &asked->hop;
    struct kept_hop kept = {.link = (hop->link + 1) & (MOST_LINKS_KEPT + 1), .destination = hop->destination};
    if (next && next->link == engine->fifos[hop->link].follows + 1 && next->straight < MOST_STRAIGHT)
        kept.straight = (next->straight + 1u) & MOST_STRAIGHT, kept.destination = next->destination;
    else if (next)
        feed(&engine->streams, hop->link, next->link - 1);
    engine->kept[asked->node][asked->destination] = kept;
    if (engine->kept_ports[asked->node]) engine->kept_ports[asked->node][asked->destination] = hop->out_port;
}

/// Asks for a hop and those after it, up to the destination or one that is known, and keeps them.
static void ask_on(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct kept_hop *next = NULL;
    size_t count = 0;
    while (destination != DELIVERED) {
        next = kept_at(engine, node, destination);
        if (next && next->link > 0) break;
        next = NULL;
        ARRAY_RESERVE(engine->asked, engine->asked_capacity, count + 1);
        struct asked_hop *ask = &engine->asked[count++];
        *ask = (struct asked_hop){node, destination, quotient_hop(engine->quotient, node, destination, selector)};
        node = engine->fifos[ask->hop.link].target, destination = ask->hop.destination;
    }
    while (count-- > 0) {
        const struct asked_hop *ask = &engine->asked[count];
        keep(engine, ask, next);
        next = kept_at(engine, ask->node, ask->destination);
    }
}

struct long_hop quotient_find_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
    if (!engine->keeps) return (struct long_hop){quotient_hop(engine->quotient, node, destination, selector), 0};
    ask_on(engine, node, destination, selector);
    return ask_hop(engine, node, destination, selector);
}
