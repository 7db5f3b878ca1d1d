#ifndef CLI_SHORTHAND_H
#define CLI_SHORTHAND_H

#include "base/error.h"
#include "cli/options.h"

/// Turns --topology torus:4x4, --link 45GB/s,1us, --collective all-reduce:ring and the options that stand for one key
/// into assignments as --set takes them ("network.topology.dims=[4,4]"), so that a run without a file is read by the
/// same parser as a file, with the same checks. The user's own --set come last.
bool shorthand_expand(const struct options *options, struct texts *assignments, struct error *err);

/// "--size 1MB --set network.chunk=whole": what of the command line changes which run a scenario is, and not only what it writes or
/// asserts; a long one ends in "…". NULL: nothing does. The caller frees it.
char *shorthand_changes(const struct options *options);

/// Whether a text is one of those shapes with something after its colon: "torus:4x4".
bool shorthand_is_shape(const char *text);

/// How the shapes that --topology knows are written: "torus:", each with its sizes to follow.
void shorthand_shapes(struct texts *out);

#endif
