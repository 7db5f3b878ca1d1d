#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/result.h"
#include "report/sheet.h"

/// What a comparison keeps of each of its runs, and how it is shown. Runs that differ only in a seed make one point.

enum { COMPARE_LINKS_MOST = 10, COMPARE_NAME_SIZE = 64 };

/// One of a run's hottest links.
struct compare_link {
    char from[COMPARE_NAME_SIZE], to[COMPARE_NAME_SIZE]; ///< as people call the nodes, cut to 63 bytes
    uint32_t port;
    uint32_t neighbours; ///< pairs of ring neighbours (rank r to r+1) whose route crosses it; told only of ring algorithms
    uint64_t bytes, chunks;
    int64_t busy_ticks, peak_queue_bytes;
    double utilization;
};

enum compare_state {
    COMPARE_MISSING, ///< not finished: interrupted before
    COMPARE_RAN,     ///< `status` says how it ended
    COMPARE_LOST,    ///< its worker died
    COMPARE_FAILED,  ///< an internal error
};

/// A run in a form that can be copied from process to process.
struct compare_run {
    enum compare_state state;
    enum run_status status;
    int64_t seed; ///< of the mapping; 0: the point has no seeds
    int64_t ticks_per_s, makespan_ticks;
    double algbw, busbw; ///< NaN unless the run is one collective
    bool ring;           ///< some collective of it runs on a ring of ranks
    uint32_t ranks, link_count;
    double most_bytes, most_queue_bytes;           ///< of any link
    struct compare_link links[COMPARE_LINKS_MOST]; ///< hottest first
    struct digest digest;
    bool no_digest;   ///< there is none: too many deliveries
    char reason[512]; ///< why it is not complete
};

struct compare_point {
    const char **values; ///< one an axis
    struct compare_run *runs;
    size_t count;
};

struct comparison {
    size_t axes;
    const char **keys;
    size_t count;
    struct compare_point *points;
    size_t missing, failed;              ///< runs
    const struct crossover_study *study; ///< which algorithm is fastest at which size; NULL: not asked
};

/// What stands out; `found` is false where fewer than one point completed.
struct compare_verdict {
    bool found;
    size_t best, worst;                             ///< points, by the time of their middle run
    const struct compare_run *best_run, *worst_run; ///< the best point's middle run; the slowest run of the worst point
};

bool compare_completed(const struct compare_run *run);

/// The completed run with the median time (of an even number the earlier of the two in the middle), or NULL.
const struct compare_run *compare_middle(const struct compare_point *point);
const struct compare_run *compare_fastest(const struct compare_point *point);
const struct compare_run *compare_slowest(const struct compare_point *point);

struct compare_verdict compare_judge(const struct comparison *comparison);

/// The run that stands for a point where only one is shown: the best point's middle one, of others the slowest; or NULL.
const struct compare_run *compare_shown(const struct comparison *comparison, size_t point, const struct compare_verdict *verdict);

/// "mapping=snake", "mapping=random:20 network.chunk=64KiB"; with one axis the value alone.
char *compare_point_name(const struct comparison *comparison, size_t point, char *out, size_t out_size);

/// One sentence or two: which wins, by how much and because of which links.
void compare_sentence(const struct comparison *comparison, FILE *out);

/// For people, as text or Markdown: the points, who wins and why, and the hottest links: of each point while there are few,
/// else of the best and the worst. `scenario` is the resolved scenario of the first point.
void report_compare_table(const struct comparison *comparison, const json_t *scenario, enum sheet_format format, bool color, FILE *out);

/// One CSV table: its points, its runs, or the hottest links of all its runs.
enum compare_csv { CSV_POINTS, CSV_RUNS, CSV_LINKS };
void report_compare_csv(const struct comparison *comparison, enum compare_csv which, FILE *out);

void report_compare_json(const struct comparison *comparison, const json_t *scenario, FILE *out);

/// A JSON document a line for each run, in order: the varied keys, then as in report_compare_json.
void report_compare_json_lines(const struct comparison *comparison, FILE *out);

/// "complete", "stalled" …, "lost", "failed", "not run"
const char *compare_run_status(const struct compare_run *run);

#endif
