#include "topo/grid.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"
#include "engine/chunk.h"

const char *const ties_names[] = {"parity", "positive", "split", NULL};
const char *const wrap2_names[] = {"single", "double", NULL};

enum { MAX_LISTED_DIMS = 6 };

bool grid_check_dims(const struct integers *dims, struct error *err) {
    if (dims->count < 1 || dims->count > MAX_LISTED_DIMS)
        return error_at(err, "dims", "has %zu dims: 1 to %d are allowed", dims->count, MAX_LISTED_DIMS);
    for (size_t i = 0; i < dims->count; i++)
        if (dims->values[i] < 1) return error_at(err, "dims", "every dim must be at least 1");
    return true;
}

void grid_take_dims(struct grid_shape *shape, const struct integers *dims, const struct link_config *link, const struct records *links) {
    shape->dim_count = (uint32_t)dims->count;
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        shape->dims[i] = (uint64_t)dims->values[i];
        shape->links[i] = shape_link(link, links, i);
    }
}

static uint32_t bits_of(uint64_t length) {
    uint32_t bits = 0;
    while (length > 1 && (length - 1) >> bits) bits++;
    return bits;
}

// Links that leave each endpoint along a wrapping dim.
static uint32_t wrapped_links(const struct grid_shape *shape, uint64_t length) {
    if (length == 1) return 0;
    if (shape->one_way || (length == 2 && shape->wrap2 == WRAP2_SINGLE)) return 1;
    return 2;
}

bool grid_size(const struct grid_shape *shape, uint64_t *endpoints, uint64_t *links, struct error *err) {
    uint64_t product = 1;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        product = size_times(product, shape->dims[i]);
        bits += bits_of(shape->dims[i]);
    }
    *endpoints = product;
    *links = 0;
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        uint64_t along = shape->wraps ? size_times(product, wrapped_links(shape, shape->dims[i]))
                                      : size_times(product / shape->dims[i], size_times(shape->dims[i] - 1, 2));
        *links = size_plus(*links, along);
    }
    if (bits > 32 && product <= UINT32_MAX) return error_set(err, ERROR_INPUT, "these dims are too large: coordinates must fit in 32 bits");
    return true;
}

// Which way from packed coordinates to others: the place of the link among the node's, in a mesh the bit of its port. The axis
// to travel is that of the highest bit in which they differ; the axes above it are equal, so that the difference of what is
// left after the shift is that of the coordinates. No branch that a processor could mispredict.
static inline uint32_t way_of(const struct grid *grid, uint32_t from, uint32_t to, uint32_t selector) {
    const struct ways *ways = &grid->ways_by_zeros[__builtin_clz(from ^ to)];
    uint32_t here = from >> ways->shift;
    int32_t ahead = (int32_t)((to >> ways->shift) - here);
    return ways->by_distance[WAYS_A_STEP * (ptrdiff_t)ahead + (ptrdiff_t)(selector >> ways->selector_shift & 1) * 2 + (here & 1)];
}

static uint32_t wrapped_next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct grid *grid = state;
    return node * grid->links_per_node + way_of(grid, grid->packed[node], grid->packed[destination], selector);
}

static uint32_t mesh_next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct grid *grid = state;
    uint32_t way = way_of(grid, grid->packed[node], grid->packed[destination], selector);
    return grid->first_out[node] + (uint32_t)__builtin_popcount(grid->ports[node] & ((1u << way) - 1));
}

static void wrapped_next_links(const void *state, struct chunk *const *chunks, size_t count) {
    const struct grid *grid = state;
    const uint32_t *packed = grid->packed;
    const uint32_t links_per_node = grid->links_per_node;
    for (size_t k = 0; k < count; k++) {
        struct chunk *chunk = chunks[k];
        const uint32_t node = chunk->out;
        chunk->out = node * links_per_node + way_of(grid, packed[node], packed[chunk->destination], chunk->selector);
    }
}

// The same from coordinates worked out. The product's upper half is the exact quotient where both are below 2^32.
static inline uint32_t pack(const struct grid *grid, const struct axis *last, uint32_t endpoint) {
    uint32_t row = (uint32_t)((unsigned __int128)grid->inverse_length * endpoint >> 64);
    return grid->rows[row] | (endpoint - row * last->length) << last->shift;
}

