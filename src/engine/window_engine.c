// The fast engine: a sweep over windows of time no longer than the smallest link latency. Nothing that crosses a link
// inside a window joins at its far end in the same window; so each node can be done with the whole window at once, on its
// own: first its timers and deliveries in order of time, then each of its links serves what joins, sorted by time and tie.
//
// Needs a client whose every call concerns one endpoint only (sim_client.local), fifo injection and no in-network
// reduction; sim_run takes the heap engine otherwise.
#include <stdlib.h>
#include <string.h>

#include "engine/bucket.h"
#include "engine/inject.h"
#include "engine/service.h"
#include "engine/shard.h"

enum { NODES_A_BLOCK = 64 };

/// A timer of the node that is being visited, or its place in a list by node.
struct node_timer {
    int64_t time;
    uint64_t sequence;
    uint32_t cookie;
    uint32_t next;
};

struct arrival {
    int64_t time;
    uint32_t message;
    uint64_t chunks;
};

struct engine {
    struct sim *sim;
    int64_t *link_next;  ///< per position: when the head of that in-link's FIFO joins
    int64_t *node_next;  ///< per node: the least of its in-links and timers
    int64_t *block_next; ///< per block of nodes: a bound from below on theirs
    uint32_t *first_in;  ///< per node + 1: positions of its in-links, sorted by port
    uint32_t *in_links;  ///< per position
    uint32_t *position;  ///< per link
    uint32_t *out_port;  ///< per link: the port it leaves by, beside those of its node's other links
    uint32_t node_count, block_count;
    int64_t window; ///< length

    int64_t begin, end;     ///< of the present window
    struct bucket *buckets; ///< per out-link of the visited node
    uint32_t *touched;      ///< the links whose buckets hold something
    uint32_t touched_count;
    struct bucket_server server;
    struct arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    struct chunk **made_blocks; ///< chunks that runs and messages made in this visit, in blocks that stay where they are
    size_t made_block, made_block_count, made_block_capacity;
    struct chunk *made, *made_end; ///< room in the last block in use, which is number made_block - 1

    uint32_t *first_timer; ///< per node: its timers in this window, by time and sequence; UINT32_MAX: none
    struct node_timer *timers;
    size_t timer_count, timer_capacity;
};

static void lower_next(struct engine *engine, uint32_t node, int64_t time) {
    if (time >= engine->node_next[node]) return;
    engine->node_next[node] = time;
    if (time < engine->block_next[node / NODES_A_BLOCK]) engine->block_next[node / NODES_A_BLOCK] = time;
}

static inline void link_woke(struct sim *sim, uint32_t link, int64_t join) {
    struct engine *engine = sim->engine;
    if (sim->shard && shard_crosses(sim->shard, &sim->links[link], link)) return;
    engine->link_next[engine->position[link]] = join;
    lower_next(engine, sim->links[link].to, join);
}

/// Where a link will put its next chunks: asked for as soon as something joins it, for these writes miss the caches.
static inline void prefetch_tail(const struct sim *sim, uint32_t link) {
    const struct link_state *state = &sim->links[link];
    if (!state->ring) return;
    uint32_t mask = (1u << state->ring_log2) - 1;
    __builtin_prefetch(&state->ring[state->tail & mask], 1);
    __builtin_prefetch(&state->ring[(state->tail + 2) & mask], 1);
    __builtin_prefetch(&sim->queues[link], 1);
}

static inline void add_entry(struct engine *engine, uint32_t first_out, uint32_t link, uint64_t key, uintptr_t what) {
    struct bucket *bucket = &engine->buckets[link - first_out];
    if (bucket->count == 0) {
        engine->touched[engine->touched_count++] = link;
        prefetch_tail(engine->sim, link);
    }
    bucket_add(bucket, key, what);
}

// ---- a visit to a node: what comes in

enum { MADE_A_BLOCK = 256 };

static void next_made_block(struct engine *engine) {
    size_t block = engine->made_block++;
    if (block == engine->made_block_count) {
        ARRAY_RESERVE(engine->made_blocks, engine->made_block_capacity, block + 1);
        engine->made_blocks[engine->made_block_count++] = allocate(MADE_A_BLOCK * sizeof(struct chunk));
    }
    engine->made = engine->made_blocks[block];
    engine->made_end = engine->made + MADE_A_BLOCK;
}

