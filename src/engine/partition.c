#include "engine/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/// Nodes that stay together, and where they lie in the order of the endpoints.
struct unit {
    double place;
    uint64_t weight;
    uint32_t id;
};

enum { LATENCIES_MOST = 64 };

/// Adds a latency to a sorted list of distinct ones; false where it is full.
static bool add_latency(int64_t *sorted, uint32_t *count, int64_t latency) {
    uint32_t at = 0;
    while (at < *count && sorted[at] < latency) at++;
    if (at < *count && sorted[at] == latency) return true;
    if (*count == LATENCIES_MOST) return false;
    memmove(sorted + at + 1, sorted + at, (*count - at) * sizeof *sorted);
    sorted[at] = latency;
    ++*count;
    return true;
}

/// Links with a latency below this join nodes that stay together: the upper side of the widest gap, where it is at least fourfold;
/// else 0, also where latencies are too many to speak of short and long ones.
static int64_t short_latency(const struct graph *graph) {
    enum { GAP = 4 };
    int64_t sorted[LATENCIES_MOST], found = 0;
    uint32_t count = 0;
    for (uint32_t l = 0; l < graph->link_count; l++)
        if (!add_latency(sorted, &count, graph->links[l].latency_ticks)) return 0;
    double widest = GAP;
    for (uint32_t i = 1; i < count; i++) {
        double ratio = (double)sorted[i] / (double)sorted[i - 1];
        if (ratio >= widest) widest = ratio, found = sorted[i];
    }
    return found;
}

static uint32_t root_of(uint32_t *above, uint32_t node) {
    while (above[node] != node) node = above[node] = above[above[node]];
    return node;
}

/// Where each node lies: an endpoint at its number, a switch in the middle of those neighbours that are nearer to endpoints.
static double *find_places(const struct graph *graph) {
    uint32_t nodes = graph_nodes(graph);
    double *places = allocate_zeroed(nodes, sizeof *places), *sums = allocate_zeroed(nodes, sizeof *sums);
    uint32_t *counts = allocate_zeroed(nodes, sizeof *counts);
    uint8_t *placed = allocate_zeroed(nodes, 1);
    for (uint32_t e = 0; e < graph->endpoints; e++) places[e] = e, placed[e] = 1;
    for (bool more = graph->switches > 0; more;) {
        more = false;
        for (uint32_t l = 0; l < graph->link_count; l++) {
            uint32_t from = graph->links[l].from, to = graph->links[l].to;
            if (!placed[from] || placed[to]) continue;
            sums[to] += places[from];
            counts[to]++;
        }
        for (uint32_t v = graph->endpoints; v < nodes; v++) {
            if (placed[v] || counts[v] == 0) continue;
            places[v] = sums[v] / counts[v];
            placed[v] = 1;
            more = true;
        }
    }
    free(sums);
    free(counts);
    free(placed);
    return places;
}

static int by_place(const void *left, const void *right) {
    const struct unit *a = left, *b = right;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static uint64_t weight_of(const struct graph *graph, uint32_t node) { return 1 + graph->first_out[node + 1] - graph->first_out[node]; }

/// Gathers nodes into units by their roots; `above` of a node becomes its root. Returns how many.
static uint32_t gather_units(const struct graph *graph, uint32_t *above, const double *places, struct unit *units) {
    uint32_t nodes = graph_nodes(graph), count = 0;
    uint32_t *size = allocate_zeroed(nodes, sizeof *size), *unit_of = allocate(nodes * sizeof *unit_of);
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t root = root_of(above, v);
        if (size[root]++ == 0) {
            unit_of[root] = count;
            units[count++] = (struct unit){.id = root};
        }
        struct unit *unit = &units[unit_of[root]];
        unit->place += (places[v] - unit->place) / size[root];
        unit->weight += weight_of(graph, v);
    }
    for (uint32_t v = 0; v < nodes; v++) above[v] = root_of(above, v);
    free(size);
    free(unit_of);
    return count;
}

/// Whether blocks of whole units can be about equal: no unit of several nodes has more than its share.
static bool even(const struct graph *graph, const struct unit *units, uint32_t count, uint32_t parts) {
    uint64_t total = 0, heaviest = 0;
    for (uint32_t u = 0; u < count; u++) {
        total += units[u].weight;
        if (units[u].weight > weight_of(graph, units[u].id) && units[u].weight > heaviest) heaviest = units[u].weight;
    }
    return count >= parts && heaviest * parts <= total;
}

static uint32_t find_units(const struct graph *graph, uint32_t parts, uint32_t *above, struct unit *units) {
    uint32_t nodes = graph_nodes(graph);
    double *places = find_places(graph);
    int64_t limit = short_latency(graph);
    for (uint32_t v = 0; v < nodes; v++) above[v] = v;
    for (uint32_t l = 0; l < graph->link_count; l++)
        if (graph->links[l].latency_ticks < limit) above[root_of(above, graph->links[l].from)] = root_of(above, graph->links[l].to);
    uint32_t count = gather_units(graph, above, places, units);
    if (limit > 0 && !even(graph, units, count, parts)) {
        for (uint32_t v = 0; v < nodes; v++) above[v] = v;
        count = gather_units(graph, above, places, units);
    }
    free(places);
    return count;
}

void partition_make(const struct graph *graph, uint32_t parts, struct partition *out) {
    uint32_t nodes = graph_nodes(graph);
    *out = (struct partition){.part_of = allocate_zeroed(nodes, 1), .lookahead = INT64_MAX};
    struct unit *units = allocate(nodes * sizeof *units);
    uint32_t *above = allocate(nodes * sizeof *above);
    uint32_t count = find_units(graph, parts, above, units);
    qsort(units, count, sizeof *units, by_place);
    uint64_t total = 0, before = 0;
    for (uint32_t u = 0; u < count; u++) total += units[u].weight;
    uint8_t *part_of_root = allocate(nodes);
    uint32_t last = parts; // parts that would be empty are left out
    for (uint32_t u = 0; u < count; u++) {
        uint32_t part = (uint32_t)((2 * before + units[u].weight) * parts / (2 * total));
        if (part != last) last = part, out->parts++;
        part_of_root[units[u].id] = (uint8_t)(out->parts - 1);
        before += units[u].weight;
    }
    for (uint32_t v = 0; v < nodes; v++) out->part_of[v] = part_of_root[above[v]];
    for (uint32_t l = 0; l < graph->link_count; l++) {
        if (out->part_of[graph->links[l].from] == out->part_of[graph->links[l].to]) continue;
        out->links_between++;
        if (graph->links[l].latency_ticks < out->lookahead) out->lookahead = graph->links[l].latency_ticks;
    }
    free(part_of_root);
    free(above);
    free(units);
}

void partition_free(struct partition *partition) {
    free(partition->part_of);
    *partition = (struct partition){0};
}