static void wrapped_next_links_by_rows(const void *state, struct chunk *const *chunks, size_t count) {
    const struct grid *grid = state;
    const struct axis *last = &grid->axes[grid->last_axis];
    for (size_t k = 0; k < count; k++) {
        struct chunk *chunk = chunks[k];
        const uint32_t node = chunk->out;
        chunk->out = node * grid->links_per_node + way_of(grid, grid->packed[node], pack(grid, last, chunk->destination), chunk->selector);
    }
}

// Bit 0: the chunk's parity, for ties that split; bit 1: of message and chunk together, for doubled dims of 2.
static uint32_t parities(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    (void)state, (void)source, (void)destination;
    uint32_t chunk_bit = (uint32_t)chunk & 1;
    return chunk_bit | ((message_number ^ chunk_bit) & 1) << 1;
}

// The way for each distance along an axis from -(length - 1) to length - 1, each by the selector's bit and the parity of the
// coordinate, which tell at half way round.
static uint8_t *fill_ways(const struct axis *axis, bool wraps) {
    int64_t length = axis->length;
    uint8_t *ways = allocate((size_t)(2 * length - 1) * WAYS_A_STEP), *way = ways;
    for (int64_t ahead = 1 - length; ahead < length; ahead++) {
        int64_t forward = ahead < 0 ? ahead + length : ahead;
        for (unsigned k = 0; k < WAYS_A_STEP; k++) {
            unsigned tie = (k & axis->coordinate_bit) ^ (k >> 1 & axis->selector_bit);
            bool minus = !wraps ? ahead < 0 : 2 * forward == length ? tie : forward > axis->reach;
            *way++ = (uint8_t)(axis->plus + minus);
        }
    }
    return ways;
}

// Fills the axes; returns whether any route depends on the selector.
static bool fill_axes(struct grid *grid, const struct grid_shape *shape) {
    bool selects = false;
    uint32_t shift = 0;
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        uint32_t length = (uint32_t)shape->dims[i], bits = bits_of(length);
        uint32_t weight = shape->wraps ? wrapped_links(shape, length) : length > 1 ? 2 : 0;
        uint32_t plus = shape->wraps ? grid->links_per_node : 2 * i;
        bool rule = shape->wraps && weight == 2 && length % 2 == 0, doubled = rule && length == 2;
        grid->links_per_node += weight;
        grid->axes[i] = (struct axis){
            .length = length,
            .mask = (uint32_t)((UINT64_C(1) << bits) - 1),
            .reach = shape->one_way ? length : length / 2,
            .shift = (uint8_t)(bits ? shift : 0),
            .plus = (uint8_t)plus,
            .coordinate_bit = rule && (doubled || shape->ties != TIES_POSITIVE),
            .selector_bit = rule && (doubled || shape->ties == TIES_SPLIT),
            .weight = (uint8_t)weight,
        };
        selects = selects || grid->axes[i].selector_bit;
        grid->ways[i] = fill_ways(&grid->axes[i], shape->wraps);
        const struct ways ways = {grid->ways[i] + WAYS_A_STEP * (length - 1), grid->axes[i].shift, doubled};
        for (; bits > 0; bits--) grid->ways_by_zeros[31 - shift++] = ways;
    }
    return selects;
}

// In order of their ports, so that the graph is sorted as it grows.
static void add_links_of(struct graph *graph, const struct grid_shape *shape, uint32_t node, const uint32_t *at) {
    uint32_t stride = graph->endpoints;
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        uint32_t length = (uint32_t)shape->dims[i], plus = 1 + 2 * i, minus = 2 + 2 * i;
        stride /= length;
        if (length == 1) continue;
        struct link_info link = shape_link_info(shape->links[i]);
        link.from = node;
        bool last = at[i] == length - 1, first = at[i] == 0;
        bool single = shape->wraps && wrapped_links(shape, length) == 1;
        if (shape->wraps || !last) {
            link.to = last ? node - (length - 1) * stride : node + stride;
            link.from_port = plus;
            link.to_port = single && !shape->one_way ? plus : minus;
            graph_add_link(graph, link);
        }
        if (shape->wraps ? !single : !first) {
            link.to = first ? node + (length - 1) * stride : node - stride;
            link.from_port = minus, link.to_port = plus;
            graph_add_link(graph, link);
        }
    }
}

