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

/// Shapes with coordinates are grids: the last dimension to the right, the one before it down, further ones as slices
/// side by side, their links as short slanted strokes at the node. A link around the end of a dimension is one stroke
/// out of the grid and one into it at the other side. A ring is a circle. Other shapes: endpoints in a row with their
/// switches above, by distance; or all in a circle where there are no switches.
struct svg_layout {
    const struct heat_map *map;
    double width, height;
    struct svg_point *nodes; ///< endpoints, then switches; owned
    bool grid;               ///< else links are straight lines
    double cell;             ///< of a grid: from node to node
    uint32_t doubled;        ///< bit d: the size-2 dimension d has two cables
};

struct svg_layout svg_layout_make(const struct heat_map *map);
void svg_layout_free(struct svg_layout *layout);

/// The strokes of a link; returns how many (1 or 2).
int svg_layout_strokes(const struct svg_layout *layout, const struct link_result *link, struct svg_stroke out[2]);

/// Coordinates of an endpoint, the last dimension fastest.
void svg_coordinates(const struct heat_map *map, uint32_t endpoint, uint32_t *out);

enum { SVG_NODE_RADIUS = 9 };

#endif
