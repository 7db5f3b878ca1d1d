#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/compare.h"
#include "report/fixture.h"

enum { SEEDS = 4 };

static const int64_t us = TICKS_PER_S_FS / 1000000;

static struct compare_run run_of(int64_t time_us, int64_t seed, uint32_t neighbours) {
    struct compare_run run = {
        .state = COMPARE_RAN, .status = RUN_COMPLETE, .seed = seed, .ticks_per_s = TICKS_PER_S_FS, .ring = true, .ranks = 16};
    run.makespan_ticks = time_us * us;
    run.algbw = 1e9, run.busbw = 2e9;
    run.link_count = 1;
    run.links[0] = (struct compare_link){
        .from = "3", .to = "0", .port = 2, .neighbours = neighbours, .bytes = 1000, .chunks = 2, .busy_ticks = 5 * us, .utilization = 0.5};
    return run;
}

/// snake 10 us, linear 10.5 us, random with seeds of 40, 20, 50 and 30 us: its middle run is the second of four, 30 us.
struct three_points {
    struct compare_run snake, linear, random[SEEDS];
    const char *keys[1], *values[3];
    struct compare_point points[3];
    struct comparison comparison;
};

static void fill(struct three_points *three) {
    static const int64_t times_us[SEEDS] = {40, 20, 50, 30};
    *three = (struct three_points){.keys = {"mapping"}, .values = {"snake", "linear", "random:4"}};
    three->snake = run_of(10, 0, 1);
    three->linear = run_of(10, 0, 2);
    three->linear.makespan_ticks += us / 2;
    for (int i = 0; i < SEEDS; i++) three->random[i] = run_of(times_us[i], i + 1, 4);
    three->points[0] = (struct compare_point){&three->values[0], &three->snake, 1};
    three->points[1] = (struct compare_point){&three->values[1], &three->linear, 1};
    three->points[2] = (struct compare_point){&three->values[2], three->random, SEEDS};
    three->comparison = (struct comparison){.axes = 1, .keys = three->keys, .count = 3, .points = three->points};
}

static void print_table(void *context, FILE *out) {
    json_t *scenario = fixture_scenario();
    report_compare_table(context, scenario, SHEET_TEXT, false, out);
    json_decref(scenario);
}

static void print_json(void *context, FILE *out) {
    json_t *scenario = fixture_scenario();
    report_compare_json(context, scenario, out);
    json_decref(scenario);
}

static void print_sentence(void *context, FILE *out) { compare_sentence(context, out); }

START_TEST(the_middle_run_of_seeds_counts) {
    struct three_points three;
    fill(&three);
    const struct compare_point *random = &three.points[2];
    ck_assert_int_eq(compare_fastest(random)->seed, 2);
    ck_assert_int_eq(compare_middle(random)->seed, 4);
    ck_assert_int_eq(compare_slowest(random)->seed, 3);
    struct compare_verdict verdict = compare_judge(&three.comparison);
    ck_assert(verdict.found);
    ck_assert_uint_eq(verdict.best, 0);
    ck_assert_uint_eq(verdict.worst, 2);
    ck_assert_int_eq(verdict.worst_run->seed, 3);
}
END_TEST

START_TEST(the_table) {
    struct three_points three;
    fill(&three);
    char *text = fixture_printed(print_table, &three.comparison);
    const char *table = strstr(text, "  mapping ");
    ck_assert_ptr_nonnull(table);
    ck_assert_ptr_null(strstr(text, "mapping   linear")); // what varies stands in the table, not above it
    const char expected[] = "  mapping      time   algbw   busbw  times slower  busiest link  utilisation  ring neighbours  runs  fastest  "
                            "slowest  worst seed\n"
                            "  snake       10 us  1 GB/s  2 GB/s         1.000  3 -> 0             50.0 %          1 of 16     1        -  "
                            "      -           -\n"
                            "  linear    10.5 us  1 GB/s  2 GB/s         1.050  3 -> 0             50.0 %          2 of 16     1        -  "
                            "      -           -\n"
                            "  random:4    30 us  1 GB/s  2 GB/s         3.000  3 -> 0             50.0 %          4 of 16     4    20 us  "
                            "  50 us           3\n";
    ck_assert_msg(!strncmp(table, expected, strlen(expected)), "%s", table);
    ck_assert_ptr_nonnull(strstr(text, "\nhottest links of the best, snake (10 us)\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nhottest links of linear (10.5 us)\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nhottest links of the worst, random:4 seed 3 (50 us)\n"));
    free(text);
}
END_TEST

