// Fat tree: the k-ary three-level Clos of Al-Fares, Loukissas, Vahdat 2008. h = k/2; k pods of h edge and h aggregation
// switches, h^2 cores, N = k^3/4 endpoints, 3N cables. Diameter 6; per endpoint h-1 others at 2 hops, h^2-h at 4, the
// rest at 6. Halving cut k^3/8: half of the pods on each side, every core losing h cables.
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "topo/cut.h"
#include "topo/trees.h"

struct fat_tree_config {
    uint64_t given;
    int64_t k;
    struct link_config link;
    struct records links;
    int ecmp;
    int64_t ecmp_seed;
};

static const struct field fields[] = {
    {"k", FIELD_INTEGER, offsetof(struct fat_tree_config, k), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "ports of every switch, an even number", .example = "4"},
    LINK_FIELD(fat_tree_config, link, "link", 0, "the links of all levels"),
    {"links", FIELD_LINKS, offsetof(struct fat_tree_config, links), .help = "instead of link: one per level, endpoints first",
     .example = "[\"ib-ndr\", \"ib-ndr\", \"ib-ndr\"]"},
    ECMP_FIELDS(fat_tree_config),
    {0},
};

/// The state; `ecmp` first (ecmp.h).
struct fat_tree {
    struct ecmp ecmp;
    const uint32_t *first_out;
    uint32_t half, endpoints, edges, aggregations, cores; ///< the last three: first node of the level
};

static bool check(const void *config, struct error *err) {
    const struct fat_tree_config *tree = config;
    if (tree->k % 2 || tree->k < 2) return error_at(err, "k", "k must be even, and at least 2");
    struct link_choice choice = {&tree->link, &tree->links, 3, "level", true};
    return shape_check_links(&choice, err);
}

static uint64_t capacity(uint64_t k) { return size_times(size_times(k, k), k) == UINT64_MAX ? UINT64_MAX : k * k * k / 4; }

static struct fat_tree_shape shape_of(const struct fat_tree_config *config) {
    struct fat_tree_shape shape = {
        .k = (uint32_t)config->k,
        .endpoints = capacity((uint64_t)config->k),
        .ecmp = {.policy = (enum ecmp_policy)config->ecmp, .seed = (uint64_t)config->ecmp_seed},
    };
    for (uint32_t level = 0; level < 3; level++) shape.links[level] = shape_link(&config->link, &config->links, level);
    return shape;
}

void fat_tree_size(const struct fat_tree_shape *shape, uint64_t *switches, uint64_t *links) {
    uint64_t k = shape->k, half = k / 2;
    *switches = size_times(k * half, 2) + half * half;
    *links = size_times(2, size_plus(shape->endpoints, size_times(2, capacity(k))));
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    struct fat_tree_shape shape = shape_of(config);
    *endpoints = shape.endpoints;
    fat_tree_size(&shape, switches, links);
    return true;
}

// A switch's down links come first, its up links last, whatever places are free below.
static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct fat_tree *tree = state;
    if (node < tree->endpoints) return tree->first_out[node];
    uint32_t half = tree->half, edge = destination / half, pod = edge / half;
    if (node >= tree->cores) return tree->first_out[node] + pod;
    uint32_t up = tree->first_out[node + 1] - half;
    if (node >= tree->aggregations) {
        if ((node - tree->aggregations) / half == pod) return tree->first_out[node] + edge % half;
        uint32_t number = ecmp_number(&tree->ecmp, node, destination, selector);
        return up + (tree->ecmp.policy == ECMP_HASH ? number : number / half) % half;
    }
    if (node - tree->edges == edge) return tree->first_out[node] + destination % half;
    return up + ecmp_number(&tree->ecmp, node, destination, selector) % half;
}

