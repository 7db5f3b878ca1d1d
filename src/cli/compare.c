#include "cli/command.h"

#include <stdlib.h>

#include "cli/compare_pictures.h"
#include "cli/compare_pool.h"
#include "cli/crossover.h"
#include "cli/format.h"
#include "cli/outcome.h"
#include "cli/vary_all.h"
#include "report/crossover.h"

static const struct option compare_options[] = {
    {"vary", 0, OPTION_TEXTS, offsetof(struct options, vary), "KEY=VALUES",
     "values of any key of the scenario: a,b,c, random:20 (seeds), 1KB..1GB:x4 (a range), workload.algorithm=all; several give all "
     "combinations; algorithms over sizes give a table of which is fastest where",
     NULL},
    {"jobs", 'j', OPTION_COUNT, offsetof(struct options, jobs), "N", "worker processes (default: one a core)", NULL},
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document instead of tables", NULL},
    {"json-lines", 0, OPTION_FLAG, offsetof(struct options, json_lines), NULL, "a JSON document a line for each run", NULL},
    {"csv", 0, OPTION_MAYBE, offsetof(struct options, csv), "points|runs|links", "one table as CSV, the first where none is named", NULL},
    {"markdown", 0, OPTION_FLAG, offsetof(struct options, markdown), NULL, "the tables as Markdown", NULL},
    {"svg", 0, OPTION_TEXT, offsetof(struct options, svg), "PATH",
     "heat maps of the best, the worst and all points side by side, in a folder, or NAME.svg, NAME-best.svg and NAME-worst.svg", NULL},
    {"heat", 0, OPTION_TEXT, offsetof(struct options, heat), "utilization|bytes|queue", "what colours them: the first unless given", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Comparison", compare_options},
    {"Network, without a file or in place of the file's", network_options},
    {"Workload", workload_options},
    {"Scenario", scenario_options},
    {"Limits of each run", limit_options},
    {"General", common_options},
    {0},
};

/// Reads and prepares the first run of every point, so that nothing is simulated when one is wrong. The resolved
/// scenario of the first is kept for the report.
static bool check_points(const struct compare_plan *plan, json_t **scenario) {
    for (size_t p = 0; p < plan->comparison.count; p++) {
        struct loaded loaded;
        struct run_limits limits;
        struct error err = {0};
        if (!compare_load(plan, plan->first_job[p], stderr, &loaded)) {
            char name[256];
            fprintf(stderr, "weft: nothing was run: the point %s is wrong\n", compare_point_name(&plan->comparison, p, name, sizeof name));
            return false;
        }
        bool good = limits_from_options(plan->options, loaded.scenario->ticks_per_s, &limits, &err);
        if (p == 0 && good) *scenario = scenario_resolved(loaded.scenario);
        loaded_free(&loaded);
        if (!good) return outcome_error(&err), false;
    }
    return true;
}

/// Names every run that did not complete on stderr, and counts them; returns the exit code.
static int judge_runs(struct compare_plan *plan) {
    static const char *const ways[] = {"not run", "", "lost", "failed"};
    struct comparison *comparison = &plan->comparison;
    int code = ERROR_NONE;
    for (size_t job = 0; job < plan->jobs; job++) {
        size_t point = plan->job_point[job];
        struct compare_run *run = &comparison->points[point].runs[job - plan->first_job[point]];
        char name[256];
        if (compare_completed(run)) continue;
        if (run->state == COMPARE_MISSING) {
            comparison->missing++;
            continue;
        }
        comparison->failed++;
        fprintf(stderr, "weft: point %s", compare_point_name(comparison, point, name, sizeof name));
        if (run->seed) fprintf(stderr, ", seed %lld", (long long)run->seed);
        fprintf(stderr, ": %s: %s\n", run->state == COMPARE_RAN ? run_status_names[run->status] : ways[run->state], run->reason);
        if (run->state != COMPARE_RAN)
            code = ERROR_INTERNAL;
        else if (code == ERROR_NONE)
            code = run->status == RUN_LIMIT ? ERROR_LIMIT : ERROR_SIMULATION;
    }
    return code;
}

static const char *const csv_tables[] = {[CSV_POINTS] = "points", [CSV_RUNS] = "runs", [CSV_LINKS] = "links", NULL};

static void print_comparison(const struct options *options, struct format format, const struct comparison *comparison,
                             const json_t *scenario, FILE *out) {
    enum sheet_format sheet = format.kind == FORMAT_MARKDOWN ? SHEET_MARKDOWN : SHEET_TEXT;
    switch (format.kind) {
    case FORMAT_JSON: report_compare_json(comparison, scenario, out); break;
    case FORMAT_JSON_LINES: report_compare_json_lines(comparison, out); break;
    case FORMAT_CSV: report_compare_csv(comparison, (enum compare_csv)format.table, out); break;
    case FORMAT_MARKDOWN:
    case FORMAT_TABLE:
        if (comparison->study)
            report_crossover_table(comparison->study, scenario, sheet, out);
        else
            report_compare_table(comparison, scenario, sheet, sheet == SHEET_TEXT && options_color(options, 1), out);
    }
}

static int run_points(const struct options *options, struct format format, struct compare_plan *plan, const json_t *scenario, FILE *out) {
    enum { SIGNAL_BASE = 128 };
    struct error err = {0};
    struct crossover_study study = {0};
    struct compare_progress progress = {0};
    bool ran = compare_execute(plan, &progress, &err);
    if (ran && crossover_axes(plan->vary, &study)) ran = crossover_find(plan, &study, &progress, &err);
    if (!ran) return free(study.items), outcome_error(&err);
    int code = judge_runs(plan);
    print_comparison(options, format, &plan->comparison, scenario, out);
    free(study.items);
    if (progress.signal) {
        fprintf(stderr, "weft: interrupted after %zu of %zu runs\n", progress.finished, progress.jobs);
        return SIGNAL_BASE + progress.signal;
    }
    if (options->svg && !compare_write_pictures(plan, options->svg, format_for_people(format) ? out : NULL, &err))
        return outcome_error(&err);
    return code;
}

static int compare_source(const struct options *options, struct format format, const struct source *source, FILE *out) {
    struct vary vary;
    struct error err = {0};
    int code = ERROR_INPUT;
    if (!vary_parse(&options->vary, &vary, &err)) {
        code = outcome_error(&err);
    } else if (vary_expand_all(&vary, source, stderr)) {
        struct compare_plan plan;
        json_t *scenario = NULL;
        compare_plan_make(&plan, options, source, &vary);
        if (check_points(&plan, &scenario)) code = run_points(options, format, &plan, scenario, out);
        json_decref(scenario);
        compare_plan_free(&plan);
    }
    vary_free(&vary);
    return code;
}

static int compare(const struct options *options, FILE *out) {
    struct source source;
    struct error err = {0};
    if (options->vary.count == 0) {
        error_set(&err, ERROR_INPUT, "what should differ? Give --vary KEY=VALUES, for example --vary mapping=snake,linear,random:20");
        return outcome_error(&err);
    }
    struct format format;
    enum heat heat;
    if (!heat_from_options(options, &heat, &err) || !format_from_options(options, csv_tables, &format, &err)) return outcome_error(&err);
    const char *path = options->operands.count ? options->operands.items[0] : NULL;
    if (!source_open(options, path, true, &source)) return ERROR_INPUT;
    int code = compare_source(options, format, &source, out);
    source_close(&source);
    return code;
}

const struct command compare_command = {
    .name = "compare",
    .operands = "[FILE]",
    .summary = "simulate variants of a scenario side by side, and say which wins and because of which links",
    .more = "  weft compare scenarios/torus-ring-all-reduce.json --vary mapping=snake,linear,random:20\n"
            "  weft compare scenarios/torus-ring-all-reduce.json --vary network.chunk=64KiB,1MiB --vary workload.size=1MB..1GB:x4\n"
            "  weft compare scenarios/torus-ring-all-reduce.json --vary workload.algorithm=all --vary workload.size=1KB..1GB:x4",
    .operands_most = 1,
    .groups = groups,
    .run = compare,
};
