#ifndef REPORT_WORKLOAD_H
#define REPORT_WORKLOAD_H

#include <stdio.h>

#include "record/result.h"
#include "report/json_writer.h"

/// A workload's own figures (base/figures.h), group by group.

/// For people: a heading for each group, a line for each figure.
void print_figures(const struct run_result *result, FILE *out);

/// {"per step": {"compute": {"ticks", "seconds"}, …}}, spaces and hyphens of names written as "_". A time is {"ticks", "seconds"}, a
/// span {"start", "end"} of them; bytes, counts, shares and ratios are numbers, a rate is bytes per second.
void write_figures(struct json_writer *json, const char *key, const struct run_result *result);

#endif
