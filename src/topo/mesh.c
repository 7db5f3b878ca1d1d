// A mesh of 1 to 6 dims: a torus without the wraps. Diameter: sum of k - 1. Hops over ordered pairs of one dim:
// k(k^2 - 1) / 3. Bisection: half of a torus' (grid_metrics.c).
#include <stddef.h>

#include "topo/grid.h"

struct mesh_config {
    uint64_t given;
    struct integers dims;
    struct link_config link;
    struct records links;
};

static const struct field fields[] = {
    {"dims", FIELD_INTEGERS, offsetof(struct mesh_config, dims), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "lengths of the 1 to 6 dims; endpoints are numbered with the last dim fastest", .example = "[4, 4]"},
    LINK_FIELD(mesh_config, link, "link", 0, "the links of all dims"),
    {"links", FIELD_LINKS, offsetof(struct mesh_config, links), .help = "instead of link: one per dim",
     .example = "[\"ici-v5e\", \"ici-v5e\"]"},
    {0},
};

static bool check(const void *config, struct error *err) {
    const struct mesh_config *mesh = config;
    struct link_choice choice = {&mesh->link, &mesh->links, (uint32_t)mesh->dims.count, "dim", false};
    return grid_check_dims(&mesh->dims, err) && shape_check_links(&choice, err);
}

static struct grid_shape shape_of(const struct mesh_config *config) {
    struct grid_shape shape = {.wraps = false};
    grid_take_dims(&shape, &config->dims, &config->link, &config->links);
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

const struct topology_type mesh_topology = {
    .variant = {"mesh", "a grid of 1 to 6 dims without wraps", fields, sizeof(struct mesh_config), check},
    .size = size,
    .build = build,
    .index = grid_index,
    .free_state = grid_free,
    .diameter = grid_diameter,
    .total_hops = grid_total_hops,
    .bisect = grid_bisect,
};
