// The fast engine: a sweep over windows of time no longer than the smallest link latency. Nothing that crosses a link
// inside a window joins at its far end in the same window; so each node can be done with the whole window at once, on its
// own: first its timers and deliveries in order of time, then each of its links serves what joins, sorted by time and tie.
// Where latencies differ much, the same holds of parts of the network (domains.h): each goes through a window as long as
// the links between them by itself, in shorter windows of its own.
//
// Needs a client whose every call concerns one endpoint only (sim_client.local), fifo injection and no in-network
// reduction; sim_run takes the heap engine otherwise.
#include <stdlib.h>
#include <string.h>

#include "engine/bucket.h"
#include "engine/domains.h"
#include "engine/due_groups.h"
#include "engine/inject.h"
#include "engine/node_timers.h"
#include "engine/service.h"
#include "engine/shard.h"
#include "engine/solo.h"
#include "engine/time_tree.h"

struct arrival {
    int64_t time;
    uint32_t message;
    uint64_t chunks;
};

/// Where a link ends.
struct far_end {
    uint32_t position; ///< among all in-links
    uint32_t place;    ///< of its node
};

struct engine {
    struct sim *sim;
    struct domains domains;
    struct time_tree times;
    struct node_timers timers;
    int64_t *link_next; ///< per position: when the head of that in-link's FIFO joins
    struct due_groups due_groups;
    uint32_t *first_in;   ///< per place + 1: positions of its in-links, sorted by port
    uint32_t *in_links;   ///< per position
    struct far_end *ends; ///< per link
    uint32_t *out_port;   ///< per link: the port it leaves by, beside those of its node's other links

    bool prefetches; ///< the links' records are more than the near caches hold

    int64_t begin, end;             ///< of the present window
    int64_t round_begin, round_end; ///< of the present window between domains
    uint32_t domain;                ///< the one that goes through it at present
    uint32_t visited;               ///< the place of the node that is being visited, or was last
    int64_t next_timer;             ///< of that node
    struct bucket *buckets;         ///< per out-link of the visited node
    uint32_t *touched;              ///< the links whose buckets hold something
    uint32_t touched_count;
    struct bucket_server server;
    struct arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    struct chunk **made_blocks; ///< chunks that runs and messages made in this visit, in blocks that stay where they are
    size_t made_block, made_block_count, made_block_capacity;
    struct chunk *made, *made_end; ///< room in the last block in use, which is number made_block - 1
};

static inline void link_woke(struct sim *sim, uint32_t link, int64_t join) {
    struct engine *engine = sim->engine;
    if (sim->shard && shard_crosses(sim->shard, &sim->links[link], link)) return;
    struct far_end end = engine->ends[link];
    engine->link_next[end.position] = join;
    due_groups_lower(&engine->due_groups, end.position, join);
    time_tree_lower(&engine->times, end.place, join);
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
        if (run->solo) solo_end(sim, entry->message);
        sim_free_run(sim, entry->message);
        return false;
    }
    if (run->may_be_solo && solo_begin_late(sim, entry->message)) return false;
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
            add_arrival(engine, chunk->join, chunk->message, 1);
        } else if (take_run(engine, in, link, chunk)) {
            next = chunk->join;
            break;
        }
    }
    state->head = head;
    return next;
}

enum { MANY_LINKS = 4096 }; ///< below, looking at each is as fast

/// The same for all in-links of a node that has many.
__attribute__((noinline)) static int64_t take_many(struct engine *engine, const struct incoming *like, uint32_t first, uint32_t last) {
    struct incoming in = *like;
    int64_t next = INT64_MAX;
    for (uint32_t p = first; p < last;) {
        uint32_t group = p / LINKS_A_GROUP, stop = (group + 1) * LINKS_A_GROUP < last ? (group + 1) * LINKS_A_GROUP : last;
        if (engine->due_groups.least[group] < engine->end) {
            for (; p < stop; p++)
                if (engine->link_next[p] < engine->end) engine->link_next[p] = take_link(engine, engine->in_links[p], &in);
            due_groups_renew(&engine->due_groups, group);
        }
        if (engine->due_groups.least[group] < next) next = engine->due_groups.least[group];
        p = stop;
    }
    return next;
}

