#include "cli/command.h"

#include <string.h>

#include "cli/format.h"
#include "cli/load.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "report/assertions.h"
#include "report/json.h"
#include "report/outputs.h"
#include "report/picture.h"
#include "report/table.h"

static const struct option run_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document instead of tables", NULL},
    {"csv", 0, OPTION_MAYBE, offsetof(struct options, csv), "collectives|links", "one table as CSV, the first where none is named", NULL},
    {"markdown", 0, OPTION_FLAG, offsetof(struct options, markdown), NULL, "the tables as Markdown", NULL},
    {"svg", 0, OPTION_TEXT, offsetof(struct options, svg), "FILE", "write a heat map of the links", NULL},
    {"heat", 0, OPTION_TEXT, offsetof(struct options, heat), "utilization|bytes|queue", "what colours it: the first unless given", NULL},
    {"links", 0, OPTION_LINKS, offsetof(struct options, links), "used|all|top:N", "links to list", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Output", run_options},
    {"Network, without a file or in place of the file's", network_options},
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

/// How far the clock will go at least; 0: not known.
static int64_t span_ticks(const struct scenario *scenario) {
    __int128 ticks = (__int128)scenario_span_ns(scenario) * scenario->ticks_per_s / 1000000000;
    return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
}

/// What was asked for by name and is not done, and why; what is taken where it pays (the default, and `all`) needs no word.
static void note_undone(const struct options *options, const struct run_limits *limits, const struct run_result *result) {
    if (options->quiet) return;
    if (limits->threads > 1 && result->one_thread) fprintf(stderr, "weft: note: one thread, since %s\n", result->one_thread);
    if (!options->shortcuts || !strcmp(options->shortcuts, "all")) return;
    for (int s = 0; s < SHORTCUT_COUNT; s++)
        if (limits->shortcuts & 1u << s && result->untaken[s])
            fprintf(stderr, "weft: note: shortcut %s was not taken, since %s\n", shortcut_names[s], result->untaken[s]);
}

static int simulate(const struct options *options, const struct loaded *loaded, FILE *out) {
    struct run_limits limits;
    struct run_result result = {0};
    struct format format;
    enum heat heat;
    struct error err = {0};
    if (!heat_from_options(options, &heat, &err) || !format_from_options(options, csv_tables, &format, &err) ||
        !limits_from_options(options, loaded->scenario->ticks_per_s, &limits, &err))
        return outcome_error(&err);
    struct progress progress;
    progress_start(&progress, options, loaded->scenario->ticks_per_s);
    progress.span_ticks = span_ticks(loaded->scenario);
    if (loaded->scenario->tick_chosen && !options->quiet)
        fputs("weft: note: the clock's tick is 1ps, since the trace is long (\"tick\" says otherwise)\n", stderr);
    limits.progress = progress_update;
    limits.note = options->quiet ? NULL : progress_note;
    limits.context = &progress;
    struct observers observers = {0};
    struct outputs *outputs = outputs_create(&loaded->experiment, &observers);
    bool ran = experiment_run(&loaded->experiment, &limits, &observers, &result, &err);
    progress_stop(&progress);
    int code = ran ? outcome_of_run(&result, progress.signal) : outcome_error(&err);
    if (ran) {
        note_undone(options, &limits, &result);
        bool written = outputs_write(outputs, &result, &err);
        assertions_check(&loaded->experiment, outputs_slowdown(outputs), &result);
        if (!options->quiet) outputs_warn(outputs, stderr);
        print_result(options, format, loaded, &result, out);
        if (format_for_people(format)) outputs_summary(outputs, format.kind == FORMAT_MARKDOWN ? SHEET_MARKDOWN : SHEET_TEXT, out);
        if (options->svg && written) written = picture_write(options->svg, heat, &loaded->experiment, &result, &err);
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
    .more = "  weft run scenarios/torus-ring-all-reduce.json --set network.chunk=64KiB\n"
            "  weft run --topology torus:4x4 --link 45GB/s,1us --collective all-reduce:ring --size 64MB --mapping snake",
    .operands_most = 1,
    .groups = groups,
    .run = run,
};
