#include "report/compare.h"

#include <stdlib.h>

#include "report/compare_rows.h"

static void add_links(struct sheet *sheet, const struct comparison *comparison, const struct compare_point *point, bool ring) {
    for (size_t i = 0; i < point->count; i++) {
        const struct compare_run *run = &point->runs[i];
        for (uint32_t l = 0; l < run->link_count; l++) {
            compare_add_values(sheet, comparison, point);
            if (run->seed)
                sheet_count(sheet, (uint64_t)run->seed);
            else
                sheet_none(sheet, 1);
            compare_add_link(sheet, run, &run->links[l], ring);
        }
    }
}

static void print_links(const struct comparison *comparison, FILE *out) {
    static const struct column seed_column[] = {{"seed", "seed", COLUMN_COUNT, READ_BY_ALL, ""}, {0}};
    bool ring = compare_has_ring(comparison);
    struct sheet sheet;
    sheet_start(&sheet, SHEET_CSV, false, out);
    struct column *keys = compare_add_keys(&sheet, comparison);
    sheet_add_columns(&sheet, seed_column);
    sheet_add_columns(&sheet, link_columns);
    if (ring) sheet_add_columns(&sheet, ring_columns);
    sheet_begin(&sheet);
    for (size_t p = 0; p < comparison->count; p++) add_links(&sheet, comparison, &comparison->points[p], ring);
    sheet_finish(&sheet);
    free(keys);
}

static void print_runs(const struct comparison *comparison, FILE *out) {
    struct sheet sheet;
    sheet_start(&sheet, SHEET_CSV, false, out);
    struct column *keys = compare_add_keys(&sheet, comparison);
    sheet_add_columns(&sheet, run_columns);
    sheet_begin(&sheet);
    for (size_t p = 0; p < comparison->count; p++) {
        const struct compare_point *point = &comparison->points[p];
        for (size_t i = 0; i < point->count; i++) {
            compare_add_values(&sheet, comparison, point);
            compare_add_run(&sheet, &point->runs[i]);
        }
    }
    sheet_finish(&sheet);
    free(keys);
}

void report_compare_csv(const struct comparison *comparison, enum compare_csv which, FILE *out) {
    switch (which) {
    case CSV_POINTS: compare_print_points(comparison, SHEET_CSV, out); break;
    case CSV_RUNS: print_runs(comparison, out); break;
    case CSV_LINKS: print_links(comparison, out); break;
    }
}
