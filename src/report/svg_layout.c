#include "report/svg_layout.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { ROOMY_CELL = 72, ROOMY_MOST = 8, CIRCLE_LEAST = 130, MOST_DIMS = 6 };

static const double lane = 3.5, circle_gap = 34, pi = 3.14159265358979323846;

void svg_coordinates(const struct heat_map *map, uint32_t endpoint, uint32_t *out) {
    for (uint32_t d = map->dim_count; d-- > 0;) {
        out[d] = endpoint % map->dims[d];
        endpoint /= map->dims[d];
    }
}

/// Ports of grids: 1 + 2 dim towards +1, 2 + 2 dim towards -1 (model.md, "Numbering of the shapes").
static uint32_t link_dim(const struct link_info *link) { return (link->from_port - 1) / 2; }
static int link_sign(const struct link_info *link) { return link->from_port % 2 ? 1 : -1; }

/// Whether the link leads around the end of its dimension.
static bool is_wrap(const struct svg_layout *layout, const struct link_info *link) {
    uint32_t at[MOST_DIMS], dim = link_dim(link), size = layout->map->dims[dim];
    svg_coordinates(layout->map, link->from, at);
    if (size == 2 && !(layout->doubled >> dim & 1)) return false;
    return link_sign(link) > 0 ? at[dim] == size - 1 : at[dim] == 0;
}

/// A size-2 dimension has two cables when coordinate 0 has a port towards -1.
static uint32_t find_doubled(const struct heat_map *map) {
    uint32_t doubled = 0, at[MOST_DIMS];
    for (uint32_t l = 0; l < map->result->link_count; l++) {
        const struct link_info *link = &map->result->graph->links[l];
        uint32_t dim = link_dim(link);
        svg_coordinates(map, link->from, at);
        if (map->dims[dim] == 2 && link_sign(link) < 0 && at[dim] == 0) doubled |= 1U << dim;
    }
    return doubled;
}

static void place_grid(struct svg_layout *layout) {
    const struct heat_map *map = layout->map;
    uint32_t d = map->dim_count, at[MOST_DIMS];
    uint32_t columns = map->dims[d - 1], rows = d > 1 ? map->dims[d - 2] : 1;
    uint32_t slices = map->result->endpoints / (columns * rows);
    uint32_t across = (uint32_t)ceil(sqrt((double)slices));
    layout->cell = columns <= ROOMY_MOST && rows <= ROOMY_MOST ? ROOMY_CELL : SVG_CELL;
    double cell = layout->cell, slice_width = (columns + 1.0) * cell, slice_height = (rows + 1.0) * cell;
    for (uint32_t v = 0; v < map->result->endpoints; v++) {
        svg_coordinates(map, v, at);
        uint32_t slice = v / (columns * rows);
        layout->nodes[v].x = SVG_MARGIN + slice % across * slice_width + (at[d - 1] + 0.5) * cell;
        layout->nodes[v].y = SVG_MARGIN + slice / across * slice_height + ((d > 1 ? at[d - 2] : 0) + 0.5) * cell;
    }
    layout->width = 2 * SVG_MARGIN + across * slice_width - cell;
    layout->height = 2 * SVG_MARGIN + (slices + across - 1) / across * slice_height - cell;
}

void svg_place_circle(struct svg_point *nodes, uint32_t count, struct svg_point middle, double radius) {
    for (uint32_t v = 0; v < count; v++) {
        double angle = 2 * pi * v / count - pi / 2;
        nodes[v] = (struct svg_point){middle.x + radius * cos(angle), middle.y + radius * sin(angle)};
    }
}

double svg_circle_radius(uint32_t count) { return count * circle_gap / (2 * pi); }

static void place_circle(struct svg_layout *layout) {
    double radius = fmax(CIRCLE_LEAST, svg_circle_radius(layout->map->result->endpoints)), middle = SVG_MARGIN + radius;
    svg_place_circle(layout->nodes, layout->map->result->endpoints, (struct svg_point){middle, middle}, radius);
    layout->width = layout->height = 2 * middle;
}

static bool has_wraps(const struct svg_layout *layout) {
    for (uint32_t l = 0; l < layout->map->result->link_count; l++)
        if (is_wrap(layout, &layout->map->result->graph->links[l])) return true;
    return false;
}

struct svg_layout svg_layout_make(const struct heat_map *map) {
    const struct run_result *result = map->result;
    struct svg_layout layout = {.map = map};
    layout.nodes = allocate_zeroed((size_t)result->endpoints + result->switches, sizeof *layout.nodes);
    layout.grid = map->dim_count > 0 && map->dim_count <= MOST_DIMS && result->switches == 0;
    if (layout.grid) layout.doubled = find_doubled(map);
    if (layout.grid && map->dim_count == 1 && map->dims[0] > 2 && has_wraps(&layout)) layout.grid = false;
    if (layout.grid)
        place_grid(&layout);
    else if (result->switches == 0)
        place_circle(&layout);
    else if (!svg_place_cluster(&layout))
        svg_place_levels(&layout);
    return layout;
}

