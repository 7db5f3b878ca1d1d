#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"
#include "report/table.h"
#include "scenario/auto.h"
#include "scenario/nvlink_switch.h"

#define ALL_REDUCE_OF "{\"type\": \"collective\", \"collective\": \"all-reduce\", \"algorithm\": \"%s\", \"size\": \"%dB\"}"

static int64_t time_of(const char *algorithm, int bytes) {
    struct simulation run;
    simulate(&run, "{" NVLINK_SWITCH ", \"workload\": " ALL_REDUCE_OF "}", 8, algorithm, bytes);
    int64_t ticks = run.result.makespan_ticks;
    simulation_free(&run);
    return ticks;
}

/// Every candidate run by hand.
START_TEST(the_fastest_is_taken) {
    static const int sizes[] = {1, 80000, 2000000, 64000000};
    struct simulation run;
    simulate(&run, "{" NVLINK_SWITCH ", \"workload\": " ALL_REDUCE_OF "}", 8, "auto", sizes[_i]);
    const struct collective_result *collective = run.result.collectives;
    uint32_t candidates = 0;
    int64_t best = INT64_MAX, second = INT64_MAX;
    const char *first_by_name = NULL;
    for (size_t i = 0; algorithms[i]; i++) {
        const char *name = algorithms[i]->name;
        static const char *const others[] = {"torus", "torus-rotated", "hierarchical", "in-network"}; // not on this network
        bool possible = algorithms[i]->kind == ALL_REDUCE;
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) possible &= strcmp(name, others[j]) != 0;
        if (!possible) continue;
        candidates++;
        int64_t ticks = time_of(name, sizes[_i]);
        if (ticks < best) {
            second = best, best = ticks, first_by_name = name;
        } else if (ticks < second) {
            second = ticks;
        }
    }
    ck_assert_uint_eq(collective->choice.candidates, candidates);
    ck_assert_str_eq(collective->algorithm->name, first_by_name);
    ck_assert_ptr_eq(collective->choice.algorithm, collective->algorithm);
    ck_assert_int_eq(collective->choice.ticks, best);
    ck_assert_int_eq(collective->choice.next_ticks, second);
    ck_assert_int_eq(run.result.makespan_ticks, best);
    simulation_free(&run);
}
END_TEST

/// Eight NVLink GPUs, alpha = 2 us, x = n / (450 GB/s): naive 2 alpha + 14 x, recursive doubling 3 alpha + 3 x, Rabenseifner
/// 6 alpha + 7/4 x. The first two are equal at x = 2/11 us, 81,818 B; the last two at x = 24/5 us, 2.16 MB.
START_TEST(crossovers_of_eight_nvlink_gpus) {
    ck_assert_int_lt(time_of("naive", 81800), time_of("recursive-doubling", 81800));
    ck_assert_int_gt(time_of("naive", 81900), time_of("recursive-doubling", 81900));
    ck_assert_int_lt(time_of("recursive-doubling", 2159000), time_of("rabenseifner", 2159000));
    ck_assert_int_gt(time_of("recursive-doubling", 2161000), time_of("rabenseifner", 2161000));
}
END_TEST

/// A collective that comes again is not tried again: with what is allowed the second time no candidate would end.
START_TEST(choices_are_remembered) {
    struct simulation run;
    simulate(&run, "{" NVLINK_SWITCH ", \"workload\": " ALL_REDUCE_OF "}", 8, "auto", 1000000);
    static const uint32_t seven[] = {0, 1, 2, 3, 4, 5, 6};
    struct run_limits limits = {0};
    struct auto_choices *choices = auto_create(&run.experiment, &limits);
    struct collective_request request = {.args = run.result.collectives[0].args, .ranks = seven};
    request.args.size = 7;
    struct choice first, again, other;
    auto_choose(choices, &request, &first);
    limits.until_ticks = 1;
    auto_choose(choices, &request, &again);
    ck_assert_ptr_nonnull(first.algorithm);
    ck_assert_ptr_eq(again.algorithm, first.algorithm);
    ck_assert_int_eq(again.ticks, first.ticks);
    request.args.bytes++;
    auto_choose(choices, &request, &other);
    ck_assert_ptr_null(other.algorithm);
    auto_free(choices);
    simulation_free(&run);
}
END_TEST

/// Each collective of a sequence chooses for itself.
START_TEST(in_a_sequence) {
    struct simulation run;
    simulate(&run, "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"sequence\", \"of\": [" ALL_REDUCE_OF ", " ALL_REDUCE_OF "]}}", 8, "auto",
             1000, "auto", 64000000);
    ck_assert_str_eq(run.result.collectives[0].algorithm->name, "one-shot");
    ck_assert_str_eq(run.result.collectives[1].algorithm->name, "bidirectional-ring");
    ck_assert_int_eq(run.result.collectives[1].choice.ticks, time_of("bidirectional-ring", 64000000));
    simulation_free(&run);
}
END_TEST

