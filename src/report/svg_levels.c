#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/svg_layout.h"

enum { RING_GAP = 64 };

/// By relaxing all links until nothing changes.
uint32_t svg_find_levels(const struct run_result *result, uint32_t *levels) {
    uint32_t nodes = result->endpoints + result->switches, top = 0;
    for (uint32_t v = 0; v < nodes; v++) levels[v] = v < result->endpoints ? 0 : nodes;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t l = 0; l < result->link_count; l++) {
            const struct link_info *link = &result->graph->links[l];
            if (levels[link->to] <= levels[link->from] + 1) continue;
            levels[link->to] = levels[link->from] + 1;
            changed = true;
        }
    }
    for (uint32_t v = 0; v < nodes; v++) {
        if (levels[v] == nodes) levels[v] = 1; // no link leads there
        if (levels[v] > top) top = levels[v];
    }
    return top;
}

static void place_rows(struct svg_layout *layout, const uint32_t *levels, uint32_t top) {
    const struct run_result *result = layout->map->result;
    uint32_t nodes = result->endpoints + result->switches, widest = 0;
    uint32_t *count = allocate_zeroed(top + 1, sizeof *count), *seen = allocate_zeroed(top + 1, sizeof *seen);
    for (uint32_t v = 0; v < nodes; v++)
        if (++count[levels[v]] > widest) widest = count[levels[v]];
    layout->width = 2 * SVG_MARGIN + (double)widest * SVG_CELL;
    layout->height = 2 * SVG_MARGIN + (double)top * SVG_LEVEL_HEIGHT;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t level = levels[v];
        double share = (seen[level]++ + 0.5) / count[level];
        layout->nodes[v] =
            (struct svg_point){SVG_MARGIN + share * widest * SVG_CELL, SVG_MARGIN + (double)(top - level) * SVG_LEVEL_HEIGHT};
    }
    double *room = allocate(result->switches * sizeof *room);
    for (uint32_t s = 0; s < result->switches; s++) room[s] = (double)widest * SVG_CELL / count[levels[result->endpoints + s]];
    svg_spread_switches(layout, room);
    free(room);
    free(count);
    free(seen);
}

/// The first switch that each endpoint is linked to, as a number from 0; `switches` where there is none.
static uint32_t *find_hosts(const struct run_result *result) {
    uint32_t *hosts = allocate(result->endpoints * sizeof *hosts);
    for (uint32_t v = 0; v < result->endpoints; v++) hosts[v] = result->switches;
    for (uint32_t l = 0; l < result->link_count; l++) {
        const struct link_info *link = &result->graph->links[l];
        if (link->from >= result->endpoints || link->to < result->endpoints) continue;
        if (link->to - result->endpoints < hosts[link->from]) hosts[link->from] = link->to - result->endpoints;
    }
    return hosts;
}

/// Switches in a circle, endpoints in a larger one, sorted by the switch they are linked to.
static void place_circles(struct svg_layout *layout) {
    const struct run_result *result = layout->map->result;
    uint32_t *hosts = find_hosts(result), slot = 0;
    double inner = fmax(90, 1.4 * svg_circle_radius(result->switches));
    double outer = fmax(inner + RING_GAP, svg_circle_radius(result->endpoints));
    struct svg_point middle = {SVG_MARGIN + outer, SVG_MARGIN + outer}, *slots = allocate(result->endpoints * sizeof *slots);
    inner = fmax(inner, outer - 2 * RING_GAP);
    svg_place_circle(slots, result->endpoints, middle, outer);
    for (uint32_t s = 0; s <= result->switches; s++)
        for (uint32_t v = 0; v < result->endpoints; v++)
            if (hosts[v] == s) layout->nodes[v] = slots[slot++];
    svg_place_circle(layout->nodes + result->endpoints, result->switches, middle, inner);
    layout->width = layout->height = 2 * (SVG_MARGIN + outer);
    free(slots);
    free(hosts);
}

void svg_place_levels(struct svg_layout *layout) {
    const struct run_result *result = layout->map->result;
    uint32_t *levels = allocate(((size_t)result->endpoints + result->switches) * sizeof *levels);
    uint32_t top = svg_find_levels(result, levels);
    bool beside = false;
    for (uint32_t l = 0; l < result->link_count; l++)
        beside = beside || levels[result->graph->links[l].from] == levels[result->graph->links[l].to];
    if (beside)
        place_circles(layout);
    else
        place_rows(layout, levels, top);
    free(levels);
}
