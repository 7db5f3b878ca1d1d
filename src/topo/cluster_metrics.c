// Halving a cluster: whole nodes on either side, a middle one halved where their number is odd, switches by a minimum cut.
// With x of its g endpoints on the side without the fabric, a node of one switch costs at least
// f(x) = max(0, x - (g - n)) + planes * min(x, g - x) for its n NICs, and the cut is shown to be the best
// - for an even number of nodes with a NIC each endpoint, when the fabric alone cannot be halved by fewer cables;
// - for an odd one, since then f is concave: some best cut halves one node at most (one switch as fabric);
// - with shared NICs, for an even number, since f(x) >= n x / g (one switch as fabric).
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topo/cluster.h"
#include "topo/cut.h"
#include "topo/trees.h"

enum { MOST_CUT_LINKS = 1 << 22 };

// Fewest cables that halve a topology of its own, and the sides of its endpoints; false where that is not known.
static bool halve(const struct topology *topology, struct bisection *out) {
    if (topology->type->bisect)
        topology->type->bisect(topology, out);
    else
        cut_search(&topology->graph, out);
    return out->known;
}

static void place_endpoints(const struct cluster *cluster, uint8_t *side) {
    uint32_t devices = cluster->devices, half = cluster->nodes / 2;
    uint8_t *at = side + (size_t)half * devices;
    memset(side, 0, (size_t)half * devices);
    memset(at, 1, (size_t)(cluster->nodes - half) * devices);
    if (cluster->nodes % 2 == 0) return;
    struct bisection middle = {0};
    if (halve(cluster->node, &middle))
        memcpy(at, middle.side, devices);
    else
        memset(at, 0, devices / 2);
    free(middle.side);
}

static bool shown_best(const struct cluster *cluster, uint64_t cables) {
    bool even = cluster->nodes % 2 == 0, shared = cluster->nics < cluster->devices;
    bool switches_only = cluster->node->type == &switch_topology && cluster->fabric->type == &switch_topology;
    if (shared) return even && switches_only;
    if (!even) return switches_only;
    struct bisection fabric = {0};
    bool best = halve(cluster->fabric, &fabric) && fabric.cables == cables;
    free(fabric.side);
    return best;
}

void cluster_bisect(const struct topology *topology, struct bisection *out) {
    const struct cluster *cluster = topology->state;
    const struct graph *graph = &topology->graph;
    if (graph->link_count > MOST_CUT_LINKS) return;
    out->side = allocate_zeroed(graph_nodes(graph), 1);
    place_endpoints(cluster, out->side);
    cut_place_switches(graph, out->side);
    out->cables = (cut_links(graph, out->side) + 1) / 2;
    out->known = shown_best(cluster, out->cables);
    if (out->known) return;
    free(out->side);
    cut_search(graph, out);
}
