// A twisted torus: dims of K and of 2K (K x 2K, K x K x 2K, K x 2K x 2K …); stepping over the end of a dim of K also
// moves K along every dim of 2K, so that a line along a short dim closes after 2K steps. Same links and ports as a torus,
// shorter distances and no narrow waist. As in TPU v4 (Jouppi et al., ISCA 2023, after Cámara et al., "Twisted torus
// topologies for enhanced interconnection networks", IEEE TPDS 21, 2010).
//
// It is a Cayley graph of an abelian group, so a route depends on the difference of its ends only: a table of distances
// from 0, by breadth-first search, gives every next port. Of the shortest ways the last dim comes first; where both
// directions are as short, nodes of an even sum of coordinates take +, odd ones -.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topo/shape.h"

enum { TWISTED_DIMS = 3, LONGEST_DIM = UINT16_MAX };

struct twisted_torus_config {
    uint64_t given;
    struct integers dims;
    struct link_config link;
    struct records links;
};

static const struct field fields[] = {
    {"dims", FIELD_INTEGERS, offsetof(struct twisted_torus_config, dims), FIELD_REQUIRED, .min = 2, .max = LONGEST_DIM,
     .help = "2 or 3 dims, each K or 2K, both of them present", .example = "[4, 4, 8]"},
    LINK_FIELD(twisted_torus_config, link, "link", 0, "the links of all dims"),
    {"links", FIELD_LINKS, offsetof(struct twisted_torus_config, links), .help = "instead of link: one per dim",
     .example = "[\"ici-v5e\", \"ici-v5e\", \"ici-v5e\"]"},
    {0},
};

struct coordinates {
    uint16_t at[TWISTED_DIMS];
    uint16_t odd; ///< the parity of their sum
};

/// The state of next_link.
struct twisted_torus {
    uint32_t dim_count, dims[TWISTED_DIMS], shortest;
    struct coordinates *coordinates; ///< per endpoint
    uint8_t (*next)[2];              ///< per difference: place of the link to take, at even and odd nodes
    uint32_t diameter;
    uint64_t distance_sum; ///< from one endpoint to all others
};

static bool check(const void *config, struct error *err) {
    const struct twisted_torus_config *torus = config;
    struct link_choice choice = {&torus->link, &torus->links, (uint32_t)torus->dims.count, "dim", false};
    if (torus->dims.count < 2 || torus->dims.count > TWISTED_DIMS)
        return error_at(err, "dims", "has %zu dims: 2 or 3 are allowed", torus->dims.count);
    int64_t shortest = torus->dims.values[0], longest = shortest;
    for (size_t i = 1; i < torus->dims.count; i++) {
        if (torus->dims.values[i] < shortest) shortest = torus->dims.values[i];
        if (torus->dims.values[i] > longest) longest = torus->dims.values[i];
    }
    bool fits = shortest >= 2 && longest == 2 * shortest && longest <= LONGEST_DIM;
    for (size_t i = 0; i < torus->dims.count; i++) fits = fits && (torus->dims.values[i] == shortest || torus->dims.values[i] == longest);
    if (!fits) return error_at(err, "dims", "a twisted torus has dims of K and of 2K with K at least 2, such as 4 x 4 x 8");
    return shape_check_links(&choice, err);
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    (void)err;
    const struct twisted_torus_config *torus = config;
    *endpoints = 1, *switches = 0;
    for (size_t i = 0; i < torus->dims.count; i++) *endpoints = size_times(*endpoints, (uint64_t)torus->dims.values[i]);
    *links = size_times(*endpoints, 2 * torus->dims.count);
    return true;
}

static uint32_t index_of(const struct twisted_torus *torus, const uint32_t *at) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < torus->dim_count; i++) index = index * torus->dims[i] + at[i];
    return index;
}

// Crossing the end of a dim of K moves K along the others: there and back are the same modulo 2K.
static void twist(const struct twisted_torus *torus, uint32_t *at) {
    for (uint32_t i = 0; i < torus->dim_count; i++)
        if (torus->dims[i] != torus->shortest) at[i] = at[i] < torus->shortest ? at[i] + torus->shortest : at[i] - torus->shortest;
}

static uint32_t neighbour(const struct twisted_torus *torus, uint32_t node, uint32_t dim, bool minus) {
    uint32_t at[TWISTED_DIMS] = {0};
    for (uint32_t i = 0; i < torus->dim_count; i++) at[i] = torus->coordinates[node].at[i];
    bool crosses = minus ? at[dim] == 0 : at[dim] == torus->dims[dim] - 1;
    if (crosses)
        at[dim] = minus ? torus->dims[dim] - 1 : 0;
    else
        at[dim] = minus ? at[dim] - 1 : at[dim] + 1;
    if (crosses && torus->dims[dim] == torus->shortest) twist(torus, at);
    return index_of(torus, at);
}

