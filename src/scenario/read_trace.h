#ifndef SCENARIO_READ_TRACE_H
#define SCENARIO_READ_TRACE_H

#include "base/memory.h"
#include "workloads/requests.h"

/// What the readers of the formats of traces share.

#define NS_PER_S INT64_C(1000000000)
#define MOST_TOKENS INT64_C(1000000000)

struct trace_reader {
    struct arena *arena;
    uint64_t line;
    int first_year; ///< of dates; 0: none so far
    size_t count, capacity, fault_count, fault_capacity;
    struct llm_request *items;
    struct trace_fault *faults;
};

/// The line is no request.
void trace_fault(struct trace_reader *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// The line is this request, or a fault where its numbers cannot be.
void trace_add(struct trace_reader *trace, const struct llm_request *request);

/// One line of Mooncake's format.
void read_json_request(struct trace_reader *trace, const char *line);

#endif
