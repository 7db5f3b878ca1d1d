// The fabrics of a cluster: one switch, leaf-spine, fat-tree. Their endpoints are the NICs.
#include "topo/fabric.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/memory.h"
#include "topo/trees.h"

struct fabric_config {
    uint64_t given;
    int64_t leaves, spines, cables_per_pair, k;
    struct link_config up_link;
    int ecmp;
    int64_t ecmp_seed;
    bool rails;
};

#define RAILS_FIELD                                                                                                                \
    {                                                                                                                              \
        "rails", FIELD_BOOLEAN, offsetof(struct fabric_config, rails), .help = "NIC i of every node goes to the leaves of rail i", \
                                                                       .example = "true"                                           \
    }

static const struct field switch_fields[] = {{0}};

static const struct field leaf_spine_fields[] = {
    {"leaves", FIELD_INTEGER, offsetof(struct fabric_config, leaves), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "leaf switches; NICs are spread evenly over them", .example = "32"},
    {"spines", FIELD_INTEGER, offsetof(struct fabric_config, spines), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "spine switches", .example = "16"},
    {"cables_per_pair", FIELD_INTEGER, offsetof(struct fabric_config, cables_per_pair), .fallback = 1, .min = 1, .max = MAX_ENDPOINTS,
     .help = "cables between each leaf and each spine", .example = "2"},
    LINK_FIELD(fabric_config, up_link, "up_link", FIELD_REQUIRED, "the links between leaves and spines"),
    RAILS_FIELD,
    ECMP_FIELDS(fabric_config),
    {0},
};

static const struct field fat_tree_fields[] = {
    {"k", FIELD_INTEGER, offsetof(struct fabric_config, k), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "ports of every switch, an even number; k^3/4 must reach the number of NICs", .example = "16"},
    LINK_FIELD(fabric_config, up_link, "up_link", FIELD_REQUIRED, "the links between switches"),
    RAILS_FIELD,
    ECMP_FIELDS(fabric_config),
    {0},
};

static uint64_t nic_count(const struct fabric_request *request) { return size_times(request->nodes, request->nics_per_node); }

static struct ecmp ecmp_of(const struct fabric_config *config) {
    return (struct ecmp){.policy = (enum ecmp_policy)config->ecmp, .seed = (uint64_t)config->ecmp_seed};
}

static bool size_switch(const struct fabric_request *request, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    *switches = 1;
    *links = size_times(2, nic_count(request));
    return true;
}

static bool build_switch(struct topology *topology, const struct fabric_request *request, struct error *err) {
    (void)err;
    switch_build(topology, (uint32_t)nic_count(request), request->nic_link);
    return true;
}

static struct leaf_spine_shape leaf_spine_of(const struct fabric_request *request) {
    const struct fabric_config *config = request->config;
    return (struct leaf_spine_shape){
        .leaves = (uint32_t)config->leaves,
        .hosts_per_leaf = (uint32_t)(nic_count(request) / (uint64_t)config->leaves),
        .spines = (uint32_t)config->spines,
        .cables_per_pair = (uint32_t)config->cables_per_pair,
        .host_link = request->nic_link,
        .up_link = &config->up_link,
        .ecmp = ecmp_of(config),
    };
}

static bool size_leaf_spine(const struct fabric_request *request, uint64_t *switches, uint64_t *links, struct error *err) {
    const struct fabric_config *config = request->config;
    uint64_t nics = nic_count(request), leaves = (uint64_t)config->leaves, rails = request->nics_per_node, endpoints;
    if (!shape_check_link(&config->up_link, "up_link", true, err)) return false;
    if (nics % leaves != 0)
        return error_at(err, "leaves", "%" PRIu64 " NICs cannot be spread evenly over %" PRIu64 " leaves", nics, leaves);
    if (config->rails && leaves % rails != 0 && rails % leaves != 0)
        return error_at(err, "leaves", "%" PRIu64 " leaves cannot serve %" PRIu64 " rails: make the leaves a multiple of the rails", leaves,
                        rails);
    struct leaf_spine_shape shape = leaf_spine_of(request);
    leaf_spine_size(&shape, &endpoints, switches, links);
    return true;
}

static bool build_leaf_spine(struct topology *topology, const struct fabric_request *request, struct error *err) {
    struct leaf_spine_shape shape = leaf_spine_of(request);
    return leaf_spine_build(topology, &shape, err);
}

static struct fat_tree_shape fat_tree_of(const struct fabric_request *request) {
    const struct fabric_config *config = request->config;
    return (struct fat_tree_shape){
        .k = (uint32_t)config->k,
        .endpoints = nic_count(request),
        .links = {request->nic_link, &config->up_link, &config->up_link},
        .ecmp = ecmp_of(config),
    };
}

static bool size_fat_tree(const struct fabric_request *request, uint64_t *switches, uint64_t *links, struct error *err) {
    const struct fabric_config *config = request->config;
    uint64_t nics = nic_count(request), k = (uint64_t)config->k;
    if (!shape_check_link(&config->up_link, "up_link", true, err)) return false;
    if (k % 2 || k < 2) return error_at(err, "k", "k must be even, and at least 2");
    if (size_times(size_times(k, k), k) / 4 < nics)
        return error_at(err, "k", "a fat tree of k = %" PRIu64 " has %" PRIu64 " places for %" PRIu64 " NICs: take a larger k", k,
                        k * k * k / 4, nics);
    struct fat_tree_shape shape = fat_tree_of(request);
    fat_tree_size(&shape, switches, links);
    return true;
}

static bool build_fat_tree(struct topology *topology, const struct fabric_request *request, struct error *err) {
    struct fat_tree_shape shape = fat_tree_of(request);
    return fat_tree_build(topology, &shape, err);
}

static const struct fabric_type switch_fabric = {
    .variant = {"switch", "one non-blocking switch", switch_fields, sizeof(struct fabric_config), NULL},
    .shape = &switch_topology,
    .size = size_switch,
    .build = build_switch,
};

static const struct fabric_type leaf_spine_fabric = {
    .variant = {"leaf-spine", "leaf switches under spines", leaf_spine_fields, sizeof(struct fabric_config), NULL},
    .shape = &leaf_spine_topology,
    .size = size_leaf_spine,
    .build = build_leaf_spine,
};

static const struct fabric_type fat_tree_fabric = {
    .variant = {"fat-tree", "a k-ary three-level Clos network", fat_tree_fields, sizeof(struct fabric_config), NULL},
    .shape = &fat_tree_topology,
    .size = size_fat_tree,
    .build = build_fat_tree,
};

static const struct variant_type *const fabric_types[] = {&fat_tree_fabric.variant, &leaf_spine_fabric.variant, &switch_fabric.variant,
                                                          NULL};
const struct family fabric_family = {"fabric", fabric_types};

bool fabric_by_rails(const struct variant *fabric) { return ((const struct fabric_config *)fabric->config)->rails; }

struct topology *fabric_create(const struct variant *fabric, const struct fabric_request *request, struct error *err) {
    const struct fabric_type *type = (const struct fabric_type *)fabric->type;
    struct topology *topology = allocate_zeroed(1, sizeof *topology);
    topology->type = type->shape;
    topology->router.period = topology->router.message_period = 1;
    topology->selector_limit = 1;
    bool built = type->build(topology, request, err) && graph_finish(&topology->graph, err) &&
                 (!type->shape->index || type->shape->index(topology, err));
    if (built) return topology;
    topology_free(topology);
    return NULL;
}
