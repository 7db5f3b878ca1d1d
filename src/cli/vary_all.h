#ifndef CLI_VARY_ALL_H
#define CLI_VARY_ALL_H

#include "cli/load.h"
#include "cli/vary.h"

/// Puts the names of all algorithms that can do the workload in place of "all" among the values of workload.algorithm. The
/// other axes are at their first values meanwhile. False after a message: no such workload.
bool vary_expand_all(struct vary *vary, const struct source *source, FILE *messages);

#endif
