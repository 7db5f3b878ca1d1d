#ifndef REPORT_SPARKLINE_H
#define REPORT_SPARKLINE_H

#include <stdio.h>

#include "record/link_trace.h"
#include "record/named_links.h"
#include "record/result.h"

/// A line for each link over a common axis of time: one character a bin, its height the bin's busy share. Blocks in
/// eighths, or in plain ASCII eight signs of growing weight; an idle bin is a blank.
struct sparklines {
    const struct link_trace *trace;
    const struct named_links *links;
    const struct run_result *result;
    bool ascii;
};
void report_sparklines(const struct sparklines *lines, FILE *out);

/// The sign of `busy_ticks` of `width_ticks`.
const char *spark(int64_t busy_ticks, int64_t width_ticks, bool ascii);

#endif
