#ifndef CLI_COMPARE_PICTURES_H
#define CLI_COMPARE_PICTURES_H

#include "cli/compare_run.h"

/// Runs the best and the worst of a finished comparison once more (the same to the tick) and writes their heat maps:
/// NAME-best.svg and NAME-worst.svg for a path NAME.svg, else best.svg and worst.svg in that folder, which is made.
/// The paths are printed to `out`.
bool compare_write_pictures(const struct compare_plan *plan, const char *path, FILE *out, struct error *err);

#endif
