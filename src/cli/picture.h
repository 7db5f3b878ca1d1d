#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "cli/load.h"
#include "cli/options.h"
#include "report/svg.h"

/// --heat; ERROR_INPUT for an unknown one.
bool heat_from_options(const struct options *options, enum heat *out, struct error *err);

/// A heat map of a run with the network below the title. `most` is the end of its scale.
struct picture {
    const char *title;
    enum heat heat;
    double most;
};
struct svg_panel picture_draw(const struct picture *picture, const struct loaded *loaded, const struct run_result *result);

/// Writes a page of panels, beside its place first.
bool picture_save(const char *path, const struct picture *picture, const struct svg_panel *panels, size_t count, struct error *err);

#endif
