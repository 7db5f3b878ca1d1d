#include "report/compare.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/compare_rows.h"
#include "report/header.h"

/// Up to so many points each show their hottest links.
enum { NAME_SIZE = 256, POINTS_SHOWN_MOST = 4 };

static void print_hottest(const struct compare_run *run, enum sheet_format format, bool color, FILE *out) {
    struct sheet sheet;
    sheet_start(&sheet, format, color, out);
    sheet_add_columns(&sheet, link_columns);
    if (run->ring) sheet_add_columns(&sheet, ring_columns);
    sheet_begin(&sheet);
    for (uint32_t i = 0; i < run->link_count; i++) compare_add_link(&sheet, run, &run->links[i], run->ring);
    sheet_finish(&sheet);
}

/// After the first letter, "hottest links of the worst, random:20 seed 3 (50 us)"
static void print_links_title(const struct comparison *comparison, size_t point, const struct compare_verdict *verdict,
                              const struct compare_run *run, FILE *out) {
    char name[NAME_SIZE], time[QUANTITY_SIZE];
    const char *which = verdict->best == verdict->worst ? ""
                        : point == verdict->best        ? "the best, "
                        : point == verdict->worst       ? "the worst, "
                                                        : "";
    fprintf(out, "ottest links of %s%s", which, compare_point_name(comparison, point, name, sizeof name));
    if (run->seed) fprintf(out, " seed %" PRId64, run->seed);
    fprintf(out, " (%s)", format_time(run->makespan_ticks, run->ticks_per_s, time));
}

static void print_all_hottest(const struct comparison *comparison, enum sheet_format format, bool color, FILE *out) {
    struct compare_verdict verdict = compare_judge(comparison);
    for (size_t p = 0; p < comparison->count; p++) {
        const struct compare_run *run = compare_shown(comparison, p, &verdict);
        if (!run || (comparison->count > POINTS_SHOWN_MOST && p != verdict.best && p != verdict.worst)) continue;
        fputs(format == SHEET_MARKDOWN ? "\n### H" : "\nh", out);
        print_links_title(comparison, p, &verdict, run, out);
        fputs(format == SHEET_MARKDOWN ? "\n\n" : "\n", out);
        print_hottest(run, format, color, out);
    }
}

void report_compare_table(const struct comparison *comparison, const json_t *scenario, enum sheet_format format, bool color, FILE *out) {
    const char **varied = allocate_zeroed(comparison->axes + 1, sizeof *varied);
    for (size_t a = 0; a < comparison->axes; a++) varied[a] = comparison->keys[a];
    report_header(scenario, varied, NULL, format, out);
    free(varied);
    fputc('\n', out);
    compare_print_points(comparison, format, out);
    const char *indent = format == SHEET_MARKDOWN ? "\n" : "  ";
    if (compare_has_seeds(comparison)) fprintf(out, "%sPoints of several seeds show the run with the median time.\n", indent);
    fputc('\n', out);
    compare_sentence(comparison, out);
    print_all_hottest(comparison, format, color, out);
}
