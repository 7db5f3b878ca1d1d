#ifndef REPORT_ASSERTIONS_H
#define REPORT_ASSERTIONS_H

#include <stdio.h>

#include "record/result.h"
#include "report/json_writer.h"
#include "report/messages.h"
#include "scenario/simulate.h"

/// Fills the result's assertions with what the scenario asserts, where the run completed. A quantity that this run does
/// not have (bandwidth without a collective) makes its assertion fail.
void assertions_check(const struct experiment *experiment, const struct slowdown *slowdown, struct run_result *result);

bool assertions_hold(const struct run_result *result);

/// A line each, with a tick or a cross and the value.
void print_assertions(const struct run_result *result, bool utf8, FILE *out);

/// "asserts": [{"text", "holds", "value"}]; a time is {"ticks", "seconds"}, a value that there is not is null.
void write_assertions(struct json_writer *json, const struct run_result *result);

#endif
