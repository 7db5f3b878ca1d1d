// Assertions: how they are read, and what they come to on runs whose figures are known.
#include "report/assertions.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "golden/simulation.h"

static struct assertion parse(const char *text) {
    static struct arena arena; // lives as long as the test's process
    struct assertion assertion;
    struct error err = {0};
    ck_assert_msg(assertion_parse(&arena, text, TICKS_PER_S_FS, &assertion, &err), "%s: %s", text, err.text);
    return assertion;
}

START_TEST(reads_quantity_comparison_value) {
    struct assertion a = parse("makespan < 10.5ms");
    ck_assert_int_eq(a.quantity, QUANTITY_MAKESPAN);
    ck_assert_int_eq(a.comparison, LESS);
    ck_assert_int_eq(a.value.whole, INT64_C(10500000000000));
    a = parse("  collective(12).busbw>=400Gbps ");
    ck_assert_int_eq(a.quantity, QUANTITY_BUSBW);
    ck_assert_int_eq(a.index, 12);
    ck_assert_int_eq(a.comparison, GREATER_OR_EQUAL);
    ck_assert_double_eq(a.value.real, 50e9);
    a = parse("link(my gpu->s0).bytes == 126MB");
    ck_assert_str_eq(a.from, "my gpu");
    ck_assert_str_eq(a.to, "s0");
    ck_assert_int_eq(a.value.whole, 126000000);
    ck_assert_double_eq(parse("efficiency != 50%").value.real, 0.5);
    ck_assert_int_eq(parse("slowdown.max<=3").quantity, QUANTITY_MAX);
}
END_TEST

START_TEST(refuses) {
    static const char *const wrong[] = {"",
                                        "makespan",
                                        "makespan <",
                                        "< 1s",
                                        "makespan = 1s",
                                        "busbw < 1s",
                                        "efficiency > 0x10",
                                        "efficiency > 1e400",
                                        "slowdown.p99 < 3%",
                                        "max_queue < 1.5B",
                                        "link < 1B",
                                        "link().bytes < 1B",
                                        "link(->1).bytes < 1B",
                                        "makespan << 1s",
                                        "makespan < 1s 2s"};
    struct arena arena = {0};
    struct assertion assertion;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {0};
        ck_assert_msg(!assertion_parse(&arena, wrong[i], TICKS_PER_S_FS, &assertion, &err), "%s", wrong[i]);
        ck_assert_int_eq(err.kind, ERROR_INPUT);
    }
    arena_free(&arena);
}
END_TEST

/// Ring all-reduce of 4 MB on a ring of 4 at 1 GB/s and 1 us, whole messages: 6 steps of 1 MB take 6 x (1 ms + 1 us) = 6.006 ms;
/// 6 MB on each of the 4 links that go +, none on the others.
#define RING                                                                                                                          \
    "'network': {'topology': {'type': 'ring', 'endpoints': 4, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}}, 'chunk': 'whole'}, " \
    "'workload': {'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '4MB'}"

static const struct {
    const char *text;
    bool holds;
} ring_assertions[] = {
    {"makespan == 6006us", true},
    {"makespan < 6006us", false},
    {"makespan <= 6.006ms", true},
    {"makespan > 6005.999999999us", true},
    {"time != 6.006ms", false},
    {"busbw > 0.999GB/s", true}, // 6 MB in 6.006 ms
    {"busbw > 0.9991GB/s", false},
    {"algbw < 667MB/s", true},
    {"efficiency >= 99.9%", true},
    {"efficiency > 0.9991", false},
    {"max_link_utilization > 0.999", true},
    {"mean_link_utilization < 0.5", true}, // half of the links carry nothing
    {"mean_link_utilization > 0.499", true},
    {"link(0->1).bytes == 6MB", true},
    {"link(1->0).bytes == 0B", true},
    {"link(3->0).busy == 6ms", true},
    {"link(3->0).chunks == 6", true},
    {"link(0->1).utilization < 0.9", false},
    {"link(0->1).peak_queue == 0B", true},
    {"max_queue == 0B", true},
    {"collective(0).time < 7ms", true},
    {"collective(1).time < 7ms", false}, // there is none
    {"slowdown.p50 == 1", true},
    {"slowdown.max > 1", false},
};
enum { RING_ASSERTIONS = sizeof ring_assertions / sizeof *ring_assertions };

