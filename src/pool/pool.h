#ifndef POOL_POOL_H
#define POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/// Worker processes that do numbered jobs. Which worker does a job, and how many there are, is seen in nothing but the
/// time it takes. The pool knows nothing of what the jobs are.

/// How a job ended.
struct pool_outcome {
    size_t job;
    bool lost; ///< its worker died of it; `wait_status` is as waitpid gave it
    int wait_status;
    const char *data; ///< what `work` wrote; borrowed for the call
    size_t size;
};

struct pool_plan {
    size_t jobs;
    size_t workers; ///< at least 1
    void *context;
    /// In a worker process, forked from this one: does a job and writes its result.
    void (*work)(void *context, size_t job, FILE *out);
    /// In the calling process, once a job, in order of completion.
    void (*finished)(void *context, const struct pool_outcome *outcome);
};

/// Runs all jobs, a lost worker being replaced. SIGINT and SIGTERM end all workers; then *signal is the signal and jobs
/// that were not finished have no outcome. All workers are gone and waited for when it returns.
/// False on ERROR_INTERNAL (no process, no memory for events).
bool pool_run(const struct pool_plan *plan, int *signal, struct error *err);

/// How many cores this machine offers.
unsigned pool_cores(void);

#endif
