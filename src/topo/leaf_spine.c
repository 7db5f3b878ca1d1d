// Leaf-spine: L leaves of H hosts, S spines, c cables between every leaf and spine; oversubscription H / (S c) at equal
// rates. N = L H, cables N + L S c, diameter 4, hops over ordered pairs N (2 (H - 1) + 4 (N - H)).
//
// Halving cut. With all spines on one side, a leaf with x of its hosts on the other side costs
// f(x) = min(x, H - x + S c): concave in x, so some best cut splits one leaf at most, and the number of spines on a
// side enters as a minimum of linear terms, so none or all of them is best too.
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "topo/cut.h"
#include "topo/trees.h"

struct leaf_spine_config {
    uint64_t given;
    int64_t leaves, hosts_per_leaf, spines, cables_per_pair;
    struct link_config host_link, up_link;
    int ecmp;
    int64_t ecmp_seed;
};

static const struct field fields[] = {
    {"leaves", FIELD_INTEGER, offsetof(struct leaf_spine_config, leaves), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "leaf switches", .example = "4"},
    {"hosts_per_leaf", FIELD_INTEGER, offsetof(struct leaf_spine_config, hosts_per_leaf), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "endpoints on each leaf", .example = "4"},
    {"spines", FIELD_INTEGER, offsetof(struct leaf_spine_config, spines), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "spine switches", .example = "2"},
    {"cables_per_pair", FIELD_INTEGER, offsetof(struct leaf_spine_config, cables_per_pair), .fallback = 1, .min = 1, .max = MAX_ENDPOINTS,
     .help = "cables between each leaf and each spine", .example = "1"},
    LINK_FIELD(leaf_spine_config, host_link, "host_link", FIELD_REQUIRED, "the links of endpoints"),
    LINK_FIELD(leaf_spine_config, up_link, "up_link", FIELD_REQUIRED, "the links between leaves and spines"),
    ECMP_FIELDS(leaf_spine_config),
    {0},
};

/// The state; `ecmp` first (ecmp.h).
struct leaf_spine {
    struct ecmp ecmp;
    uint32_t endpoints, leaves, hosts, spines, cables;
    uint32_t leaf_links, spine_links; ///< per switch
};

static bool check(const void *config, struct error *err) {
    const struct leaf_spine_config *tree = config;
    return shape_check_link(&tree->host_link, "host_link", true, err) && shape_check_link(&tree->up_link, "up_link", true, err);
}

static struct leaf_spine_shape shape_of(const struct leaf_spine_config *config) {
    return (struct leaf_spine_shape){
        .leaves = (uint32_t)config->leaves,
        .hosts_per_leaf = (uint32_t)config->hosts_per_leaf,
        .spines = (uint32_t)config->spines,
        .cables_per_pair = (uint32_t)config->cables_per_pair,
        .host_link = &config->host_link,
        .up_link = &config->up_link,
        .ecmp = {.policy = (enum ecmp_policy)config->ecmp, .seed = (uint64_t)config->ecmp_seed},
    };
}

void leaf_spine_size(const struct leaf_spine_shape *shape, uint64_t *endpoints, uint64_t *switches, uint64_t *links) {
    *endpoints = size_times(shape->leaves, shape->hosts_per_leaf);
    *switches = (uint64_t)shape->leaves + shape->spines;
    uint64_t up = size_times(size_times(shape->leaves, shape->spines), shape->cables_per_pair);
    *links = size_times(2, size_plus(*endpoints, up));
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    struct leaf_spine_shape shape = shape_of(config);
    leaf_spine_size(&shape, endpoints, switches, links);
    return true;
}

// Links in order: one up per endpoint; per leaf its hosts', then its up links by (spine, cable); per spine (leaf, cable).
static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct leaf_spine *tree = state;
    if (node < tree->endpoints) return node;
    uint32_t leaf = node - tree->endpoints, home = destination / tree->hosts;
    if (leaf == home) return tree->endpoints + leaf * tree->leaf_links + destination % tree->hosts;
    uint32_t number = ecmp_number(&tree->ecmp, node, destination, selector);
    uint32_t spine = number % tree->spines, cable = number / tree->spines % tree->cables;
    if (leaf < tree->leaves) return tree->endpoints + leaf * tree->leaf_links + tree->hosts + spine * tree->cables + cable;
    uint32_t first = tree->endpoints + tree->leaves * tree->leaf_links + (leaf - tree->leaves) * tree->spine_links;
    return first + home * tree->cables + cable;
}

