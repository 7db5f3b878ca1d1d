#ifndef REPORT_LINK_TRACE_H
#define REPORT_LINK_TRACE_H

#include <stdio.h>

#include "record/link_trace.h"
#include "record/named_links.h"
#include "scenario/output.h"

/// Links over time as CSV: every bin of the run for every link. A bin's share is of its whole width, also where the run
/// ends inside it.
void report_link_trace(const struct link_trace *trace, const struct named_links *links, const struct link_trace_output *output,
                       int64_t ticks_per_s, FILE *out);

#endif
