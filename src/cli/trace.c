#include "cli/command.h"

#include "cli/load.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "record/link_trace.h"
#include "record/named_links.h"
#include "report/header.h"
#include "report/sparkline.h"

enum { DEFAULT_BINS = 100, MOST_BINS = 1000, DEFAULT_TOP = 16 };

static const struct option trace_options[] = {
    {"bins", 0, OPTION_COUNT, offsetof(struct options, bins), "N", "at most so many bins of time, 2 to 1000 (default: 100)", NULL},
    {"top", 0, OPTION_COUNT, offsetof(struct options, top), "N", "how many links, the hottest first (default: 16)", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Output", trace_options},
    {"Network, without a file or in place of the file's", network_options},
    {"Workload", workload_options},
    {"Scenario", scenario_options},
    {"Limits", limit_options},
    {"General", common_options},
    {0},
};

static void print_trace(const struct options *options, const struct loaded *loaded, struct link_trace *trace,
                        const struct run_result *result, FILE *out) {
    json_t *scenario = scenario_resolved(loaded->scenario);
    report_header(scenario, NULL, result, SHEET_TEXT, out);
    json_decref(scenario);
    link_trace_finish(trace, result->makespan_ticks);
    struct named_links links =
        named_links_choose(&loaded->experiment.topology->graph, result, NULL, options->top ? options->top : DEFAULT_TOP);
    report_sparklines(&(struct sparklines){trace, &links, result, !options_utf8()}, out);
    named_links_free(&links);
}

static int trace_loaded(const struct options *options, const struct loaded *loaded, FILE *out) {
    struct run_limits limits;
    struct run_result result = {0};
    struct error err = {0};
    if (!limits_from_options(options, loaded->scenario->ticks_per_s, &limits, &err)) return outcome_error(&err);
    struct link_trace *trace = link_trace_create(loaded->experiment.topology->graph.link_count,
                                                 (struct bin_rule){1, options->bins ? options->bins : DEFAULT_BINS});
    struct observers observers = {0};
    const struct recorder recorder = link_trace_recorder(trace);
    observers_add(&observers, &recorder);
    struct progress progress;
    progress_start(&progress, options, loaded->scenario->ticks_per_s);
    limits.progress = progress_update;
    limits.note = options->quiet ? NULL : progress_note;
    limits.context = &progress;
    bool ran = experiment_run(&loaded->experiment, &limits, &observers, &result, &err);
    progress_stop(&progress);
    int code = ran ? outcome_of_run(&result, progress.signal) : outcome_error(&err);
    if (ran) print_trace(options, loaded, trace, &result, out);
    run_result_free(&result);
    observers_free(&observers);
    link_trace_free(trace);
    return code;
}

static bool can_trace(const struct options *options, const struct loaded *loaded, struct error *err) {
    if (options->bins == 1 || options->bins > MOST_BINS) return error_set(err, ERROR_INPUT, "--bins: 2 to %d are allowed", MOST_BINS);
    if (loaded->scenario->network.model != MODEL_ALPHA_BETA) return true;
    return error_set(err, ERROR_INPUT, "the model \"alpha-beta\" simulates nothing that could be traced; --set network.model=event does");
}

static int trace(const struct options *options, FILE *out) {
    struct source source;
    struct loaded loaded;
    struct error err = {0};
    int code = ERROR_INPUT;
    const char *path = options->operands.count ? options->operands.items[0] : NULL;
    if (!source_open(options, path, true, &source)) return ERROR_INPUT;
    if (source_load(&source, NULL, stderr, &loaded)) {
        code = can_trace(options, &loaded, &err) ? trace_loaded(options, &loaded, out) : outcome_error(&err);
        loaded_free(&loaded);
    }
    source_close(&source);
    return code;
}

const struct command trace_command = {
    .name = "trace",
    .operands = "[FILE]",
    .summary = "simulate one scenario and draw how busy the hottest links are over time",
    .more = "  weft trace scenarios/torus-ring-all-reduce.json --top 8",
    .operands_most = 1,
    .groups = groups,
    .run = trace,
};
