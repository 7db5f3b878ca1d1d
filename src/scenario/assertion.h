#ifndef SCENARIO_ASSERTION_H
#define SCENARIO_ASSERTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "engine/graph.h"
#include "record/result.h"

/// What a scenario asserts of its run: QUANTITY COMPARISON VALUE. Quantities:
///   makespan, algbw, busbw, efficiency, time (of the collective; of several the smallest, for time the largest), and
///   the same of one, counted from 0 in the order of the report: collective(1).busbw
///   max_link_utilization, mean_link_utilization (over all links), max_queue
///   link(A->B).bytes, .chunks, .utilization, .busy, .peak_queue (parallel links: bytes and chunks add up, else the largest)
///   slowdown.p50, .p90, .p99, .max: of messages against an idle network
enum assertion_subject { SUBJECT_RUN, SUBJECT_COLLECTIVE, SUBJECT_LINK, SUBJECT_SLOWDOWN };

enum assertion_quantity {
    QUANTITY_MAKESPAN,
    QUANTITY_MAX_LINK_UTILIZATION,
    QUANTITY_MEAN_LINK_UTILIZATION,
    QUANTITY_MAX_QUEUE,
    QUANTITY_ALGBW,
    QUANTITY_BUSBW,
    QUANTITY_EFFICIENCY,
    QUANTITY_TIME,
    QUANTITY_LINK_BYTES,
    QUANTITY_LINK_CHUNKS,
    QUANTITY_LINK_UTILIZATION,
    QUANTITY_LINK_BUSY,
    QUANTITY_LINK_PEAK_QUEUE,
    QUANTITY_P50,
    QUANTITY_P90,
    QUANTITY_P99,
    QUANTITY_MAX,
};

enum assertion_comparison { LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, EQUAL, UNEQUAL };

struct assertion {
    const char *text;
    enum assertion_subject subject;
    enum assertion_quantity quantity;
    enum value_unit unit; ///< written as 10.5ms, 126MB, 40GB/s, 0.5 or 50%, 3
    enum assertion_comparison comparison;
    const char *from, *to; ///< LINK: nodes by number or name
    int64_t index;         ///< COLLECTIVE: which; -1: all
    struct value value;
};

/// Reads an assertion; texts are copied into the arena. ERROR_INPUT says what may stand there.
bool assertion_parse(struct arena *arena, const char *text, int64_t ticks_per_s, struct assertion *out, struct error *err);

/// Whether the link that it names exists.
bool assertion_fits(const struct assertion *assertion, const struct graph *graph, struct error *err);

#endif