/// Room for a chunk that a run or a message makes, until the end of the visit.
static inline struct chunk *new_chunk(struct engine *engine) {
    if (engine->made == engine->made_end) next_made_block(engine);
    return engine->made++;
}

static const struct chunk *keep_chunk(struct engine *engine, const struct chunk *chunk) {
    struct chunk *kept = new_chunk(engine);
    *kept = *chunk;
    return kept;
}

/// At the begin of a visit.
static inline void drop_made(struct engine *engine) {
    if (engine->made_block == 1)
        engine->made = engine->made_blocks[0];
    else
        engine->made = engine->made_end = NULL, engine->made_block = 0;
}

/// An in-link of the node that is being visited, and what its ties need of the node.
struct incoming {
    uint32_t port;
    uint32_t first_out;    ///< of the node
    uint32_t switch_ports; ///< 0: an endpoint
};

static inline void add_join(struct engine *engine, const struct incoming *in, const struct chunk *chunk) {
    uint32_t out_port = engine->out_port[chunk->out];
    uint32_t tie = in->switch_ports ? switch_tie(in->port, out_port, in->switch_ports) : endpoint_tie(in->port, out_port);
    uint64_t key = (uint64_t)(chunk->join - engine->begin) << TIE_BITS | tie;
    add_entry(engine, in->first_out, chunk->out, key, (uintptr_t)chunk);
}

static inline void add_arrival(struct engine *engine, int64_t time, uint32_t message, uint64_t chunks) {
    ARRAY_RESERVE(engine->arrivals, engine->arrival_capacity, engine->arrival_count + 1);
    size_t i = engine->arrival_count++; // ports come in order, so equal times keep it
    for (; i > 0 && time < engine->arrivals[i - 1].time; i--) engine->arrivals[i] = engine->arrivals[i - 1];
    engine->arrivals[i] = (struct arrival){time, message, chunks};
}

/// Takes all of a run that joins in this window; false when the run has ended.
static bool take_run(struct engine *engine, const struct incoming *in, uint32_t link, struct chunk *entry) {
    struct sim *sim = engine->sim;
    if (entry->join >= engine->end) return true;
    struct chunk_run *run = &sim->runs[entry->message];
    if (run->ends) {
        add_arrival(engine, entry->join, run->message, run->chunks_left);
        sim_free_run(sim, entry->message);
        return false;
    }
    int64_t latency = sim->classes[sim->links[link].rate_class].latency_ticks;
    do {
        struct chunk *chunk = new_chunk(engine);
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
static int64_t take_link(struct engine *engine, uint32_t link, struct incoming *in) {
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
            add_arrival(engine, chunk->join, chunk->message, 1);
        } else if (take_run(engine, in, link, chunk)) {
            next = chunk->join;
            break;
        }
    }
    state->head = head;
    return next;
}

/// The same for all in-links of a node.
static int64_t take(struct engine *engine, uint32_t node) {
    const struct graph *graph = engine->sim->graph;
    struct incoming in = {.first_out = graph->first_out[node]};
    if (node >= graph->endpoints) in.switch_ports = graph->switch_ports[node - graph->endpoints];
    int64_t next = INT64_MAX;
    for (uint32_t p = engine->first_in[node], end = engine->first_in[node + 1]; p < end; p++) {
        if (engine->link_next[p] < engine->end) engine->link_next[p] = take_link(engine, engine->in_links[p], &in);
        if (engine->link_next[p] < next) next = engine->link_next[p];
    }
    return next;
}

// ---- a visit to a node: timers, deliveries, and what is posted because of them

static void add_node_timer(struct engine *engine, uint32_t node, const struct node_timer *timer) {
    ARRAY_RESERVE(engine->timers, engine->timer_capacity, engine->timer_count + 1);
    uint32_t index = (uint32_t)engine->timer_count++;
    engine->timers[index] = *timer;
    uint32_t *link = &engine->first_timer[node];
    while (*link != UINT32_MAX && engine->timers[*link].time <= timer->time) link = &engine->timers[*link].next;
    engine->timers[index].next = *link;
    *link = index;
}

