#include "report/sparkline.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "report/table.h"

enum { SHARE_WIDTH = 8 };

const char *spark(int64_t busy_ticks, int64_t width_ticks, bool ascii) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const signs[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    // from just above idle on the lowest sign, the highest for the top eighth
    int64_t level = (int64_t)(((__int128)busy_ticks * 8 + width_ticks - 1) / width_ticks);
    return (ascii ? signs : blocks)[level];
}

/// Characters: UTF-8 sequences count once.
static int text_width(const char *text) {
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_line(const struct sparklines *lines, uint32_t place, int label_width, FILE *out) {
    const struct named_link *link = &lines->links->items[place];
    const struct link_bin *bins;
    size_t count = link_trace_of(lines->trace, link->link, &bins), next = 0;
    int64_t width = link_trace_bin_ticks(lines->trace), all = link_trace_bins(lines->trace);
    char share[QUANTITY_SIZE];
    format_share(load_utilization(lines->result, &lines->result->loads[load_of_link(lines->result, link->link)]), share);
    fprintf(out, "  %s%*s  %*s  ", link->label, label_width - text_width(link->label), "", SHARE_WIDTH, share);
    for (int64_t index = 0; index < all; index++) {
        bool busy = next < count && bins[next].index == index;
        fputs(spark(busy ? bins[next].busy_ticks : 0, width, lines->ascii), out);
        next += busy;
    }
    fputc('\n', out);
}

/// "0 s ... 2.7 ms" under the first and last bin.
static void print_axis(const struct sparklines *lines, int label_width, FILE *out) {
    int64_t bins = link_trace_bins(lines->trace);
    char end[QUANTITY_SIZE];
    format_time(bins * link_trace_bin_ticks(lines->trace), lines->result->ticks_per_s, end);
    fprintf(out, "  %*s  %*s  ", label_width, "", SHARE_WIDTH, "time");
    int gap = (int)bins - 3 - (int)strlen(end);
    fprintf(out, "0 s%*s%s\n", gap > 1 ? gap : 1, "", end);
}

void report_sparklines(const struct sparklines *lines, FILE *out) {
    char width[QUANTITY_SIZE];
    int label_width = 4;
    for (uint32_t i = 0; i < lines->links->count; i++) {
        int shown = text_width(lines->links->items[i].label);
        if (shown > label_width) label_width = shown;
    }
    fprintf(out, "\nbusy share of the hottest links (%" PRIu32 "), %" PRId64 " bins of %s\n", lines->links->count,
            link_trace_bins(lines->trace), format_time(link_trace_bin_ticks(lines->trace), lines->result->ticks_per_s, width));
    fprintf(out, "  %-*s  %*s\n", label_width, "link", SHARE_WIDTH, "busy");
    for (uint32_t i = 0; i < lines->links->count; i++) print_line(lines, i, label_width, out);
    print_axis(lines, label_width, out);
}
