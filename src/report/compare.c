#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

bool compare_completed(const struct compare_run *run) { return run->state == COMPARE_RAN && run->status == RUN_COMPLETE; }

/// Times of runs may count different ticks.
static double run_seconds(const struct compare_run *run) { return (double)run->makespan_ticks / (double)run->ticks_per_s; }

static int by_time(const void *left, const void *right) {
    const struct compare_run *a = *(const struct compare_run *const *)left, *b = *(const struct compare_run *const *)right;
    double x = run_seconds(a), y = run_seconds(b);
    if (x < y || x > y) return x < y ? -1 : 1;
    return a < b ? -1 : a > b;
}

/// The point's completed run number `numerator/denominator` of the way from the fastest (0) to the slowest (1).
static const struct compare_run *run_at(const struct compare_point *point, size_t numerator, size_t denominator) {
    const struct compare_run **sorted = allocate(point->count * sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < point->count; i++)
        if (compare_completed(&point->runs[i])) sorted[count++] = &point->runs[i];
    qsort(sorted, count, sizeof *sorted, by_time);
    const struct compare_run *run = count ? sorted[(count - 1) * numerator / denominator] : NULL;
    free(sorted);
    return run;
}

const struct compare_run *compare_fastest(const struct compare_point *point) { return run_at(point, 0, 1); }
const struct compare_run *compare_middle(const struct compare_point *point) { return run_at(point, 1, 2); }
const struct compare_run *compare_slowest(const struct compare_point *point) { return run_at(point, 1, 1); }

struct compare_verdict compare_judge(const struct comparison *comparison) {
    struct compare_verdict verdict = {0};
    double least = 0, most = 0;
    for (size_t p = 0; p < comparison->count; p++) {
        const struct compare_run *middle = compare_middle(&comparison->points[p]);
        if (!middle) continue;
        double seconds = run_seconds(middle);
        if (!verdict.found || seconds < least) least = seconds, verdict.best = p;
        if (!verdict.found || seconds > most) most = seconds, verdict.worst = p;
        verdict.found = true;
    }
    if (!verdict.found) return verdict;
    verdict.best_run = compare_middle(&comparison->points[verdict.best]);
    verdict.worst_run = compare_slowest(&comparison->points[verdict.worst]);
    return verdict;
}

char *compare_point_name(const struct comparison *comparison, size_t point, char *out, size_t out_size) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t a = 0; a < comparison->axes && used < out_size; a++) {
        const char *value = comparison->points[point].values[a];
        int length = comparison->axes == 1 ? snprintf(out, out_size, "%s", value)
                                           : snprintf(out + used, out_size - used, "%s%s=%s", a ? " " : "", comparison->keys[a], value);
        used += (size_t)length;
    }
    return out;
}

static double slowdown(const struct comparison *comparison, size_t point, size_t best) {
    const struct compare_run *middle = compare_middle(&comparison->points[point]);
    return run_seconds(middle) / run_seconds(compare_middle(&comparison->points[best]));
}

/// "4 of 16 ring neighbours cross its busiest link 3 -> 0 (utilisation 99.0 %)"
static void describe_busiest(const struct compare_run *run, FILE *out) {
    const struct compare_link *link = &run->links[0];
    fprintf(out, "%u of %u ring neighbours share its busiest link %s -> %s, busy %.1f %% of the time", link->neighbours, run->ranks,
            link->from, link->to, 100 * link->utilization);
}

void compare_sentence(const struct comparison *comparison, FILE *out) {
    enum { NAME_SIZE = 256 };
    char best[NAME_SIZE], worst[NAME_SIZE], time[QUANTITY_SIZE], other[QUANTITY_SIZE];
    struct compare_verdict verdict = compare_judge(comparison);
    if (!verdict.found) {
        fputs("No point completed.\n", out);
        return;
    }
    const struct compare_run *best_run = verdict.best_run, *worst_run = compare_middle(&comparison->points[verdict.worst]);
    compare_point_name(comparison, verdict.best, best, sizeof best);
    compare_point_name(comparison, verdict.worst, worst, sizeof worst);
    format_time(best_run->makespan_ticks, best_run->ticks_per_s, time);
    format_time(worst_run->makespan_ticks, worst_run->ticks_per_s, other);
    if (comparison->count == 1) {
        fprintf(out, "%s takes %s; there is no other point to compare it with.\n", best, time);
        return;
    }
    if (run_seconds(best_run) >= run_seconds(worst_run)) {
        fprintf(out, "All points that completed take the same time, %s.\n", time);
        return;
    }
    fprintf(out, "%s wins with %s, %.2f times faster than %s (%s%s)", best, time, slowdown(comparison, verdict.worst, verdict.best), worst,
            comparison->points[verdict.worst].count > 1 ? "median " : "", other);
    if (!best_run->link_count || !worst_run->link_count) {
        fputs(".\n", out);
        return;
    }
    fprintf(out, ":\nunder %s ", worst);
    describe_busiest(worst_run, out);
    fprintf(out, ";\nunder %s ", best);
    describe_busiest(best_run, out);
    fputs(".\n", out);
}
