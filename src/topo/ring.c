// A ring: a torus of one dim, or with directions "one" a ring whose links only lead towards +1.
// N cables, diameter floor(N/2) (one way N-1); hops over ordered pairs N * floor(N^2/4); a halving cut crosses 2 cables.
#include <stddef.h>

#include "topo/grid.h"

enum directions { DIRECTIONS_BOTH, DIRECTIONS_ONE };
static const char *const directions_names[] = {"both", "one", NULL};

struct ring_config {
    uint64_t given;
    int64_t endpoints;
    struct link_config link;
    int directions, ties, wrap2;
};

static const struct field fields[] = {
    {"endpoints", FIELD_INTEGER, offsetof(struct ring_config, endpoints), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "how many endpoints stand in the ring", .example = "8"},
    LINK_FIELD(ring_config, link, "link", FIELD_REQUIRED, "the links between neighbours"),
    {"directions", FIELD_CHOICE, offsetof(struct ring_config, directions), .fallback = DIRECTIONS_BOTH, .choices = directions_names,
     .help = "whether neighbours send both ways, or only towards +1", .example = "\"both\""},
    WRAP2_FIELD(ring_config),
    TIES_FIELD(ring_config),
    {0},
};

static bool check(const void *config, struct error *err) {
    return shape_check_link(&((const struct ring_config *)config)->link, "link", false, err);
}

static struct grid_shape shape_of(const struct ring_config *config) {
    return (struct grid_shape){
        .dim_count = 1,
        .dims = {(uint64_t)config->endpoints},
        .links = {&config->link},
        .wraps = true,
        .one_way = config->directions == DIRECTIONS_ONE,
        .wrap2 = (enum wrap2)config->wrap2,
        .ties = (enum ties)config->ties,
    };
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

const struct topology_type ring_topology = {
    .variant = {"ring", "a ring of endpoints, both ways or one way", fields, sizeof(struct ring_config), check},
    .size = size,
    .build = build,
    .index = grid_index,
    .free_state = grid_free,
    .translations = grid_translations,
    .diameter = grid_diameter,
    .total_hops = grid_total_hops,
    .bisect = grid_bisect,
};
