#include "report/waits.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/columns.h"
#include "report/csv.h"
#include "report/json_writer.h"

enum { SHOWN = 10 };

void report_waits(const struct wait_list *list, int64_t most, FILE *out) {
    fputs("link,rank,peer,behind_rank,behind_peer,chunks,wait_ticks,wait_seconds\n", out);
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

void report_waits_table(const struct wait_list *list, FILE *out) {
    static const char *const titles[] = {"<link", "<waited", "<behind", "chunks", "wait", NULL};
    if (list->count == 0) {
        fputs("\nno message waited behind another\n", out);
        return;
    }
    size_t shown = list->count < SHOWN ? list->count : SHOWN;
    fprintf(out, "\nlongest waits of messages behind others, summed over chunks (%zu of %zu)\n", shown, list->count);
    struct columns columns;
    columns_start(&columns, titles);
    for (size_t i = 0; i < shown; i++) {
        const struct wait_pair *pair = &list->pairs[i];
        char time[QUANTITY_SIZE], *label = link_label(list->graph, pair->link);
        columns_add(&columns, "%s", label);
        columns_add(&columns, "rank %" PRIu32 " to %" PRIu32, pair->from, pair->to);
        columns_add(&columns, "rank %" PRIu32 " to %" PRIu32, pair->before_from, pair->before_to);
        columns_add(&columns, "%" PRIu64, pair->chunks);
        columns_add(&columns, "%s", format_time(shown_ticks(pair->ticks), list->ticks_per_s, time));
        free(label);
    }
    columns_finish(&columns, out);
}
