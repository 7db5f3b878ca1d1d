#ifndef REPORT_SVG_LAYOUT_H
#define REPORT_SVG_LAYOUT_H

#include "report/svg.h"

/// Where nodes stand and how links run. Traffic keeps to the right of a cable, so both its links are seen.

struct svg_point {
    double x, y;
};

struct svg_stroke {
    struct svg_point from, to;
};

struct svg_box {
    double x, y, width, height;
};

struct svg_bar {
    double half, reach;
};

/// Shapes with coordinates are grids: the last dimension to the right, the one before it down, further ones as slices
/// side by side, their links as short slanted strokes at the node. A link around the end of a dimension is one stroke
/// out of the grid and one into it at the other side. A ring is a circle. A cluster's nodes stand in boxes side by side
/// with what is inside them, the fabric above. Other shapes: endpoints in a row with their switches above, by distance;
/// where nodes of one distance are linked, switches in a circle with their endpoints outside; or all in a circle where
/// there are no switches.
struct svg_layout {
    const struct heat_map *map;
    double width, height;
    struct svg_point *nodes; ///< endpoints, then switches; owned
    /// Per switch of rows: half its width, and how far its farthest neighbour is to a side. Links spread over that width.
    struct svg_bar *bars; ///< NULL: all switches are small; owned
    uint32_t box_count;
    struct svg_box *boxes; ///< of a cluster's nodes; owned
    bool grid;             ///< else links are straight lines
    double cell;           ///< of a grid: from node to node
    uint32_t doubled;      ///< bit d: the size-2 dimension d has two cables
};

struct svg_layout svg_layout_make(const struct heat_map *map);
void svg_layout_free(struct svg_layout *layout);

/// The strokes of a link; returns how many (1 or 2).
int svg_layout_strokes(const struct svg_layout *layout, const struct link_info *link, struct svg_stroke out[2]);

/// Coordinates of an endpoint, the last dimension fastest.
void svg_coordinates(const struct heat_map *map, uint32_t endpoint, uint32_t *out);

enum { SVG_NODE_RADIUS = 9, SVG_SWITCH_HALF = 13, SVG_CELL = 46, SVG_MARGIN = 40, SVG_LEVEL_HEIGHT = 110 };

/// Places `count` nodes evenly on a circle, the first at the top.
void svg_place_circle(struct svg_point *nodes, uint32_t count, struct svg_point middle, double radius);

/// The least radius at which so many nodes do not touch.
double svg_circle_radius(uint32_t count);

/// Shapes with switches: by levels or, in svg_cluster.c, by the nodes of a cluster; false where it is no cluster.
void svg_place_levels(struct svg_layout *layout);
bool svg_place_cluster(struct svg_layout *layout);

/// Widens the switches that stand in rows after their links; `room` is per switch the width that it may take.
void svg_spread_switches(struct svg_layout *layout, const double *room);

/// Per node, how many hops from the nearest endpoint; returns the most. `levels` has an entry per node.
uint32_t svg_find_levels(const struct run_result *result, uint32_t *levels);

#endif