START_TEST(of_many_points_the_best_and_the_worst_show_links) {
    static const int64_t times_us[5] = {30, 10, 20, 50, 40};
    const char *keys[] = {"network.chunk"}, *values[] = {"1KB", "2KB", "3KB", "4KB", "5KB"};
    struct compare_run runs[5];
    struct compare_point points[5];
    for (int i = 0; i < 5; i++) {
        runs[i] = run_of(times_us[i], 0, 1);
        points[i] = (struct compare_point){&values[i], &runs[i], 1};
    }
    struct comparison comparison = {.axes = 1, .keys = keys, .count = 5, .points = points};
    char *text = fixture_printed(print_table, &comparison);
    ck_assert_ptr_nonnull(strstr(text, "\nhottest links of the best, 2KB (10 us)\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nhottest links of the worst, 4KB (50 us)\n"));
    ck_assert_ptr_null(strstr(text, "links of 1KB"));
    free(text);
}
END_TEST

START_TEST(only_rings_have_ring_neighbours) {
    struct three_points three;
    fill(&three);
    three.snake.ring = three.linear.ring = false;
    for (int i = 0; i < SEEDS; i++) three.random[i].ring = false;
    char *text = fixture_printed(print_table, &three.comparison);
    ck_assert_ptr_null(strstr(text, "neighbours"));
    ck_assert_ptr_nonnull(strstr(text, "under snake the busiest link, 3 -> 0, is busy 50.0 % of the time.\n"));
    free(text);
    text = fixture_printed(print_json, &three.comparison);
    ck_assert_ptr_null(strstr(text, "neighbours"));
    free(text);
    three.snake.ring = true; // then the others have no number
    text = fixture_printed(print_table, &three.comparison);
    ck_assert_ptr_nonnull(strstr(text, "50.0 %                -     4    20 us"));
    free(text);
}
END_TEST

static void print_points_csv(void *context, FILE *out) { report_compare_csv(context, CSV_POINTS, out); }
static void print_runs_csv(void *context, FILE *out) { report_compare_csv(context, CSV_RUNS, out); }
static void print_links_csv(void *context, FILE *out) { report_compare_csv(context, CSV_LINKS, out); }
static void print_lines(void *context, FILE *out) { report_compare_json_lines(context, out); }

START_TEST(comma_separated) {
    struct three_points three;
    fill(&three);
    three.linear.state = COMPARE_LOST;
    char *text = fixture_printed(print_points_csv, &three.comparison);
    ck_assert_str_eq(text,
                     "mapping,status,time_seconds,algbw_bytes_per_s,busbw_bytes_per_s,slower,ranks,busiest_from,busiest_to,utilization,"
                     "ring_neighbours,runs,fastest_seconds,slowest_seconds,worst_seed\n"
                     "snake,complete,0.00001,1000000000,2000000000,1,16,3,0,0.5,1,1,,,\n"
                     "linear,lost,,,,,,,,,,0,,,\n"
                     "random:4,complete,0.00003,1000000000,2000000000,3,16,3,0,0.5,4,4,0.00002,0.00005,3\n");
    free(text);
    text = fixture_printed(print_runs_csv, &three.comparison);
    ck_assert_ptr_nonnull(strstr(text, "linear,,lost,,,,,\nrandom:4,1,complete,0.00004,1000000000,2000000000,16,0000"));
    free(text);
    text = fixture_printed(print_links_csv, &three.comparison);
    ck_assert_ptr_nonnull(strstr(text, "random:4,3,3,0,2,1000,2,0.000005,0.5,0,4\n"));
    free(text);
}
END_TEST

START_TEST(a_line_a_run) {
    struct three_points three;
    fill(&three);
    three.random[1].state = COMPARE_MISSING;
    char *text = fixture_printed(print_lines, &three.comparison), *rest = text;
    for (int i = 0; i < 2 + SEEDS; i++) {
        char *line = strtok_r(rest, "\n", &rest);
        json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        ck_assert_ptr_nonnull(json);
        ck_assert_str_eq(json_string_value(json_object_get(json_object_get(json, "set"), "mapping")), three.values[i < 2 ? i : 2]);
        ck_assert_int_eq(json_integer_value(json_object_get(json, "seed")), i < 2 ? 0 : i - 1);
        ck_assert_str_eq(json_string_value(json_object_get(json, "status")), i == 3 ? "not run" : "complete");
        json_decref(json);
    }
    ck_assert_uint_eq(strlen(rest), 0);
    free(text);
}
END_TEST