/// The same for all in-links of a node.
static inline int64_t take(struct engine *engine, uint32_t node, uint32_t place) {
    const struct graph *graph = engine->sim->graph;
    struct incoming in = {.first_out = graph->first_out[node]};
    if (node >= graph->endpoints) in.switch_ports = graph->switch_ports[node - graph->endpoints];
    int64_t *const link_next = engine->link_next, end = engine->end, next = INT64_MAX;
    uint32_t first = engine->first_in[place], last = engine->first_in[place + 1];
    if (last - first >= MANY_LINKS) return take_many(engine, &in, first, last);
    for (uint32_t p = first; p < last; p++) {
        int64_t joins = link_next[p];
        if (joins < end) joins = link_next[p] = take_link(engine, engine->in_links[p], &in);
        if (joins < next) next = joins;
    }
    return next;
}

// ---- a visit to a node: timers, deliveries, and what is posted because of them

static void timer_set(struct sim *sim, uint32_t endpoint, int64_t time, uint64_t sequence, uint32_t cookie) {
    struct engine *engine = sim->engine;
    uint32_t place = engine->domains.place_of[endpoint];
    node_timers_add(&engine->timers, place, time, sequence, cookie);
    time_tree_lower(&engine->times, place, time);
    engine->next_timer = node_timers_next(&engine->timers, engine->visited);
}

/// Hands the timers that were set before the run to their nodes.
static void take_timers(struct engine *engine) {
    struct heap *set = &engine->sim->timers;
    for (const struct heap_entry *entry = set->entries; entry < set->entries + set->count; entry++)
        timer_set(engine->sim, (uint32_t)(entry->payload >> 32), entry->time, entry->order, (uint32_t)entry->payload);
    heap_free(set);
}

enum { FEW_POSTS = 4 };

/// Whether what joins a link now can be served at once: nothing that joins earlier can come in this window any more.
static inline bool serves_next(const struct engine *engine, uint32_t first_out, uint32_t link) {
    return engine->buckets[link - first_out].count == 0 && !engine->sim->links[link].solo;
}

