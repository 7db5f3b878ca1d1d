#include "scenario/scenario_runs.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scenario_run(struct scenario_run *run, const struct run_limits *limits, const char *format, ...) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fclose(out);
    struct problems problems = {0};
    struct error err = {0};
    *run = (struct scenario_run){0};
    json_t *document = scenario_parse_json(text, length, &problems);
    if (document) run->scenario = scenario_read(document, text, "scenarios/test.json", &problems);
    bool ready = run->scenario && experiment_prepare(run->scenario, text, &run->experiment, &problems);
    ck_assert_msg(ready, "%s: %s", text, problems.count ? problems.items[0].text : "");
    ck_assert_msg(experiment_run(&run->experiment, limits, NULL, &run->result, &err), "%s", err.text);
    problems_free(&problems);
    json_decref(document);
    free(text);
}

void scenario_run_free(struct scenario_run *run) {
    run_result_free(&run->result);
    experiment_free(&run->experiment);
    scenario_free(run->scenario);
}
