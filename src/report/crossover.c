#include "report/crossover.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/header.h"

static size_t point_of(const struct crossover_study *study, size_t size, size_t algorithm) {
    return study->size_axis == 0 ? size * study->algorithms + algorithm : algorithm * study->sizes + size;
}

static const char *size_text(const struct crossover_study *study, size_t size) {
    return study->comparison->points[point_of(study, size, 0)].values[study->size_axis];
}

/// The size for people ("1.024 MB", not "1024KB").
static const char *shown_size(const struct crossover_study *study, size_t size, char text[static QUANTITY_SIZE]) {
    struct error ignored = {0};
    int64_t bytes = 0;
    return parse_bytes(size_text(study, size), &bytes, &ignored) ? format_bytes((double)bytes, text) : size_text(study, size);
}

static const char *algorithm_name(const struct crossover_study *study, size_t algorithm) {
    return study->comparison->points[point_of(study, 0, algorithm)].values[study->algorithm_axis];
}

/// The run of an algorithm at a size; NULL unless it completed.
static const struct compare_run *run_at(const struct crossover_study *study, size_t size, size_t algorithm) {
    const struct compare_run *run = study->comparison->points[point_of(study, size, algorithm)].runs;
    return compare_completed(run) ? run : NULL;
}

int crossover_winner(const struct crossover_study *study, size_t size) {
    int winner = CROSSOVER_NONE;
    int64_t least = INT64_MAX;
    for (size_t a = 0; a < study->algorithms; a++) {
        const struct compare_run *run = run_at(study, size, a);
        if (!run || run->makespan_ticks >= least) continue;
        winner = (int)a;
        least = run->makespan_ticks;
    }
    return winner;
}

/// "size", each algorithm, "fastest"; the caller frees them.
static struct column *add_columns(struct sheet *sheet, const struct crossover_study *study) {
    struct column *columns = allocate_zeroed(study->algorithms + 3, sizeof *columns), *column = columns;
    *column++ = (struct column){"size", "size", COLUMN_BYTES, READ_BY_ALL, ""};
    for (size_t a = 0; a < study->algorithms; a++)
        *column++ = (struct column){algorithm_name(study, a), algorithm_name(study, a), COLUMN_TIME, READ_BY_ALL, ""};
    *column = (struct column){"fastest", "fastest", COLUMN_TEXT, READ_BY_ALL, ""};
    sheet_add_columns(sheet, columns);
    return columns;
}

static void print_times(const struct crossover_study *study, enum sheet_format format, FILE *out) {
    char text[QUANTITY_SIZE];
    struct sheet sheet;
    sheet_start(&sheet, format, false, out);
    struct column *columns = add_columns(&sheet, study);
    sheet_begin(&sheet);
    for (size_t s = 0; s < study->sizes; s++) {
        int winner = crossover_winner(study, s);
        sheet_text(&sheet, "%s", shown_size(study, s, text));
        for (size_t a = 0; a < study->algorithms; a++) {
            const struct compare_run *run = run_at(study, s, a);
            if (run)
                sheet_time(&sheet, run->makespan_ticks, run->ticks_per_s);
            else
                sheet_none(&sheet, 1);
        }
        sheet_text(&sheet, "%s", winner == CROSSOVER_NONE ? "-" : algorithm_name(study, (size_t)winner));
    }
    sheet_finish(&sheet);
    free(columns);
}

static bool one_wins_all(const struct crossover_study *study) {
    for (size_t s = 1; s < study->sizes; s++)
        if (crossover_winner(study, s) != crossover_winner(study, 0)) return false;
    return crossover_winner(study, 0) != CROSSOVER_NONE;
}

/// "naive is the fastest up to 81.5 KB,", a line for each in turn. Of takings-over that were not narrowed down (runs that
/// did not complete) only the table tells.
static void print_crossovers(const struct crossover_study *study, FILE *out) {
    char text[QUANTITY_SIZE];
    fputc('\n', out);
    if (one_wins_all(study))
        fprintf(out, "%s is the fastest at all these sizes.\n", algorithm_name(study, (size_t)crossover_winner(study, 0)));
    for (size_t i = 0; i < study->count; i++) {
        const struct crossover *crossover = &study->items[i];
        fprintf(out, "%s is the fastest up to %s,\n", algorithm_name(study, crossover->before),
                format_bytes((double)crossover->low_bytes, text));
        bool last = i + 1 == study->count || study->items[i + 1].before != crossover->after;
        if (last)
            fprintf(out, "%s from %s on.\n", algorithm_name(study, crossover->after), format_bytes((double)crossover->high_bytes, text));
    }
}

void report_crossover_table(const struct crossover_study *study, const json_t *scenario, enum sheet_format format, FILE *out) {
    const char *const varied[] = {study->comparison->keys[0], study->comparison->keys[1], NULL};
    report_header(scenario, varied, NULL, format, out);
    fputc('\n', out);
    print_times(study, format, out);
    print_crossovers(study, out);
}

void put_crossovers(struct json_writer *json, const struct crossover_study *study) {
    put_open(json, "winners", '[');
    for (size_t s = 0; s < study->sizes; s++) {
        int winner = crossover_winner(study, s);
        put_open(json, NULL, '{');
        put_text(json, "size", size_text(study, s));
        put_text(json, "algorithm", winner == CROSSOVER_NONE ? NULL : algorithm_name(study, (size_t)winner));
        put_close(json, '}');
    }
    put_close(json, ']');
    put_open(json, "crossovers", '[');
    for (size_t i = 0; i < study->count; i++) {
        const struct crossover *crossover = &study->items[i];
        put_open(json, NULL, '{');
        put_text(json, "before", algorithm_name(study, crossover->before));
        put_text(json, "after", algorithm_name(study, crossover->after));
        put_int(json, "low_bytes", crossover->low_bytes);
        put_int(json, "high_bytes", crossover->high_bytes);
        put_close(json, '}');
    }
    put_close(json, ']');
}
