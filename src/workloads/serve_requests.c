// Where the requests come from: a trace, whose bad lines are an error or are skipped and counted, or a random process.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/serve_state.h"

/// What is too large about a request, or NULL.
static const char *too_large(const struct llm_request *request, const struct token_limits *limits, int64_t *needed, int64_t *limit) {
    *needed = request->input, *limit = limits->prefill;
    if (*needed > *limit) return "the prompt";
    *needed = request_decode_tokens(request), *limit = limits->decode;
    return *needed > *limit ? "prompt and answer" : NULL;
}

static bool refuse_large(const struct serve_config *config, const struct llm_request *request, const struct token_limits *limits,
                         struct error *err) {
    int64_t needed, limit;
    const char *what = too_large(request, limits, &needed, &limit);
    if (!what) return true;
    if (!config->trace)
        return error_at(err, "arrivals", "a request of %lld tokens in, %lld out: the memory of an instance keeps %lld tokens, not %lld",
                        (long long)request->input, (long long)request->output, (long long)limit, (long long)needed);
    return error_at(err, "trace", "%s, line %llu: %s of %lld tokens: the memory of an instance keeps %lld%s", config->trace->file,
                    (unsigned long long)request->line, what, (long long)needed, (long long)limit,
                    "; \"on_bad_line\": \"skip\" leaves such lines out");
}

static bool refuse_faults(const struct request_trace *trace, struct error *err) {
    if (trace->fault_count == 0) return true;
    char more[80] = "";
    if (trace->fault_count > 1) snprintf(more, sizeof more, ", and %zu more bad lines", trace->fault_count - 1);
    return error_at(err, "trace", "%s, line %llu: %s%s; \"on_bad_line\": \"skip\" leaves such lines out", trace->file,
                    (unsigned long long)trace->faults[0].line, trace->faults[0].text, more);
}

static size_t wanted(const struct serve_config *config, size_t count) {
    return config->limit && (size_t)config->limit < count ? (size_t)config->limit : count;
}

/// Copies the requests that fit.
static void choose(const struct llm_request *items, size_t count, const struct token_limits *limits, struct request_list *out) {
    int64_t needed, limit;
    out->owned = allocate((count ? count : 1) * sizeof *out->owned);
    for (size_t i = 0; i < count; i++) {
        if (too_large(&items[i], limits, &needed, &limit))
            out->too_large++;
        else
            out->owned[out->count++] = items[i];
    }
    out->items = out->owned;
}

static bool from_trace(const struct serve_config *config, const struct token_limits *limits, struct request_list *out, struct error *err) {
    const struct request_trace *trace = config->trace;
    size_t count = wanted(config, trace->count);
    if (config->on_bad_line == BAD_LINE_SKIP) {
        out->malformed = trace->fault_count;
        choose(trace->items, count, limits, out);
    } else {
        if (!refuse_faults(trace, err)) return false;
        for (size_t i = 0; i < count; i++)
            if (!refuse_large(config, &trace->items[i], limits, err)) return false;
        out->items = trace->items, out->count = count;
    }
    return out->count > 0 || error_at(err, "trace", "%s has no request", trace->file);
}

static bool from_arrivals(const struct serve_config *config, uint64_t seed, const struct token_limits *limits, struct request_list *out,
                          struct error *err) {
    out->count = wanted(config, (size_t)config->arrivals.count);
    out->items = out->owned = allocate((size_t)config->arrivals.count * sizeof *out->owned);
    draw_requests(&config->arrivals, seed, out->owned);
    for (size_t i = 0; i < out->count; i++)
        if (!refuse_large(config, &out->items[i], limits, err)) return false;
    return true;
}

bool serve_requests(const struct serve_config *config, uint64_t seed, const struct token_limits *limits, struct request_list *out,
                    struct error *err) {
    *out = (struct request_list){0};
    bool ok = config->trace ? from_trace(config, limits, out, err) : from_arrivals(config, seed, limits, out, err);
    if (!ok) request_list_free(out);
    return ok;
}

void request_list_free(struct request_list *list) {
    free(list->owned);
    *list = (struct request_list){0};
}
