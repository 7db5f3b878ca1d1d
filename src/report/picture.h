#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "report/svg.h"
#include "scenario/simulate.h"

/// A heat map of an experiment's run, with the network below the title.
struct picture {
    const char *title; ///< NULL: the scenario's name and the time
    enum heat heat;
    double most; ///< the end of the scale
};
struct svg_panel picture_draw(const struct picture *picture, const struct experiment *experiment, const struct run_result *result);

/// Writes a page of panels; what stood there before stays whole when that fails.
bool picture_save(const char *path, const struct picture *picture, const struct svg_panel *panels, size_t count, struct error *err);

/// Both, for one run.
bool picture_write(const char *path, enum heat heat, const struct experiment *experiment, const struct run_result *result,
                   struct error *err);

#endif
