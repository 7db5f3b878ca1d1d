#include "report/compare_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

bool compare_has_seeds(const struct comparison *comparison) {
    for (size_t p = 0; p < comparison->count; p++)
        if (comparison->points[p].count > 1) return true;
    return false;
}

bool compare_has_ring(const struct comparison *comparison) {
    for (size_t p = 0; p < comparison->count; p++)
        for (size_t i = 0; i < comparison->points[p].count; i++)
            if (comparison->points[p].runs[i].ring) return true;
    return false;
}

struct column *compare_add_keys(struct sheet *sheet, const struct comparison *comparison) {
    struct column *keys = allocate_zeroed(comparison->axes + 1, sizeof *keys);
    for (size_t a = 0; a < comparison->axes; a++)
        keys[a] = (struct column){comparison->keys[a], comparison->keys[a], COLUMN_TEXT, READ_BY_ALL, ""};
    sheet_add_columns(sheet, keys);
    return keys;
}

void compare_add_values(struct sheet *sheet, const struct comparison *comparison, const struct compare_point *point) {
    for (size_t a = 0; a < comparison->axes; a++) sheet_text(sheet, "%s", point->values[a]);
}

static void add_neighbours(struct sheet *sheet, const struct compare_run *run, const struct compare_link *link) {
    if (!run->ring) {
        sheet_none(sheet, 2);
        return;
    }
    sheet_text(sheet, "%u of %u", link->neighbours, run->ranks);
    sheet_count(sheet, link->neighbours);
}

// ---- a row a point

/// Why a point has no run to show.
static const char *why_not(const struct compare_point *point) {
    for (size_t i = point->count; i-- > 0;)
        if (!compare_completed(&point->runs[i])) return compare_run_status(&point->runs[i]);
    return run_status_names[RUN_COMPLETE];
}

static void add_spread(struct sheet *sheet, const struct compare_point *point) {
    const struct compare_run *fastest = compare_fastest(point), *slowest = compare_slowest(point);
    size_t completed = 0;
    for (size_t i = 0; i < point->count; i++) completed += compare_completed(&point->runs[i]);
    sheet_count(sheet, completed);
    if (point->count == 1 || !fastest) {
        sheet_none(sheet, 3);
        return;
    }
    sheet_time(sheet, fastest->makespan_ticks, fastest->ticks_per_s);
    sheet_time(sheet, slowest->makespan_ticks, slowest->ticks_per_s);
    sheet_count(sheet, (uint64_t)slowest->seed);
}

static void add_busiest(struct sheet *sheet, const struct compare_run *run, bool ring) {
    if (run->link_count == 0) {
        sheet_none(sheet, ring ? 6 : 4);
        return;
    }
    const struct compare_link *link = &run->links[0];
    sheet_text(sheet, "%s -> %s", link->from, link->to);
    sheet_text(sheet, "%s", link->from);
    sheet_text(sheet, "%s", link->to);
    sheet_number(sheet, link->utilization);
    if (ring) add_neighbours(sheet, run, link);
}

static void add_point(struct sheet *sheet, const struct compare_point *point, double best_seconds, bool ring) {
    static const struct compare_run nothing = {0};
    const struct compare_run *run = compare_middle(point);
    sheet_text(sheet, "%s", why_not(point));
    if (!run) {
        if (sheet->format == SHEET_CSV)
            sheet_none(sheet, 1);
        else
            sheet_text(sheet, "%s", why_not(point));
        sheet_none(sheet, 4);
        add_busiest(sheet, &nothing, ring);
        return;
    }
    double seconds = (double)run->makespan_ticks / (double)run->ticks_per_s;
    sheet_time(sheet, run->makespan_ticks, run->ticks_per_s);
    sheet_number(sheet, run->algbw);
    sheet_number(sheet, run->busbw);
    sheet_number(sheet, best_seconds > 0 ? seconds / best_seconds : (double)NAN);
    sheet_count(sheet, run->ranks);
    add_busiest(sheet, run, ring);
}

void compare_print_points(const struct comparison *comparison, enum sheet_format format, FILE *out) {
    struct compare_verdict verdict = compare_judge(comparison);
    double best = verdict.found ? (double)verdict.best_run->makespan_ticks / (double)verdict.best_run->ticks_per_s : 0;
    bool spread = compare_has_seeds(comparison), ring = compare_has_ring(comparison);
    struct sheet sheet;
    sheet_start(&sheet, format, false, out);
    struct column *keys = compare_add_keys(&sheet, comparison);
    sheet_add_columns(&sheet, point_columns);
    if (ring) sheet_add_columns(&sheet, ring_columns);
    if (spread) sheet_add_columns(&sheet, seed_columns);
    sheet_begin(&sheet);
    for (size_t p = 0; p < comparison->count; p++) {
        compare_add_values(&sheet, comparison, &comparison->points[p]);
        add_point(&sheet, &comparison->points[p], best, ring);
        if (spread) add_spread(&sheet, &comparison->points[p]);
    }
    sheet_finish(&sheet);
    free(keys);
}

// ---- a row a run

void compare_add_run(struct sheet *sheet, const struct compare_run *run) {
    if (run->seed)
        sheet_count(sheet, (uint64_t)run->seed);
    else
        sheet_none(sheet, 1);
    sheet_text(sheet, "%s", compare_run_status(run));
    if (!compare_completed(run)) {
        sheet_none(sheet, 5);
        return;
    }
    sheet_time(sheet, run->makespan_ticks, run->ticks_per_s);
    sheet_number(sheet, run->algbw);
    sheet_number(sheet, run->busbw);
    sheet_count(sheet, run->ranks);
    if (run->no_digest)
        sheet_text(sheet, "%s", "");
    else
        sheet_text(sheet, "%016" PRIx64 "%016" PRIx64, run->digest.high, run->digest.low);
}

// ---- a row a link

void compare_add_link(struct sheet *sheet, const struct compare_run *run, const struct compare_link *link, bool ring) {
    sheet_text(sheet, "%s -> %s", link->from, link->to);
    sheet_text(sheet, "%s", link->from);
    sheet_text(sheet, "%s", link->to);
    sheet_count(sheet, link->port);
    sheet_count(sheet, link->bytes);
    sheet_count(sheet, link->chunks);
    sheet_time(sheet, link->busy_ticks, run->ticks_per_s);
    sheet_number(sheet, link->utilization);
    sheet_number(sheet, link->utilization);
    sheet_count(sheet, (uint64_t)link->peak_queue_bytes);
    if (ring) add_neighbours(sheet, run, link);
}
