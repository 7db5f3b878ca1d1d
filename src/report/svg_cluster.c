#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/svg_layout.h"

enum { PADDING = 16, BOX_GAP = 24, INSIDE_HEIGHT = 90, LABEL_HEIGHT = 26 };

static const double pi = 3.14159265358979323846;

/// What stands inside the nodes of a cluster. A switch is inside a node when switches connected to it, directly or over
/// other switches, lead to endpoints of that node only; else it is of the fabric.
struct cluster {
    uint32_t groups, group_size;
    uint32_t *inside;     ///< per switch: the node, or `groups` for the fabric
    uint32_t most_inside; ///< switches in one node
    uint32_t fabric;      ///< switches of the fabric
    bool arcs;            ///< endpoints of a node are linked directly: they stand in an arc, those links below, the fabric's above
    double radius;        ///< of the arcs
    double box_width, box_height, row_y; ///< the boxes' size, and where their endpoints' row (or circle's middle) is
};

/// The node that two neighbours have in common: `unknown` gives way, different ones become `groups`.
static uint32_t merge(const struct cluster *cluster, uint32_t a, uint32_t b) {
    uint32_t unknown = cluster->groups + 1;
    return a == unknown ? b : b == unknown || a == b ? a : cluster->groups;
}

static void find_inside(struct cluster *cluster, const struct run_result *result) {
    cluster->inside = allocate((size_t)result->switches * sizeof *cluster->inside);
    for (uint32_t s = 0; s < result->switches; s++) cluster->inside[s] = cluster->groups + 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t l = 0; l < result->link_count; l++) {
            const struct link_info *link = &result->graph->links[l];
            if (link->to < result->endpoints) continue;
            uint32_t *group = &cluster->inside[link->to - result->endpoints];
            uint32_t from =
                link->from < result->endpoints ? link->from / cluster->group_size : cluster->inside[link->from - result->endpoints];
            uint32_t merged = merge(cluster, *group, from);
            changed = changed || merged != *group;
            *group = merged;
        }
    }
}

static void count_inside(struct cluster *cluster, const struct run_result *result) {
    uint32_t *count = allocate_zeroed(cluster->groups + 2, sizeof *count);
    for (uint32_t s = 0; s < result->switches; s++) count[cluster->inside[s]]++;
    for (uint32_t g = 0; g < cluster->groups; g++)
        if (count[g] > cluster->most_inside) cluster->most_inside = count[g];
    cluster->fabric = count[cluster->groups];
    free(count);
    for (uint32_t l = 0; l < result->link_count; l++) {
        const struct link_info *link = &result->graph->links[l];
        cluster->arcs = cluster->arcs || (link->from < result->endpoints && link->to < result->endpoints);
    }
}

static void measure_boxes(struct cluster *cluster) {
    double row = (double)cluster->group_size * SVG_CELL, edge = SVG_NODE_RADIUS + PADDING;
    cluster->radius = fmax(60, 2 * svg_circle_radius(cluster->group_size));
    if (cluster->arcs) row = 2 * (cluster->radius + edge);
    cluster->row_y = edge + (cluster->arcs ? cluster->radius : 0);
    cluster->box_width = fmax(row, (double)cluster->most_inside * SVG_CELL);
    cluster->box_height = cluster->row_y + SVG_NODE_RADIUS + LABEL_HEIGHT;
    if (cluster->most_inside > 0) cluster->box_height += INSIDE_HEIGHT;
}

static void place_arc(const struct cluster *cluster, struct svg_point middle, struct svg_point *nodes) {
    for (uint32_t i = 0; i < cluster->group_size; i++) {
        double angle = pi * (1 - i / fmax(1, cluster->group_size - 1.0));
        nodes[i] = (struct svg_point){middle.x + cluster->radius * cos(angle), middle.y - cluster->radius * sin(angle)};
    }
}

