#include "analysis/text_run.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static char *make_text(const char *format, va_list arguments) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    vfprintf(stream, format, arguments);
    fclose(stream);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return text;
}

static char *describe(const struct problems *problems) {
    const struct problem *first = &problems->items[0];
    size_t size = strlen(first->pointer) + strlen(first->text) + 3;
    char *out = allocate(size);
    snprintf(out, size, "%s: %s", first->pointer, first->text);
    return out;
}

/// NULL, or what is wrong with the scenario.
static char *prepare(const char *text, struct text_run *run) {
    struct problems problems = {0};
    char *wrong = NULL;
    json_t *document = scenario_parse_json(text, strlen(text), &problems);
    if (document) run->scenario = scenario_read(document, text, NULL, &problems);
    if (run->scenario) experiment_prepare(run->scenario, text, &run->experiment, &problems);
    if (problems.count > 0) wrong = describe(&problems);
    json_decref(document);
    problems_free(&problems);
    return wrong;
}

struct text_run text_run(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = make_text(format, arguments);
    va_end(arguments);
    struct text_run run = {0};
    char *wrong = prepare(text, &run);
    ck_assert_msg(!wrong, "%s in %s", wrong, text);
    struct error err = {0};
    const struct run_limits limits = {0};
    ck_assert_msg(experiment_run(&run.experiment, &limits, NULL, &run.result, &err), "%s", err.text);
    free(text);
    return run;
}

void text_run_free(struct text_run *run) {
    run_result_free(&run->result);
    experiment_free(&run->experiment);
    scenario_free(run->scenario);
}

char *text_problem(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = make_text(format, arguments);
    va_end(arguments);
    struct text_run run = {0};
    char *wrong = prepare(text, &run);
    ck_assert_msg(wrong != NULL, "nothing is found wrong with %s", text);
    free(text);
    text_run_free(&run);
    return wrong;
}
