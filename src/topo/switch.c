// One non-blocking switch: every path is two links. N endpoints, N cables, diameter 2.
// Halving cut: the switch sides with the larger half, so floor(N/2) cables.
#include <stddef.h>

#include "base/memory.h"
#include "topo/shape.h"
#include "topo/trees.h"

struct switch_config {
    uint64_t given;
    int64_t endpoints;
    struct link_config link;
};

static const struct field fields[] = {
    {"endpoints", FIELD_INTEGER, offsetof(struct switch_config, endpoints), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "how many endpoints the switch has", .example = "8"},
    LINK_FIELD(switch_config, link, "link", FIELD_REQUIRED,
               "each endpoint's link to the switch and back; its latency, or half of alpha, is paid twice a path"),
    {0},
};

static bool check(const void *config, struct error *err) {
    return shape_check_link(&((const struct switch_config *)config)->link, "link", true, err);
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    *endpoints = (uint64_t)((const struct switch_config *)config)->endpoints;
    *switches = 1;
    *links = size_times(*endpoints, 2);
    return true;
}

// Links 0 .. N-1 go up from the endpoints, N .. 2N-1 come down by the switch's ports.
static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)selector;
    const struct topology *topology = state;
    uint32_t endpoints = topology->graph.endpoints;
    return node < endpoints ? node : endpoints + destination;
}

void switch_build(struct topology *topology, uint32_t endpoints, const struct link_config *link) {
    graph_init(&topology->graph, endpoints, 1);
    topology->graph.switch_ports[0] = endpoints;
    struct link_info like = shape_link_info(link);
    for (uint32_t e = 0; e < endpoints; e++) graph_add_cable(&topology->graph, e, 1, endpoints, e, &like);
    topology->router.state = topology;
    topology->router.next_link = next_link;
}

static bool build(struct topology *topology, struct error *err) {
    (void)err;
    const struct switch_config *config = topology->config;
    switch_build(topology, (uint32_t)config->endpoints, &config->link);
    return true;
}

static uint32_t diameter(const struct topology *topology) { return topology->graph.endpoints > 1 ? 2 : 0; }

static unsigned __int128 total_hops(const struct topology *topology) {
    unsigned __int128 endpoints = topology->graph.endpoints;
    return endpoints * (endpoints - 1) * 2;
}

static void bisect(const struct topology *topology, struct bisection *out) {
    uint32_t endpoints = topology->graph.endpoints;
    out->known = true;
    out->cables = endpoints / 2;
    out->side = allocate_zeroed(graph_nodes(&topology->graph), 1);
    for (uint32_t v = endpoints / 2; v <= endpoints; v++) out->side[v] = 1;
}

const struct topology_type switch_topology = {
    .variant = {"switch", "one non-blocking switch: two links a path", fields, sizeof(struct switch_config), check},
    .size = size,
    .build = build,
    .translations = shape_rotations,
    .diameter = diameter,
    .total_hops = total_hops,
    .bisect = bisect,
};