/// The fabric's rows, evenly over the whole width; returns the height that they take.
static double place_fabric(struct svg_layout *layout, const struct cluster *cluster, double *room) {
    const struct run_result *result = layout->map->result;
    uint32_t *levels = allocate(((size_t)result->endpoints + result->switches) * sizeof *levels);
    uint32_t top = svg_find_levels(result, levels);
    uint32_t *count = allocate_zeroed(top + 1, sizeof *count), *seen = allocate_zeroed(top + 1, sizeof *seen);
    for (uint32_t s = 0; s < result->switches; s++)
        if (cluster->inside[s] == cluster->groups) count[levels[result->endpoints + s]]++;
    while (top > 1 && count[top] == 0) top--;
    for (uint32_t s = 0; s < result->switches; s++) {
        uint32_t v = result->endpoints + s, level = levels[v];
        if (cluster->inside[s] != cluster->groups) continue;
        double share = (seen[level]++ + 0.5) / count[level];
        layout->nodes[v].x = SVG_MARGIN + share * (layout->width - 2 * SVG_MARGIN);
        layout->nodes[v].y = SVG_MARGIN + (double)(top - level) * SVG_LEVEL_HEIGHT;
        room[s] = (layout->width - 2 * SVG_MARGIN) / count[level];
    }
    free(levels);
    free(count);
    free(seen);
    return (double)top * SVG_LEVEL_HEIGHT;
}

static void place_box(struct svg_layout *layout, const struct cluster *cluster, uint32_t group, double top) {
    const struct run_result *result = layout->map->result;
    struct svg_box *box = &layout->boxes[group];
    *box = (struct svg_box){SVG_MARGIN + group * (cluster->box_width + BOX_GAP), top, cluster->box_width, cluster->box_height};
    struct svg_point *nodes = layout->nodes + group * cluster->group_size, middle = {box->x + box->width / 2, top + cluster->row_y};
    for (uint32_t i = 0; i < cluster->group_size; i++)
        nodes[i] = (struct svg_point){middle.x + (i + 0.5 - cluster->group_size / 2.0) * SVG_CELL, middle.y};
    if (cluster->arcs) place_arc(cluster, middle, nodes);
    uint32_t seen = 0, count = 0;
    for (uint32_t s = 0; s < result->switches; s++) count += cluster->inside[s] == group;
    for (uint32_t s = 0; s < result->switches; s++)
        if (cluster->inside[s] == group)
            layout->nodes[result->endpoints + s] =
                (struct svg_point){box->x + box->width * (seen++ + 0.5) / count, box->y + box->height - LABEL_HEIGHT - SVG_NODE_RADIUS};
}

bool svg_place_cluster(struct svg_layout *layout) {
    const struct run_result *result = layout->map->result;
    uint32_t size = layout->map->group_size;
    if (size == 0 || result->endpoints % size != 0 || result->endpoints == size) return false;
    struct cluster cluster = {.groups = result->endpoints / size, .group_size = size};
    find_inside(&cluster, result);
    count_inside(&cluster, result);
    bool good = cluster.fabric > 0 && (cluster.most_inside > 0 || cluster.arcs);
    if (good) {
        measure_boxes(&cluster);
        layout->width = 2 * SVG_MARGIN + cluster.groups * (cluster.box_width + BOX_GAP) - BOX_GAP;
        layout->box_count = cluster.groups;
        layout->boxes = allocate(cluster.groups * sizeof *layout->boxes);
        double *room = allocate(result->switches * sizeof *room);
        for (uint32_t s = 0; s < result->switches; s++) room[s] = cluster.box_width / cluster.most_inside;
        double top = SVG_MARGIN + place_fabric(layout, &cluster, room);
        for (uint32_t g = 0; g < cluster.groups; g++) place_box(layout, &cluster, g, top);
        svg_spread_switches(layout, room);
        free(room);
        layout->height = top + cluster.box_height + SVG_MARGIN / 2.0;
    }
    free(cluster.inside);
    return good;
}
