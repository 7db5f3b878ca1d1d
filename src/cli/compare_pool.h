#ifndef CLI_COMPARE_POOL_H
#define CLI_COMPARE_POOL_H

#include "cli/compare_run.h"

/// The runs of one command, over all plans it executes.
struct compare_progress {
    size_t jobs, finished;
    int signal; ///< that ended them early; 0: none
};

/// Does the jobs of a plan in worker processes and fills its comparison. After a signal the rest is missing; so is
/// everything when there was one before. False on an internal error.
bool compare_execute(struct compare_plan *plan, struct compare_progress *progress, struct error *err);

#endif