/// Hands the timers of this window to their nodes. They leave the heap in the order of time and sequence.
static void deal_timers(struct engine *engine) {
    struct heap *heap = &engine->sim->timers;
    while (heap->count > 0 && heap->entries[0].time < engine->end) {
        struct heap_entry entry = heap_pop(heap);
        uint32_t node = (uint32_t)(entry.payload >> 32);
        add_node_timer(engine, node, &(struct node_timer){entry.time, entry.order, (uint32_t)entry.payload, UINT32_MAX});
        lower_next(engine, node, entry.time);
    }
}

/// Puts posts from .. to - 1 of this instant, which are the node's, into its buckets.
static void inject_some(struct engine *engine, uint32_t node, size_t from, size_t to) {
    struct sim *sim = engine->sim;
    uint32_t first_out = sim->graph->first_out[node];
    uint64_t key = (uint64_t)(sim->now - engine->begin) << TIE_BITS | INJECTED_TIE;
    for (size_t i = from; i < to; i++) {
        uint32_t id = sim->posts[i].message;
        struct message *message = &sim->messages[id];
        sim_number_post(sim, message);
        if (sim_is_only_chunk(message)) {
            struct chunk *chunk = new_chunk(engine);
            uint32_t link = sim_only_chunk(sim, id, chunk);
            add_entry(engine, first_out, link, key, (uintptr_t)chunk);
            continue;
        }
        size_t first = sim->injected_count;
        sim_plan_message(sim, id);
        for (size_t j = first; j < sim->injected_count; j++) {
            const struct injected *injected = &sim->injected[j];
            uintptr_t what = injected->count > 1 ? 2 * j + 1 : (uintptr_t)keep_chunk(engine, &injected->chunk);
            add_entry(engine, first_out, injected->link, key, what);
        }
    }
}

static void inject_posts(struct engine *engine, uint32_t node) {
    struct sim *sim = engine->sim;
    if (sim->posts_unsorted) sim_sort_posts(sim);
    inject_some(engine, node, 0, sim->post_count);
    sim->post_count = 0;
}

static void take_timer(struct engine *engine, uint32_t *first) {
    const struct node_timer timer = engine->timers[*first];
    *first = timer.next;
    engine->sim->client.timer(engine->sim->client.context, timer.cookie, timer.time);
}

static void settle(struct engine *engine, uint32_t node) {
    struct sim *sim = engine->sim;
    uint32_t *timer = &engine->first_timer[node];
    size_t next = 0;
    for (;;) {
        int64_t arrival_time = next < engine->arrival_count ? engine->arrivals[next].time : INT64_MAX;
        bool timed = *timer != UINT32_MAX && engine->timers[*timer].time <= arrival_time;
        bool settled = !timed && next == engine->arrival_count;
        int64_t now = timed ? engine->timers[*timer].time : arrival_time;
        if (sim->post_count > 0 && (settled || now != sim->now)) inject_posts(engine, node);
        if (settled) break;
        sim->now = now;
        if (timed) {
            take_timer(engine, timer);
        } else {
            const struct arrival *arrival = &engine->arrivals[next++];
            sim_deliver(sim, arrival->message, arrival->chunks);
            if (now > sim->totals.end_ticks) sim->totals.end_ticks = now;
        }
        if (sim->timers.count > 0) deal_timers(engine); // those that it set within this window
    }
}

// ---- a visit to a node: its links serve

/// The records of a node's links, then the heads of its in-links: asked for in time, for most are not in the nearest cache.
static void prefetch_links(const struct engine *engine, uint32_t node) {
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++)
        if (engine->link_next[p] < engine->end) __builtin_prefetch(&engine->sim->links[engine->in_links[p]], 1);
}

static void prefetch_heads(const struct engine *engine, uint32_t node) {
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++) {
        if (engine->link_next[p] >= engine->end) continue;
        const struct link_state *state = &engine->sim->links[engine->in_links[p]];
        uint32_t mask = (1u << state->ring_log2) - 1;
        __builtin_prefetch(&state->ring[state->head & mask]);
        __builtin_prefetch(&state->ring[(state->head + 2) & mask]);
    }
}

