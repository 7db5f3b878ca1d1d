#include "report/assertions.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/table.h"

static const struct value no_value = {.real = (double)NAN};

static struct value whole(uint64_t number) { return (struct value){.whole = number < INT64_MAX ? (int64_t)number : INT64_MAX}; }

static struct value real(double number) { return (struct value){.real = number}; }

static double mean_utilization(const struct run_result *result) {
    double sum = 0;
    for (uint32_t l = 0; l < result->link_count; l++) sum += load_utilization(result, &result->loads[load_of_link(result, l)]);
    return result->link_count > 0 ? sum / result->link_count : 0;
}

static struct value value_of_run(enum assertion_quantity quantity, const struct run_result *result) {
    double utilization = 0;
    int64_t queue = 0;
    for (uint32_t i = 0; i < result->load_count; i++) {
        const struct carried_load *load = &result->loads[i];
        if (load_utilization(result, load) > utilization) utilization = load_utilization(result, load);
        if (load->peak_queue_bytes > queue) queue = load->peak_queue_bytes;
    }
    switch (quantity) {
    case QUANTITY_MAKESPAN: return whole((uint64_t)result->makespan_ticks);
    case QUANTITY_MAX_LINK_UTILIZATION: return real(utilization);
    case QUANTITY_MEAN_LINK_UTILIZATION: return real(mean_utilization(result));
    default: return whole((uint64_t)queue);
    }
}

static struct value value_of_collective(enum assertion_quantity quantity, const struct run_result *result,
                                        const struct collective_result *collective) {
    switch (quantity) {
    case QUANTITY_ALGBW: return real(collective_algbw(result, collective));
    case QUANTITY_BUSBW: return real(collective_busbw(result, collective));
    case QUANTITY_EFFICIENCY: return real(collective_efficiency(collective));
    default: return whole((uint64_t)(collective->end_ticks - collective->start_ticks));
    }
}

/// Of one collective, or the worst of all: the longest time, the smallest of the rest.
static struct value value_of_collectives(const struct assertion *assertion, const struct run_result *result) {
    size_t first = assertion->index < 0 ? 0 : (size_t)assertion->index;
    if (first >= result->collective_count) return no_value;
    struct value worst = value_of_collective(assertion->quantity, result, &result->collectives[first]);
    for (size_t i = first + 1; assertion->index < 0 && i < result->collective_count; i++) {
        struct value value = value_of_collective(assertion->quantity, result, &result->collectives[i]);
        bool worse = assertion->unit == UNIT_TIME ? value.whole > worst.whole : isnan(value.real) || value.real < worst.real;
        if (worse) worst = value;
    }
    return worst;
}

static struct value value_of_link(const struct assertion *assertion, const struct graph *graph, const struct run_result *result) {
    uint32_t from = graph_find_node(graph, assertion->from), to = graph_find_node(graph, assertion->to);
    struct carried_load all = {0};
    for (uint32_t l = 0; l < result->link_count; l++) {
        if (graph->links[l].from != from || graph->links[l].to != to) continue;
        const struct carried_load *load = &result->loads[load_of_link(result, l)];
        all.bytes += load->bytes, all.chunks += load->chunks;
        if (load->busy_ticks > all.busy_ticks) all.busy_ticks = load->busy_ticks;
        if (load->peak_queue_bytes > all.peak_queue_bytes) all.peak_queue_bytes = load->peak_queue_bytes;
    }
    switch (assertion->quantity) {
    case QUANTITY_LINK_BYTES: return whole(all.bytes);
    case QUANTITY_LINK_CHUNKS: return real((double)all.chunks);
    case QUANTITY_LINK_UTILIZATION: return real(load_utilization(result, &all));
    case QUANTITY_LINK_BUSY: return whole((uint64_t)all.busy_ticks);
    default: return whole((uint64_t)all.peak_queue_bytes);
    }
}

static struct value value_of_slowdown(enum assertion_quantity quantity, const struct slowdown *slowdown) {
    if (slowdown->count == 0) return no_value;
    switch (quantity) {
    case QUANTITY_P50: return real(slowdown->median);
    case QUANTITY_P90: return real(slowdown->p90);
    case QUANTITY_P99: return real(slowdown->p99);
    default: return real(slowdown->most);
    }
}

