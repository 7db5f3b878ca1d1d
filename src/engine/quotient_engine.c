// The engine of a folded network (quotient.h). It goes through windows of time no longer than the smallest latency, as the window
// engine does: nothing that leaves a link within a window comes to its end within the same. So each representative is done with a
// whole window at once: what comes in is delivered or told its next link, and each link serves what has joined it.
//
// Of the chunks that come to a fixed switch each is seen as by the image that it leaves for, so its tie is that of the ports of the
// whole network.
//
// While nothing is posted it goes a longer way at once, one link after the other, where it can (quotient_stream.c).
//
// Where a client's calls concern more than one endpoint, or it has set timers, a window is one instant, and all nodes are done with
// each of its phases before the next begins.
#include <stdlib.h>

#include "engine/quotient_lists.h"
#include "engine/time_tree.h"

enum { MOST_HOPS_KEPT = 1 << 25 };

// ---- windows

static int64_t next_time(const struct engine *engine) {
    const struct sim *sim = engine->sim;
    int64_t next = sim->timers.count > 0 ? sim->timers.entries[0].time : INT64_MAX;
    for (uint32_t v = 0; v < engine->quotient->node_count; v++)
        if (engine->node_next[v] < next) next = engine->node_next[v];
    return next;
}

/// A node's window; a client whose calls are local sets no timers here.
static void visit(struct engine *engine, uint32_t node, int64_t end) {
    engine->latest = 0;
    quotient_collect(engine, node, end);
    if (engine->arrivals.count > 0) quotient_settle(engine);
    quotient_serve_all(engine);
}

/// One instant of all nodes.
static void visit_all(struct engine *engine, int64_t now) {
    engine->latest = 0;
    for (uint32_t v = 0; v < engine->quotient->node_count; v++)
        if (engine->node_next[v] == now) quotient_collect(engine, v, now + 1);
    quotient_settle_at(engine, now);
    quotient_serve_all(engine);
}

static bool run_windows(struct engine *engine) {
    struct sim *sim = engine->sim;
    visit_all(engine, sim->now); // what was posted before the run
    while (sim_check(sim)) {
        int64_t begin = next_time(engine);
        if (begin == INT64_MAX) return sim_all_due(sim, sim->timers.count);
        if (sim->timers.count > 0 || !sim->client.local) {
            visit_all(engine, begin);
            continue;
        }
        if (quotient_stream(engine, begin)) continue;
        int64_t end = begin > INT64_MAX - engine->window ? INT64_MAX : begin + engine->window;
        for (uint32_t v = 0; v < engine->quotient->node_count; v++)
            if (engine->node_next[v] < end) visit(engine, v, end);
    }
    return false;
}

// ---- setting up

/// A chunk of endpoints goes straight on by the port by which it came to leave: along a dim.
static void find_followers(struct engine *engine, uint32_t node) {
    const struct quotient *quotient = engine->quotient;
    const struct quotient_node *place = &quotient->nodes[node];
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++) {
        uint32_t in_link = engine->in_links[p];
        struct fifo *in = &engine->fifos[in_link];
        if (quotient->folded.links[in_link].from >= quotient->whole->endpoints) continue;
        for (uint32_t l = place->first_link; l < place[1].first_link && in->follows == NO_LINK; l++) {
            struct fifo *out = &engine->fifos[l];
            if (out->out_port != in->out_port || out->followed != NO_LINK) continue;
            in->follows = l, out->followed = in_link;
            in->follows_tie = endpoint_tie(in->in_port, out->out_port);
        }
    }
}

static void index_in_links(struct engine *engine) {
    const struct quotient *quotient = engine->quotient;
    const struct graph *graph = &quotient->folded;
    engine->first_in = allocate_zeroed((size_t)quotient->node_count + 1, sizeof *engine->first_in);
    engine->in_links = allocate((size_t)graph->link_count * sizeof *engine->in_links);
    in_links_sort(graph, quotient->targets, quotient->node_count, engine->first_in, engine->in_links);
    for (uint32_t p = 0; p < graph->link_count; p++) engine->fifos[engine->in_links[p]].position = p;
    for (uint32_t v = 0; v < quotient->endpoint_count && engine->keeps && !engine->ports_move; v++) find_followers(engine, v);
}

static void set_up(struct engine *engine, struct sim *sim) {
    const struct quotient *quotient = engine->quotient = sim->quotient;
    uint32_t links = quotient->folded.link_count, nodes = quotient->node_count;
    engine->sim = sim;
    engine->window = INT64_MAX;
    for (size_t i = 0; i < sim->class_count; i++)
        if (sim->classes[i].latency_ticks < engine->window) engine->window = sim->classes[i].latency_ticks;
    engine->keeps = !sim->router.selector && links <= MOST_LINKS_KEPT && (uint64_t)nodes * quotient->whole->endpoints <= MOST_HOPS_KEPT;
    engine->straight_bits = engine->keeps ? MOST_STRAIGHT : 0;
    engine->store_and_forward = sim->config.switching == STORE_AND_FORWARD;
    engine->ports_move = quotient->ports_move;
    engine->kept = allocate_zeroed(nodes, sizeof *engine->kept);
    engine->kept_ports = allocate_zeroed(nodes, sizeof *engine->kept_ports);
    engine->fifos = allocate_zeroed(links, sizeof *engine->fifos);
    engine->joins = allocate_zeroed(links, sizeof *engine->joins);
    engine->joined = allocate(links * sizeof *engine->joined);
    for (uint32_t l = 0; l < links; l++) {
        const struct link_info *info = &quotient->folded.links[l];
        engine->fifos[l] = (struct fifo){
            .target = quotient->targets[l],
            .follows = NO_LINK,
            .followed = NO_LINK,
            .rate_class = sim->links[l].rate_class,
            .last_class = NO_CLASS,
            .in_port = info->to_port,
            .out_port = info->from_port,
            .latency_ticks = info->latency_ticks,
        };
        engine->joins[l].out_port = info->from_port;
    }
    engine->next = times_of_never(links);
    engine->node_next = times_of_never(nodes);
    index_in_links(engine);
    quotient_start_streams(engine);
}

static void free_joins(struct joins *joins) {
    free(joins->chunks);
    if (joins->order) free(joins->order - 1);
}

static void tear_down(struct engine *engine) {
    for (uint32_t v = 0; v < engine->quotient->node_count; v++) {
        pages_free(engine->kept[v]);
        free(engine->kept_ports[v]);
    }
    for (uint32_t l = 0; l < engine->quotient->folded.link_count; l++) {
        struct fifo *fifo = &engine->fifos[l];
        quotient_count(fifo);
        engine->sim->links[l].free_at = fifo->free_at;
        engine->sim->counts[l] = (struct link_count){fifo->busy_ticks, fifo->bytes, fifo->chunks};
        pages_free(fifo->ring);
        pages_free(fifo->flights);
        free_joins(&engine->joins[l]);
    }
    free_joins(&engine->arrivals);
    free(engine->joins);
    free(engine->joined);
    free(engine->kept);
    free(engine->kept_ports);
    free(engine->fifos);
    free(engine->next);
    free(engine->node_next);
    free(engine->first_in);
    free(engine->in_links);
    free(engine->sort_space);
    free(engine->asked);
    quotient_free_lists(engine);
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