/// Priced, not simulated, under the alpha-beta model: two-shot takes 2 alpha + 7/4 n/beta.
START_TEST(priced_by_alpha_beta) {
    struct simulation run;
    simulate(&run,
             "{\"network\": {\"model\": \"alpha-beta\", \"topology\": {\"type\": \"switch\", \"endpoints\": 8, \"link\": "
             "{\"bandwidth\": \"450GB/s\", \"alpha\": \"2us\"}}}, \"workload\": " ALL_REDUCE_OF "}",
             "auto", 1800000);
    ck_assert_str_eq(run.result.collectives[0].algorithm->name, "two-shot");
    ck_assert_int_eq(run.result.makespan_ticks, INT64_C(11000000000)); // 4 us + 7 us
    ck_assert_int_eq(run.result.collectives[0].choice.ticks, run.result.makespan_ticks);
    int64_t ticks;
    struct error err = {0};
    ck_assert(experiment_alpha_beta(&run.experiment, &(struct run_limits){0}, &ticks, &err));
    ck_assert_int_eq(ticks, run.result.makespan_ticks);
    simulation_free(&run);
}
END_TEST

START_TEST(what_is_printed) {
    struct simulation run;
    simulate(&run, "{" NVLINK_SWITCH ", \"workload\": " ALL_REDUCE_OF "}", 8, "auto", 1800000);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json_t *resolved = scenario_resolved(run.scenario);
    report_table(&run.result, resolved, &(struct table_style){0}, out);
    fclose(out);
    // Recursive doubling: 3 (2 us + 4 us).
    ck_assert_ptr_nonnull(strstr(text, "  auto: all-reduce/two-shot is the fastest of 10 alone, 11 us; next recursive-doubling, 18 us "
                                       "(1.64 times as long)\n"));
    const json_t *workload = json_object_get(resolved, "workload");
    ck_assert_str_eq(json_string_value(json_object_get(workload, "algorithm")), "auto");
    json_decref(resolved);
    free(text);
    simulation_free(&run);
}
END_TEST

static bool stop(void *context, int64_t now, uint64_t chunk_hops) {
    (void)context, (void)now, (void)chunk_hops;
    return false;
}

/// Asked to stop while it tries, a run ends with nothing done.
START_TEST(trying_can_be_interrupted) {
    struct simulation run;
    const struct run_limits stopping = {.progress = stop};
    simulate_limited(&run, &stopping,
                     "{\"network\": {\"topology\": {\"type\": \"ring\", \"endpoints\": 64, \"link\": {\"bandwidth\": \"1GB/s\", "
                     "\"latency\": \"1us\"}}, \"chunk\": \"1KB\"}, \"workload\": " ALL_REDUCE_OF "}",
                     "auto", 100000000);
    ck_assert_int_eq(run.result.status, RUN_INTERRUPTED);
    ck_assert_uint_eq(run.result.messages, 0);
    simulation_free(&run);
}
END_TEST

/// Limits hold for candidates too; where none ends within them, the default runs into them.
START_TEST(limits_hold_for_candidates) {
    struct simulation run;
    const struct run_limits limits = {.until_ticks = 1000};
    simulate_limited(&run, &limits, "{" NVLINK_SWITCH ", \"workload\": " ALL_REDUCE_OF "}", 8, "auto", 1000000);
    ck_assert_int_eq(run.result.status, RUN_LIMIT);
    ck_assert_ptr_null(run.result.collectives[0].choice.algorithm);
    ck_assert_str_eq(run.result.collectives[0].algorithm->name, "ring");
    simulation_free(&run);
}
END_TEST

/// Switches that reduce are there when the scenario says how fast: then alpha + n/beta beats all.
START_TEST(in_network_where_switches_reduce) {
    struct simulation run;
    simulate(&run, "{" NVLINK_SWITCH ", \"costs\": {\"switch_reduce_bandwidth\": \"100TB/s\"}, \"workload\": " ALL_REDUCE_OF "}", 8, "auto",
             64000000);
    ck_assert_str_eq(run.result.collectives[0].algorithm->name, "in-network");
    simulation_free(&run);
}
END_TEST

static const char *const collectives[] = {"reduce-scatter", "all-gather", "broadcast", "reduce", "scatter", "gather", "all-to-all"};

START_TEST(every_collective) {
    struct simulation run;
    simulate(&run,
             "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"%s\", \"algorithm\": \"auto\", "
             "\"size\": \"1MB\"}}",
             6, collectives[_i]);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_uint_ge(run.result.collectives[0].choice.candidates, 1);
    ck_assert_int_eq(run.result.collectives[0].choice.ticks, run.result.makespan_ticks);
    simulation_free(&run);
}
END_TEST

Suite *test_auto_suite(void);
Suite *test_auto_suite(void) {
    Suite *suite = suite_create("auto");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_fastest_is_taken, 0, 4);
    tcase_add_test(all, crossovers_of_eight_nvlink_gpus);
    tcase_add_test(all, choices_are_remembered);
    tcase_add_test(all, in_a_sequence);
    tcase_add_test(all, priced_by_alpha_beta);
    tcase_add_test(all, what_is_printed);
    tcase_add_test(all, trying_can_be_interrupted);
    tcase_add_test(all, limits_hold_for_candidates);
    tcase_add_test(all, in_network_where_switches_reduce);
    tcase_add_loop_test(all, every_collective, 0, sizeof collectives / sizeof *collectives);
    suite_add_tcase(suite, all);
    return suite;
}
