// Routes through a cluster. A message to another node goes inside the node to its gateway (the device whose NIC it leaves
// by; mostly the sender), through the fabric to the device that owns the destination's NIC, and inside that node on.
#include <stddef.h>

#include "base/memory.h"
#include "engine/chunk.h"
#include "topo/cluster.h"

static uint32_t part_of(uint32_t selector, struct selector_part part) { return selector >> part.shift & part.mask; }

/// Which of the links of a device or switch leads to a device of its node.
static uint32_t way_inside(const struct cluster *cluster, uint32_t local, uint32_t device, uint32_t selector) {
    const struct topology *node = cluster->node;
    return node->router.next_link(node->router.state, local, device, selector) - node->graph.first_out[local];
}

enum { MOST_WAYS = 1 << 14 }; // few enough to stay in the near caches

bool cluster_index(struct topology *topology, struct error *err) {
    (void)err;
    struct cluster *cluster = topology->state;
    const uint32_t nodes = graph_nodes(cluster->graph);
    for (uint32_t v = 0; v <= nodes; v++) cluster->places[v].first_out = cluster->graph->first_out[v];
    for (uint32_t v = 0; v < nodes; v++) cluster->places[v].first_way = cluster->places[v].local * cluster->devices;
    return true;
}

static void fill_ways(struct cluster *cluster) {
    const struct topology *node = cluster->node;
    uint64_t locals = graph_nodes(&node->graph);
    if (node->selector_limit > 1 || node->type->reachable || locals * cluster->devices > MOST_WAYS) return;
    cluster->ways = allocate_zeroed(locals * cluster->devices, sizeof *cluster->ways);
    for (uint32_t l = 0; l < locals; l++)
        for (uint32_t d = 0; d < cluster->devices; d++)
            if (l != d) cluster->ways[l * cluster->devices + d] = way_inside(cluster, l, d, 0);
    cluster->by_ways = cluster->planes == 1;
}

__attribute__((noinline)) static uint32_t next_link_by_rules(const struct cluster *cluster, uint32_t node, uint32_t destination,
                                                             uint32_t selector) {
    struct place here = cluster->places[node], there = cluster->places[destination];
    const uint32_t *first_out = cluster->graph->first_out;
    if (here.group == cluster->nodes) {
        const struct topology *fabric = cluster->fabric;
        uint32_t place = cluster_place(cluster, there.group, cluster->nic_of[there.local]);
        uint32_t link = fabric->router.next_link(fabric->router.state, here.local, place, part_of(selector, cluster->fabric_part));
        return first_out[node] + (link - fabric->graph.first_out[here.local]);
    }
    uint32_t target = there.local;
    if (here.group != there.group) {
        if (cluster->pxn)
            target = cluster->owner_of[cluster->nic_of[there.local]];
        else if (cluster->nics < cluster->devices)
            target = cluster->owner_of[part_of(selector, cluster->nic_part)];
        else
            target = here.local;
        if (here.local == target) return first_out[node + 1] - 1; // the NIC is the last port
    }
    uint32_t place = first_out[node];
    place += cluster->ways ? cluster->ways[here.local * cluster->devices + target]
                           : way_inside(cluster, here.local, target, part_of(selector, cluster->node_part));
    if (cluster->planes == 1 || here.local >= cluster->devices) return place;
    const uint32_t *inner_first = cluster->node->graph.first_out;
    uint32_t links_per_plane = inner_first[here.local + 1] - inner_first[here.local];
    return place + part_of(selector, cluster->plane_part) * links_per_plane;
}

/// Most steps are inside a node, or to the NIC that each device has for itself.
static inline uint32_t way_on(const struct cluster *cluster, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct place *here = &cluster->places[node], *there = &cluster->places[destination];
    if (here->group == there->group && cluster->by_ways) return here->first_out + cluster->ways[here->first_way + there->local];
    if (here->group != cluster->nodes && here->group != there->group && cluster->own_nics) return here[1].first_out - 1;
    return next_link_by_rules(cluster, node, destination, selector);
}

