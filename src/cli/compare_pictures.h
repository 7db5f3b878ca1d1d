#ifndef CLI_COMPARE_PICTURES_H
#define CLI_COMPARE_PICTURES_H

#include "cli/compare_run.h"

/// Runs what is to be shown of a finished comparison once more (the same to the tick) and writes heat maps on one scale:
/// of the best run, of the worst, and of all points side by side (of many points those two). For a path NAME.svg
/// they are NAME-best.svg, NAME-worst.svg and NAME.svg, else best.svg, worst.svg and runs.svg in that folder, which is made.
/// The paths are printed to `out`, which may be NULL.
bool compare_write_pictures(const struct compare_plan *plan, const char *path, FILE *out, struct error *err);

#endif
