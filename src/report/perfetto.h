#ifndef REPORT_PERFETTO_H
#define REPORT_PERFETTO_H

#include <stdio.h>

#include "record/link_trace.h"
#include "record/message_log.h"
#include "record/named_links.h"
#include "record/phases.h"
#include "record/result.h"

/// What a trace is made of.
struct perfetto_source {
    const struct run_result *result;
    const struct phases *phases;
    const struct link_trace *trace;
    const struct named_links *links;    ///< with a counter each, in this order
    const struct message_log *messages; ///< an arrow each; NULL: none
    int64_t most_arrows;
    const char *name; ///< of the scenario, or NULL
};

/// Trace events in the JSON format of Chrome ("Trace Event Format", Google 2016), which ui.perfetto.dev opens: a counter
/// for each link, a thread for each rank with slices for collectives, phases and steps, instants for ranks that start
/// late or stand still, arrows for messages. Events are sorted by time; what was left out is said in metadata events
/// ("process_labels", "note"). Times are in microseconds, to the tick.
void report_perfetto(const struct perfetto_source *source, FILE *out);

/// Ticks as microseconds, exactly, without zeros at the end. `out` has MICROSECONDS_SIZE bytes.
enum { MICROSECONDS_SIZE = 32 };
char *format_microseconds(int64_t ticks, int64_t ticks_per_s, char *out);

#endif