void svg_layout_free(struct svg_layout *layout) {
    free(layout->nodes);
    free(layout->boxes);
    free(layout->bars);
    *layout = (struct svg_layout){0};
}

/// A stroke from a distance `start` to `end` along a unit direction, shifted to the right of it.
static struct svg_stroke stroke_along(struct svg_point origin, struct svg_point direction, double start, double end) {
    struct svg_point base = {origin.x - lane * direction.y, origin.y + lane * direction.x};
    return (struct svg_stroke){{base.x + start * direction.x, base.y + start * direction.y},
                               {base.x + end * direction.x, base.y + end * direction.y}};
}

void svg_spread_switches(struct svg_layout *layout, const double *room) {
    const struct run_result *result = layout->map->result;
    layout->bars = allocate_zeroed(result->switches, sizeof *layout->bars);
    for (uint32_t l = 0; l < result->link_count; l++) {
        const struct link_info *link = &result->graph->links[l];
        if (link->from < result->endpoints) continue;
        struct svg_bar *bar = &layout->bars[link->from - result->endpoints];
        bar->half += 2 * lane;
        bar->reach = fmax(bar->reach, fabs(layout->nodes[link->to].x - layout->nodes[link->from].x));
    }
    for (uint32_t s = 0; s < result->switches; s++) layout->bars[s].half = fmax(SVG_SWITCH_HALF, fmin(layout->bars[s].half, 0.4 * room[s]));
}

/// Where a link to `other` meets a node.
static struct svg_point meeting(const struct svg_layout *layout, uint32_t node, uint32_t other) {
    struct svg_point at = layout->nodes[node];
    uint32_t endpoints = layout->map->result->endpoints;
    if (!layout->bars || node < endpoints || layout->bars[node - endpoints].reach <= 0) return at;
    const struct svg_bar *bar = &layout->bars[node - endpoints];
    at.x += (bar->half - 1.5 * lane) * (layout->nodes[other].x - at.x) / bar->reach;
    return at;
}

/// How many links from the same node to the same node come before it: they lie beside each other. Only looked for where
/// a node has few links.
static int find_parallel(const struct svg_layout *layout, const struct link_info *link) {
    enum { LOOKED_AT_MOST = 256 };
    const struct link_info *first = layout->map->result->graph->links;
    int count = 0;
    for (const struct link_info *l = link; l > first && l[-1].from == link->from && link - l < LOOKED_AT_MOST; l--)
        count += l[-1].to == link->to;
    return count;
}

static int straight(const struct svg_layout *layout, const struct link_info *link, struct svg_stroke out[2]) {
    struct svg_point from = meeting(layout, link->from, link->to), to = meeting(layout, link->to, link->from);
    double length = hypot(to.x - from.x, to.y - from.y), aside = layout->grid ? 0 : 2 * lane * find_parallel(layout, link);
    struct svg_point direction = {length > 0 ? (to.x - from.x) / length : 1, length > 0 ? (to.y - from.y) / length : 0};
    from.x -= aside * direction.y, from.y += aside * direction.x;
    uint32_t endpoints = layout->map->result->endpoints; // switches are wide; they cover the ends of their links
    double start = link->from < endpoints ? SVG_NODE_RADIUS : 0, end = link->to < endpoints ? SVG_NODE_RADIUS : 0;
    out[0] = stroke_along(from, direction, start, length - end);
    return 1;
}

int svg_layout_strokes(const struct svg_layout *layout, const struct link_info *link, struct svg_stroke out[2]) {
    struct svg_point from = layout->nodes[link->from], to = layout->nodes[link->to];
    if (!layout->grid) return straight(layout, link, out);
    uint32_t dim = link_dim(link), last = layout->map->dim_count - 1;
    double sign = link_sign(link), outside = 0.6 * layout->cell;
    if (dim + 1 < last) { // between slices: a slanted stroke for each outer dimension
        double angle = pi / 4 + pi / 10 * dim;
        struct svg_point direction = {sign * cos(angle), -sign * sin(angle)};
        out[0] = stroke_along(from, direction, SVG_NODE_RADIUS, 0.45 * layout->cell);
        return 1;
    }
    if (!is_wrap(layout, link)) return straight(layout, link, out);
    struct svg_point direction = {dim == last ? sign : 0, dim == last ? 0 : sign};
    out[0] = stroke_along(from, direction, SVG_NODE_RADIUS, outside);
    out[1] = stroke_along(to, direction, -outside, -SVG_NODE_RADIUS);
    return 2;
}