static void serve_node(struct engine *engine, uint32_t node) {
    uint32_t first_out = engine->sim->graph->first_out[node];
    for (uint32_t i = 0; i < engine->touched_count; i++)
        bucket_serve(&engine->server, &engine->buckets[engine->touched[i] - first_out], engine->touched[i]);
    engine->touched_count = 0;
    engine->sim->injected_count = 0;
}

static void visit(struct engine *engine, uint32_t node) {
    engine->arrival_count = 0;
    drop_made(engine);
    int64_t next = take(engine, node);
    if (engine->arrival_count > 0 || engine->first_timer[node] != UINT32_MAX) settle(engine, node);
    serve_node(engine, node);
    engine->node_next[node] = next;
}

// ---- windows

static int64_t next_time(const struct engine *engine) {
    const struct heap *timers = &engine->sim->timers;
    int64_t next = timers->count > 0 ? timers->entries[0].time : INT64_MAX;
    for (uint32_t b = 0; b < engine->block_count; b++)
        if (engine->block_next[b] < next) next = engine->block_next[b];
    return next;
}

static void sweep(struct engine *engine) {
    for (uint32_t b = 0; b < engine->block_count; b++) {
        if (engine->block_next[b] >= engine->end) continue;
        uint32_t first = b * NODES_A_BLOCK, last = first + NODES_A_BLOCK < engine->node_count ? first + NODES_A_BLOCK : engine->node_count;
        engine->block_next[b] = INT64_MAX;
        for (uint32_t v = first; v < last; v++) {
            if (engine->node_next[v] >= engine->end) continue;
            if (v + 3 < last && engine->node_next[v + 3] < engine->end) prefetch_links(engine, v + 3);
            if (v + 1 < last && engine->node_next[v + 1] < engine->end) prefetch_heads(engine, v + 1);
            visit(engine, v);
        }
        int64_t next = INT64_MAX;
        for (uint32_t v = first; v < last; v++)
            if (engine->node_next[v] < next) next = engine->node_next[v];
        engine->block_next[b] = next;
    }
}

/// What was posted before the run: nothing can join before it.
static void inject_first(struct engine *engine) {
    struct sim *sim = engine->sim;
    engine->begin = engine->server.begin = sim->now;
    if (sim->posts_unsorted) sim_sort_posts(sim);
    for (size_t from = 0, to = 0; from < sim->post_count; from = to) {
        uint32_t node = sim->posts[from].source;
        while (to < sim->post_count && sim->posts[to].source == node) to++;
        drop_made(engine);
        inject_some(engine, node, from, to);
        serve_node(engine, node);
    }
    sim->post_count = 0;
}

/// Goes through all windows that begin before `end`.
static bool run_windows(struct engine *engine, int64_t end) {
    struct sim *sim = engine->sim;
    for (int64_t begin; (begin = next_time(engine)) < end;) {
        engine->begin = engine->server.begin = begin;
        engine->end = begin < end - engine->window ? begin + engine->window : end;
        engine->timer_count = 0;
        if (sim->timers.count > 0) deal_timers(engine);
        sweep(engine);
        if (!sim_check(sim)) return false;
    }
    return true;
}

static bool run_alone(struct engine *engine, struct error *err) {
    int64_t until = engine->sim->config.until_ticks;
    if (!run_windows(engine, until && until < INT64_MAX ? until + 1 : INT64_MAX)) return false;
    if (next_time(engine) < INT64_MAX) return error_set(err, ERROR_LIMIT, "stopped at the time limit (--until)");
    return sim_all_due(engine->sim);
}

/// After an error too the shard comes to meet the others, which else would wait for it.
static bool run_shard(struct engine *engine) {
    for (int64_t end;;) {
        enum shard_verdict verdict = shard_meet(engine->sim, next_time(engine), &end);
        if (verdict != SHARD_GO_ON) return verdict == SHARD_DONE && sim_all_due(engine->sim);
        run_windows(engine, end);
    }
}

// ---- setting up

