#include <string.h>

#include "base/memory.h"
#include "topo/cut.h"
#include "topo/topology.h"

// Pairs up to which all routes are walked where a shape has no formula.
enum { MOST_WALKED_PAIRS = 1 << 22 };

// Walks every route (all have the same length for any message and chunk, except where shapes say otherwise).
static bool walk_all(const struct topology *topology, uint32_t *longest, unsigned __int128 *total) {
    const struct router *router = &topology->router;
    uint32_t endpoints = topology->graph.endpoints;
    if ((uint64_t)endpoints * endpoints > MOST_WALKED_PAIRS) return false;
    *longest = 0, *total = 0;
    for (uint32_t a = 0; a < endpoints; a++) {
        for (uint32_t b = 0; b < endpoints; b++) {
            if (a == b) continue;
            if (!topology_reachable(topology, a, b)) return false;
            uint32_t selector = router->selector ? router->selector(router->state, a, b, 0, 0) : 0, hops = 0;
            for (uint32_t node = a; node != b; hops++) node = topology->graph.links[router->next_link(router->state, node, b, selector)].to;
            if (hops > *longest) *longest = hops;
            *total += hops;
        }
    }
    return true;
}

static void measure_hops(const struct topology *topology, struct topology_metrics *out) {
    const struct topology_type *type = topology->type;
    unsigned __int128 total = 0;
    if (type->diameter && type->total_hops) {
        out->hops_known = true;
        out->diameter = type->diameter(topology);
        total = type->total_hops(topology);
    } else {
        out->hops_known = walk_all(topology, &out->diameter, &total);
        if (!out->hops_known) out->diameter = 0, total = 0;
    }
    double endpoints = topology->graph.endpoints;
    out->mean_hops = endpoints > 1 ? (double)total / (endpoints * (endpoints - 1)) : 0;
}

void topology_measure(const struct topology *topology, struct topology_metrics *out) {
    const struct graph *graph = &topology->graph;
    memset(out, 0, sizeof *out);
    out->endpoints = graph->endpoints, out->switches = graph->switches, out->links = graph->link_count;
    out->cables = ((uint64_t)graph->link_count + 1) / 2;
    measure_hops(topology, out);
    if (topology->type->bisect)
        topology->type->bisect(topology, &out->bisection);
    else
        cut_search(graph, &out->bisection);
    if (!out->bisection.known) return;
    const uint8_t *side = out->bisection.side;
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *link = &graph->links[l];
        if (side[link->from] != side[link->to]) out->cut_bytes_per_s[side[link->from]] += (double)link->bandwidth_bytes_per_s;
    }
}
