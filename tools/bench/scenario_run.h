#ifndef BENCH_SCENARIO_RUN_H
#define BENCH_SCENARIO_RUN_H

#include "row.h"
#include "scenario/simulate.h"

/// Runs a row of a collective as a scenario; ERROR_INTERNAL for one that is none. With several threads the times are those of
/// the wall, else of the processor; fewer threads than the limits name are an error.
bool scenario_run(const struct row *row, const struct run_limits *limits, struct measurement *out, struct error *err);

#endif
