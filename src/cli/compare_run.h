#ifndef CLI_COMPARE_RUN_H
#define CLI_COMPARE_RUN_H

#include <sys/types.h>

#include "cli/load.h"
#include "cli/picture.h"
#include "cli/vary.h"
#include "report/compare.h"

/// The runs of a comparison, numbered point by point and within a point seed by seed.
struct compare_plan {
    const struct options *options;
    const struct source *source;
    const struct vary *vary;
    size_t jobs;
    size_t *job_point;            ///< per job
    size_t *first_job;            ///< per point
    struct comparison comparison; ///< results, filled in as they come
    pid_t parent;                 ///< whose end ends the workers' runs too
};

void compare_plan_make(struct compare_plan *plan, const struct options *options, const struct source *source, const struct vary *vary);
void compare_plan_free(struct compare_plan *plan);

/// Reads and prepares the scenario of a job.
bool compare_load(const struct compare_plan *plan, size_t job, FILE *messages, struct loaded *out);

/// In a worker: simulates one job; never fails but says in `out` what went wrong.
void compare_simulate(const struct compare_plan *plan, size_t job, struct compare_run *out);

/// In a worker: simulates one job and draws its links. False where that went wrong.
bool compare_draw(const struct compare_plan *plan, size_t job, const struct picture *picture, struct svg_panel *out);

#endif
