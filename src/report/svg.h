#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/result.h"
#include "scenario/output.h"

/// Pictures of networks whose links are coloured by what they had to do, as self-contained SVG files.

/// A link's value: the share of the time that it was busy, its bytes, or its peak queue in bytes.
double load_heat(const struct run_result *result, const struct carried_load *load, enum heat heat);

/// The end of a scale that suits the run: 1 for utilization, else its largest value.
double heat_most(const struct run_result *result, enum heat heat);

struct heat_map {
    const char *title, *subtitle; ///< two lines above the picture
    const struct run_result *result;
    uint32_t dim_count; ///< 0: the shape has no coordinates
    const uint32_t *dims;
    uint32_t group_size; ///< endpoints a node of a cluster; 0: no groups
    enum heat heat;
    double most; ///< what the darkest colour stands for
};

/// A network drawn, without scale.
struct svg_panel {
    double width, height;
    size_t size;
    char *text; ///< owned
};
struct svg_panel svg_panel_draw(const struct heat_map *map);

/// Panels side by side over one scale.
void svg_page_print(const struct svg_panel *panels, size_t count, enum heat heat, double most, FILE *out);

/// A page of one.
void report_svg(const struct heat_map *map, FILE *out);

/// The colour of a value between 0 and 1, "#e4e7ee".
enum { COLOR_SIZE = 8 };
char *heat_color(double share, char out[COLOR_SIZE]);

#endif
