// Runs one row as a scenario, through all that `weft run` does: what shortcuts save is seen there.
#include "scenario_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/units.h"
#include "scenario/problems.h"
#include "scenario/simulate.h"

struct text {
    char *bytes;
    size_t length, capacity;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    ARRAY_RESERVE(text->bytes, text->capacity, text->length + (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

static void add_workload(const struct row *row, int64_t ranks, struct text *text) {
    if (row->workload)
        add(text, "%s", row->workload);
    else if (row->kind == ROW_ALL_REDUCE)
        add(text, "{\"type\":\"collective\",\"collective\":\"all-reduce\",\"algorithm\":\"ring\",\"size\":\"%lldB\"}",
            (long long)(row->bytes * ranks));
    else
        add(text,
            "{\"type\":\"collective\",\"collective\":\"all-to-all\",\"algorithm\":\"direct\",\"schedule\":\"all-at-once\",\"size\":\"%"
            "lldB\"}",
            (long long)(row->bytes * ranks));
}

static struct scenario *read(struct text *text, const char *name, struct problems *problems) {
    json_t *document = scenario_parse_json(text->bytes, text->length, problems);
    struct scenario *scenario = document ? scenario_read(document, text->bytes, NULL, problems) : NULL;
    json_decref(document);
    problems_print(problems, name, stderr);
    return scenario;
}

static int64_t clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The endpoints of the row's topology, for sizes that are given per block.
static int64_t endpoints_of(const struct row *row, struct error *err) {
    struct text text = {0};
    struct problems problems = {0};
    add(&text, "{\"network\":{\"topology\":%s},\"workload\":{\"type\":\"collective\",\"collective\":\"barrier\"}}", row->topology);
    struct scenario *scenario = read(&text, row->name, &problems);
    struct topology *topology = scenario ? topology_create(&scenario->network.topology, err) : NULL;
    int64_t endpoints = topology ? topology->graph.endpoints : 0;
    if (topology) topology_free(topology);
    if (scenario) scenario_free(scenario);
    problems_free(&problems);
    free(text.bytes);
    return endpoints;
}

static void take(const struct run_result *result, const struct experiment *experiment, struct measurement *out) {
    out->messages = result->messages, out->chunks = result->chunks, out->chunk_hops = result->chunk_hops;
    out->end_ticks = result->makespan_ticks;
    out->endpoints = result->endpoints, out->links = experiment->topology->graph.link_count;
    out->digest = result->digest;
    for (int s = 0; s < SHORTCUT_COUNT; s++) out->saved_hops += result->savings[s].chunk_hops;
}

static bool simulate(struct scenario *scenario, struct text *text, const struct run_limits *limits, struct measurement *out,
                     struct error *err) {
    struct problems problems = {0};
    struct experiment experiment;
    struct run_result result = {0};
    clockid_t clock = limits->threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    int64_t begin = clock_ns(clock);
    bool ok = experiment_prepare(scenario, text->bytes, &experiment, &problems);
    if (!ok) problems_print(&problems, "row", stderr);
    problems_free(&problems);
    if (!ok) return error_set(err, ERROR_INTERNAL, "the row is no scenario");
    out->setup_ns = clock_ns(clock) - begin;
    begin = clock_ns(clock);
    ok = experiment_run(&experiment, limits, NULL, &result, err);
    out->run_ns = clock_ns(clock) - begin;
    if (ok) take(&result, &experiment, out);
    if (ok && result.status != RUN_COMPLETE) ok = error_set(err, ERROR_INTERNAL, "%s", result.error.text);
    if (ok && result.threads != limits->threads)
        ok = error_set(err, ERROR_INTERNAL, "%u threads, since %s", (unsigned)result.threads,
                       result.one_thread ? result.one_thread : "there are no more parts");
    run_result_free(&result);
    experiment_free(&experiment);
    return ok;
}

bool scenario_run(const struct row *row, const struct run_limits *limits, struct measurement *out, struct error *err) {
    struct text text = {0};
    struct problems problems = {0};
    int64_t endpoints = row->workload ? 0 : endpoints_of(row, err);
    add(&text, "{\"network\":{\"topology\":%s,", row->topology);
    if (row->chunk_bytes)
        add(&text, "\"chunk\":\"%lldB\"},\"workload\":", (long long)row->chunk_bytes);
    else
        add(&text, "\"chunk\":\"whole\"},\"workload\":");
    add_workload(row, endpoints, &text);
    add(&text, "}");
    struct scenario *scenario = read(&text, row->name, &problems);
    bool ok = scenario ? simulate(scenario, &text, limits, out, err) : error_set(err, ERROR_INTERNAL, "row %s is no scenario", row->name);
    if (scenario) scenario_free(scenario);
    problems_free(&problems);
    free(text.bytes);
    return ok;
}
