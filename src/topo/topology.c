#include "topo/topology.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

enum { MAX_ENDPOINTS_LOG2 = 31 };

/// What a network takes in memory at least while it is built.
enum { LINK_BYTES = sizeof(struct link_info) + 4, NODE_BYTES = 12 };

static bool check_size(const struct topology_type *type, const void *config, struct error *err) {
    uint64_t endpoints = 0, switches = 0, links = 0;
    if (!type->size(config, &endpoints, &switches, &links, err)) return false;
    const uint64_t most = UINT64_C(1) << MAX_ENDPOINTS_LOG2;
    const char *name = type->variant.name;
    if (endpoints > most) return error_set(err, ERROR_INPUT, "this %s is too large: it has more than %" PRIu64 " endpoints", name, most);
    if (switches > most) return error_set(err, ERROR_INPUT, "this %s is too large: it has more than %" PRIu64 " switches", name, most);
    if (links > UINT32_MAX - 2) return error_set(err, ERROR_INPUT, "this %s is too large: it has more than %u links", name, UINT32_MAX - 2);
    uint64_t bytes = links * LINK_BYTES + (endpoints + switches) * NODE_BYTES, memory = memory_of_machine();
    char needed[QUANTITY_SIZE], there[QUANTITY_SIZE];
    if (bytes > memory)
        return error_set(err, ERROR_INPUT, "this %s is too large for this machine: its description alone takes %s, and there are %s", name,
                         format_bytes((double)bytes, needed), format_bytes((double)memory, there));
    return true;
}

struct topology *topology_create(const struct variant *variant, struct error *err) {
    const struct topology_type *type = (const struct topology_type *)variant->type;
    if (type->variant.check && !type->variant.check(variant->config, err)) return NULL;
    if (!check_size(type, variant->config, err)) return NULL;
    struct topology *topology = allocate_zeroed(1, sizeof *topology);
    topology->type = type;
    topology->config = variant->config;
    topology->router.period = topology->router.message_period = 1;
    topology->selector_limit = 1;
    bool built = type->build(topology, err) && graph_finish(&topology->graph, err) && (!type->index || type->index(topology, err));
    if (built) return topology;
    topology_free(topology);
    return NULL;
}

void topology_free(struct topology *topology) {
    if (!topology) return;
    if (topology->type->free_state)
        topology->type->free_state(topology);
    else
        free(topology->state);
    graph_free(&topology->graph);
    free(topology);
}

uint32_t topology_route(const struct topology *topology, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk,
                        uint32_t *links, uint32_t capacity) {
    const struct router *router = &topology->router;
    if (source == destination) return 0;
    uint32_t selector = router->selector ? router->selector(router->state, source, destination, message_number, chunk) : 0;
    uint32_t hops = 0;
    for (uint32_t node = source; node != destination;) {
        if (hops == capacity) fatal("the route from %u to %u has more than %u links", source, destination, capacity);
        links[hops] = router->next_link(router->state, node, destination, selector);
        node = topology->graph.links[links[hops++]].to;
    }
    return hops;
}

bool topology_reachable(const struct topology *topology, uint32_t a, uint32_t b) {
    return a == b || !topology->type->reachable || topology->type->reachable(topology, a, b);
}

void topology_coordinates(const struct topology *topology, uint32_t endpoint, uint32_t *coordinates) {
    for (uint32_t i = topology->dim_count; i-- > 0;) {
        coordinates[i] = endpoint % topology->dims[i];
        endpoint /= topology->dims[i];
    }
}

bool topology_override(struct topology *topology, const char *from, const char *to, int64_t bandwidth_bytes_per_s, int64_t latency_ticks,
                       struct error *err) {
    struct graph *graph = &topology->graph;
    uint32_t u = graph_find_node(graph, from), v = graph_find_node(graph, to);
    if (u == NO_NODE) return error_at(err, "from", "there is no node \"%s\" in this network", from);
    if (v == NO_NODE) return error_at(err, "to", "there is no node \"%s\" in this network", to);
    bool found = false;
    for (uint32_t l = graph->first_out[u]; l < graph->first_out[u + 1]; l++) {
        struct link_info *link = &graph->links[l];
        if (link->to != v) continue;
        found = true;
        if (bandwidth_bytes_per_s >= 0) link->bandwidth_bytes_per_s = bandwidth_bytes_per_s;
        if (latency_ticks >= 0) link->latency_ticks = latency_ticks > 0 ? latency_ticks : 1;
    }
    return found || error_at(err, "to", "no link leads from %s to %s", from, to);
}
