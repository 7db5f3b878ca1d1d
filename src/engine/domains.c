// Finds domains: connected components over the links below a gap in latency, by union and find.
#include "engine/domains.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/// Components under a cut.
struct parts {
    const struct sim *sim;
    uint32_t node_count;
    uint32_t *parent;     ///< per node: itself at the root of a component
    uint32_t *size;       ///< per root
    int64_t *window;      ///< per root: the least latency within
    int64_t least_across; ///< the least latency between components
    int64_t longest;
};

static uint32_t root_of(struct parts *parts, uint32_t node) {
    while (parts->parent[node] != node) {
        parts->parent[node] = parts->parent[parts->parent[node]];
        node = parts->parent[node];
    }
    return node;
}

static void unite(struct parts *parts, uint32_t u, uint32_t v) {
    u = root_of(parts, u), v = root_of(parts, v);
    if (u == v) return;
    uint32_t large = parts->size[u] >= parts->size[v] ? u : v, small = large == u ? v : u;
    parts->parent[small] = large;
    parts->size[large] += parts->size[small];
}

/// The components over links of at most `cut` ticks.
static void find_parts(struct parts *parts, int64_t cut) {
    const struct graph *graph = parts->sim->graph;
    for (uint32_t v = 0; v < parts->node_count; v++) {
        parts->parent[v] = v;
        parts->size[v] = 1;
        parts->window[v] = parts->longest;
    }
    for (uint32_t l = 0; l < graph->link_count; l++)
        if (graph->links[l].latency_ticks <= cut) unite(parts, graph->links[l].from, graph->links[l].to);
    parts->least_across = parts->longest;
    for (uint32_t l = 0; l < graph->link_count; l++) {
        uint32_t from = root_of(parts, graph->links[l].from), to = root_of(parts, graph->links[l].to);
        int64_t *least = from == to ? &parts->window[from] : &parts->least_across;
        if (graph->links[l].latency_ticks < *least) *least = graph->links[l].latency_ticks;
    }
}

static unsigned __int128 visits_of(uint32_t nodes, int64_t window) { return (unsigned __int128)nodes * (uint64_t)(INT64_MAX / window); }

/// Visits to nodes in 2^63 ticks.
static unsigned __int128 visits(const struct parts *parts) {
    unsigned __int128 sum = 0;
    for (uint32_t v = 0; v < parts->node_count; v++)
        if (parts->parent[v] == v) sum += visits_of(parts->size[v], parts->size[v] == 1 ? parts->least_across : parts->window[v]);
    return sum;
}

static int ascending(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/// The latencies below gaps, in order, each once; returns how many. `latencies` has room for one per class.
static size_t find_gaps(const struct sim *sim, int64_t *latencies) {
    size_t gaps = 0;
    for (size_t i = 0; i < sim->class_count; i++) latencies[i] = sim->classes[i].latency_ticks;
    if (sim->class_count > 1) qsort(latencies, sim->class_count, sizeof *latencies, ascending);
    for (size_t i = 1; i < sim->class_count; i++)
        if (latencies[i] / DOMAIN_GAP >= latencies[i - 1]) latencies[gaps++] = latencies[i - 1];
    return gaps;
}

/// Cuts at the best gap; false where no cut makes two parts.
static bool cut(struct parts *parts, const int64_t *gaps, size_t gap_count) {
    unsigned __int128 fewest = 0;
    int64_t best = 0, last = 0;
    for (size_t i = 0; i < gap_count; i++) {
        find_parts(parts, last = gaps[i]);
        if (parts->size[root_of(parts, 0)] == parts->node_count) break; // and longer links join no less
        unsigned __int128 count = visits(parts);
        if (best > 0 && count > fewest) continue;
        fewest = count;
        best = gaps[i];
    }
    if (best > 0 && best != last) find_parts(parts, best);
    return best > 0;
}

static int64_t least_latency(const struct sim *sim, int64_t longest) {
    int64_t least = longest;
    for (size_t i = 0; i < sim->class_count; i++)
        if (sim->classes[i].latency_ticks < least) least = sim->classes[i].latency_ticks;
    return least;
}

/// Nodes that no short link joins to others, as one domain.
static void list_lone_nodes(struct domains *domains, struct parts *parts) {
    uint32_t lone = 0;
    for (uint32_t v = 0; v < parts->node_count; v++)
        if (parts->parent[v] == v && parts->size[v] == 1) domains->node_at[lone++] = v;
    if (lone > 0) domains->items[domains->count++] = (struct domain){0, lone, parts->least_across};
}

/// The components after them, in the order of their first nodes.
static void list_components(struct domains *domains, struct parts *parts) {
    uint32_t places = domains->count > 0 ? domains->items[0].end : 0;
    uint32_t *domain_of = allocate(parts->node_count * sizeof *domain_of); // per root
    memset(domain_of, 0xff, parts->node_count * sizeof *domain_of);
    for (uint32_t v = 0; v < parts->node_count; v++) {
        uint32_t root = root_of(parts, v);
        if (parts->size[root] == 1) continue;
        if (domain_of[root] == UINT32_MAX) {
            domain_of[root] = domains->count;
            domains->items[domains->count++] = (struct domain){places, places, parts->window[root]};
            places += parts->size[root];
        }
        domains->node_at[domains->items[domain_of[root]].end++] = v;
    }
    free(domain_of);
}

static void list_as_one(struct domains *domains, uint32_t nodes, int64_t window) {
    for (uint32_t v = 0; v < nodes; v++) domains->node_at[v] = v;
    domains->items[domains->count++] = (struct domain){0, nodes, window};
    domains->window = window;
}

void domains_find(struct domains *domains, const struct sim *sim, int64_t longest) {
    uint32_t nodes = graph_nodes(sim->graph);
    int64_t least = least_latency(sim, longest), *gaps = allocate(sim->class_count * sizeof *gaps);
    size_t gap_count = find_gaps(sim, gaps);
    struct parts parts = {.sim = sim, .node_count = nodes, .longest = longest};
    *domains =
        (struct domains){.node_at = allocate(nodes * sizeof *domains->node_at), .place_of = allocate(nodes * sizeof *domains->place_of)};
    if (gap_count > 0) {
        parts.parent = allocate(nodes * sizeof *parts.parent);
        parts.size = allocate(nodes * sizeof *parts.size);
        parts.window = allocate(nodes * sizeof *parts.window);
    }
    if (cut(&parts, gaps, gap_count)) {
        domains->items = allocate((nodes / 2 + 1) * sizeof *domains->items);
        domains->window = parts.least_across;
        list_lone_nodes(domains, &parts);
        list_components(domains, &parts);
    } else {
        domains->items = allocate(sizeof *domains->items);
        list_as_one(domains, nodes, least);
    }
    for (uint32_t p = 0; p < nodes; p++) domains->place_of[domains->node_at[p]] = p;
    free(parts.parent);
    free(parts.size);
    free(parts.window);
    free(gaps);
}

void domains_free(struct domains *domains) {
    free(domains->node_at);
    free(domains->place_of);
    free(domains->items);
    *domains = (struct domains){0};
}
