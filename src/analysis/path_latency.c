// Where routes vary, the bound is the shortest path by latency: from each source once, as long as that is little memory;
// for the sources beyond, the cheapest first link and the cheapest last.
#include "analysis/path_latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_DISTANCES = 1 << 22 };

struct path_latency {
    const struct site *site;
    uint32_t *route;

    // only where routes vary
    int64_t **distances; ///< per source endpoint: to every node, or NULL
    uint64_t distances_left;
    int64_t *cheapest_in; ///< per endpoint
    uint32_t *queue;      ///< of nodes whose distance fell, a ring with room for each once
    bool *queued;
};

static bool routes_vary(const struct site *site) { return site->topology->router.selector != NULL; }

struct path_latency *path_latency_create(const struct site *site) {
    struct path_latency *paths = allocate_zeroed(1, sizeof *paths);
    paths->site = site;
    if (!routes_vary(site)) {
        paths->route = allocate(site_route_capacity(site) * sizeof *paths->route);
        return paths;
    }
    const struct graph *graph = &site->topology->graph;
    paths->distances = allocate_zeroed(graph->endpoints, sizeof *paths->distances);
    paths->distances_left = MOST_DISTANCES;
    paths->queue = allocate(graph_nodes(graph) * sizeof *paths->queue);
    paths->queued = allocate_zeroed(graph_nodes(graph), sizeof *paths->queued);
    paths->cheapest_in = allocate(graph->endpoints * sizeof *paths->cheapest_in);
    for (uint32_t e = 0; e < graph->endpoints; e++) paths->cheapest_in[e] = INT64_MAX;
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *link = &graph->links[l];
        if (link->to < graph->endpoints && link->latency_ticks < paths->cheapest_in[link->to])
            paths->cheapest_in[link->to] = link->latency_ticks;
    }
    return paths;
}

void path_latency_free(struct path_latency *paths) {
    if (!paths) return;
    for (uint32_t e = 0; paths->distances && e < paths->site->topology->graph.endpoints; e++) free(paths->distances[e]);
    free(paths->distances);
    free(paths->cheapest_in);
    free(paths->queue);
    free(paths->queued);
    free(paths->route);
    free(paths);
}

static int64_t add_ticks(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// Label-correcting shortest paths from one endpoint: nodes whose distance fell are looked at again.
static int64_t *measure_from(struct path_latency *paths, uint32_t source) {
    const struct graph *graph = &paths->site->topology->graph;
    uint32_t nodes = graph_nodes(graph), head = 0, waiting = 1;
    int64_t *distance = allocate(nodes * sizeof *distance);
    for (uint32_t v = 0; v < nodes; v++) distance[v] = INT64_MAX;
    distance[source] = 0;
    paths->queue[0] = source;
    while (waiting > 0) {
        uint32_t node = paths->queue[head];
        head = head + 1 == nodes ? 0 : head + 1;
        waiting--;
        paths->queued[node] = false;
        for (uint32_t l = graph->first_out[node]; l < graph->first_out[node + 1]; l++) {
            const struct link_info *link = &graph->links[l];
            int64_t there = add_ticks(distance[node], link->latency_ticks);
            if (there >= distance[link->to]) continue;
            distance[link->to] = there;
            if (paths->queued[link->to]) continue;
            paths->queued[link->to] = true;
            uint64_t tail = (uint64_t)head + waiting++;
            paths->queue[tail >= nodes ? tail - nodes : tail] = link->to;
        }
    }
    return distance;
}

static int64_t first_and_last(const struct path_latency *paths, uint32_t source, uint32_t destination) {
    const struct graph *graph = &paths->site->topology->graph;
    int64_t direct = INT64_MAX, out = INT64_MAX;
    for (uint32_t l = graph->first_out[source]; l < graph->first_out[source + 1]; l++) {
        const struct link_info *link = &graph->links[l];
        if (link->latency_ticks < out) out = link->latency_ticks;
        if (link->to == destination && link->latency_ticks < direct) direct = link->latency_ticks;
    }
    int64_t both = add_ticks(out, paths->cheapest_in[destination]);
    return direct < both ? direct : both;
}

int64_t path_latency(struct path_latency *paths, uint32_t from, uint32_t to) {
    const struct site *site = paths->site;
    if (!paths->distances) {
        int64_t ticks = 0;
        uint32_t hops = site_route(site, from, to, paths->route);
        for (uint32_t hop = 0; hop < hops; hop++) ticks = add_ticks(ticks, site->topology->graph.links[paths->route[hop]].latency_ticks);
        return ticks;
    }
    uint32_t source = site->place[from], destination = site->place[to], nodes = graph_nodes(&site->topology->graph);
    if (source == destination) return 0;
    if (!paths->distances[source] && nodes <= paths->distances_left) {
        paths->distances_left -= nodes;
        paths->distances[source] = measure_from(paths, source);
    }
    return paths->distances[source] ? paths->distances[source][destination] : first_and_last(paths, source, destination);
}
