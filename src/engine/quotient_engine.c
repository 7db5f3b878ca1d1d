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

#include "engine/quotient_state.h"
#include "engine/time_tree.h"

enum { MOST_HOPS_KEPT = 1 << 25, NARROW = 16 };

// ---- windows

static inline int64_t next_of_node(const struct engine *engine, uint32_t node) {
    return least_time(engine->next, engine->first_in[node], engine->first_in[node + 1]);
}

static int64_t next_time(const struct engine *engine) {
    const struct sim *sim = engine->sim;
    int64_t next = sim->timers.count > 0 ? sim->timers.entries[0].time : INT64_MAX;
    for (uint32_t v = 0; v < engine->quotient->node_count; v++)
        if (engine->node_next[v] < next) next = engine->node_next[v];
    return next;
}

// ---- one node

/// The head of an in-link, if it passes through and nothing else of this link joins with it; else NULL. `next`: when the one
/// behind it joins.
static inline const struct passing *passes_alone(const struct engine *engine, uint32_t node, const struct fifo *fifo, int64_t *next) {
    uint32_t mask = fifo->room - 1, after = fifo->head + 1;
    const struct passing *chunk = &fifo->ring[fifo->head & mask], *following = &fifo->ring[after & mask];
    bool last = after == fifo->tail;
    *next = last ? INT64_MAX : following->join;
    if (chunk->destination == DELIVERED || *next == chunk->join) return NULL;
    if (!last) {
        prefetch_hop(engine, node, following);
        __builtin_prefetch(&fifo->ring[(after + AHEAD) & mask]);
    }
    return chunk;
}

/// Takes the head of an in-link.
static inline void take(struct engine *engine, uint32_t position, struct fifo *fifo, int64_t next) {
    fifo->head++;
    engine->next[position] = next;
}

/// The commonest instant: a single chunk passes through. False: it is another.
static inline bool pass_one(struct engine *engine, uint32_t node, uint32_t position, int64_t now) {
    struct fifo *fifo = &engine->fifos[engine->in_links[position]];
    int64_t next;
    const struct passing *chunk = passes_alone(engine, node, fifo, &next);
    if (!chunk) return false;
    struct hop hop = ask_hop(engine, node, chunk->destination, selector_of(chunk));
    const struct passing moved = {
        .tail = chunk->tail, .message = chunk->message, .destination = hop.destination, .kind = chunk->kind, .hops = chunk->hops};
    take(engine, position, fifo, next);
    serve_chunk(engine, hop.link, &moved, now);
    return true;
}

/// One chunk of each of some in-links passes through, of which `position` is the first. False: it is another instant.
static bool pass_some(struct engine *engine, uint32_t node, uint32_t position, int64_t now) {
    struct joining joins[NARROW];
    struct {
        uint32_t position;
        int64_t next;
    } taken[NARROW];
    uint32_t count = 0;
    for (; position < engine->first_in[node + 1]; position++) {
        if (engine->next[position] != now) continue;
        const struct fifo *fifo = &engine->fifos[engine->in_links[position]];
        const struct passing *chunk = passes_alone(engine, node, fifo, &taken[count].next);
        if (!chunk) return false;
        struct hop hop = ask_hop(engine, node, chunk->destination, selector_of(chunk));
        uint32_t tie = tie_of(engine, fifo, node, &hop), at = count;
        for (; at > 0 && tie < joins[at - 1].tie; at--) joins[at] = joins[at - 1];
        struct joining *joining = &joins[at];
        joining->link = hop.link, joining->tie = tie;
        joining->chunk.tail = chunk->tail, joining->chunk.message = chunk->message, joining->chunk.destination = hop.destination;
        joining->chunk.kind = chunk->kind, joining->chunk.hops = chunk->hops;
        taken[count++].position = position;
    }
    for (uint32_t i = 0; i < count; i++)
        take(engine, taken[i].position, &engine->fifos[engine->in_links[taken[i].position]], taken[i].next);
    for (uint32_t i = 0; i < count; i++) serve_chunk(engine, joins[i].link, &joins[i].chunk, now);
    return true;
}

