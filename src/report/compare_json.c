#include "report/compare.h"

#include <stdlib.h>

#include "report/crossover.h"
#include "report/json.h"

static void put_link(struct json_writer *json, const char *key, const struct compare_run *run, uint32_t number) {
    const struct compare_link *link = &run->links[number];
    put_open(json, key, '{');
    put_text(json, "from", link->from);
    put_text(json, "to", link->to);
    put_uint(json, "port", link->port);
    put_uint(json, "bytes", link->bytes);
    put_uint(json, "chunks", link->chunks);
    put_int(json, "busy_ticks", link->busy_ticks);
    put_double(json, "utilization", link->utilization);
    put_int(json, "peak_queue_bytes", link->peak_queue_bytes);
    if (run->ring) put_uint(json, "ring_neighbours", link->neighbours);
    put_close(json, '}');
}

static void put_run(struct json_writer *json, const struct compare_run *run) {
    put_text(json, "status", compare_run_status(run));
    if (run->seed) put_int(json, "seed", run->seed);
    if (compare_completed(run)) {
        put_time(json, "makespan", run->makespan_ticks, run->ticks_per_s);
        put_double(json, "algbw", run->algbw);
        put_double(json, "busbw", run->busbw);
        if (run->no_digest)
            put_null(json, "digest");
        else
            put_digest(json, "digest", run->digest);
    } else {
        put_null(json, "makespan");
        if (run->reason[0]) put_text(json, "error", run->reason);
    }
    put_open(json, "hottest", '[');
    for (uint32_t i = 0; i < run->link_count; i++) put_link(json, NULL, run, i);
    put_close(json, ']');
}

static void put_set(struct json_writer *json, const struct comparison *comparison, const struct compare_point *point) {
    put_open(json, "set", '{');
    for (size_t a = 0; a < comparison->axes; a++) put_text(json, comparison->keys[a], point->values[a]);
    put_close(json, '}');
}

static void put_point(struct json_writer *json, const struct comparison *comparison, size_t number, const struct compare_verdict *verdict) {
    const struct compare_point *point = &comparison->points[number];
    const struct compare_run *middle = compare_middle(point), *fastest = compare_fastest(point), *slowest = compare_slowest(point);
    put_open(json, NULL, '{');
    put_set(json, comparison, point);
    if (middle) {
        const struct compare_run *best = verdict->best_run;
        put_time(json, "median", middle->makespan_ticks, middle->ticks_per_s);
        put_time(json, "fastest", fastest->makespan_ticks, fastest->ticks_per_s);
        put_time(json, "slowest", slowest->makespan_ticks, slowest->ticks_per_s);
        put_double(json, "slower",
                   (double)middle->makespan_ticks / (double)middle->ticks_per_s /
                       ((double)best->makespan_ticks / (double)best->ticks_per_s));
        put_uint(json, "ranks", middle->ranks);
        if (middle->link_count) put_link(json, "busiest_link", middle, 0);
    } else {
        put_null(json, "median");
    }
    put_open(json, "runs", '[');
    for (size_t i = 0; i < point->count; i++) {
        put_open(json, NULL, '{');
        put_run(json, &point->runs[i]);
        put_close(json, '}');
    }
    put_close(json, ']');
    put_close(json, '}');
}

static void put_sentence(struct json_writer *json, const struct comparison *comparison) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) fatal("out of memory");
    compare_sentence(comparison, stream);
    fclose(stream);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n') text[i] = i + 1 == size ? '\0' : ' ';
    put_text(json, "verdict", text);
    free(text);
}

void report_compare_json(const struct comparison *comparison, const json_t *scenario, FILE *out) {
    struct compare_verdict verdict = compare_judge(comparison);
    struct json_writer json = {.out = out, .folded_depth = 4};
    put_open(&json, NULL, '{');
    put_head(&json);
    put_text(&json, "status", comparison->missing ? "interrupted" : comparison->failed ? "incomplete" : "complete");
    put_value(&json, "scenario", scenario);
    put_open(&json, "points", '[');
    for (size_t p = 0; p < comparison->count; p++) put_point(&json, comparison, p, &verdict);
    put_close(&json, ']');
    if (verdict.found) {
        put_uint(&json, "best", verdict.best);
        put_uint(&json, "worst", verdict.worst);
    }
    put_sentence(&json, comparison);
    if (comparison->study) put_crossovers(&json, comparison->study);
    put_close(&json, '}');
}

void report_compare_json_lines(const struct comparison *comparison, FILE *out) {
    for (size_t p = 0; p < comparison->count; p++) {
        const struct compare_point *point = &comparison->points[p];
        for (size_t i = 0; i < point->count; i++) {
            struct json_writer json = {.out = out};
            put_open(&json, NULL, '{');
            put_set(&json, comparison, point);
            put_run(&json, &point->runs[i]);
            put_close(&json, '}');
        }
    }
}