static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    return way_on(state, node, destination, selector);
}

static void next_links(const void *state, struct chunk *const *chunks, size_t count) {
    for (size_t k = 0; k < count; k++) chunks[k]->out = way_on(state, chunks[k]->out, chunks[k]->destination, chunks[k]->selector);
}

static uint32_t ask(const struct router *router, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    return router->selector ? router->selector(router->state, source, destination, message_number, chunk) : 0;
}

static uint32_t combine(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    const struct cluster *cluster = state;
    struct place from = cluster->places[source], to = cluster->places[destination];
    uint32_t selector = (uint32_t)((message_number + chunk % cluster->planes) % cluster->planes) << cluster->plane_part.shift;
    selector |= ask(&cluster->node->router, from.local, to.local, message_number, chunk) << cluster->node_part.shift;
    if (from.group == to.group) return selector;
    uint32_t nic_out = cluster->nic_of[from.local], nic_in = cluster->nic_of[to.local];
    selector |= (nic_out & cluster->nic_part.mask) << cluster->nic_part.shift;
    uint32_t left_by = cluster_place(cluster, from.group, cluster->pxn ? nic_in : nic_out);
    uint32_t arrived_by = cluster_place(cluster, to.group, nic_in);
    return selector | ask(&cluster->fabric->router, left_by, arrived_by, message_number, chunk) << cluster->fabric_part.shift;
}

static struct selector_part take_part(uint32_t limit, uint32_t *bits) {
    struct selector_part part = {.shift = *bits, .mask = 0};
    while (part.mask < limit - 1) part.mask = part.mask << 1 | 1, ++*bits;
    return part;
}

static uint32_t common_period(uint32_t a, uint32_t b) {
    if (a == 0 || b == 0) return 0;
    uint32_t x = a, y = b;
    while (y) {
        uint32_t rest = x % y;
        x = y, y = rest;
    }
    uint64_t period = (uint64_t)a / x * b;
    return period > UINT32_MAX ? 0 : (uint32_t)period;
}

bool cluster_route(struct topology *topology, struct error *err) {
    enum { SELECTOR_BITS = 20 };
    struct cluster *cluster = topology->state;
    uint32_t bits = 0;
    cluster->fabric_part = take_part(cluster->fabric->selector_limit, &bits);
    cluster->node_part = take_part(cluster->node->selector_limit, &bits);
    cluster->plane_part = take_part(cluster->planes, &bits);
    cluster->nic_part = take_part(cluster->pxn || cluster->nics == cluster->devices ? 1 : cluster->nics, &bits);
    if (bits > SELECTOR_BITS)
        return error_set(err, ERROR_INPUT,
                         "the ways through this cluster need %u bits to tell apart, and there are %d: take fewer planes, NICs or ways up",
                         bits, SELECTOR_BITS);
    fill_ways(cluster);
    struct router *router = &topology->router;
    router->state = cluster;
    router->next_link = next_link;
    router->next_links = next_links;
    router->period = common_period(common_period(cluster->node->router.period, cluster->fabric->router.period), cluster->planes);
    router->message_period =
        common_period(common_period(cluster->node->router.message_period, cluster->fabric->router.message_period), cluster->planes);
    topology->selector_limit = UINT32_C(1) << bits;
    if (bits > 0) router->selector = combine;
    return true;
}

bool cluster_reachable(const struct topology *topology, uint32_t source, uint32_t destination) {
    const struct cluster *cluster = topology->state;
    struct place from = cluster->places[source], to = cluster->places[destination];
    if (from.group == to.group) return topology_reachable(cluster->node, from.local, to.local);
    uint32_t nic_in = cluster->nic_of[to.local], nic_out = cluster->pxn ? nic_in : cluster->nic_of[from.local];
    return topology_reachable(cluster->node, from.local, cluster->owner_of[nic_out]) &&
           topology_reachable(cluster->node, cluster->owner_of[nic_in], to.local);
}
