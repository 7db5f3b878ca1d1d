// A request of Mooncake's traces: {"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}.
#include <jansson.h>
#include <stdbool.h>

#include "scenario/read_trace.h"

static bool read_number(struct trace_reader *trace, const json_t *object, const char *key, int64_t most, int64_t *out) {
    const json_t *value = json_object_get(object, key);
    *out = json_integer_value(value);
    if (json_is_integer(value) && *out >= 0 && *out <= most) return true;
    trace_fault(trace, "\"%s\" must be an integer from 0 to %lld", key, (long long)most);
    return false;
}

/// Each block but the last is full, so there are ceil(input / REQUEST_BLOCK) of them.
static bool read_blocks(struct trace_reader *trace, const json_t *list, struct llm_request *request) {
    if (!list) return true;
    size_t count = json_array_size(list), needed = (size_t)((request->input + REQUEST_BLOCK - 1) / REQUEST_BLOCK);
    if (!json_is_array(list) || count != needed) {
        trace_fault(trace, "\"hash_ids\" must be a list of %zu ids, one for each %d tokens of the prompt", needed, REQUEST_BLOCK);
        return false;
    }
    int64_t *blocks = arena_allocate(trace->arena, count * sizeof *blocks);
    for (size_t i = 0; i < count; i++) {
        const json_t *id = json_array_get(list, i);
        if (!json_is_integer(id)) {
            trace_fault(trace, "\"hash_ids\" must be integers");
            return false;
        }
        blocks[i] = json_integer_value(id);
    }
    request->blocks = blocks;
    request->block_count = count;
    return true;
}

void read_json_request(struct trace_reader *trace, const char *line) {
    json_error_t error;
    struct llm_request request = {0};
    int64_t ms;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!object)
        trace_fault(trace, "column %d: %s", error.column, error.text);
    else if (read_number(trace, object, "timestamp", INT64_MAX / 1000000, &ms) &&
             read_number(trace, object, "input_length", MOST_TOKENS, &request.input) &&
             read_number(trace, object, "output_length", MOST_TOKENS, &request.output) &&
             read_blocks(trace, json_object_get(object, "hash_ids"), &request)) {
        request.arrival_ns = ms * 1000000;
        trace_add(trace, &request);
    }
    json_decref(object);
}
