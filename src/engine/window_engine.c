// The fast engine: a sweep over windows of time no longer than the smallest link latency. Nothing that crosses a link
// inside a window joins at its far end in the same window; so each node can be done with the whole window at once, on its
// own: first its timers and deliveries in order of time, then each of its links serves what joins, sorted by time and tie.
// Where latencies differ much, the same holds of parts of the network (domains.h): each goes through a window as long as
// the links between them by itself, in shorter windows of its own.
//
// Needs a client whose every call concerns one endpoint only (sim_client.local), fifo injection and no in-network
// reduction; sim_run takes the heap engine otherwise.
#include <stdlib.h>

#include "engine/window_incoming.h"
#include "engine/window_posts.h"

static void chunks_move(struct sim *sim) {
    struct engine *engine = sim->engine;
    bucket_route(&engine->server);
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
    for (size_t i = 0; i < set->count; i++) {
        const struct heap_entry *entry = &set->entries[i];
        timer_set(engine->sim, (uint32_t)(entry->payload >> 32), entry->time, entry->order, (uint32_t)entry->payload);
    }
    heap_free(set);
}

/// The first timer of the visited node.
static void take_timer(struct engine *engine, int64_t now) {
    const struct sim_client *client = &engine->sim->client;
    struct node_timers *timers = &engine->timers;
    uint32_t place = engine->visited;
    int64_t again = client->timer(client->context, node_timers_cookie(timers, place), now); // what is set meanwhile comes after it
    if (again == NOT_AGAIN)
        node_timers_pop(timers, place);
    else
        node_timers_put_off(timers, place, again);
    engine->next_timer = node_timers_next(timers, place);
}

