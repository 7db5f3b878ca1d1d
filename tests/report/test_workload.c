// A workload's own figures, each kind once, as people and programs read them.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/fixture.h"
#include "report/workload.h"

static struct run_result example(void) {
    struct run_result result = {.ticks_per_s = TICKS_PER_S_FS};
    struct figures *figures = &result.figures;
    figures_time(figures, "per step", "compute", INT64_C(2500000000));
    figures_span(figures, "per step", "layer 0", INT64_C(1000000000), INT64_C(4000000000));
    figures_share(figures, "per step", "exposed share", 1, 8);
    figures_share(figures, "per step", "share of nothing", 1, 0);
    size_t scope = figures_enter(figures, 3);
    figures_ratio(figures, "traffic", "over the mean", 3, 2);
    figures_bytes(figures, "traffic", "all-to-all bytes", 64000);
    figures_rate(figures, "traffic", "rate", 1000, INT64_C(1000000000));
    figures_leave(figures, scope);
    figures_count(figures, "assumed", "layers", 80);
    figures_text(figures, "assumed", "model", "a \"b\"");
    return result;
}

static void print(void *result, FILE *out) { print_figures(result, out); }

START_TEST(for_people) {
    struct run_result result = example();
    char *text = fixture_printed(print, &result);
    ck_assert_str_eq(text, "\nper step\n"
                           "  compute           2.5 us\n"
                           "  layer 0           3 us, from 1 us\n"
                           "  exposed share     12.5 %\n"
                           "  share of nothing  -\n"
                           "\n3/traffic\n"
                           "  over the mean     1.5\n"
                           "  all-to-all bytes  64 KB\n"
                           "  rate              1 GB/s\n"
                           "\nassumed\n"
                           "  layers            80\n"
                           "  model             a \"b\"\n");
    free(text);
    run_result_free(&result);
}
END_TEST

static void write(void *result, FILE *out) {
    struct json_writer json = {.out = out, .folded_depth = 0};
    put_open(&json, NULL, '{');
    write_figures(&json, "workload", result);
    put_close(&json, '}');
}

START_TEST(for_programs) {
    struct run_result result = example();
    char *text = fixture_printed(write, &result);
    json_t *got = json_loads(text, 0, NULL);
    json_t *expected = json_loads(
        "{\"workload\": {\"per_step\": {\"compute\": {\"ticks\": 2500000000, \"seconds\": 2.5e-6},"
        "\"layer_0\": {\"start\": {\"ticks\": 1000000000, \"seconds\": 1e-6}, \"end\": {\"ticks\": 4000000000, \"seconds\": 4e-6}},"
        "\"exposed_share\": 0.125, \"share_of_nothing\": null},"
        "\"3/traffic\": {\"over_the_mean\": 1.5, \"all_to_all_bytes\": 64000, \"rate\": 1e9},"
        "\"assumed\": {\"layers\": 80, \"model\": \"a \\\"b\\\"\"}}}",
        0, NULL);
    // 1e9 is written as an integer: compare numbers, not their kinds
    json_t *rate = json_object_get(json_object_get(json_object_get(got, "workload"), "3/traffic"), "rate");
    ck_assert_double_eq(json_number_value(rate), 1e9);
    json_object_set(json_object_get(json_object_get(expected, "workload"), "3/traffic"), "rate", rate);
    ck_assert_msg(json_equal(got, expected), "%s", text);
    json_decref(got);
    json_decref(expected);
    free(text);
    run_result_free(&result);
}
END_TEST

START_TEST(found_by_name) {
    struct run_result result = example();
    ck_assert_int_eq(figures_find(&result.figures, "3/traffic", "all-to-all bytes")->value, 64000);
    ck_assert_ptr_null(figures_find(&result.figures, "traffic", "rate"));
    run_result_free(&result);
}
END_TEST

Suite *test_workload_suite(void);
Suite *test_workload_suite(void) {
    Suite *suite = suite_create("workload");
    TCase *tcase = tcase_create("workload");
    tcase_add_test(tcase, for_people);
    tcase_add_test(tcase, for_programs);
    tcase_add_test(tcase, found_by_name);
    suite_add_tcase(suite, tcase);
    return suite;
}
