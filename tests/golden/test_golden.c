// Golden scenarios. Each folder of tests/golden/cases holds a scenario.json and an expect.json; each file of scenarios/,
// scenarios/examples/ and scenarios/llm/ has its expectation in tests/golden/scenarios under the same name. An expectation is a part of the
// document that `weft run --json` prints, and "why": the closed form or source of its figures. Objects must hold the members named, lists
// of objects an item that fits each item named, all else must be equal.
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define CASES "tests/golden/cases"
#define SCENARIOS "scenarios"
#define EXAMPLES SCENARIOS "/examples"
#define LLM SCENARIOS "/llm"
#define MEASURED SCENARIOS "/measured"
#define SCENARIO_EXPECTATIONS "tests/golden/scenarios"
enum { FEWEST_CASES = 20, MOST_CASES = 1000 };

static bool fits(const json_t *expected, const json_t *got, char *path, size_t size);

static bool object_fits(const json_t *expected, const json_t *got, char *path, size_t size) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)expected, key, value) {
        size_t used = strlen(path);
        snprintf(path + used, size - used, "/%s", key);
        if (!fits(value, json_object_get(got, key), path, size)) return false;
        path[used] = 0;
    }
    return true;
}

static bool holds_one(const json_t *list, const json_t *expected, char *path, size_t size) {
    size_t used = strlen(path), index;
    json_t *item;
    json_array_foreach((json_t *)list, index, item) {
        if (fits(expected, item, path, size)) return true;
        path[used] = 0;
    }
    return false;
}

static bool list_fits(const json_t *expected, const json_t *got, char *path, size_t size) {
    if (!json_is_object(json_array_get(expected, 0))) return json_equal(expected, got);
    size_t index;
    json_t *item;
    json_array_foreach((json_t *)expected, index, item) {
        size_t used = strlen(path);
        snprintf(path + used, size - used, "/%zu", index);
        if (!holds_one(got, item, path, size)) return false;
        path[used] = 0;
    }
    return true;
}

/// On a difference `path` ends with its pointer.
static bool fits(const json_t *expected, const json_t *got, char *path, size_t size) {
    if (!got) return false;
    if (json_is_object(expected)) return object_fits(expected, got, path, size);
    if (json_is_array(expected)) return list_fits(expected, got, path, size);
    return json_equal(expected, got);
}

static json_t *load(const char *path) {
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(document != NULL, "%s:%d: %s", path, error.line, error.text);
    return document;
}

static void check_scenario(const char *scenario_path, const char *expectation_path) {
    json_t *expected = load(expectation_path);
    ck_assert_msg(json_is_string(json_object_get(expected, "why")), "%s does not say \"why\"", expectation_path);
    json_object_del(expected, "why");
    struct simulation run;
    simulate_file(&run, scenario_path);
    char *printed = simulation_json(&run), path[256] = "";
    json_error_t error;
    json_t *got = json_loads(printed, 0, &error);
    ck_assert_msg(got != NULL, "what weft prints is no JSON: %s", error.text);
    json_object_del(got, "scenario");
    if (!fits(expected, got, path, sizeof path)) {
        json_t *totals = json_object_get(got, "totals"), *makespan = json_object_get(got, "makespan");
        ck_abort_msg("%s differs at %s: makespan %s, totals %s", scenario_path, path, json_dumps(makespan, JSON_ENCODE_ANY),
                     json_dumps(totals, 0));
    }
    json_decref(got);
    json_decref(expected);
    free(printed);
    simulation_free(&run);
}

static int is_visible(const struct dirent *entry) { return *entry->d_name != '.'; }

static int is_json(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".json");
}

static struct dirent **cases, **scenarios, **examples, **llm, **measured;
static int case_count, scenario_count, example_count, llm_count, measured_count;

START_TEST(a_case) {
    char scenario[512], expectation[512];
    snprintf(scenario, sizeof scenario, CASES "/%s/scenario.json", cases[_i]->d_name);
    snprintf(expectation, sizeof expectation, CASES "/%s/expect.json", cases[_i]->d_name);
    check_scenario(scenario, expectation);
}
END_TEST

static void check_named(const char *folder, const char *name) {
    char scenario[512], expectation[512];
    snprintf(scenario, sizeof scenario, SCENARIOS "/%s%s", folder, name);
    snprintf(expectation, sizeof expectation, SCENARIO_EXPECTATIONS "/%s%s", folder, name);
    check_scenario(scenario, expectation);
}

START_TEST(a_scenario) { check_named("", scenarios[_i]->d_name); }
END_TEST

START_TEST(an_example) { check_named("examples/", examples[_i]->d_name); }
END_TEST

START_TEST(a_model) { check_named("llm/", llm[_i]->d_name); }
END_TEST

START_TEST(a_measured_one) { check_named("measured/", measured[_i]->d_name); }
END_TEST

START_TEST(cases_are_found) {
    ck_assert_msg(case_count >= FEWEST_CASES && case_count < MOST_CASES, "%d cases in " CASES, case_count);
    ck_assert_msg(scenario_count > 0, "no scenarios in " SCENARIOS);
    ck_assert_msg(example_count > 0, "no examples in " EXAMPLES);
    ck_assert_msg(llm_count > 0, "no models in " LLM);
    ck_assert_msg(measured_count > 0, "no measured ones in " MEASURED);
}
END_TEST

Suite *test_golden_suite(void) {
    case_count = scandir(CASES, &cases, is_visible, alphasort);
    scenario_count = scandir(SCENARIOS, &scenarios, is_json, alphasort);
    example_count = scandir(EXAMPLES, &examples, is_json, alphasort);
    llm_count = scandir(LLM, &llm, is_json, alphasort);
    measured_count = scandir(MEASURED, &measured, is_json, alphasort);
    Suite *suite = suite_create("golden");
    TCase *tests = tcase_create("golden");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, cases_are_found);
    tcase_add_loop_test(tests, a_case, 0, case_count > 0 ? case_count : 0);
    tcase_add_loop_test(tests, a_scenario, 0, scenario_count > 0 ? scenario_count : 0);
    tcase_add_loop_test(tests, an_example, 0, example_count > 0 ? example_count : 0);
    tcase_add_loop_test(tests, a_model, 0, llm_count > 0 ? llm_count : 0);
    tcase_add_loop_test(tests, a_measured_one, 0, measured_count > 0 ? measured_count : 0);
    suite_add_tcase(suite, tests);
    return suite;
}