static void settle(struct engine *engine, uint32_t node) {
    struct sim *sim = engine->sim;
    for (const struct arrival *arrival = arrivals_closed(&engine->arrivals);;) {
        int64_t arrival_time = arrival->time;
        bool timed = engine->next_timer <= arrival_time;
        int64_t now = timed ? engine->next_timer : arrival_time;
        if (sim->post_count > 0 && now != sim->now) inject_posts(engine, node);
        if (now >= engine->end) break;
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

/// Nothing waits to be served or routed.
static inline void serve_all(struct bucket_server *server) {
    if (server->ordered_count > 0) bucket_serve_rest(server);
    if (server->sent_count > 0) bucket_route(server);
}

/// Moves the chunks that buckets hold out of the FIFOs of in-links.
static void leave_fifos(struct engine *engine, uint32_t first_out) {
    for (uint32_t i = 0; i < engine->touched_count; i++) {
        struct bucket *bucket = &engine->buckets[engine->touched[i] - first_out];
        bucket->held = bucket->count;
        for (struct entry *entry = bucket->entries; entry < bucket->entries + bucket->count; entry++)
            if (!is_run(entry)) entry->what = (uintptr_t)made_chunks_keep(&engine->made, chunk_of(entry));
    }
}

/// Solo messages give way to what joins a link. If chunks are put back, some may come in by this very window; returns when the
/// next comes in after it.
__attribute__((noinline)) static int64_t make_way(struct engine *engine, uint32_t node, uint32_t link, int64_t next) {
    struct sim *sim = engine->sim;
    uint32_t first_out = sim->graph->first_out[node], touched = engine->touched_count;
    serve_all(&engine->server);
    int64_t time = bucket_begin(&engine->server, &engine->buckets[link - first_out]);
    if (!solo_in_the_way(sim, link, time)) {
        solo_make_way(sim, link, time);
        return next;
    }
    leave_fifos(engine, first_out);
    solo_make_way(sim, link, time);
    next = take(engine, node);
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
    serve_all(&engine->server);
    engine->touched_count = 0;
    engine->sim->injected_count = 0;
    for (size_t i = 0; i < engine->spent_count; i++) give_small_ring(engine->sim, engine->spent[i]);
    engine->spent_count = 0;
    return next;
}

static void visit(struct engine *engine, uint32_t place) {
    uint32_t node = engine->domains.node_at[place];
    engine->visited = place;
    engine->next_timer = node_timers_next(&engine->timers, place);
    engine->arrivals.count = 0;
    made_chunks_drop(&engine->made);
    int64_t next = take(engine, node);
    if (engine->arrivals.count > 0 || engine->next_timer < engine->end) settle(engine, node);
    next = serve_node(engine, node, next);
    engine->times.node_next[place] = next < engine->next_timer ? next : engine->next_timer;
}

// ---- windows

static int64_t end_of_window(int64_t begin, int64_t window, int64_t limit) { return begin < limit - window ? begin + window : limit; }

static void sweep_places(struct engine *engine, uint32_t first, uint32_t end) {
    const int64_t *next = engine->times.node_next;
    for (uint32_t p = first; p < end; p++) {
        if (engine->prefetches) prefetch_after(engine, p);
        if (next[p] < engine->end) visit(engine, p);
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
        engine->prefetches = prefetch_pays(engine);
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
        made_chunks_drop(&engine->made);
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

static void set_up(struct engine *engine, struct sim *sim) {
    const struct graph *graph = sim->graph;
    engine->sim = sim;
    bucket_server_init(&engine->server, sim);
    domains_find(&engine->domains, sim, LONGEST_WINDOW);
    time_tree_build(&engine->times, &engine->domains);
    node_timers_init(&engine->timers, graph_nodes(graph));
    due_groups_init(&engine->due_groups, &sim->in, graph);
    for (uint32_t v = 0; v < graph_nodes(graph); v++)
        for (uint32_t p = sim->in.first[v]; p < sim->in.first[v + 1]; p++) sim->in.items[p].place = engine->domains.place_of[v];
    engine->buckets = allocate_zeroed(graph_most_outs(graph), sizeof *engine->buckets);
    engine->touched = allocate(((size_t)graph_most_outs(graph) + 1) * sizeof *engine->touched);
    engine->never.join = INT64_MAX;
}

static void tear_down(struct engine *engine) {
    uint32_t outs = graph_most_outs(engine->sim->graph);
    for (uint32_t o = 0; o < outs; o++) free(engine->buckets[o].entries);
    free(engine->buckets);
    free(engine->touched);
    free(engine->spent);
    made_chunks_free(&engine->made);
    due_groups_free(&engine->due_groups);
    bucket_server_free(&engine->server);
    free(engine->arrivals.items);
    node_timers_free(&engine->timers);
    time_tree_free(&engine->times);
    domains_free(&engine->domains);
}

/// What is delivered early may come after a limit; and its receiver must be here.
static bool may_count_early(const struct sim *sim) {
    const struct sim_config *config = &sim->config;
    return !sim->shard && !config->until_ticks && !config->max_events && !config->max_memory;
}

static bool run(struct sim *sim, struct error *err) {
    struct engine engine = {0};
    if (sim->post_count > 0) sim_settle_start(sim); // else what its timers post is numbered when their node is visited
    set_up(&engine, sim);
    sim->engine = &engine;
    sim->link_woke = link_woke;
    sim->chunks_move = chunks_move;
    sim->timer_set = timer_set;
    if (sim->config.solo) solos_start(sim, done_until);
    inject_first(&engine);
    take_timers(&engine);
    sim->keeps_waiting = true;
    sim->counts_early = may_count_early(sim);
    bool ok = sim->shard ? run_shard(&engine) : run_alone(&engine, err);
    if (sim->solos) solos_stop(sim);
    sim->timer_set = NULL, sim->chunks_move = NULL, sim->keeps_waiting = sim->counts_early = sim->some_unawaited = false;
    if (ok && sim->early_end_ticks > sim->totals.end_ticks) sim->totals.end_ticks = sim->early_end_ticks;
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