/// All messages are alone on their links: what an observed run finds.
static const struct slowdown no_slowdown = {.count = 24, .median = 1, .p90 = 1, .p99 = 1, .most = 1};

START_TEST(comes_to) {
    struct simulation run;
    simulate(&run, "{" RING ", 'assert': ['%s']}", ring_assertions[_i].text);
    assertions_check(&run.experiment, &no_slowdown, &run.result);
    ck_assert_uint_eq(run.result.assertion_count, 1);
    ck_assert_str_eq(run.result.assertions[0].text, ring_assertions[_i].text);
    ck_assert_msg(run.result.assertions[0].holds == ring_assertions[_i].holds, "%s", ring_assertions[_i].text);
    ck_assert(assertions_hold(&run.result) == ring_assertions[_i].holds);
    simulation_free(&run);
}
END_TEST

/// Of several collectives the worst counts: 1 MB and 4 MB in sequence.
START_TEST(the_worst_of_several) {
    struct simulation run;
    simulate(&run, "{'network': {'topology': {'type': 'switch', 'endpoints': 2, 'link': {'bandwidth': '1GB/s', 'latency': '0s'}}, "
                   "'chunk': 'whole'}, 'workload': {'type': 'sequence', 'of': ["
                   "{'type': 'collective', 'collective': 'send', 'from': 0, 'to': 1, 'size': '1MB'}, "
                   "{'type': 'collective', 'collective': 'send', 'from': 0, 'to': 1, 'size': '4MB'}]}, "
                   "'assert': ['time > 3ms', 'collective(0).time < 2ms', 'collective(1).time > 3ms', 'algbw < 1GB/s']}");
    assertions_check(&run.experiment, &no_slowdown, &run.result);
    for (size_t i = 0; i < 4; i++) ck_assert_msg(run.result.assertions[i].holds, "%s", run.result.assertions[i].text);
    simulation_free(&run);
}
END_TEST

START_TEST(only_complete_runs_are_judged) {
    struct simulation run;
    const struct run_limits limits = {.max_events = 1};
    simulate_limited(&run, &limits, "{" RING ", 'assert': ['makespan < 1s']}");
    assertions_check(&run.experiment, &no_slowdown, &run.result);
    ck_assert_int_eq(run.result.status, RUN_LIMIT);
    ck_assert_uint_eq(run.result.assertion_count, 0);
    simulation_free(&run);
}
END_TEST

static char *printed(const struct run_result *result, bool utf8) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_assertions(result, utf8, out);
    fclose(out);
    return text;
}

START_TEST(is_shown) {
    struct simulation run;
    simulate(&run, "{" RING ", 'assert': ['makespan < 10ms', 'busbw > 40GB/s', 'collective(7).time < 1s']}");
    assertions_check(&run.experiment, &no_slowdown, &run.result);
    char *plain = printed(&run.result, false), *drawn = printed(&run.result, true), *json = simulation_json(&run);
    ck_assert_str_eq(plain, "\nassertions\n  [ok] makespan < 10ms: 6.006 ms\n  [no] busbw > 40GB/s: 999 MB/s\n"
                            "  [no] collective(7).time < 1s: there is no such value in this run\n");
    ck_assert_ptr_nonnull(strstr(drawn, "  \u2713 makespan < 10ms: 6.006 ms\n  \u2717 busbw"));
    ck_assert_ptr_nonnull(strstr(json, "\"asserts\": [\n    {\"text\": \"makespan < 10ms\", \"holds\": true, \"value\": "
                                       "{\"ticks\": 6006000000000, \"seconds\": 0.006006}},"));
    ck_assert_ptr_nonnull(strstr(json, "{\"text\": \"collective(7).time < 1s\", \"holds\": false, \"value\": null}"));
    free(plain);
    free(drawn);
    free(json);
    simulation_free(&run);
}
END_TEST

Suite *test_assertions_suite(void) {
    Suite *suite = suite_create("assertions");
    TCase *tests = tcase_create("assertions");
    tcase_add_test(tests, reads_quantity_comparison_value);
    tcase_add_test(tests, refuses);
    tcase_add_loop_test(tests, comes_to, 0, RING_ASSERTIONS);
    tcase_add_test(tests, the_worst_of_several);
    tcase_add_test(tests, only_complete_runs_are_judged);
    tcase_add_test(tests, is_shown);
    suite_add_tcase(suite, tests);
    return suite;
}
