#include "report/waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/csv.h"
#include "report/json_writer.h"

enum { SHOWN = 10 };

void report_waits(const struct wait_list *list, int64_t most, FILE *out) {
    column_names_print(wait_columns, out);
    fputc('\n', out);
    for (size_t i = 0; i < list->count && (most == 0 || i < (size_t)most); i++) {
        const struct wait_pair *pair = &list->pairs[i];
        char ticks[UINT128_SIZE], *label = link_label(list->graph, pair->link);
        csv_text(label, out);
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%s", pair->from, pair->to, pair->before_from,
                pair->before_to, pair->chunks, format_uint128(pair->ticks, ticks));
        csv_seconds(pair->ticks, list->ticks_per_s, out);
        fputc('\n', out);
        free(label);
    }
}

/// Sums of waits can pass the clock's range.
static int64_t shown_ticks(unsigned __int128 ticks) { return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks; }

void report_waits_table(const struct wait_list *list, enum sheet_format format, FILE *out) {
    if (list->count == 0) {
        fputs("\nno message waited behind another\n", out);
        return;
    }
    size_t shown = list->count < SHOWN ? list->count : SHOWN;
    fprintf(out, "\nlongest waits of messages behind others, summed over chunks (%zu of %zu)\n%s", shown, list->count,
            format == SHEET_MARKDOWN ? "\n" : "");
    struct sheet sheet;
    sheet_start(&sheet, format, false, out);
    sheet_add_columns(&sheet, wait_columns);
    sheet_begin(&sheet);
    for (size_t i = 0; i < shown; i++) {
        const struct wait_pair *pair = &list->pairs[i];
        char *label = link_label(list->graph, pair->link);
        sheet_text(&sheet, "%s", label);
        sheet_text(&sheet, "rank %" PRIu32 " to %" PRIu32, pair->from, pair->to);
        sheet_text(&sheet, "rank %" PRIu32 " to %" PRIu32, pair->before_from, pair->before_to);
        sheet_none(&sheet, 4);
        sheet_count(&sheet, pair->chunks);
        sheet_none(&sheet, 1);
        sheet_time(&sheet, shown_ticks(pair->ticks), list->ticks_per_s);
        free(label);
    }
    sheet_finish(&sheet);
}