static void add_links(struct graph *graph, const struct fat_tree *tree, const struct fat_tree_shape *shape) {
    uint32_t half = tree->half, k = shape->k;
    struct link_info like[3];
    for (uint32_t level = 0; level < 3; level++) like[level] = shape_link_info(shape->links[level]);
    for (uint32_t e = 0; e < tree->endpoints; e++) graph_add_cable(graph, e, 1, tree->edges + e / half, e % half, &like[0]);
    for (uint32_t edge = 0; edge < k * half; edge++) {
        for (uint32_t a = 0; a < half; a++)
            graph_add_cable(graph, tree->edges + edge, half + a, tree->aggregations + edge / half * half + a, edge % half, &like[1]);
    }
    for (uint32_t a = 0; a < k * half; a++) {
        for (uint32_t c = 0; c < half; c++)
            graph_add_cable(graph, tree->aggregations + a, half + c, tree->cores + a % half * half + c, a / half, &like[2]);
    }
}

bool fat_tree_build(struct topology *topology, const struct fat_tree_shape *shape, struct error *err) {
    uint32_t half = shape->k / 2, endpoints = (uint32_t)shape->endpoints, level = shape->k * half;
    struct fat_tree *tree = topology->state = allocate_zeroed(1, sizeof *tree);
    *tree = (struct fat_tree){
        .ecmp = shape->ecmp,
        .half = half,
        .endpoints = endpoints,
        .edges = endpoints,
        .aggregations = endpoints + level,
        .cores = endpoints + 2 * level,
    };
    tree->ecmp.ways = half * half;
    if (!ecmp_check(&tree->ecmp, err)) return false;
    struct graph *graph = &topology->graph;
    graph_init(graph, endpoints, 2 * level + half * half);
    for (uint32_t s = 0; s < graph->switches; s++) graph->switch_ports[s] = shape->k;
    add_links(graph, tree, shape);
    topology->group_size = half;
    topology->router.state = tree;
    topology->router.next_link = next_link;
    ecmp_set_up(topology, &tree->ecmp);
    return true;
}

static bool build(struct topology *topology, struct error *err) {
    struct fat_tree_shape shape = shape_of(topology->config);
    return fat_tree_build(topology, &shape, err);
}

static bool index_links(struct topology *topology, struct error *err) {
    (void)err;
    ((struct fat_tree *)topology->state)->first_out = topology->graph.first_out;
    return true;
}

static uint32_t diameter(const struct topology *topology) {
    const struct fat_tree *tree = topology->state;
    uint32_t endpoints = tree->endpoints, half = tree->half;
    return endpoints > half * half ? 6 : endpoints > half ? 4 : endpoints > 1 ? 2 : 0;
}

// Ordered pairs within groups of `size` endpoints, the last of which may be smaller.
static unsigned __int128 pairs_within(uint64_t endpoints, uint64_t group) {
    unsigned __int128 whole = endpoints / group, rest = endpoints % group;
    return whole * group * (group - 1) + (rest ? rest * (rest - 1) : 0);
}

static unsigned __int128 total_hops(const struct topology *topology) {
    const struct fat_tree *tree = topology->state;
    uint64_t endpoints = tree->endpoints, half = tree->half;
    unsigned __int128 edge = pairs_within(endpoints, half), pod = pairs_within(endpoints, half * half),
                      all = pairs_within(endpoints, endpoints);
    return 2 * edge + 4 * (pod - edge) + 6 * (all - pod);
}

static void bisect(const struct topology *topology, struct bisection *out) {
    const struct fat_tree *tree = topology->state;
    const struct graph *graph = &topology->graph;
    uint32_t half = tree->half;
    if (tree->endpoints != capacity(2 * (uint64_t)half)) {
        cut_search(graph, out);
        return;
    }
    out->known = true;
    out->cables = tree->endpoints / 2;
    out->side = allocate_zeroed(graph_nodes(graph), 1);
    for (uint32_t e = tree->endpoints / 2; e < tree->endpoints; e++) out->side[e] = 1;
    for (uint32_t i = half * half; i < 2 * half * half; i++) out->side[tree->edges + i] = out->side[tree->aggregations + i] = 1;
}

const struct topology_type fat_tree_topology = {
    .variant = {"fat-tree", "a k-ary three-level Clos network", fields, sizeof(struct fat_tree_config), check},
    .size = size,
    .build = build,
    .index = index_links,
    .diameter = diameter,
    .total_hops = total_hops,
    .bisect = bisect,
};
