#include "report/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/columns.h"
#include "report/header.h"
#include "report/table.h"

enum { NAME_SIZE = 256 };

static void start_columns(struct columns *columns, const struct comparison *comparison, bool spread) {
    static const char *const plain[] = {"time", "algbw", "busbw", "times slower", "<busiest link", "utilisation", "ring neighbours"};
    static const char *const seeded[] = {"runs", "fastest", "slowest", "worst seed"};
    enum { PLAIN = sizeof plain / sizeof *plain, SEEDED = sizeof seeded / sizeof *seeded };
    *columns = (struct columns){.count = comparison->axes + PLAIN + (spread ? SEEDED : 0)};
    for (size_t a = 0; a < comparison->axes; a++) columns_add(columns, "<%s", comparison->keys[a]);
    for (size_t i = 0; i < PLAIN; i++) columns_add(columns, "%s", plain[i]);
    for (size_t i = 0; spread && i < SEEDED; i++) columns_add(columns, "%s", seeded[i]);
}

static void add_bandwidth(struct columns *columns, double bytes_per_s) {
    char text[QUANTITY_SIZE];
    columns_add(columns, "%s", isnan(bytes_per_s) ? "-" : format_rate(bytes_per_s, text));
}

static const char *why_not(const struct compare_point *point) {
    const struct compare_run *run = &point->runs[0];
    for (size_t i = 0; i < point->count; i++)
        if (!compare_completed(&point->runs[i])) run = &point->runs[i];
    switch (run->state) {
    case COMPARE_MISSING: return "not run";
    case COMPARE_LOST: return "lost";
    case COMPARE_FAILED: return "failed";
    default: return run_status_names[run->status];
    }
}

static void add_spread(struct columns *columns, const struct compare_point *point) {
    char text[QUANTITY_SIZE];
    const struct compare_run *fastest = compare_fastest(point), *slowest = compare_slowest(point);
    size_t completed = 0;
    for (size_t i = 0; i < point->count; i++) completed += compare_completed(&point->runs[i]);
    columns_add(columns, "%zu", completed);
    if (point->count == 1 || !fastest) {
        for (int i = 0; i < 3; i++) columns_add(columns, "-");
        return;
    }
    columns_add(columns, "%s", format_time(fastest->makespan_ticks, fastest->ticks_per_s, text));
    columns_add(columns, "%s", format_time(slowest->makespan_ticks, slowest->ticks_per_s, text));
    columns_add(columns, "%" PRId64, slowest->seed);
}

static void add_point(struct columns *columns, const struct comparison *comparison, size_t number, double best_seconds) {
    const struct compare_point *point = &comparison->points[number];
    const struct compare_run *run = compare_middle(point);
    char text[QUANTITY_SIZE];
    for (size_t a = 0; a < comparison->axes; a++) columns_add(columns, "%s", point->values[a]);
    if (!run) {
        columns_add(columns, "%s", why_not(point));
        for (int i = 0; i < 6; i++) columns_add(columns, "-");
        return;
    }
    double seconds = (double)run->makespan_ticks / (double)run->ticks_per_s;
    columns_add(columns, "%s", format_time(run->makespan_ticks, run->ticks_per_s, text));
    add_bandwidth(columns, run->algbw);
    add_bandwidth(columns, run->busbw);
    if (best_seconds > 0)
        columns_add(columns, "%.3f", seconds / best_seconds);
    else
        columns_add(columns, "-");
    if (run->link_count) {
        columns_add(columns, "%s -> %s", run->links[0].from, run->links[0].to);
        columns_add(columns, "%s", format_share(run->links[0].utilization, text));
        columns_add(columns, "%u of %u", run->links[0].neighbours, run->ranks);
    } else {
        for (int i = 0; i < 3; i++) columns_add(columns, "-");
    }
}

static bool has_seeds(const struct comparison *comparison) {
    for (size_t p = 0; p < comparison->count; p++)
        if (comparison->points[p].count > 1) return true;
    return false;
}

static void print_hottest(const char *title, const char *name, const struct compare_run *run, bool color, FILE *out) {
    static const char *const titles[] = {"<link",       "port", "bytes",      "chunks",          "busy",
                                         "utilisation", "<",    "peak queue", "ring neighbours", NULL};
    char text[QUANTITY_SIZE], bar[BAR_SIZE];
    fprintf(out, "\nhottest links of the %s, %s", title, name);
    if (run->seed) fprintf(out, " seed %" PRId64, run->seed);
    fprintf(out, " (%s)\n", format_time(run->makespan_ticks, run->ticks_per_s, text));
    struct columns columns;
    columns_start(&columns, titles);
    for (uint32_t i = 0; i < run->link_count; i++) {
        const struct compare_link *link = &run->links[i];
        columns_add(&columns, "%s -> %s", link->from, link->to);
        columns_add(&columns, "%u", link->port);
        columns_add(&columns, "%s", format_bytes((double)link->bytes, text));
        columns_add(&columns, "%" PRIu64, link->chunks);
        columns_add(&columns, "%s", format_time(link->busy_ticks, run->ticks_per_s, text));
        columns_add(&columns, "%s", format_share(link->utilization, text));
        columns_add(&columns, "%s", utilization_bar(link->utilization, color, bar));
        columns_add(&columns, "%s", format_bytes((double)link->peak_queue_bytes, text));
        columns_add(&columns, "%u of %u", link->neighbours, run->ranks);
    }
    columns_finish(&columns, out);
}

void report_compare_table(const struct comparison *comparison, const json_t *scenario, bool color, FILE *out) {
    struct compare_verdict verdict = compare_judge(comparison);
    bool spread = has_seeds(comparison);
    double best = verdict.found ? (double)verdict.best_run->makespan_ticks / (double)verdict.best_run->ticks_per_s : 0;
    const char **varied = allocate_zeroed(comparison->axes + 1, sizeof *varied);
    for (size_t a = 0; a < comparison->axes; a++) varied[a] = comparison->keys[a];
    report_header(scenario, varied, NULL, out);
    free(varied);
    fputc('\n', out);
    struct columns columns;
    start_columns(&columns, comparison, spread);
    for (size_t p = 0; p < comparison->count; p++) {
        add_point(&columns, comparison, p, best);
        if (spread) add_spread(&columns, &comparison->points[p]);
    }
    columns_finish(&columns, out);
    if (spread) fputs("  Points of several seeds show the run with the median time.\n", out);
    fputc('\n', out);
    compare_sentence(comparison, out);
    char name[NAME_SIZE];
    if (!verdict.found) return;
    print_hottest("best", compare_point_name(comparison, verdict.best, name, sizeof name), verdict.best_run, color, out);
    if (verdict.best == verdict.worst) return;
    print_hottest("worst", compare_point_name(comparison, verdict.worst, name, sizeof name), verdict.worst_run, color, out);
}
