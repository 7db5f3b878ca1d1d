#include "golden/simulation.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/json.h"

char *scenario_text(const char *format, va_list arguments) {
    char *text = text_format_list(format, arguments);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return text;
}

static bool prepare(struct simulation *out, const char *path, struct problems *problems) {
    json_t *document = scenario_parse_json(out->text, strlen(out->text), problems);
    if (document) out->scenario = scenario_read(document, out->text, path, problems);
    json_decref(document);
    return out->scenario && experiment_prepare(out->scenario, out->text, &out->experiment, problems);
}

void simulation_prepare(struct simulation *out, char *text, const char *path) {
    struct problems problems = {.count = 0};
    *out = (struct simulation){.text = text};
    ck_assert_msg(prepare(out, path, &problems), "%s: %s in\n%s", problems.items[0].pointer, problems.items[0].text, text);
    problems_free(&problems);
}

static void run_text(struct simulation *out, char *text, const char *path, const struct run_limits *limits) {
    struct error err = {0};
    simulation_prepare(out, text, path);
    ck_assert_msg(experiment_run(&out->experiment, limits, NULL, &out->result, &err), "%s", err.text);
}

void simulate(struct simulation *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    run_text(out, scenario_text(format, arguments), NULL, &(struct run_limits){.shortcuts = SHORTCUTS_ALL});
    va_end(arguments);
}

void simulate_limited(struct simulation *out, const struct run_limits *limits, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    run_text(out, scenario_text(format, arguments), NULL, limits);
    va_end(arguments);
}

void simulate_file(struct simulation *out, const char *path) {
    size_t length;
    struct error err = {0};
    char *text = read_text(path, &length, &err);
    ck_assert_msg(text != NULL, "%s", err.text);
    run_text(out, text, path, &(struct run_limits){.shortcuts = SHORTCUTS_ALL});
}

void simulation_free(struct simulation *simulation) {
    run_result_free(&simulation->result);
    experiment_free(&simulation->experiment);
    scenario_free(simulation->scenario);
    free(simulation->text);
}

int64_t ticks_of(const char *format, ...) {
    struct simulation simulation;
    va_list arguments;
    va_start(arguments, format);
    run_text(&simulation, scenario_text(format, arguments), NULL, &(struct run_limits){.shortcuts = SHORTCUTS_ALL});
    va_end(arguments);
    ck_assert_msg(simulation.result.status == RUN_COMPLETE, "%s", simulation.result.error.text);
    int64_t ticks = simulation.result.makespan_ticks;
    simulation_free(&simulation);
    return ticks;
}

char *refusal_of(const char *format, ...) {
    struct problems problems = {.count = 0};
    va_list arguments;
    va_start(arguments, format);
    struct simulation simulation = {.text = scenario_text(format, arguments)};
    va_end(arguments);
    ck_assert_msg(!prepare(&simulation, NULL, &problems), "not refused: %s", simulation.text);
    char *refusal = text_format("%s: %s", problems.items[0].pointer, problems.items[0].text);
    problems_free(&problems);
    simulation_free(&simulation);
    return refusal;
}

char *simulation_json(const struct simulation *simulation) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json_t *resolved = scenario_resolved(simulation->scenario);
    report_json(&simulation->result, resolved, (struct link_selection){.set = LINKS_ALL}, out);
    json_decref(resolved);
    fclose(out);
    return text;
}

struct link_result simulation_link(const struct simulation *simulation, uint32_t from, uint32_t to) {
    for (uint32_t l = 0; l < simulation->result.link_count; l++) {
        const struct link_result link = link_result_of(&simulation->result, l);
        if (link.from == from && link.to == to) return link;
    }
    ck_abort_msg("no link leads from node %u to node %u", from, to);
}