/// Of two numbers of which none is NaN.
static bool compares(enum assertion_comparison comparison, bool less, bool equal) {
    switch (comparison) {
    case LESS: return less;
    case LESS_OR_EQUAL: return less || equal;
    case GREATER: return !less && !equal;
    case GREATER_OR_EQUAL: return !less;
    case EQUAL: return equal;
    default: return !equal;
    }
}

static bool holds(const struct assertion *assertion, struct value value) {
    if (isnan(value.real)) return false;
    if (assertion->unit == UNIT_TIME || assertion->unit == UNIT_BYTES)
        return compares(assertion->comparison, value.whole < assertion->value.whole, value.whole == assertion->value.whole);
    return compares(assertion->comparison, value.real < assertion->value.real, value.real == assertion->value.real);
}

void assertions_check(const struct experiment *experiment, const struct slowdown *slowdown, struct run_result *result) {
    const struct scenario *scenario = experiment->scenario;
    if (result->status != RUN_COMPLETE) return;
    result->assertion_count = scenario->assert_texts.count;
    result->assertions = allocate_zeroed(result->assertion_count, sizeof *result->assertions);
    for (size_t i = 0; i < result->assertion_count; i++) {
        const struct assertion *assertion = &scenario->assertions[i];
        struct value value = assertion->subject == SUBJECT_RUN          ? value_of_run(assertion->quantity, result)
                             : assertion->subject == SUBJECT_COLLECTIVE ? value_of_collectives(assertion, result)
                             : assertion->subject == SUBJECT_LINK       ? value_of_link(assertion, &experiment->topology->graph, result)
                                                                        : value_of_slowdown(assertion->quantity, slowdown);
        result->assertions[i] = (struct assertion_outcome){
            .text = strcpy(allocate(strlen(assertion->text) + 1), assertion->text),
            .holds = holds(assertion, value),
            .unit = assertion->unit,
            .value = value,
        };
    }
}

bool assertions_hold(const struct run_result *result) {
    for (size_t i = 0; i < result->assertion_count; i++)
        if (!result->assertions[i].holds) return false;
    return true;
}

static const char *shown_value(const struct assertion_outcome *outcome, int64_t ticks_per_s, char out[static QUANTITY_SIZE]) {
    if (isnan(outcome->value.real)) return "there is no such value in this run";
    switch (outcome->unit) {
    case UNIT_TIME: return format_time(outcome->value.whole, ticks_per_s, out);
    case UNIT_BYTES: return format_bytes((double)outcome->value.whole, out);
    case UNIT_RATE: return format_rate(outcome->value.real, out);
    case UNIT_SHARE: return format_share(outcome->value.real, out);
    default: snprintf(out, QUANTITY_SIZE, "%.4g", outcome->value.real); return out;
    }
}

void print_assertions(const struct run_result *result, bool utf8, FILE *out) {
    const char *tick = utf8 ? "\u2713" : "[ok]", *cross = utf8 ? "\u2717" : "[no]";
    char value[QUANTITY_SIZE];
    if (result->assertion_count > 0) fputs("\nassertions\n", out);
    for (size_t i = 0; i < result->assertion_count; i++) {
        const struct assertion_outcome *outcome = &result->assertions[i];
        fprintf(out, "  %s %s: %s\n", outcome->holds ? tick : cross, outcome->text, shown_value(outcome, result->ticks_per_s, value));
    }
}

static void write_value(struct json_writer *json, const struct assertion_outcome *outcome, int64_t ticks_per_s) {
    if (isnan(outcome->value.real))
        put_null(json, "value");
    else if (outcome->unit == UNIT_TIME)
        put_time(json, "value", outcome->value.whole, ticks_per_s);
    else if (outcome->unit == UNIT_BYTES)
        put_int(json, "value", outcome->value.whole);
    else
        put_double(json, "value", outcome->value.real);
}

void write_assertions(struct json_writer *json, const struct run_result *result) {
    put_open(json, "asserts", '[');
    for (size_t i = 0; i < result->assertion_count; i++) {
        put_open(json, NULL, '{');
        put_text(json, "text", result->assertions[i].text);
        put_verbatim(json, "holds", result->assertions[i].holds ? "true" : "false");
        write_value(json, &result->assertions[i], result->ticks_per_s);
        put_close(json, '}');
    }
    put_close(json, ']');
}
