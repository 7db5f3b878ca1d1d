#ifndef TESTS_SCENARIO_SCENARIO_RUNS_H
#define TESTS_SCENARIO_SCENARIO_RUNS_H

#include "scenario/simulate.h"

/// Scenarios as text, run from start to end. What is wrong with them fails the test.
struct scenario_run {
    struct scenario *scenario;
    struct experiment experiment;
    struct run_result result;
};

/// `format` is JSON; relative paths start from `scenarios/`. A run that stalls is as good as any.
void scenario_run(struct scenario_run *run, const struct run_limits *limits, const char *format, ...) __attribute__((format(printf, 3, 4)));
void scenario_run_free(struct scenario_run *run);

/// A switch of that many endpoints with NVLink's 450 GB/s and 2 us a path.
#define NVLINK_SWITCH                                                                                                                     \
    "\"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": %d, \"link\": {\"bandwidth\": \"450GB/s\", \"alpha\": \"2us\"}}, " \
    "\"chunk\": \"whole\"}"

#endif