static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)selector;
    const struct twisted_torus *torus = state;
    const struct coordinates *from = &torus->coordinates[node], *to = &torus->coordinates[destination];
    uint32_t difference[TWISTED_DIMS];
    bool twisted = false;
    for (uint32_t i = 0; i < torus->dim_count; i++) {
        bool below = to->at[i] < from->at[i];
        difference[i] = (uint32_t)to->at[i] + (below ? torus->dims[i] : 0) - from->at[i];
        twisted ^= below && torus->dims[i] == torus->shortest;
    }
    if (twisted) twist(torus, difference);
    return node * 2 * torus->dim_count + torus->next[index_of(torus, difference)][from->odd];
}

static uint32_t *find_distances(struct twisted_torus *torus, uint32_t endpoints) {
    uint32_t *distance = allocate(endpoints * sizeof *distance), *queue = allocate(endpoints * sizeof *queue);
    memset(distance, 0xff, endpoints * sizeof *distance);
    uint32_t head = 0, tail = 1;
    distance[0] = queue[0] = 0;
    while (head < tail) {
        uint32_t node = queue[head++];
        torus->diameter = distance[node];
        torus->distance_sum += distance[node];
        for (uint32_t port = 0; port < 2 * torus->dim_count; port++) {
            uint32_t next = neighbour(torus, node, port / 2, port % 2);
            if (distance[next] != UINT32_MAX) continue;
            distance[next] = distance[node] + 1;
            queue[tail++] = next;
        }
    }
    free(queue);
    return distance;
}

static void fill_next(struct twisted_torus *torus, uint32_t endpoints) {
    uint32_t *distance = find_distances(torus, endpoints);
    for (uint32_t difference = 1; difference < endpoints; difference++) {
        for (uint32_t i = torus->dim_count; i-- > 0;) {
            bool plus = distance[neighbour(torus, difference, i, true)] < distance[difference];
            bool minus = distance[neighbour(torus, difference, i, false)] < distance[difference];
            if (!plus && !minus) continue;
            torus->next[difference][0] = (uint8_t)(2 * i + !plus);
            torus->next[difference][1] = (uint8_t)(2 * i + minus);
            break;
        }
    }
    free(distance);
}

static void fill_coordinates(struct twisted_torus *torus, uint32_t endpoints) {
    torus->coordinates = allocate_zeroed(endpoints, sizeof *torus->coordinates);
    for (uint32_t e = 0; e < endpoints; e++) {
        struct coordinates *c = &torus->coordinates[e];
        uint32_t rest = e;
        for (uint32_t i = torus->dim_count; i-- > 0; rest /= torus->dims[i]) {
            c->at[i] = (uint16_t)(rest % torus->dims[i]);
            c->odd ^= c->at[i] & 1;
        }
    }
}

static bool build(struct topology *topology, struct error *err) {
    (void)err;
    const struct twisted_torus_config *config = topology->config;
    struct twisted_torus *torus = topology->state = allocate_zeroed(1, sizeof *torus);
    torus->dim_count = topology->dim_count = (uint32_t)config->dims.count;
    torus->shortest = UINT32_MAX;
    uint32_t endpoints = 1;
    for (uint32_t i = 0; i < torus->dim_count; i++) {
        uint32_t length = torus->dims[i] = topology->dims[i] = (uint32_t)config->dims.values[i];
        if (length < torus->shortest) torus->shortest = length;
        endpoints *= length;
    }
    fill_coordinates(torus, endpoints);
    torus->next = allocate_zeroed(endpoints, sizeof *torus->next);
    fill_next(torus, endpoints);
    graph_init(&topology->graph, endpoints, 0);
    for (uint32_t e = 0; e < endpoints; e++) {
        for (uint32_t port = 0; port < 2 * torus->dim_count; port++) {
            struct link_info link = shape_link_info(shape_link(&config->link, &config->links, port / 2));
            link.from = e, link.to = neighbour(torus, e, port / 2, port % 2);
            link.from_port = 1 + port, link.to_port = 1 + (port ^ 1);
            graph_add_link(&topology->graph, link);
        }
    }
    topology->router.state = torus;
    topology->router.next_link = next_link;
    return true;
}

static void free_torus(struct topology *topology) {
    struct twisted_torus *torus = topology->state;
    if (!torus) return;
    free(torus->coordinates);
    free(torus->next);
    free(torus);
}

static uint32_t diameter(const struct topology *topology) { return ((const struct twisted_torus *)topology->state)->diameter; }

static unsigned __int128 total_hops(const struct topology *topology) {
    return (unsigned __int128)topology->graph.endpoints * ((const struct twisted_torus *)topology->state)->distance_sum;
}

const struct topology_type twisted_torus_topology = {
    .variant = {"twisted-torus", "a torus of dims K and 2K whose short wraps are shifted by K", fields, sizeof(struct twisted_torus_config),
                check},
    .size = size,
    .build = build,
    .free_state = free_torus,
    .diameter = diameter,
    .total_hops = total_hops,
};
