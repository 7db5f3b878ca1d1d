#include "cli/command.h"

#include <string.h>
#include <sys/wait.h>

#include "cli/compare_pictures.h"
#include "cli/compare_run.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "pool/pool.h"

static const struct option compare_options[] = {
    {"vary", 0, OPTION_TEXTS, offsetof(struct options, vary), "KEY=VALUES",
     "values of any key of the scenario: a,b,c, random:20 (seeds), 1KB..1GB:x4 (a range); several give all combinations", NULL},
    {"jobs", 'j', OPTION_COUNT, offsetof(struct options, jobs), "N", "worker processes (default: one a core)", NULL},
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document instead of tables", NULL},
    {"svg", 0, OPTION_TEXT, offsetof(struct options, svg), "PATH",
     "write heat maps of the best and the worst run into a folder, or beside NAME.svg", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Comparison", compare_options},
    {"Without a file", network_options},
    {"Workload", workload_options},
    {"Scenario", scenario_options},
    {"Limits of each run", limit_options},
    {"General", common_options},
    {0},
};

/// What the pool's callbacks share.
struct session {
    struct compare_plan plan;
    size_t finished;
    bool show_progress;
};

static void work(void *context, size_t job, FILE *out) {
    const struct session *session = context;
    struct compare_run run;
    compare_simulate(&session->plan, job, &run);
    fwrite(&run, sizeof run, 1, out);
}

static void describe_loss(struct compare_run *run, int status) {
    run->state = COMPARE_LOST;
    if (WIFSIGNALED(status))
        snprintf(run->reason, sizeof run->reason, "its worker was ended by signal %d", WTERMSIG(status));
    else
        snprintf(run->reason, sizeof run->reason, "its worker ended with exit code %d", WEXITSTATUS(status));
}

static void finished(void *context, const struct pool_outcome *outcome) {
    struct session *session = context;
    struct compare_plan *plan = &session->plan;
    size_t point = plan->job_point[outcome->job];
    struct compare_run *run = &plan->comparison.points[point].runs[outcome->job - plan->first_job[point]];
    if (outcome->lost || outcome->size != sizeof *run)
        describe_loss(run, outcome->wait_status);
    else
        memcpy(run, outcome->data, sizeof *run);
    session->finished++;
    if (session->show_progress) fprintf(stderr, "\r\033[K%zu of %zu runs", session->finished, plan->jobs);
}

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

static int run_points(const struct options *options, struct session *session, const json_t *scenario, FILE *out) {
    enum { SIGNAL_BASE = 128 };
    struct error err = {0};
    int signal = 0;
    const struct pool_plan pool = {
        .jobs = session->plan.jobs,
        .workers = options->jobs ? (unsigned)options->jobs : pool_cores(),
        .context = session,
        .work = work,
        .finished = finished,
    };
    session->show_progress = progress_wanted(options);
    bool ran = pool_run(&pool, &signal, &err);
    if (session->show_progress) fputs("\r\033[K", stderr);
    if (!ran) return outcome_error(&err);
    int code = judge_runs(&session->plan);
    if (options->json)
        report_compare_json(&session->plan.comparison, scenario, out);
    else
        report_compare_table(&session->plan.comparison, scenario, options_color(options, 1), out);
    if (signal) {
        fprintf(stderr, "weft: interrupted after %zu of %zu runs\n", session->finished, session->plan.jobs);
        return SIGNAL_BASE + signal;
    }
    if (options->svg && !compare_write_pictures(&session->plan, options->svg, options->json ? NULL : out, &err)) return outcome_error(&err);
    return code;
}

static int compare_source(const struct options *options, const struct source *source, FILE *out) {
    struct vary vary;
    struct error err = {0};
    int code = ERROR_INPUT;
    if (!vary_parse(&options->vary, &vary, &err)) {
        code = outcome_error(&err);
    } else {
        struct session session = {0};
        json_t *scenario = NULL;
        compare_plan_make(&session.plan, options, source, &vary);
        if (check_points(&session.plan, &scenario)) code = run_points(options, &session, scenario, out);
        json_decref(scenario);
        compare_plan_free(&session.plan);
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
    const char *path = options->operands.count ? options->operands.items[0] : NULL;
    if (!source_open(options, path, true, &source)) return ERROR_INPUT;
    int code = compare_source(options, &source, out);
    source_close(&source);
    return code;
}

const struct command compare_command = {
    .name = "compare",
    .operands = "[FILE]",
    .summary = "simulate variants of a scenario side by side, and say which wins and because of which links",
    .more = "  weft compare scenarios/torus.json --vary mapping=snake,linear,random:20\n"
            "  weft compare scenarios/torus.json --vary network.chunk=64KiB,1MiB --vary workload.size=1MB..1GB:x4",
    .operands_most = 1,
    .groups = groups,
    .run = compare,
};
