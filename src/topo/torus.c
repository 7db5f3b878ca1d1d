// A torus of 1 to 6 dims: every line along a dim is a ring. Diameter: sum of floor(k/2). Hops over ordered pairs of one
// dim: k * floor(k^2/4). Bisection: grid_metrics.c. A dim of 1 has no link; one of 2 has one cable, or two (wrap2).
#include <stddef.h>

#include "topo/grid.h"

struct torus_config {
    uint64_t given;
    struct integers dims;
    struct link_config link;
    struct records links;
    int wrap2, ties;
};

static const struct field fields[] = {
    {"dims", FIELD_INTEGERS, offsetof(struct torus_config, dims), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "lengths of the 1 to 6 dims; endpoints are numbered with the last dim fastest", .example = "[4, 4]"},
    LINK_FIELD(torus_config, link, "link", 0, "the links of all dims"),
    {"links", FIELD_LINKS, offsetof(struct torus_config, links), .help = "instead of link: one per dim",
     .example = "[\"ici-v5e\", \"ici-v5e\"]"},
    WRAP2_FIELD(torus_config),
    TIES_FIELD(torus_config),
    {0},
};

static bool check(const void *config, struct error *err) {
    const struct torus_config *torus = config;
    struct link_choice choice = {&torus->link, &torus->links, (uint32_t)torus->dims.count, "dim", false};
    return grid_check_dims(&torus->dims, err) && shape_check_links(&choice, err);
}

static struct grid_shape shape_of(const struct torus_config *config) {
    struct grid_shape shape = {.wraps = true, .wrap2 = (enum wrap2)config->wrap2, .ties = (enum ties)config->ties};
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

const struct topology_type torus_topology = {
    .variant = {"torus", "a grid of 1 to 6 dims whose lines close into rings", fields, sizeof(struct torus_config), check},
    .size = size,
    .build = build,
    .index = grid_index,
    .free_state = grid_free,
    .translations = grid_translations,
    .diameter = grid_diameter,
    .total_hops = grid_total_hops,
    .bisect = grid_bisect,
};
