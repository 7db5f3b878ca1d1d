#include "report/link_trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/csv.h"

/// How far each link's list of bins has been read; those that are missing are idle.
struct cursor {
    const struct link_bin *next, *end;
};

static struct cursor *start_cursors(const struct link_trace *trace, const struct named_links *links) {
    struct cursor *cursors = allocate(links->count * sizeof *cursors);
    for (uint32_t i = 0; i < links->count; i++) {
        size_t count = link_trace_of(trace, links->items[i].link, &cursors[i].next);
        cursors[i].end = cursors[i].next + count;
    }
    return cursors;
}

static struct link_bin take_bin(struct cursor *cursor, int64_t index) {
    if (cursor->next < cursor->end && cursor->next->index == index) return *cursor->next++;
    return (struct link_bin){.index = index};
}

static void write_long(const struct named_link *link, const struct link_bin *bin, int64_t width, int64_t ticks_per_s, FILE *out) {
    csv_time(bin->index * width, ticks_per_s, out);
    fputc(',', out);
    csv_text(link->label, out);
    fputc(',', out);
    csv_text(link->from, out);
    fputc(',', out);
    csv_text(link->to, out);
    fprintf(out, ",%" PRId64, bin->busy_ticks);
    csv_double((double)bin->busy_ticks / (double)width, out);
    fprintf(out, ",%" PRId64, bin->bytes);
    csv_double((double)bin->queue_byte_ticks / (double)width, out);
    fprintf(out, ",%" PRId64 "\n", bin->queue_peak_bytes);
}

static void write_value(enum link_trace_value value, const struct link_bin *bin, int64_t width, FILE *out) {
    switch (value) {
    case VALUE_BUSY_SHARE: csv_double((double)bin->busy_ticks / (double)width, out); break;
    case VALUE_BYTES: fprintf(out, ",%" PRId64, bin->bytes); break;
    case VALUE_QUEUE_MEAN: csv_double((double)bin->queue_byte_ticks / (double)width, out); break;
    case VALUE_QUEUE_PEAK: fprintf(out, ",%" PRId64, bin->queue_peak_bytes); break;
    }
}

static void write_titles(const struct named_links *links, enum link_trace_format format, FILE *out) {
    fputs("time_start_ticks,time_start_seconds", out);
    if (format == FORMAT_LONG) fputs(",link,from,to,busy_ticks,busy_share,bytes,queue_mean_bytes,queue_peak_bytes", out);
    for (uint32_t i = 0; format == FORMAT_WIDE && i < links->count; i++) {
        fputc(',', out);
        csv_text(links->items[i].label, out);
    }
    fputc('\n', out);
}

void report_link_trace(const struct link_trace *trace, const struct named_links *links, const struct link_trace_output *output,
                       int64_t ticks_per_s, FILE *out) {
    int64_t width = link_trace_bin_ticks(trace), bins = link_trace_bins(trace);
    struct cursor *cursors = start_cursors(trace, links);
    write_titles(links, (enum link_trace_format)output->format, out);
    for (int64_t index = 0; index < bins && !ferror(out); index++) {
        if (output->format == FORMAT_WIDE) csv_time(index * width, ticks_per_s, out);
        for (uint32_t i = 0; i < links->count; i++) {
            struct link_bin bin = take_bin(&cursors[i], index);
            if (output->format == FORMAT_WIDE)
                write_value((enum link_trace_value)output->value, &bin, width, out);
            else
                write_long(&links->items[i], &bin, width, ticks_per_s, out);
        }
        if (output->format == FORMAT_WIDE) fputc('\n', out);
    }
    free(cursors);
}