static uint16_t mesh_ports(const struct grid_shape *shape, const uint32_t *at) {
    unsigned ports = 0;
    for (uint32_t i = 0; i < shape->dim_count; i++) {
        if (at[i] + 1 < shape->dims[i]) ports |= 1u << (2 * i);
        if (at[i] > 0) ports |= 2u << (2 * i);
    }
    return (uint16_t)ports;
}

enum { MANY_ENDPOINTS = 1 << 16, LONG_ROW = 8 };

// Destinations are at random: looking them up would miss the near caches.
static void use_rows(struct topology *topology, struct grid *grid) {
    uint32_t endpoints = topology->graph.endpoints;
    if (!grid->wraps || endpoints < MANY_ENDPOINTS) return; // a single endpoint may have no axis
    const struct axis *last = &grid->axes[grid->last_axis];
    if (last->length < LONG_ROW) return;
    uint32_t count = endpoints / last->length;
    grid->rows = allocate(count * sizeof *grid->rows);
    for (uint32_t r = 0; r < count; r++) grid->rows[r] = grid->packed[r * last->length];
    grid->inverse_length = UINT64_MAX / last->length + 1;
    topology->router.next_links = wrapped_next_links_by_rows;
}

void grid_build(struct topology *topology, const struct grid_shape *shape) {
    uint64_t endpoints = 1;
    for (uint32_t i = 0; i < shape->dim_count; i++) endpoints *= topology->dims[i] = (uint32_t)shape->dims[i];
    topology->dim_count = shape->dim_count;
    struct graph *graph = &topology->graph;
    graph_init(graph, (uint32_t)endpoints, 0);
    struct grid *grid = topology->state = allocate_zeroed(1, sizeof *grid);
    grid->wraps = shape->wraps, grid->one_way = shape->one_way;
    grid->last_axis = shape->dim_count - 1;
    bool selects = fill_axes(grid, shape);
    grid->packed = allocate(endpoints * sizeof *grid->packed);
    if (!shape->wraps) grid->ports = allocate(endpoints * sizeof *grid->ports);
    PAGES_RESERVE(graph->links, graph->link_capacity, endpoints * grid->links_per_node);
    uint32_t at[MAX_DIMS] = {0};
    for (uint32_t node = 0; node < endpoints; node++) {
        uint32_t packed = 0;
        for (uint32_t i = 0; i < shape->dim_count; i++) packed |= at[i] << grid->axes[i].shift;
        grid->packed[node] = packed;
        if (grid->ports) grid->ports[node] = mesh_ports(shape, at);
        add_links_of(graph, shape, node, at);
        for (uint32_t i = shape->dim_count; i-- > 0 && ++at[i] == shape->dims[i];) at[i] = 0;
    }
    topology->router.state = grid;
    topology->router.next_link = shape->wraps ? wrapped_next_link : mesh_next_link;
    topology->router.next_links = shape->wraps ? wrapped_next_links : NULL;
    use_rows(topology, grid);
    if (selects) {
        topology->router.selector = parities;
        topology->router.period = topology->router.message_period = 2;
        topology->selector_limit = 4;
    }
}

bool grid_index(struct topology *topology, struct error *err) {
    (void)err;
    struct grid *grid = topology->state;
    grid->first_out = topology->graph.first_out;
    return true;
}

void grid_translations(const struct topology *topology, struct translations *out) {
    *out = (struct translations){.count = topology->dim_count};
    for (uint32_t i = 0; i < out->count; i++) out->radix[i] = topology->dims[i], out->step[i] = 1;
}

void grid_free(struct topology *topology) {
    struct grid *grid = topology->state;
    if (!grid) return;
    free(grid->packed);
    free(grid->rows);
    free(grid->ports);
    for (uint32_t i = 0; i < MAX_DIMS; i++) free(grid->ways[i]);
    free(grid);
}
