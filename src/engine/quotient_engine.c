// The engine of a folded network (quotient.h). It goes through windows of time no longer than the smallest latency, as the window
// engine does; but within a window through each representative's instants, merging its few in-links, for a link may lead from a
// representative to itself. A sole representative needs no windows.
//
// Of the chunks that come to a fixed switch each is seen as by the image that it leaves for, so its tie is that of the ports of the
// whole network.
//
// Where a client's calls concern more than one endpoint a window is one instant, and all nodes are done with each of its phases
// before the next begins.
#include <stdlib.h>
#include <string.h>

#include "engine/inject.h"
#include "engine/quotient.h"

enum { MOST_HOPS_KEPT = 1 << 25, INSERTION_MOST = 24, AHEAD = 8 };

/// A chunk on its way over a link, or one that joins a link now.
struct passing {
    int64_t join; ///< its next link, or when it is delivered
    int64_t tail;
    uint32_t message, destination; ///< as seen from the representative of the far end; DELIVERED: it is there
    uint32_t selector : 20, size_class : 12;
    uint32_t hops;
};

struct joining {
    struct passing chunk;
    uint32_t link, tie;
};

struct joins {
    struct joining *items;
    size_t count, capacity;
};

/// A folded link: what has left it and not joined yet, and what goes to its link_state in the end.
struct fifo {
    struct passing *ring;
    uint32_t head, tail, mask;
    uint32_t target;   ///< representative at the far end
    uint32_t position; ///< among all in-links
    uint32_t rate_class;
    int64_t latency_ticks;
    int64_t free_at, busy_ticks;
    uint64_t bytes, chunks;
    int64_t last_bytes, last_ticks; ///< of the last chunk: size and service
    uint32_t last_class;
    uint32_t in_port, out_port;
};

/// A hop that was asked for before; link 0 stands for none, so numbers are one more.
struct kept_hop {
    uint32_t link, destination;
};

struct arrival {
    uint32_t message, hops;
};

struct engine {
    struct sim *sim;
    const struct quotient *quotient;
    struct fifo *fifos;     ///< per folded link
    uint32_t *first_in;     ///< per representative + 1: positions of its in-links, sorted by port
    uint32_t *in_links;     ///< per position
    int64_t *next;          ///< per position: when the head joins
    int64_t *node_next;     ///< per representative: the first of these
    struct kept_hop **kept; ///< per representative: by destination; NULL: not asked yet
    uint32_t **kept_ports;  ///< fixed switches: hop.out_port likewise
    bool keeps, store_and_forward, ports_move;
    int64_t window;
    struct joins joins, injected; ///< of this instant
    struct arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    struct joining *sort_space;
    size_t sort_capacity;
};

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

/// Asks for the first time, or every time where hops are not kept.
static struct hop find_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
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

static inline struct hop ask_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct kept_hop *kept = engine->kept[node] ? &engine->kept[node][destination] : NULL;
    if (!kept || kept->link == 0) return find_hop(engine, node, destination, selector);
    return (struct hop){kept->link - 1, kept->destination, engine->kept_ports[node] ? engine->kept_ports[node][destination] : 0};
}

/// What a chunk will ask for when it comes to be taken.
static inline void prefetch_hop(const struct engine *engine, uint32_t node, const struct passing *chunk) {
    if (chunk->destination != DELIVERED && engine->kept[node]) __builtin_prefetch(&engine->kept[node][chunk->destination]);
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
    struct hop hop = ask_hop(engine, node, chunk->destination, chunk->selector);
    struct joining *joining = add_join(&engine->joins);
    joining->chunk = *chunk;
    joining->chunk.destination = hop.destination;
    joining->link = hop.link;
    joining->tie = tie_of(engine, in_link, node, &hop);
}

/// Takes all that joins at a node at `now`, port by port.
static void collect(struct engine *engine, uint32_t node, int64_t now) {
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++) {
        if (engine->next[p] != now) continue;
        struct fifo *fifo = &engine->fifos[engine->in_links[p]];
        int64_t next = INT64_MAX;
        for (; fifo->head != fifo->tail; fifo->head++) {
            const struct passing *chunk = &fifo->ring[fifo->head & fifo->mask];
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
        struct joining *joining = add_join(&engine->injected);
        joining->chunk = (struct passing){.tail = sim->now,
                                          .message = id,
                                          .destination = hop.destination,
                                          .selector = chunk.selector & 0xfffff,
                                          .size_class = chunk.size_class & 0xfff};
        joining->link = hop.link;
    }
}

