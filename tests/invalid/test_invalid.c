// Each folder here holds a bad scenario, input.json, and in error.txt exactly what is printed for it. With RENEW_ERRORS=1 in the
// environment the error.txt files are written anew; read the difference before committing it.
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scenario/simulate.h"

#define FOLDER "tests/invalid"
enum { MOST_CASES = 1024, FEWEST_CASES = 45 };

static int is_case(const struct dirent *entry) { return *entry->d_name != '.' && !strchr(entry->d_name, '.'); }

/// The folders' names, sorted; returns how many.
static int list_cases(struct dirent ***cases) {
    int count = scandir(FOLDER, cases, is_case, alphasort);
    return count < 0 ? 0 : count;
}

static char *read_case_file(const char *name, const char *file, size_t *length) {
    char path[512];
    struct error err = {0};
    snprintf(path, sizeof path, FOLDER "/%s/%s", name, file);
    char *text = read_text(path, length, &err);
    ck_assert_msg(text != NULL, "%s", err.text);
    return text;
}

/// What weft says about a scenario before it would run it.
static char *problems_of(const char *text, size_t length) {
    struct problems problems = {.count = 0};
    struct scenario *scenario = NULL;
    json_t *document = scenario_parse_json(text, length, &problems);
    if (document) scenario = scenario_read(document, text, FOLDER "/input.json", &problems);
    struct experiment experiment;
    if (scenario) {
        bool ready = experiment_prepare(scenario, text, &experiment, &problems);
        ck_assert_int_eq(ready, problems.count == 0);
        ck_assert_msg(ready || (!experiment.topology && !experiment.place), "what was prepared in vain is kept");
        experiment_free(&experiment);
    }
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    problems_print(&problems, "input.json", out);
    fclose(out);
    scenario_free(scenario);
    json_decref(document);
    problems_free(&problems);
    return printed;
}

static void renew(const char *name, const char *printed) {
    char path[512];
    snprintf(path, sizeof path, FOLDER "/%s/error.txt", name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(printed, file);
    fclose(file);
}

START_TEST(says_exactly) {
    struct dirent **cases;
    int count = list_cases(&cases);
    size_t length, expected_length;
    char *text = read_case_file(cases[_i]->d_name, "input.json", &length);
    char *printed = problems_of(text, length);
    if (getenv("RENEW_ERRORS")) renew(cases[_i]->d_name, printed);
    char *expected = read_case_file(cases[_i]->d_name, "error.txt", &expected_length);
    ck_assert_msg(*expected, "%s/error.txt is empty", cases[_i]->d_name);
    ck_assert_msg(!strcmp(printed, expected), "%s\nexpected:\n%sprinted:\n%s", cases[_i]->d_name, expected, printed);
    free(text);
    free(expected);
    free(printed);
    for (int i = 0; i < count; i++) free(cases[i]);
    free(cases);
}
END_TEST

START_TEST(there_are_enough) {
    struct dirent **cases;
    int count = list_cases(&cases);
    ck_assert_int_ge(count, FEWEST_CASES);
    for (int i = 0; i < count; i++) free(cases[i]);
    free(cases);
}
END_TEST

Suite *test_invalid_suite(void) {
    struct dirent **cases;
    int count = list_cases(&cases);
    for (int i = 0; i < count; i++) free(cases[i]);
    if (count) free(cases);
    Suite *suite = suite_create("invalid");
    TCase *tests = tcase_create("invalid");
    tcase_add_test(tests, there_are_enough);
    tcase_add_loop_test(tests, says_exactly, 0, count);
    suite_add_tcase(suite, tests);
    return suite;
}
