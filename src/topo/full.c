// Fully connected: a cable for every pair. N(N-1)/2 cables, diameter 1; a halving cut crosses floor(N/2) * ceil(N/2).
#include <stddef.h>

#include "base/memory.h"
#include "topo/shape.h"

struct full_config {
    uint64_t given;
    int64_t endpoints;
    struct link_config link;
};

static const struct field fields[] = {
    {"endpoints", FIELD_INTEGER, offsetof(struct full_config, endpoints), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "how many endpoints, each cabled to every other", .example = "8"},
    LINK_FIELD(full_config, link, "link", FIELD_REQUIRED, "the links of every pair"),
    {0},
};

static bool check(const void *config, struct error *err) {
    return shape_check_link(&((const struct full_config *)config)->link, "link", false, err);
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    *endpoints = (uint64_t)((const struct full_config *)config)->endpoints;
    *switches = 0;
    *links = size_times(*endpoints, *endpoints - 1);
    return true;
}

// The place of the cable to v among those of u; its port is one more.
static uint32_t place(uint32_t u, uint32_t v) { return v - (v > u); }

static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)selector;
    const struct topology *topology = state;
    return node * (topology->graph.endpoints - 1) + place(node, destination);
}

static bool build(struct topology *topology, struct error *err) {
    (void)err;
    const struct full_config *config = topology->config;
    uint32_t endpoints = (uint32_t)config->endpoints;
    graph_init(&topology->graph, endpoints, 0);
    struct link_info link = shape_link_info(&config->link);
    for (link.from = 0; link.from < endpoints; link.from++) {
        for (link.to = 0; link.to < endpoints; link.to++) {
            if (link.from == link.to) continue;
            link.from_port = 1 + place(link.from, link.to), link.to_port = 1 + place(link.to, link.from);
            graph_add_link(&topology->graph, link);
        }
    }
    topology->router.state = topology;
    topology->router.next_link = next_link;
    return true;
}

static uint32_t diameter(const struct topology *topology) { return topology->graph.endpoints > 1; }

static unsigned __int128 total_hops(const struct topology *topology) {
    unsigned __int128 endpoints = topology->graph.endpoints;
    return endpoints * (endpoints - 1);
}

static void bisect(const struct topology *topology, struct bisection *out) {
    uint32_t endpoints = topology->graph.endpoints, half = endpoints / 2;
    out->known = true;
    out->cables = (uint64_t)half * (endpoints - half);
    out->side = allocate_zeroed(endpoints, 1);
    for (uint32_t e = half; e < endpoints; e++) out->side[e] = 1;
}

const struct topology_type full_topology = {
    .variant = {"full", "every pair of endpoints has its own cable", fields, sizeof(struct full_config), check},
    .size = size,
    .build = build,
    .translations = shape_rotations,
    .diameter = diameter,
    .total_hops = total_hops,
    .bisect = bisect,
};
