// Dragonfly (Kim, Dally, Scott, Abts 2008): g = a h + 1 groups of a routers; a router has p endpoints, a cable to each
// other router of its group and h global cables; every two groups share one. Global cable j of a group (router j / h)
// leads to group j, or j + 1 from its own number on ("absolute" arrangement: Hastings et al. 2015).
// N = p a g, cables N + g a (a - 1) / 2 + g a h / 2. Minimal routes: at most local, global, local, so diameter 5.
#include <stddef.h>

#include "base/memory.h"
#include "topo/shape.h"

struct dragonfly_config {
    uint64_t given;
    int64_t p, a, h;
    struct link_config link, local_link, global_link;
};

static const struct field fields[] = {
    {"p", FIELD_INTEGER, offsetof(struct dragonfly_config, p), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "endpoints on each router", .example = "2"},
    {"a", FIELD_INTEGER, offsetof(struct dragonfly_config, a), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "routers in each group", .example = "4"},
    {"h", FIELD_INTEGER, offsetof(struct dragonfly_config, h), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "global cables of each router", .example = "2"},
    LINK_FIELD(dragonfly_config, link, "link", 0, "the links of endpoints, and all others not given"),
    LINK_FIELD(dragonfly_config, local_link, "local_link", 0,
               "the links between routers of one group, and without link those of endpoints"),
    LINK_FIELD(dragonfly_config, global_link, "global_link", 0, "the links between groups"),
    {0},
};

struct dragonfly {
    uint32_t endpoints, p, a, h, groups, router_links;
};

static const struct link_config *first_given(const struct link_config *link, const struct link_config *other) {
    return link->bandwidth_bytes_per_s > 0 ? link : other;
}

static bool check(const void *config, struct error *err) {
    const struct dragonfly_config *fly = config;
    bool complete = fly->local_link.bandwidth_bytes_per_s > 0 && fly->global_link.bandwidth_bytes_per_s > 0;
    if (fly->link.bandwidth_bytes_per_s > 0 || complete) return true;
    return error_at(err, "link", "is missing: give \"link\" for all, or both \"local_link\" and \"global_link\"");
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    const struct dragonfly_config *fly = config;
    uint64_t p = (uint64_t)fly->p, a = (uint64_t)fly->a, h = (uint64_t)fly->h;
    *switches = size_times(a, a * h + 1);
    *endpoints = size_times(p, *switches);
    *links = size_plus(size_times(2, *endpoints), size_times(*switches, a - 1 + h));
    return true;
}

// The global cable of group `from` that leads to group `to`, and back.
static uint32_t cable_to(uint32_t from, uint32_t to) { return to - (to > from); }

// Router ports: endpoints, then the other routers of the group, then global cables.
static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)selector;
    const struct dragonfly *fly = state;
    if (node < fly->endpoints) return node;
    uint32_t router = node - fly->endpoints, home = destination / fly->p;
    uint32_t first = fly->endpoints + router * fly->router_links;
    if (router == home) return first + destination % fly->p;
    uint32_t group = router / fly->a, home_group = home / fly->a, goal = home;
    if (group != home_group) {
        uint32_t cable = cable_to(group, home_group);
        goal = group * fly->a + cable / fly->h;
        if (router == goal) return first + fly->p + fly->a - 1 + cable % fly->h;
    }
    return first + fly->p + cable_to(router % fly->a, goal % fly->a);
}

static void add_group_links(struct graph *graph, const struct dragonfly *fly, const struct dragonfly_config *config, uint32_t group) {
    struct link_info local = shape_link_info(first_given(&config->local_link, &config->link));
    struct link_info global = shape_link_info(first_given(&config->global_link, &config->link));
    uint32_t first = fly->endpoints + group * fly->a, global_port = fly->p + fly->a - 1;
    for (uint32_t u = 0; u < fly->a; u++) {
        for (uint32_t v = u + 1; v < fly->a; v++)
            graph_add_cable(graph, first + u, fly->p + cable_to(u, v), first + v, fly->p + cable_to(v, u), &local);
    }
    for (uint32_t other = group + 1; other < fly->groups; other++) {
        uint32_t there = cable_to(group, other), back = cable_to(other, group);
        graph_add_cable(graph, first + there / fly->h, global_port + there % fly->h, fly->endpoints + other * fly->a + back / fly->h,
                        global_port + back % fly->h, &global);
    }
}

static bool build(struct topology *topology, struct error *err) {
    (void)err;
    const struct dragonfly_config *config = topology->config;
    struct dragonfly *fly = topology->state = allocate_zeroed(1, sizeof *fly);
    fly->p = (uint32_t)config->p, fly->a = (uint32_t)config->a, fly->h = (uint32_t)config->h;
    fly->groups = fly->a * fly->h + 1;
    fly->endpoints = fly->p * fly->a * fly->groups;
    fly->router_links = fly->p + fly->a - 1 + fly->h;
    struct graph *graph = &topology->graph;
    graph_init(graph, fly->endpoints, fly->a * fly->groups);
    for (uint32_t s = 0; s < graph->switches; s++) graph->switch_ports[s] = fly->router_links;
    struct link_info host = shape_link_info(first_given(&config->link, &config->local_link));
    for (uint32_t e = 0; e < fly->endpoints; e++) graph_add_cable(graph, e, 1, fly->endpoints + e / fly->p, e % fly->p, &host);
    for (uint32_t group = 0; group < fly->groups; group++) add_group_links(graph, fly, config, group);
    topology->group_size = fly->p;
    topology->router.state = fly;
    topology->router.next_link = next_link;
    return true;
}

static uint32_t diameter(const struct topology *topology) {
    const struct dragonfly *fly = topology->state;
    return fly->a > 1 ? 5 : 3;
}

// From a router, its group's others are one router away. To another group: three links and, unless the source's (the
// destination's) router holds the cable between the groups, one local link at that end: for a - 1 of a routers each.
static unsigned __int128 total_hops(const struct topology *topology) {
    const struct dragonfly *fly = topology->state;
    unsigned __int128 p = fly->p, a = fly->a, groups = fly->groups;
    unsigned __int128 same_router = groups * a * p * (p - 1), same_group = groups * a * (a - 1) * p * p;
    unsigned __int128 group_pairs = groups * (groups - 1);
    return 2 * same_router + 3 * same_group + group_pairs * p * p * (3 * a * a + 2 * a * (a - 1));
}

const struct topology_type dragonfly_topology = {
    .variant = {"dragonfly", "groups of routers, all pairs of groups cabled; minimal routes", fields, sizeof(struct dragonfly_config),
                check},
    .size = size,
    .build = build,
    .diameter = diameter,
    .total_hops = total_hops,
};
