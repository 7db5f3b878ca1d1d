#ifndef SCENARIO_OUTPUT_H
#define SCENARIO_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/field.h"

/// The files that a run writes. Each part is an object with a "file", or just that file's name; paths start from the
/// scenario's folder. A part that is absent has no file.

enum link_trace_format { FORMAT_LONG, FORMAT_WIDE };
enum link_trace_value { VALUE_BUSY_SHARE, VALUE_BYTES, VALUE_QUEUE_MEAN, VALUE_QUEUE_PEAK };

/// What the colour of a link says in a picture.
enum heat { HEAT_UTILIZATION, HEAT_BYTES, HEAT_QUEUE };
extern const char *const heat_names[]; ///< "utilization", "bytes", "queue", NULL

struct link_trace_output {
    uint64_t given;
    const char *file;
    int64_t bin_ticks; ///< below 1: not given
    int64_t bins;      ///< 0: not given
    int format;        ///< enum link_trace_format
    int value;         ///< enum link_trace_value: what the wide format shows
    const char *link;  ///< a pattern for "from->to"; NULL: all that carried something
    int64_t top;       ///< 0: all of those
};

struct perfetto_output {
    uint64_t given;
    const char *file;
    int64_t links, bins, most_events;
    bool messages;
};

struct messages_output {
    uint64_t given;
    const char *file;
};

struct messages_scenario_output {
    uint64_t given;
    const char *file;
    bool after;
};

struct waits_output {
    uint64_t given;
    const char *file;
    int64_t top; ///< 0: all pairs
};

struct svg_output {
    uint64_t given;
    const char *file;
    int heat; ///< enum heat
};

struct output_config {
    uint64_t given;
    struct link_trace_output link_trace;
    struct perfetto_output perfetto;
    struct messages_output messages;
    struct messages_scenario_output messages_scenario;
    struct waits_output waits;
    struct svg_output svg;
};

extern const struct field output_fields[];

/// Checks what no single row can; error.where starts below "output".
bool output_check(const struct output_config *output, struct error *err);

#endif
