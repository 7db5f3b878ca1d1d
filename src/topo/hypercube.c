// A hypercube: a torus of `dimension` dims of 2 with one cable each. N = 2^d, N d / 2 cables, diameter d, mean hops
// d N / (2 (N - 1)), a halving cut of N / 2 cables.
#include <stddef.h>

#include "topo/grid.h"

struct hypercube_config {
    uint64_t given;
    int64_t dimension;
    struct link_config link;
};

static const struct field fields[] = {
    {"dimension", FIELD_INTEGER, offsetof(struct hypercube_config, dimension), FIELD_REQUIRED, .min = 0, .max = MAX_DIMS,
     .help = "2 to the power of this many endpoints", .example = "4"},
    LINK_FIELD(hypercube_config, link, "link", FIELD_REQUIRED, "the links between neighbours"),
    {0},
};

static bool check(const void *config, struct error *err) {
    const struct hypercube_config *cube = config;
    if (cube->dimension < 0 || cube->dimension > MAX_DIMS) return error_at(err, "dimension", "must be 0 to %d", MAX_DIMS);
    return shape_check_link(&cube->link, "link", false, err);
}

static struct grid_shape shape_of(const struct hypercube_config *config) {
    struct grid_shape shape = {.dim_count = (uint32_t)config->dimension, .wraps = true, .wrap2 = WRAP2_SINGLE};
    for (uint32_t i = 0; i < shape.dim_count; i++) shape.dims[i] = 2, shape.links[i] = &config->link;
    return shape;
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    struct grid_shape shape = shape_of(config);
    *switches = 0;
    return grid_size(&shape, endpoints, links, err);
}

static bool build(struct topology *topology, struct error *err) {
    (void)err;
    struct grid_shape shape = shape_of(topology->config);
    grid_build(topology, &shape);
    return true;
}

const struct topology_type hypercube_topology = {
    .variant = {"hypercube", "a torus of dims of 2", fields, sizeof(struct hypercube_config), check},
    .size = size,
    .build = build,
    .index = grid_index,
    .free_state = grid_free,
    .translations = grid_translations,
    .diameter = grid_diameter,
    .total_hops = grid_total_hops,
    .bisect = grid_bisect,
};
