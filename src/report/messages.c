#include "report/messages.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/csv.h"

static void write_message(const struct logged_message *message, int64_t ideal_ticks, double slowdown, int64_t ticks_per_s, FILE *out) {
    fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRId64 ",", message->number, message->from, message->to, message->bytes);
    csv_time(message->posted_ticks, ticks_per_s, out);
    fputc(',', out);
    if (message->delivered_ticks >= 0)
        csv_time(message->delivered_ticks, ticks_per_s, out);
    else
        fputc(',', out);
    if (ideal_ticks >= 0)
        fprintf(out, ",%" PRId64, ideal_ticks);
    else
        fputc(',', out);
    if (isnan(slowdown))
        fputc(',', out);
    else
        csv_double(slowdown, out);
    fputc('\n', out);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/// The smallest value that at least `percent` of all do not exceed.
static double quantile(const double *sorted, size_t count, size_t percent) {
    size_t rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

struct slowdown report_messages(const struct message_log *log, struct ideal_time *ideal, const struct run_result *result, FILE *out) {
    const struct logged_message *messages;
    size_t count = message_log_all(log, &messages);
    struct slowdown figures = {0};
    double *slowdowns = allocate(count * sizeof *slowdowns);
    if (out) fputs("number,rank,peer,bytes,posted_ticks,posted_seconds,delivered_ticks,delivered_seconds,ideal_ticks,slowdown\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct logged_message *m = &messages[i];
        int64_t ideal_ticks = -1;
        double slowdown = (double)NAN;
        if (m->from != m->to) ideal_ticks = ideal_time_of(ideal, result->place[m->from], result->place[m->to], m->number, m->bytes);
        if (ideal_ticks >= 0 && m->delivered_ticks >= 0) {
            slowdown = (double)(m->delivered_ticks - m->posted_ticks) / (double)ideal_ticks;
            if (slowdown > figures.most) figures.most = slowdown, figures.worst = *m;
            slowdowns[figures.count++] = slowdown;
        }
        if (out) write_message(m, ideal_ticks, slowdown, result->ticks_per_s, out);
    }
    if (figures.count > 0) {
        qsort(slowdowns, figures.count, sizeof *slowdowns, by_size);
        figures.median = quantile(slowdowns, figures.count, 50);
        figures.p90 = quantile(slowdowns, figures.count, 90);
        figures.p99 = quantile(slowdowns, figures.count, 99);
    }
    free(slowdowns);
    return figures;
}

void report_slowdown(const struct slowdown *slowdown, FILE *out) {
    if (slowdown->count == 0) return;
    char bytes[QUANTITY_SIZE];
    const struct logged_message *worst = &slowdown->worst;
    fprintf(out, "\nslowdown of %zu messages against an idle network: median %.4g, 90 %% %.4g, 99 %% %.4g, most %.4g\n", slowdown->count,
            slowdown->median, slowdown->p90, slowdown->p99, slowdown->most);
    fprintf(out, "  the slowest: message %" PRIu32 " of rank %" PRIu32 " to rank %" PRIu32 ", %s\n", worst->number, worst->from, worst->to,
            format_bytes((double)worst->bytes, bytes));
}