/// Positions of the in-links: by node, then by port.
static void index_in_links(struct engine *engine) {
    const struct graph *graph = engine->sim->graph;
    uint32_t nodes = graph_nodes(graph);
    engine->first_in = allocate_zeroed((size_t)nodes + 1, sizeof *engine->first_in);
    engine->in_links = allocate((size_t)graph->link_count * sizeof *engine->in_links);
    engine->position = allocate((size_t)graph->link_count * sizeof *engine->position);
    engine->out_port = allocate((size_t)graph->link_count * sizeof *engine->out_port);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        engine->first_in[graph->links[l].to + 1]++;
        engine->out_port[l] = graph->links[l].from_port;
    }
    for (uint32_t v = 0; v < nodes; v++) engine->first_in[v + 1] += engine->first_in[v];
    uint32_t *filled = allocate_zeroed(nodes, sizeof *filled);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        uint32_t node = graph->links[l].to, first = engine->first_in[node], at = first + filled[node]++;
        for (; at > first && graph->links[engine->in_links[at - 1]].to_port > graph->links[l].to_port; at--)
            engine->in_links[at] = engine->in_links[at - 1];
        engine->in_links[at] = l;
    }
    for (uint32_t p = 0; p < graph->link_count; p++) engine->position[engine->in_links[p]] = p;
    free(filled);
}

static int64_t *all_never(size_t count) {
    int64_t *times = allocate(count * sizeof *times);
    for (size_t i = 0; i < count; i++) times[i] = INT64_MAX;
    return times;
}

static int64_t least_latency(const struct sim *sim) {
    int64_t least = LONGEST_WINDOW;
    for (size_t i = 0; i < sim->class_count; i++)
        if (sim->classes[i].latency_ticks < least) least = sim->classes[i].latency_ticks;
    return least;
}

static uint32_t most_outs(const struct graph *graph) {
    uint32_t most = 0;
    for (uint32_t v = 0; v < graph_nodes(graph); v++) {
        uint32_t outs = graph->first_out[v + 1] - graph->first_out[v];
        if (outs > most) most = outs;
    }
    return most;
}

static void set_up(struct engine *engine, struct sim *sim) {
    const struct graph *graph = sim->graph;
    engine->sim = engine->server.sim = sim;
    engine->node_count = graph_nodes(graph);
    engine->block_count = (engine->node_count + NODES_A_BLOCK - 1) / NODES_A_BLOCK;
    engine->window = least_latency(sim);
    index_in_links(engine);
    engine->link_next = all_never(graph->link_count);
    engine->node_next = all_never(engine->node_count);
    engine->block_next = all_never(engine->block_count);
    engine->buckets = allocate_zeroed(most_outs(graph), sizeof *engine->buckets);
    engine->touched = allocate(most_outs(graph) * sizeof *engine->touched);
    engine->first_timer = allocate(engine->node_count * sizeof *engine->first_timer);
    memset(engine->first_timer, 0xff, engine->node_count * sizeof *engine->first_timer);
}

static void tear_down(struct engine *engine) {
    uint32_t outs = most_outs(engine->sim->graph);
    for (uint32_t o = 0; o < outs; o++) free(engine->buckets[o].entries);
    for (size_t b = 0; b < engine->made_block_count; b++) free(engine->made_blocks[b]);
    free(engine->buckets);
    free(engine->touched);
    free(engine->made_blocks);
    free(engine->link_next);
    free(engine->node_next);
    free(engine->block_next);
    free(engine->first_in);
    free(engine->in_links);
    free(engine->position);
    free(engine->out_port);
    bucket_server_free(&engine->server);
    free(engine->arrivals);
    free(engine->first_timer);
    free(engine->timers);
}

static bool run(struct sim *sim, struct error *err) {
    struct engine engine = {0};
    set_up(&engine, sim);
    sim->engine = &engine;
    sim->link_woke = link_woke;
    inject_first(&engine);
    bool ok = sim->shard ? run_shard(&engine) : run_alone(&engine, err);
    tear_down(&engine);
    sim->engine = NULL;
    return ok;
}

static bool suits(const struct sim *sim) {
    if (!sim->client.local || sim->config.injection != INJECT_FIFO) return false;
    for (uint32_t s = 0; s < sim->graph->switches; s++)
        if (sim->graph->switch_ports[s] >= INJECTED_TIE) return false;
    return true;
}

const struct engine_type window_engine = {"window", run, suits};