/// Posts from .. to - 1 of this instant, which are the node's, join their first links. Many are served faster together.
static void inject_some(struct engine *engine, uint32_t node, size_t from, size_t to) {
    struct sim *sim = engine->sim;
    uint32_t first_out = sim->graph->first_out[node];
    uint64_t key = (uint64_t)(sim->now - engine->begin) << TIE_BITS | INJECTED_TIE;
    bool few = to - from <= FEW_POSTS;
    for (size_t i = from; i < to; i++) {
        uint32_t id = sim->posts[i].message;
        struct message *message = &sim->messages[id];
        sim_number_post(sim, message);
        if (sim_is_only_chunk(message)) {
            struct chunk chunk;
            uint32_t link = sim_only_chunk(sim, id, &chunk);
            if (few && serves_next(engine, first_out, link))
                serve(sim, link, &chunk, sim->now, link_woke);
            else
                add_entry(engine, first_out, link, key, (uintptr_t)keep_chunk(engine, &chunk));
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

/// The first timer of the visited node.
static void take_timer(struct engine *engine, int64_t now) {
    uint32_t cookie = node_timers_pop(&engine->timers, engine->visited);
    engine->next_timer = node_timers_next(&engine->timers, engine->visited);
    engine->sim->client.timer(engine->sim->client.context, cookie, now);
}

static void settle(struct engine *engine, uint32_t node) {
    struct sim *sim = engine->sim;
    ARRAY_RESERVE(engine->arrivals, engine->arrival_capacity, engine->arrival_count + 1);
    engine->arrivals[engine->arrival_count].time = INT64_MAX; // after the last
    for (const struct arrival *arrival = engine->arrivals;;) {
        int64_t arrival_time = arrival->time;
        bool timed = engine->next_timer <= arrival_time;
        int64_t now = timed ? engine->next_timer : arrival_time;
        bool settled = now >= engine->end;
        if (sim->post_count > 0 && (settled || now != sim->now)) inject_posts(engine, node);
        if (settled) break;
        sim->now = now;
        if (timed) {
            take_timer(engine, now);
        } else {
            sim_deliver(sim, arrival->message, arrival->chunks);
            arrival++;
            if (now > sim->totals.end_ticks) sim->totals.end_ticks = now;
        }
    }
}

// ---- a visit to a node: its links serve

enum { LINKS_IN_CACHE = 2048 }; ///< of so many the records are as near as asking for them would bring them

static bool has_many_links(const struct engine *engine, uint32_t place) {
    return engine->first_in[place + 1] - engine->first_in[place] >= MANY_LINKS;
}

/// The records of a node's links, then the heads of its in-links: asked for in time, for most are not in the nearest cache.
static void prefetch_links(const struct engine *engine, uint32_t place) {
    if (has_many_links(engine, place)) return;
    for (uint32_t p = engine->first_in[place]; p < engine->first_in[place + 1]; p++)
        if (engine->link_next[p] < engine->end) __builtin_prefetch(&engine->sim->links[engine->in_links[p]], 1);
}

static void prefetch_heads(const struct engine *engine, uint32_t place) {
    if (has_many_links(engine, place)) return;
    for (uint32_t p = engine->first_in[place]; p < engine->first_in[place + 1]; p++) {
        if (engine->link_next[p] >= engine->end) continue;
        const struct link_state *state = &engine->sim->links[engine->in_links[p]];
        uint32_t mask = (1u << state->ring_log2) - 1;
        __builtin_prefetch(&state->ring[state->head & mask]);
        __builtin_prefetch(&state->ring[(state->head + 2) & mask]);
    }
}

/// Domains go through a round in order, and so do the nodes of a domain through a window. Of the node that is being visited, what is
/// delivered has been taken, what joins has not.
static int64_t done_until(const struct sim *sim, uint32_t node, bool deliveries) {
    const struct engine *engine = sim->engine;
    const struct domain *domain = &engine->domains.items[engine->domain];
    uint32_t place = engine->domains.place_of[node];
    if (place < domain->first) return engine->round_end;
    if (place >= domain->end) return engine->round_begin;
    return place < engine->visited || (place == engine->visited && deliveries) ? engine->end : engine->begin;
}

static void all_done_until(struct engine *engine, int64_t time) {
    engine->begin = engine->end = engine->round_begin = engine->round_end = engine->server.begin = time;
}

/// Moves the chunks that buckets hold out of the FIFOs of in-links.
static void leave_fifos(struct engine *engine, uint32_t first_out) {
    for (uint32_t i = 0; i < engine->touched_count; i++) {
        struct bucket *bucket = &engine->buckets[engine->touched[i] - first_out];
        bucket->held = bucket->count;
        for (struct entry *entry = bucket->entries; entry < bucket->entries + bucket->count; entry++)
            if (!is_run(entry)) entry->what = (uintptr_t)keep_chunk(engine, chunk_of(entry));
    }
}

/// Solo messages give way to what joins a link. If chunks are put back, some may come in by this very window; returns when the
/// next comes in after it.
__attribute__((noinline)) static int64_t make_way(struct engine *engine, uint32_t node, uint32_t link, int64_t next) {
    struct sim *sim = engine->sim;
    uint32_t first_out = sim->graph->first_out[node], touched = engine->touched_count;
    int64_t time = bucket_begin(&engine->server, &engine->buckets[link - first_out]);
    if (!solo_in_the_way(sim, link, time)) {
        solo_make_way(sim, link, time);
        return next;
    }
    leave_fifos(engine, first_out);
    solo_make_way(sim, link, time);
    next = take(engine, node, engine->visited);
    if (!cuts_through(sim)) // of the tails of one instant and port that of 0 bytes came last
        for (uint32_t i = 0; i < touched; i++) bucket_put_new_first(&engine->server, &engine->buckets[engine->touched[i] - first_out]);
    return next;
}

/// Serves all that joins the links of the node. `next`: when more comes in; returns it anew.
static inline int64_t serve_node(struct engine *engine, uint32_t node, int64_t next) {
    uint32_t first_out = engine->sim->graph->first_out[node];
    for (uint32_t i = 0; i < engine->touched_count; i++) {
        uint32_t link = engine->touched[i];
        if (engine->sim->links[link].solo) next = make_way(engine, node, link, next);
        bucket_serve(&engine->server, &engine->buckets[link - first_out], link);
    }
    engine->touched_count = 0;
    engine->sim->injected_count = 0;
    return next;
}

static void visit(struct engine *engine, uint32_t place) {
    uint32_t node = engine->domains.node_at[place];
    engine->visited = place;
    engine->next_timer = node_timers_next(&engine->timers, place);
    engine->arrival_count = 0;
    drop_made(engine);
    int64_t next = take(engine, node, place);
    if (engine->arrival_count > 0 || engine->next_timer < engine->end) settle(engine, node);
    next = serve_node(engine, node, next);
    engine->times.node_next[place] = next < engine->next_timer ? next : engine->next_timer;
}

// ---- windows

static int64_t end_of_window(int64_t begin, int64_t window, int64_t limit) { return begin < limit - window ? begin + window : limit; }

/// What the visits after that to a place will touch. The next group is likely to follow.
static void prefetch_after(const struct engine *engine, uint32_t place) {
    const int64_t *next = engine->times.node_next;
    uint32_t places = graph_nodes(engine->sim->graph);
    if (place + 3 < places && next[place + 3] < engine->end) prefetch_links(engine, place + 3);
    if (place + 1 < places && next[place + 1] < engine->end) prefetch_heads(engine, place + 1);
}

static void sweep_places(struct engine *engine, uint32_t first, uint32_t end) {
    const int64_t *next = engine->times.node_next;
    for (uint32_t p = first; p < end; p++) {
        if (next[p] >= engine->end) continue;
        if (engine->prefetches) prefetch_after(engine, p);
        visit(engine, p);
    }
}

/// Visits those nodes of a group whose time lies in the window.
static void sweep(struct engine *engine, uint32_t group) {
    const struct time_group *g = &engine->times.groups[group];
    if (g->of_places) {
        sweep_places(engine, g->first, g->end);
    } else {
        for (uint32_t i = g->first; i < g->end; i++)
            if (engine->times.group_next[i] < engine->end) sweep(engine, i);
    }
    time_tree_renew(&engine->times, group);
}

/// All windows of a domain that begin before `end`.
static bool run_domain(struct engine *engine, uint32_t group, int64_t end) {
    engine->domain = engine->times.groups[group].domain;
    int64_t window = engine->domains.items[engine->domain].window;
    while (engine->times.group_next[group] < end) {
        engine->begin = engine->server.begin = engine->times.group_next[group];
        engine->end = end_of_window(engine->begin, window, end);
        sweep(engine, group);
        engine->begin = engine->end; // for all of it
        if (!sim_check(engine->sim)) return false;
    }
    return true;
}

/// Takes the domains of a group to `end`, no further off than the window between domains, one after the other.
static bool run_group(struct engine *engine, uint32_t group, int64_t end) {
    const struct time_group *g = &engine->times.groups[group];
    if (g->domain != NO_DOMAIN) return run_domain(engine, group, end);
    for (uint32_t i = g->first; i < g->end; i++)
        if (engine->times.group_next[i] < end && !run_group(engine, i, end)) return false;
    time_tree_renew(&engine->times, group);
    return true;
}

/// What was posted before the run: nothing can join before it.
static void inject_first(struct engine *engine) {
    struct sim *sim = engine->sim;
    all_done_until(engine, sim->now);
    if (sim->posts_unsorted) sim_sort_posts(sim);
    for (size_t from = 0, to = 0; from < sim->post_count; from = to) {
        uint32_t node = sim_post_source(sim, &sim->posts[from]);
        while (to < sim->post_count && sim_post_source(sim, &sim->posts[to]) == node) to++;
        drop_made(engine);
        inject_some(engine, node, from, to);
        engine->visited = engine->domains.place_of[node];
        serve_node(engine, node, INT64_MAX);
    }
    sim->post_count = 0;
}

/// Goes through all windows that begin before `end`.
static bool run_windows(struct engine *engine, int64_t end) {
    for (int64_t begin; (begin = engine->times.group_next[0]) < end;) {
        engine->round_begin = begin, engine->round_end = end_of_window(begin, engine->domains.window, end);
        if (!run_group(engine, 0, engine->round_end)) return false;
    }
    return true;
}

static bool run_alone(struct engine *engine, struct error *err) {
    int64_t until = engine->sim->config.until_ticks;
    if (!run_windows(engine, until && until < INT64_MAX ? until + 1 : INT64_MAX)) return false;
    if (engine->times.group_next[0] < INT64_MAX) {
        all_done_until(engine, until + 1);
        return error_set(err, ERROR_LIMIT, "stopped at the time limit (--until)");
    }
    return sim_all_due(engine->sim, engine->timers.live);
}

/// After an error too the shard comes to meet the others, which else would wait for it.
static bool run_shard(struct engine *engine) {
    enum shard_verdict verdict;
    for (int64_t end = engine->sim->now; (verdict = shard_meet(engine->sim, engine->times.group_next[0], &end)) != SHARD_DONE;) {
        if (verdict == SHARD_STOP) {
            all_done_until(engine, end);
            return false;
        }
        run_windows(engine, end);
    }
    return sim_all_due(engine->sim, engine->timers.live);
}

// ---- setting up

/// Positions of the in-links: by place of the node, then by port.
static void index_in_links(struct engine *engine) {
    const struct graph *graph = engine->sim->graph;
    uint32_t nodes = graph_nodes(graph);
    engine->first_in = allocate_zeroed((size_t)nodes + 1, sizeof *engine->first_in);
    engine->in_links = allocate((size_t)graph->link_count * sizeof *engine->in_links);
    engine->ends = allocate((size_t)graph->link_count * sizeof *engine->ends);
    engine->out_port = allocate((size_t)graph->link_count * sizeof *engine->out_port);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        engine->ends[l].place = engine->domains.place_of[graph->links[l].to];
        engine->first_in[engine->ends[l].place + 1]++;
        engine->out_port[l] = graph->links[l].from_port;
    }
    for (uint32_t p = 0; p < nodes; p++) engine->first_in[p + 1] += engine->first_in[p];
    uint32_t *filled = allocate_zeroed(nodes, sizeof *filled);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        uint32_t place = engine->ends[l].place, first = engine->first_in[place], at = first + filled[place]++;
        for (; at > first && graph->links[engine->in_links[at - 1]].to_port > graph->links[l].to_port; at--)
            engine->in_links[at] = engine->in_links[at - 1];
        engine->in_links[at] = l;
    }
    for (uint32_t p = 0; p < graph->link_count; p++) engine->ends[engine->in_links[p]].position = p;
    free(filled);
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
    domains_find(&engine->domains, sim, LONGEST_WINDOW);
    time_tree_build(&engine->times, &engine->domains);
    node_timers_init(&engine->timers, graph_nodes(graph));
    index_in_links(engine);
    engine->link_next = times_of_never(graph->link_count);
    for (uint32_t place = 0; place < graph_nodes(graph) && !engine->due_groups.least; place++)
        if (has_many_links(engine, place))
            engine->due_groups =
                (struct due_groups){times_of_never(graph->link_count / LINKS_A_GROUP + 1), engine->link_next, graph->link_count};
    engine->prefetches = graph->link_count > LINKS_IN_CACHE;
    engine->buckets = allocate_zeroed(most_outs(graph), sizeof *engine->buckets);
    engine->touched = allocate(most_outs(graph) * sizeof *engine->touched);
}

static void tear_down(struct engine *engine) {
    uint32_t outs = most_outs(engine->sim->graph);
    for (uint32_t o = 0; o < outs; o++) free(engine->buckets[o].entries);
    for (size_t b = 0; b < engine->made_block_count; b++) free(engine->made_blocks[b]);
    free(engine->buckets);
    free(engine->touched);
    free(engine->made_blocks);
    free(engine->link_next);
    free(engine->due_groups.least);
    free(engine->first_in);
    free(engine->in_links);
    free(engine->ends);
    free(engine->out_port);
    bucket_server_free(&engine->server);
    free(engine->arrivals);
    node_timers_free(&engine->timers);
    time_tree_free(&engine->times);
    domains_free(&engine->domains);
}

static bool run(struct sim *sim, struct error *err) {
    struct engine engine = {0};
    set_up(&engine, sim);
    sim->engine = &engine;
    sim->link_woke = link_woke;
    sim->timer_set = timer_set;
    if (sim->config.solo) solos_start(sim, done_until);
    inject_first(&engine);
    take_timers(&engine);
    bool ok = sim->shard ? run_shard(&engine) : run_alone(&engine, err);
    if (sim->solos) solos_stop(sim);
    sim->timer_set = NULL;
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