/// Numbers what was posted at this instant; its chunks join after all others.
static void inject_posts(struct engine *engine) {
    struct sim *sim = engine->sim;
    if (sim->posts_unsorted) sim_sort_posts(sim);
    for (size_t i = 0; i < sim->post_count; i++) {
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

/// Timers that are due go before the first delivery, and before the next.
static void settle(struct engine *engine) {
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

static void grow(struct sim *sim, struct fifo *fifo) {
    uint32_t count = fifo->tail - fifo->head, capacity = fifo->ring ? 2 * (fifo->mask + 1) : 16;
    if (capacity > UINT32_C(1) << 30) fatal("more than 2^30 chunks in flight on one link");
    struct passing *ring = pages_allocate(capacity * sizeof *ring);
    for (uint32_t i = 0; i < count; i++) ring[i] = fifo->ring[(fifo->head + i) & fifo->mask];
    sim->ring_bytes += (capacity - (fifo->ring ? capacity / 2 : 0)) * sizeof *ring;
    pages_free(fifo->ring);
    fifo->ring = ring, fifo->mask = capacity - 1;
    fifo->head = 0, fifo->tail = count;
}

static void size_up(struct engine *engine, struct fifo *fifo, const struct passing *chunk) {
    const struct sim *sim = engine->sim;
    const struct rate_class *rate = &sim->classes[fifo->rate_class];
    bool cached = chunk->size_class != UNCACHED_SIZE;
    fifo->last_bytes = cached ? sim->size_bytes[chunk->size_class] : sim_uncached_bytes(sim, &(struct chunk){.message = chunk->message});
    fifo->last_ticks =
        cached ? sim->service_ticks[chunk->size_class * sim->class_count + fifo->rate_class] : sim_service_of(sim, rate, fifo->last_bytes);
    fifo->last_class = cached ? chunk->size_class : UNCACHED_SIZE + 1; // those are of any size
}

/// The run that a chunk prolongs without a new peak, as most do; else the long way.
static inline void chunk_waits(struct queue_peak *peak, int64_t start, int64_t service, int64_t bytes, int64_t now) {
    struct waiting_run *last = &peak->last;
    if (last->chunk_bytes == bytes && last->service_ticks == service && peak->queued_bytes + bytes <= peak->peak_bytes &&
        last->start + (int64_t)last->chunks * service == start) {
        last->chunks++;
        peak->queued_bytes += bytes;
        return;
    }
    queue_peak_wait(peak, &(struct waiting_run){start, service, bytes, 1}, now);
}

/// A chunk joins a link now: model.md, "Links".
static inline void serve(struct engine *engine, uint32_t link, const struct passing *chunk) {
    struct sim *sim = engine->sim;
    struct fifo *fifo = &engine->fifos[link];
    if (chunk->size_class != fifo->last_class) size_up(engine, fifo, chunk);
    int64_t bytes = fifo->last_bytes, service = fifo->last_ticks, now = sim->now;
    int64_t first = now > fifo->free_at ? now : fifo->free_at;
    int64_t start = chunk->tail - service > first ? chunk->tail - service : first;
    int64_t end, tail;
    if (__builtin_add_overflow(start, service, &end) || __builtin_add_overflow(end, fifo->latency_ticks, &tail) || tail == INT64_MAX) {
        sim->overflowed = true; // a run in full will say where
        sim->next_check = 0;
        error_set(sim->error, ERROR_SIMULATION, "the clock overflows");
        return;
    }
    fifo->free_at = end;
    fifo->busy_ticks += service;
    fifo->bytes += (uint64_t)bytes;
    fifo->chunks++;
    sim->totals.chunk_hops++;
    if (start > now && bytes > 0) chunk_waits(&sim->queues[link], start, service, bytes, now);
    bool whole = engine->store_and_forward || chunk->destination == DELIVERED;
    int64_t join = whole ? tail : first + fifo->latency_ticks;
    if (fifo->head == fifo->tail) {
        engine->next[fifo->position] = join;
        if (join < engine->node_next[fifo->target]) engine->node_next[fifo->target] = join;
    }
    if (!fifo->ring || fifo->tail - fifo->head > fifo->mask) grow(sim, fifo);
    __builtin_prefetch(&fifo->ring[(fifo->tail + AHEAD) & fifo->mask], 1);
    struct passing *sent = &fifo->ring[fifo->tail++ & fifo->mask];
    *sent = (struct passing){.join = join,
                             .tail = tail,
                             .message = chunk->message,
                             .destination = chunk->destination,
                             .selector = chunk->selector,
                             .size_class = chunk->size_class,
                             .hops = chunk->hops + 1};
}

/// All that joins at this instant: by tie, then what is injected.
static void serve_all(struct engine *engine) {
    struct joins *joins = &engine->joins, *injected = &engine->injected;
    if (joins->count > 1) {
        if (joins->count > INSERTION_MOST) ARRAY_RESERVE(engine->sort_space, engine->sort_capacity, joins->count);
        sort_joins(joins->items, joins->count, engine->sort_space);
    }
    for (size_t i = 0; i < joins->count; i++) serve(engine, joins->items[i].link, &joins->items[i].chunk);
    joins->count = 0;
    if (engine->sim->post_count > 0) inject_posts(engine);
    for (size_t i = 0; i < injected->count; i++) serve(engine, injected->items[i].link, &injected->items[i].chunk);
    injected->count = 0;
}

// ---- windows

static inline int64_t next_of_node(const struct engine *engine, uint32_t node) {
    int64_t next = INT64_MAX;
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++)
        if (engine->next[p] < next) next = engine->next[p];
    return next;
}

static int64_t next_time(const struct engine *engine) {
    const struct sim *sim = engine->sim;
    int64_t next = sim->timers.count > 0 ? sim->timers.entries[0].time : INT64_MAX;
    for (uint32_t v = 0; v < engine->quotient->node_count; v++)
        if (engine->node_next[v] < next) next = engine->node_next[v];
    return next;
}

/// The commonest instant: a single chunk passes through. False: it is another.
static inline bool pass_alone(struct engine *engine, uint32_t node, uint32_t position) {
    struct fifo *fifo = &engine->fifos[engine->in_links[position]];
    const struct passing *chunk = &fifo->ring[fifo->head & fifo->mask];
    uint32_t after = fifo->head + 1;
    int64_t next = INT64_MAX;
    if (chunk->destination == DELIVERED || engine->ports_move) return false;
    if (after != fifo->tail) {
        const struct passing *following = &fifo->ring[after & fifo->mask];
        next = following->join;
        if (next == chunk->join) return false;
        prefetch_hop(engine, node, following);
        __builtin_prefetch(&fifo->ring[(after + AHEAD) & fifo->mask]);
    }
    struct passing moved = *chunk;
    fifo->head = after;
    engine->next[position] = next;
    struct hop hop = ask_hop(engine, node, moved.destination, moved.selector);
    moved.destination = hop.destination;
    serve(engine, hop.link, &moved);
    return true;
}

/// All instants of a node before `end`; a client whose calls are local sets no timers here.
static bool visit(struct engine *engine, uint32_t node, int64_t end) {
    struct sim *sim = engine->sim;
    uint32_t first = engine->first_in[node], last = engine->first_in[node + 1];
    const int64_t *next = engine->next;
    for (;;) {
        int64_t now = INT64_MAX, after = INT64_MAX; // the earliest, and the next of another link
        uint32_t position = first;
        for (uint32_t p = first; p < last; p++) {
            int64_t time = next[p], later = time < now ? now : time;
            position = time < now ? p : position;
            now = time < now ? time : now;
            after = later < after ? later : after;
        }
        if (now >= end) {
            engine->node_next[node] = now;
            return true;
        }
        sim->now = now;
        if (after == now || !pass_alone(engine, node, position)) {
            collect(engine, node, now);
            if (engine->arrival_count > 0) settle(engine);
            serve_all(engine);
        }
        if (sim->totals.chunk_hops >= sim->next_check && !sim_check(sim)) return false;
    }
}

/// One instant of all nodes.
static void visit_all(struct engine *engine, int64_t now) {
    uint32_t nodes = engine->quotient->node_count;
    engine->sim->now = now;
    for (uint32_t v = 0; v < nodes; v++) {
        if (engine->node_next[v] != now) continue;
        collect(engine, v, now);
        engine->node_next[v] = next_of_node(engine, v);
    }
    settle(engine);
    serve_all(engine);
}

static bool run_windows(struct engine *engine) {
    struct sim *sim = engine->sim;
    serve_all(engine); // what was posted before the run
    for (;;) {
        int64_t begin = next_time(engine);
        if (begin == INT64_MAX) return !sim->overflowed && sim_all_due(sim, sim->timers.count);
        int64_t end = begin > INT64_MAX - engine->window ? INT64_MAX : begin + engine->window;
        bool timers = sim->timers.count > 0;
        if (timers || !sim->client.local) visit_all(engine, begin);
        for (uint32_t v = 0; !timers && sim->client.local && v < engine->quotient->node_count; v++)
            if (engine->node_next[v] < end && !visit(engine, v, end)) return false;
        if (!sim_check(sim)) return false;
    }
}

// ---- setting up

static void index_in_links(struct engine *engine) {
    const struct quotient *quotient = engine->quotient;
    const struct graph *graph = &quotient->folded;
    uint32_t nodes = quotient->node_count, *targets = quotient->targets;
    engine->first_in = allocate_zeroed((size_t)nodes + 1, sizeof *engine->first_in);
    engine->in_links = allocate((size_t)graph->link_count * sizeof *engine->in_links);
    for (uint32_t l = 0; l < graph->link_count; l++) engine->first_in[targets[l] + 1]++;
    for (uint32_t v = 0; v < nodes; v++) engine->first_in[v + 1] += engine->first_in[v];
    uint32_t *filled = allocate_zeroed(nodes, sizeof *filled);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        uint32_t first = engine->first_in[targets[l]], at = first + filled[targets[l]]++;
        for (; at > first && graph->links[engine->in_links[at - 1]].to_port > graph->links[l].to_port; at--)
            engine->in_links[at] = engine->in_links[at - 1];
        engine->in_links[at] = l;
    }
    for (uint32_t p = 0; p < graph->link_count; p++) engine->fifos[engine->in_links[p]].position = p;
    free(filled);
}

static int64_t *all_never(size_t count) {
    int64_t *times = allocate(count * sizeof *times);
    for (size_t i = 0; i < count; i++) times[i] = INT64_MAX;
    return times;
}

static void set_up(struct engine *engine, struct sim *sim) {
    const struct quotient *quotient = engine->quotient = sim->quotient;
    uint32_t links = quotient->folded.link_count, nodes = quotient->node_count;
    engine->sim = sim;
    engine->window = INT64_MAX;
    for (size_t i = 0; nodes > 1 && i < sim->class_count; i++)
        if (sim->classes[i].latency_ticks < engine->window) engine->window = sim->classes[i].latency_ticks;
    engine->keeps = !sim->router.selector && (uint64_t)nodes * quotient->whole->endpoints <= MOST_HOPS_KEPT;
    engine->store_and_forward = sim->config.switching == STORE_AND_FORWARD;
    engine->ports_move = quotient->ports_move;
    engine->kept = allocate_zeroed(nodes, sizeof *engine->kept);
    engine->kept_ports = allocate_zeroed(nodes, sizeof *engine->kept_ports);
    engine->fifos = allocate_zeroed(links, sizeof *engine->fifos);
    for (uint32_t l = 0; l < links; l++) {
        const struct link_info *info = &quotient->folded.links[l];
        engine->fifos[l] = (struct fifo){
            .target = quotient->targets[l],
            .rate_class = sim->links[l].rate_class,
            .last_class = UNCACHED_SIZE + 1,
            .in_port = info->to_port,
            .out_port = info->from_port,
            .latency_ticks = info->latency_ticks,
        };
    }
    engine->next = all_never(links);
    engine->node_next = all_never(nodes);
    index_in_links(engine);
}

static void tear_down(struct engine *engine) {
    for (uint32_t v = 0; v < engine->quotient->node_count; v++) {
        pages_free(engine->kept[v]);
        free(engine->kept_ports[v]);
    }
    for (uint32_t l = 0; l < engine->quotient->folded.link_count; l++) {
        const struct fifo *fifo = &engine->fifos[l];
        struct link_state *state = &engine->sim->links[l];
        state->free_at = fifo->free_at, state->busy_ticks = fifo->busy_ticks;
        state->bytes = fifo->bytes, state->chunks = fifo->chunks;
        pages_free(fifo->ring);
    }
    free(engine->kept);
    free(engine->kept_ports);
    free(engine->fifos);
    free(engine->next);
    free(engine->node_next);
    free(engine->first_in);
    free(engine->in_links);
    free(engine->joins.items);
    free(engine->injected.items);
    free(engine->arrivals);
    free(engine->sort_space);
}

static bool run(struct sim *sim, struct error *err) {
    (void)err;
    struct engine engine = {0};
    set_up(&engine, sim);
    bool ok = run_windows(&engine);
    tear_down(&engine);
    return ok;
}

static bool suits(const struct sim *sim) { return sim->quotient && sim->config.injection == INJECT_FIFO && sim->config.until_ticks == 0; }

const struct engine_type quotient_engine = {"quotient", run, suits};