static void add_links(struct graph *graph, const struct leaf_spine_shape *shape) {
    uint32_t hosts = shape->hosts_per_leaf, cables = shape->cables_per_pair, endpoints = graph->endpoints;
    struct link_info host = shape_link_info(shape->host_link), up = shape_link_info(shape->up_link);
    for (uint32_t e = 0; e < endpoints; e++) graph_add_cable(graph, e, 1, endpoints + e / hosts, e % hosts, &host);
    for (uint32_t l = 0; l < shape->leaves; l++) {
        for (uint32_t s = 0; s < shape->spines; s++) {
            for (uint32_t c = 0; c < cables; c++)
                graph_add_cable(graph, endpoints + l, hosts + s * cables + c, endpoints + shape->leaves + s, l * cables + c, &up);
        }
    }
}

bool leaf_spine_build(struct topology *topology, const struct leaf_spine_shape *shape, struct error *err) {
    uint64_t endpoints, switches, links;
    leaf_spine_size(shape, &endpoints, &switches, &links);
    uint64_t ways = size_times(shape->spines, shape->cables_per_pair);
    struct leaf_spine *tree = topology->state = allocate_zeroed(1, sizeof *tree);
    *tree = (struct leaf_spine){
        .ecmp = shape->ecmp,
        .endpoints = (uint32_t)endpoints,
        .leaves = shape->leaves,
        .hosts = shape->hosts_per_leaf,
        .spines = shape->spines,
        .cables = shape->cables_per_pair,
        .leaf_links = shape->hosts_per_leaf + (uint32_t)ways,
        .spine_links = shape->leaves * shape->cables_per_pair,
    };
    tree->ecmp.ways = (uint32_t)ways;
    if (!ecmp_check(&tree->ecmp, err)) return false;
    struct graph *graph = &topology->graph;
    graph_init(graph, tree->endpoints, (uint32_t)switches);
    for (uint32_t s = 0; s < graph->switches; s++) graph->switch_ports[s] = s < tree->leaves ? tree->leaf_links : tree->spine_links;
    add_links(graph, shape);
    topology->group_size = tree->hosts;
    topology->router.state = tree;
    topology->router.next_link = next_link;
    ecmp_set_up(topology, &tree->ecmp);
    return true;
}

static bool build(struct topology *topology, struct error *err) {
    struct leaf_spine_shape shape = shape_of(topology->config);
    return leaf_spine_build(topology, &shape, err);
}

static uint32_t diameter(const struct topology *topology) {
    const struct leaf_spine *tree = topology->state;
    return tree->leaves > 1 ? 4 : tree->hosts > 1 ? 2 : 0;
}

static unsigned __int128 total_hops(const struct topology *topology) {
    const struct leaf_spine *tree = topology->state;
    unsigned __int128 endpoints = tree->endpoints, hosts = tree->hosts;
    return endpoints * (2 * (hosts - 1) + 4 * (endpoints - hosts));
}

// Side 0 gets `zeros` endpoints: whole leaves first, then a part of one; the spines are all on side `spine_side`.
static void place(const struct leaf_spine *tree, uint8_t *side, uint32_t zeros, uint8_t spine_side) {
    uint32_t up = tree->spines * tree->cables;
    for (uint32_t e = 0; e < tree->endpoints; e++) side[e] = e >= zeros;
    for (uint32_t l = 0; l < tree->leaves; l++) {
        uint32_t first = l * tree->hosts, here = zeros <= first ? 0 : zeros - first < tree->hosts ? zeros - first : tree->hosts;
        uint32_t at_zero = tree->hosts - here + (spine_side ? up : 0), at_one = here + (spine_side ? 0 : up);
        side[tree->endpoints + l] = at_one <= at_zero;
    }
    for (uint32_t s = 0; s < tree->spines; s++) side[tree->endpoints + tree->leaves + s] = spine_side;
}

static void bisect(const struct topology *topology, struct bisection *out) {
    const struct leaf_spine *tree = topology->state;
    uint32_t nodes = graph_nodes(&topology->graph);
    out->known = true;
    out->side = allocate(nodes);
    uint8_t *other = allocate(nodes);
    place(tree, out->side, tree->endpoints / 2, 1);
    place(tree, other, tree->endpoints / 2, 0);
    uint64_t crossing = cut_links(&topology->graph, out->side), crossing_other = cut_links(&topology->graph, other);
    if (crossing_other < crossing) {
        uint8_t *kept = out->side;
        out->side = other, other = kept;
        crossing = crossing_other;
    }
    free(other);
    out->cables = crossing / 2;
}

const struct topology_type leaf_spine_topology = {
    .variant = {"leaf-spine", "leaf switches under spines, any oversubscription", fields, sizeof(struct leaf_spine_config), check},
    .size = size,
    .build = build,
    .diameter = diameter,
    .total_hops = total_hops,
    .bisect = bisect,
};
