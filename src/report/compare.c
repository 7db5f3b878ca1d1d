#include "report/compare.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

enum { NAME_SIZE = 256 };

bool compare_completed(const struct compare_run *run) { return run->state == COMPARE_RAN && run->status == RUN_COMPLETE; }

const char *compare_run_status(const struct compare_run *run) {
    static const char *const states[] = {"not run", "ran", "lost", "failed"};
    return run->state == COMPARE_RAN ? run_status_names[run->status] : states[run->state];
}

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

const struct compare_run *compare_shown(const struct comparison *comparison, size_t point, const struct compare_verdict *verdict) {
    return verdict->found && point == verdict->best ? verdict->best_run : compare_slowest(&comparison->points[point]);
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

/// How many times longer a point's middle run takes than the best.
static double times_slower(const struct comparison *comparison, size_t point, const struct compare_verdict *verdict) {
    return run_seconds(compare_middle(&comparison->points[point])) / run_seconds(verdict->best_run);
}

/// The fastest point but the best and the worst, or the number of points where there is none.
static size_t find_second(const struct comparison *comparison, const struct compare_verdict *verdict) {
    size_t second = comparison->count;
    double least = 0;
    for (size_t p = 0; p < comparison->count; p++) {
        const struct compare_run *middle = compare_middle(&comparison->points[p]);
        if (!middle || p == verdict->best || p == verdict->worst) continue;
        if (second < comparison->count && run_seconds(middle) >= least) continue;
        least = run_seconds(middle);
        second = p;
    }
    return second;
}

/// "1.98 times faster than linear (5.336 ms)", "0.3 % faster than linear (2.705 ms)"
static void describe_lead(const struct comparison *comparison, size_t point, const struct compare_verdict *verdict, FILE *out) {
    const struct compare_run *run = compare_middle(&comparison->points[point]);
    char name[NAME_SIZE], time[QUANTITY_SIZE];
    double times = times_slower(comparison, point, verdict);
    compare_point_name(comparison, point, name, sizeof name);
    format_time(run->makespan_ticks, run->ticks_per_s, time);
    if (times >= 1.1)
        fprintf(out, "%.2f times faster than %s", times, name);
    else if (times > 1)
        fprintf(out, "%.1f %% faster than %s", 100 * (times - 1), name);
    else
        fprintf(out, "as fast as %s", name);
    fprintf(out, " (%s%s)", comparison->points[point].count > 1 ? "median " : "", time);
}

/// "under linear the busiest link, 3 -> 0, carries 4 of 16 pairs of ring neighbours and is busy 99.0 % of the time"; how many
/// pairs only where the algorithm has such neighbours.
static void describe_busiest(const struct comparison *comparison, size_t point, FILE *out) {
    const struct compare_run *run = compare_middle(&comparison->points[point]);
    const struct compare_link *link = &run->links[0];
    char name[NAME_SIZE];
    fprintf(out, "under %s the busiest link, %s -> %s, ", compare_point_name(comparison, point, name, sizeof name), link->from, link->to);
    if (run->ring) fprintf(out, "carries %u of %u pairs of ring neighbours and ", link->neighbours, run->ranks);
    fprintf(out, "is busy %.1f %% of the time", 100 * link->utilization);
}

static void describe_winner(const struct comparison *comparison, const struct compare_verdict *verdict, FILE *out) {
    char name[NAME_SIZE], time[QUANTITY_SIZE];
    size_t second = find_second(comparison, verdict);
    compare_point_name(comparison, verdict->best, name, sizeof name);
    fprintf(out, "%s wins with %s: ", name, format_time(verdict->best_run->makespan_ticks, verdict->best_run->ticks_per_s, time));
    if (second < comparison->count) {
        describe_lead(comparison, second, verdict, out);
        fputs(", ", out);
    }
    describe_lead(comparison, verdict->worst, verdict, out);
    if (verdict->best_run->link_count && compare_middle(&comparison->points[verdict->worst])->link_count) {
        fputs(";\n", out);
        describe_busiest(comparison, verdict->worst, out);
        fputs(",\n", out);
        describe_busiest(comparison, verdict->best, out);
    }
    fputs(".\n", out);
}

void compare_sentence(const struct comparison *comparison, FILE *out) {
    struct compare_verdict verdict = compare_judge(comparison);
    char name[NAME_SIZE], time[QUANTITY_SIZE];
    if (!verdict.found) {
        fputs("No point completed.\n", out);
        return;
    }
    compare_point_name(comparison, verdict.best, name, sizeof name);
    format_time(verdict.best_run->makespan_ticks, verdict.best_run->ticks_per_s, time);
    if (verdict.best != verdict.worst)
        describe_winner(comparison, &verdict, out);
    else if (comparison->count == 1)
        fprintf(out, "%s takes %s; there is no other point to compare it with.\n", name, time);
    else
        fprintf(out, "All points that completed take the same time, %s.\n", time);
}
