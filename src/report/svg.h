#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/result.h"

/// A picture of a network whose links are coloured by utilisation, as one self-contained SVG file.
struct heat_map {
    const char *title, *subtitle; ///< two lines above the picture
    const struct run_result *result;
    uint32_t dim_count; ///< 0: the shape has no coordinates
    const uint32_t *dims;
};
void report_svg(const struct heat_map *map, FILE *out);

#endif
