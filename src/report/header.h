#ifndef REPORT_HEADER_H
#define REPORT_HEADER_H

#include <jansson.h>
#include <stdio.h>

#include "record/result.h"
#include "report/sheet.h"

/// The lines above a report for people: name, network, mapping, workload and costs, from the resolved scenario.
/// Keys in `varied` ("mapping", "network.chunk"; NULL at the end; may be NULL itself) are left out.
/// In Markdown the lines stand in a block as they are. `result` adds the network's size and the number of ranks; it may be NULL.
void report_header(const json_t *scenario, const char *const *varied, const struct run_result *result, enum sheet_format format, FILE *out);

#endif
