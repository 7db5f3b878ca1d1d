#include "cli/command.h"

#include "cli/load.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "report/json.h"
#include "report/table.h"

static const struct option run_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document instead of tables", NULL},
    {"links", 0, OPTION_LINKS, offsetof(struct options, links), "WHICH", "links to list: used, all or top:N", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Output", run_options},
    {"Without a file", network_options},
    {"Workload", workload_options},
    {"Scenario", scenario_options},
    {"Limits", limit_options},
    {"General", common_options},
    {0},
};

static void print_result(const struct options *options, const struct loaded *loaded, const struct run_result *result, FILE *out) {
    json_t *scenario = scenario_resolved(loaded->scenario);
    struct table_style style = {options_color(options, 1), options->links_given, options->links};
    if (options->json)
        report_json(result, scenario, options->links, out);
    else
        report_table(result, scenario, &style, out);
    json_decref(scenario);
}

static int simulate(const struct options *options, const struct loaded *loaded, FILE *out) {
    struct run_limits limits;
    struct run_result result = {0};
    struct error err = {0};
    if (!limits_from_options(options, loaded->scenario->ticks_per_s, &limits, &err)) return outcome_error(&err);
    struct progress progress;
    progress_start(&progress, options, loaded->scenario->ticks_per_s);
    limits.progress = progress_update;
    limits.context = &progress;
    bool ran = experiment_run(&loaded->experiment, &limits, &result, &err);
    progress_stop(&progress);
    if (!ran) return outcome_error(&err);
    print_result(options, loaded, &result, out);
    int code = outcome_of_run(&result, progress.signal);
    run_result_free(&result);
    return code;
}

static int run(const struct options *options, FILE *out) {
    struct source source;
    struct loaded loaded;
    int code = ERROR_INPUT;
    const char *path = options->operands.count ? options->operands.items[0] : NULL;
    if (!source_open(options, path, true, &source)) return ERROR_INPUT;
    if (source_load(&source, NULL, stderr, &loaded)) {
        code = simulate(options, &loaded, out);
        loaded_free(&loaded);
    }
    source_close(&source);
    return code;
}

const struct command run_command = {
    .name = "run",
    .operands = "[FILE]",
    .summary = "simulate one scenario and print times, bandwidths and the hottest links",
    .more = "  weft run scenarios/torus.json --set network.chunk=64KiB\n"
            "  weft run --topology torus:4x4 --link 45GB/s,1us --collective all-reduce:ring --size 64MB --mapping snake",
    .operands_most = 1,
    .groups = groups,
    .run = run,
};