static void any_instant(struct engine *engine, uint32_t node, int64_t now) {
    quotient_collect(engine, node, now);
    if (engine->arrival_count > 0) quotient_settle(engine);
    quotient_serve_all(engine);
}

/// All instants of a node before `end`; a client whose calls are local sets no timers here.
static bool visit_wide(struct engine *engine, uint32_t node, int64_t end) {
    struct sim *sim = engine->sim;
    for (;;) {
        int64_t now = next_of_node(engine, node);
        engine->node_next[node] = now;
        if (now >= end) return true;
        sim->now = now;
        any_instant(engine, node, now);
        if (sim->totals.chunk_hops >= sim->next_check && !sim_check(sim)) return false;
    }
}

/// The same where there are few in-links. Which of them joins next is found by branches, not computed: links that are busy take turns,
/// so a processor guesses it, and need not wait for one hop to begin the next.
static bool visit(struct engine *engine, uint32_t node, int64_t end) {
    struct sim *sim = engine->sim;
    uint32_t first = engine->first_in[node], last = engine->first_in[node + 1];
    const int64_t *next = engine->next;
    if (last - first > NARROW || engine->ports_move) return visit_wide(engine, node, end);
    for (;;) {
        int64_t now = INT64_MAX;
        for (uint32_t p = first; p < last; p++) now = next[p] < now ? next[p] : now;
        if (now >= end) {
            engine->node_next[node] = now;
            return true;
        }
        sim->now = now;
        uint32_t position = first;
        while (next[position] != now) position++;
        uint32_t other = position + 1;
        while (other < last && next[other] != now) other++;
        if (!(other == last ? pass_one(engine, node, position, now) : pass_some(engine, node, position, now)))
            any_instant(engine, node, now);
        if (sim->totals.chunk_hops >= sim->next_check && !sim_check(sim)) return false;
    }
}

/// One instant of all nodes.
static void visit_all(struct engine *engine, int64_t now) {
    uint32_t nodes = engine->quotient->node_count;
    engine->sim->now = now;
    for (uint32_t v = 0; v < nodes; v++) {
        if (engine->node_next[v] != now) continue;
        quotient_collect(engine, v, now);
        engine->node_next[v] = next_of_node(engine, v);
    }
    quotient_settle(engine);
    quotient_serve_all(engine);
}

static bool run_windows(struct engine *engine) {
    struct sim *sim = engine->sim;
    quotient_serve_all(engine); // what was posted before the run
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
            .last_class = NO_CLASS,
            .in_port = info->to_port,
            .out_port = info->from_port,
            .latency_ticks = info->latency_ticks,
        };
    }
    engine->next = times_of_never(links);
    engine->node_next = times_of_never(nodes);
    index_in_links(engine);
}

static void tear_down(struct engine *engine) {
    for (uint32_t v = 0; v < engine->quotient->node_count; v++) {
        pages_free(engine->kept[v]);
        free(engine->kept_ports[v]);
    }
    for (uint32_t l = 0; l < engine->quotient->folded.link_count; l++) {
        struct fifo *fifo = &engine->fifos[l];
        quotient_count(fifo);
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
    free(engine->arrivals);
    free(engine->sort_space);
}

static bool run(struct sim *sim, struct error *err) {
    (void)err;
    struct engine engine = {0};
    sim_settle_start(sim);
    set_up(&engine, sim);
    bool ok = run_windows(&engine);
    tear_down(&engine);
    return ok;
}

static bool suits(const struct sim *sim) { return sim->quotient && sim->config.injection == INJECT_FIFO && sim->config.until_ticks == 0; }

const struct engine_type quotient_engine = {"quotient", run, suits};