START_TEST(the_sentence) {
    struct three_points three;
    fill(&three);
    char *text = fixture_printed(print_sentence, &three.comparison);
    ck_assert_str_eq(text,
                     "snake wins with 10 us: 5.0 % faster than linear (10.5 us), 3.00 times faster than random:4 (median 30 us);\n"
                     "under random:4 the busiest link, 3 -> 0, carries 4 of 16 pairs of ring neighbours and is busy 50.0 % of the time,\n"
                     "under snake the busiest link, 3 -> 0, carries 1 of 16 pairs of ring neighbours and is busy 50.0 % of the time.\n");
    free(text);
}
END_TEST

START_TEST(sentences_without_a_winner) {
    struct three_points three;
    fill(&three);
    three.comparison.count = 1;
    char *text = fixture_printed(print_sentence, &three.comparison);
    ck_assert_str_eq(text, "snake takes 10 us; there is no other point to compare it with.\n");
    free(text);
    three.comparison.count = 2;
    three.linear.makespan_ticks = three.snake.makespan_ticks;
    text = fixture_printed(print_sentence, &three.comparison);
    ck_assert_str_eq(text, "All points that completed take the same time, 10 us.\n");
    free(text);
    three.snake.state = three.linear.state = COMPARE_MISSING;
    text = fixture_printed(print_sentence, &three.comparison);
    ck_assert_str_eq(text, "No point completed.\n");
    free(text);
}
END_TEST

START_TEST(lost_runs_are_left_out) {
    struct three_points three;
    fill(&three);
    three.snake.state = COMPARE_LOST;
    three.random[2].state = COMPARE_LOST; // the slowest seed
    ck_assert_int_eq(compare_slowest(&three.points[2])->seed, 1);
    char *text = fixture_printed(print_table, &three.comparison);
    ck_assert_ptr_nonnull(strstr(text, "  snake        lost  "));
    ck_assert_ptr_nonnull(strstr(text, "linear wins with 10.5 us"));
    free(text);
}
END_TEST

START_TEST(the_document) {
    struct three_points three;
    fill(&three);
    three.random[0].state = COMPARE_LOST;
    strcpy(three.random[0].reason, "its worker was ended by signal 9");
    three.comparison.failed = 1;
    three.linear.algbw = (double)NAN;
    char *text = fixture_printed(print_json, &three.comparison);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(json);
    json_t *points = json_object_get(json, "points"), *random = json_array_get(points, 2), *linear = json_array_get(points, 1);
    ck_assert_str_eq(json_string_value(json_object_get(json, "status")), "incomplete");
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(random, "set"), "mapping")), "random:4");
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(random, "median"), "ticks")), 30 * us); // of 20, 30, 50
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(random, "slowest"), "ticks")), 50 * us);
    ck_assert(json_number_value(json_object_get(random, "slower")) == 3.0);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(json_object_get(random, "runs"), 0), "status")), "lost");
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(linear, "busiest_link"), "ring_neighbours")), 2);
    ck_assert(json_is_null(json_object_get(json_array_get(json_object_get(linear, "runs"), 0), "algbw")));
    ck_assert_int_eq(json_integer_value(json_object_get(json, "best")), 0);
    json_decref(json);
    free(text);
}
END_TEST

START_TEST(points_of_several_keys_are_named_in_full) {
    const char *keys[] = {"mapping", "network.chunk"}, *values[] = {"snake", "64KiB"};
    struct compare_point point = {.values = values};
    struct comparison comparison = {.axes = 2, .keys = keys, .count = 1, .points = &point};
    char name[64];
    ck_assert_str_eq(compare_point_name(&comparison, 0, name, sizeof name), "mapping=snake network.chunk=64KiB");
    ck_assert_str_eq(compare_point_name(&comparison, 0, name, 10), "mapping=s"); // cut, never past the end
}
END_TEST

Suite *test_compare_suite(void);
Suite *test_compare_suite(void) {
    Suite *suite = suite_create("compare");
    TCase *all = tcase_create("compare");
    tcase_add_test(all, the_middle_run_of_seeds_counts);
    tcase_add_test(all, the_table);
    tcase_add_test(all, of_many_points_the_best_and_the_worst_show_links);
    tcase_add_test(all, only_rings_have_ring_neighbours);
    tcase_add_test(all, comma_separated);
    tcase_add_test(all, a_line_a_run);
    tcase_add_test(all, the_sentence);
    tcase_add_test(all, sentences_without_a_winner);
    tcase_add_test(all, lost_runs_are_left_out);
    tcase_add_test(all, the_document);
    tcase_add_test(all, points_of_several_keys_are_named_in_full);
    suite_add_tcase(suite, all);
    return suite;
}
