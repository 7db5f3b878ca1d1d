#include "cli/command.h"

#include <stdlib.h>

#include "base/units.h"
#include "cli/format.h"
#include "cli/load.h"
#include "cli/outcome.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "report/assertions.h"
#include "report/json.h"
#include "report/outputs.h"
#include "report/table.h"

static const struct option run_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document instead of tables", NULL},
    {"csv", 0, OPTION_MAYBE, offsetof(struct options, csv), "TABLE", "one table as CSV: collectives (default) or links", NULL},
    {"markdown", 0, OPTION_FLAG, offsetof(struct options, markdown), NULL, "the tables as Markdown", NULL},
    {"svg", 0, OPTION_TEXT, offsetof(struct options, svg), "FILE", "write a heat map of the links", NULL},
    {"heat", 0, OPTION_TEXT, offsetof(struct options, heat), "WHAT", "what colours it: utilization (default), bytes or queue", NULL},
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

static const char *const csv_tables[] = {[CSV_COLLECTIVES] = "collectives", [CSV_RUN_LINKS] = "links", NULL};

static void print_result(const struct options *options, struct format format, const struct loaded *loaded, const struct run_result *result,
                         FILE *out) {
    json_t *scenario = scenario_resolved(loaded->scenario);
    const struct table_style style = {
        .format = format.kind == FORMAT_MARKDOWN ? SHEET_MARKDOWN : SHEET_TEXT,
        .color = format.kind == FORMAT_TABLE && options_color(options, 1),
        .links_given = options->links_given,
        .links = options->links,
        .utf8 = options_utf8(),
    };
    switch (format.kind) {
    case FORMAT_JSON:
    case FORMAT_JSON_LINES: report_json(result, scenario, options->links, out); break;
    case FORMAT_CSV: report_csv(result, (enum run_csv)format.table, options->links, out); break;
    case FORMAT_MARKDOWN:
    case FORMAT_TABLE: report_table(result, scenario, &style, out); break;
    }
    json_decref(scenario);
}

/// The heat map that --svg asks for.
static bool save_picture(const struct options *options, struct picture picture, const struct loaded *loaded,
                         const struct run_result *result, struct error *err) {
    char title[300], time[QUANTITY_SIZE];
    const char *name = loaded->scenario->name ? loaded->scenario->name : "heat map";
    snprintf(title, sizeof title, "%s: %s", name, format_time(result->makespan_ticks, result->ticks_per_s, time));
    picture.title = title;
    picture.most = heat_most(result, picture.heat);
    struct svg_panel panel = picture_draw(&picture, loaded, result);
    bool good = picture_save(options->svg, &picture, &panel, 1, err);
    free(panel.text);
    return good;
}

/// How far the clock will go at least; 0: not known.
static int64_t span_ticks(const struct scenario *scenario) {
    __int128 ticks = (__int128)scenario_span_ns(scenario) * scenario->ticks_per_s / 1000000000;
    return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
}

static int simulate(const struct options *options, const struct loaded *loaded, FILE *out) {
    struct run_limits limits;
    struct run_result result = {0};
    struct format format;
    struct picture picture = {0};
    struct error err = {0};
    if (!heat_from_options(options, &picture.heat, &err) || !format_from_options(options, csv_tables, &format, &err) ||
        !limits_from_options(options, loaded->scenario->ticks_per_s, &limits, &err))
        return outcome_error(&err);
    struct progress progress;
    progress_start(&progress, options, loaded->scenario->ticks_per_s);
    progress.span_ticks = span_ticks(loaded->scenario);
    if (loaded->scenario->tick_chosen && !options->quiet)
        fputs("weft: note: the clock's tick is 1ps, since the trace is long (\"tick\" says otherwise)\n", stderr);
    limits.progress = progress_update;
    limits.context = &progress;
    struct observers observers = {0};
    struct outputs *outputs = outputs_create(&loaded->experiment, &observers);
    bool ran = experiment_run(&loaded->experiment, &limits, &observers, &result, &err);
    progress_stop(&progress);
    int code = ran ? outcome_of_run(&result, progress.signal) : outcome_error(&err);
    if (ran) {
        bool written = outputs_write(outputs, &result, &err);
        assertions_check(&loaded->experiment, outputs_slowdown(outputs), &result);
        if (!options->quiet) outputs_warn(outputs, stderr);
        print_result(options, format, loaded, &result, out);
        if (format_for_people(format)) outputs_summary(outputs, out);
        if (options->svg && written) written = save_picture(options, picture, loaded, &result, &err);
        if (options->svg && written && format_for_people(format)) fprintf(out, "\nheat map: %s\n", options->svg);
        if (!written && outcome_error(&err) && code == ERROR_NONE) code = (int)err.kind;
        if (code == ERROR_NONE && !assertions_hold(&result)) code = ERROR_ASSERTION;
    }
    outputs_free(outputs);
    observers_free(&observers);
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
