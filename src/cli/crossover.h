#ifndef CLI_CROSSOVER_H
#define CLI_CROSSOVER_H

#include "cli/compare_pool.h"
#include "report/crossover.h"

/// Whether algorithms are varied over rising sizes and nothing else; then says so in the study.
bool crossover_axes(const struct vary *vary, struct crossover_study *study);

/// After the plan's runs: where the fastest algorithm changes between neighbouring sizes, halves the gap, running all
/// algorithms in the middle, until it is 1 % of the size; all gaps at a time. Fills the study and hangs it into the plan's
/// comparison. The study's items are the caller's to free, also after a failure. False on an internal error.
bool crossover_find(struct compare_plan *plan, struct crossover_study *study, struct compare_progress *progress, struct error *err);

#endif
