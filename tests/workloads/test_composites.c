// Sequence, parallel, and one inside the other, on a switch where n bytes from rank to rank take n us + 2 us.
#include <check.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define NETWORK \
    "'network': {'topology': {'type': 'switch', 'endpoints': 4, 'link': {'bandwidth': '1MB/s', 'latency': '1us'}}, 'chunk': 'whole'}"
#define WORKLOAD(workload) "{" NETWORK ", 'workload': " workload "}"
#define SEND(from, to, size) "{'type': 'messages', 'messages': [{'from': " #from ", 'to': " #to ", 'size': '" #size "B'}]}"
#define BROADCAST(more) "{'type': 'collective', 'collective': 'broadcast', 'algorithm': 'naive', 'size': '10B'" more "}"

static void check_ends(const struct simulation *run, size_t collective, const int64_t *us) {
    ck_assert_int_eq(run->result.status, RUN_COMPLETE);
    const struct collective_result *result = &run->result.collectives[collective];
    for (uint32_t r = 0; r < result->args.size; r++)
        ck_assert_msg(result->rank_end_ticks[r] == us[r] * US, "rank %u of collective %zu ends at %lld ticks, not at %lld us", r,
                      collective, (long long)result->rank_end_ticks[r], (long long)us[r]);
}

// A naive broadcast of 10 bytes: the root is done at once, the others have it at 12, 22 and 32. In a sequence the root goes on at
// once: its second three messages follow the first.
START_TEST(a_rank_goes_on_when_its_own_part_is_done) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'sequence', 'of': [" BROADCAST("") ", " BROADCAST("") "]}"));
    check_ends(&run, 0, (int64_t[]){0, 12, 22, 32});
    check_ends(&run, 1, (int64_t[]){0, 42, 52, 62});
    ck_assert_int_eq(run.result.collectives[1].start_ticks, 0);
    simulation_free(&run);
}
END_TEST

// With a barrier it goes on at 32, when everyone's part is done.
START_TEST(a_barrier_waits_for_all) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'sequence', 'barrier': true, 'of': [" BROADCAST("") ", " BROADCAST("") "]}"));
    check_ends(&run, 0, (int64_t[]){0, 12, 22, 32});
    check_ends(&run, 1, (int64_t[]){32, 44, 54, 64});
    ck_assert_int_eq(run.result.collectives[1].start_ticks, 32 * US);
    simulation_free(&run);
}
END_TEST

START_TEST(a_sequence_repeats) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'sequence', 'repeat': 3, 'of': [" BROADCAST("") "]}"));
    ck_assert_uint_eq(run.result.collective_count, 3);
    check_ends(&run, 2, (int64_t[]){0, 72, 82, 92});
    simulation_free(&run);
    simulate(&run, WORKLOAD("{'type': 'sequence', 'barrier': true, 'repeat': 3, 'of': [" BROADCAST("") "]}"));
    check_ends(&run, 2, (int64_t[]){64, 76, 86, 96});
    simulation_free(&run);
}
END_TEST

// A repeated collective is one result: the start of the first, the end of the last.
START_TEST(a_collective_repeats) {
    struct simulation run;
    simulate(&run, WORKLOAD(BROADCAST(", 'repeat': 3")));
    ck_assert_uint_eq(run.result.collective_count, 1);
    check_ends(&run, 0, (int64_t[]){0, 72, 82, 92});
    ck_assert_uint_eq(run.result.messages, 9);
    simulation_free(&run);
    simulate(&run, WORKLOAD(BROADCAST(", 'repeat': 3, 'sync': 'step'")));
    check_ends(&run, 0, (int64_t[]){96, 96, 96, 96});
    simulation_free(&run);
}
END_TEST

// Side by side: all six messages of the root at once, those of the first in the file first.
START_TEST(parallel_starts_together) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'parallel', 'of': [" BROADCAST("") ", " BROADCAST("") "]}"));
    check_ends(&run, 0, (int64_t[]){0, 12, 22, 32});
    check_ends(&run, 1, (int64_t[]){0, 42, 52, 62});
    simulation_free(&run);
}
END_TEST

// Groups of different ranks do not touch each other on a switch. Results count by member: of [3, 2, 1], member 0 is rank 3.
START_TEST(parallel_groups) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'parallel', 'of': [" BROADCAST(", 'ranks': [0, 1]") ", " BROADCAST(", 'ranks': [3, 2]") "]}"));
    check_ends(&run, 0, (int64_t[]){0, 12});
    check_ends(&run, 1, (int64_t[]){0, 12});
    ck_assert_uint_eq(simulation_link(&run, 3, 4).bytes, 10);
    ck_assert_uint_eq(simulation_link(&run, 1, 4).bytes, 0);
    simulation_free(&run);
}
END_TEST

// A rank without a part in an item goes on at once, unless there is a barrier.
START_TEST(a_rank_without_a_part) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'sequence', 'of': [" BROADCAST(", 'ranks': [0, 1]") ", " BROADCAST(", 'ranks': [2, 3, 1]") "]}"));
    check_ends(&run, 1, (int64_t[]){0, 12, 22});
    simulation_free(&run);
    simulate(&run, WORKLOAD("{'type': 'sequence', 'barrier': true, 'of': [" BROADCAST(", 'ranks': [0, 1]") ", " BROADCAST(
                       ", 'ranks': [2, 3, 1]") "]}"));
    check_ends(&run, 1, (int64_t[]){12, 24, 34});
    simulation_free(&run);
}
END_TEST

// (send 0->1, then send 1->2) beside send 3->2, all of it twice. Ranks 0 and 3 are done with the first round when they have posted, and
// post the second at 0 too. Rank 1 has its messages at 12 and 22 and sends on at once. The link to rank 2 takes the two of rank 3 in [1,
// 21) and those of rank 1 in [21, 41).
START_TEST(nested) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'sequence', 'repeat': 2, 'of': [{'type': 'parallel', 'of': ["
                            "{'type': 'sequence', 'of': [" SEND(0, 1, 10) ", " SEND(1, 2, 10) "]}, " SEND(3, 2, 10) "]}]}"));
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_int_eq(run.result.makespan_ticks, (41 + 1) * US);
    ck_assert_uint_eq(run.result.messages, 6);
    simulation_free(&run);
}
END_TEST

// One rank late in one part of a parallel workload holds up that part only.
START_TEST(a_late_start_in_one_part) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'parallel', 'of': [" BROADCAST(", 'start': {'0': '100us'}") ", " BROADCAST("") "]}"));
    check_ends(&run, 0, (int64_t[]){100, 112, 122, 132});
    check_ends(&run, 1, (int64_t[]){0, 12, 22, 32});
    simulation_free(&run);
}
END_TEST

// `start` counts from when the rank comes to the item.
START_TEST(a_late_start_in_a_sequence) {
    struct simulation run;
    simulate(&run,
             WORKLOAD("{'type': 'sequence', 'barrier': true, 'of': [" BROADCAST("") ", " BROADCAST(", 'start': {'0': '100us'}") "]}"));
    check_ends(&run, 1, (int64_t[]){132, 144, 154, 164});
    simulation_free(&run);
}
END_TEST

// What an item stuck in the middle says, and what it had done.
START_TEST(a_stall_inside) {
    struct simulation run;
    simulate(&run, WORKLOAD("{'type': 'sequence', 'of': [" BROADCAST("") ", {'type': 'messages', 'messages': ["
                                                                         "{'from': 2, 'to': 3, 'size': '1B', 'after': [0]}]}, " BROADCAST(
                                                                             "") "]}"));
    ck_assert_int_eq(run.result.status, RUN_STALLED);
    ck_assert_uint_eq(run.result.collective_count, 2);
    ck_assert_int_eq(run.result.collectives[0].rank_end_ticks[3], 32 * US);
    ck_assert_int_eq(run.result.collectives[1].rank_end_ticks[3], -1);
    simulation_free(&run);
}
END_TEST

// A run that a limit stops has ends for those that ended.
START_TEST(a_limit_inside) {
    struct simulation run;
    simulate_limited(&run, &(struct run_limits){.until_ticks = 25 * US}, WORKLOAD(BROADCAST("")));
    ck_assert_int_eq(run.result.status, RUN_LIMIT);
    ck_assert_int_eq(run.result.collectives[0].rank_end_ticks[0], 0);
    ck_assert_int_eq(run.result.collectives[0].rank_end_ticks[2], 22 * US);
    ck_assert_int_eq(run.result.collectives[0].rank_end_ticks[3], -1);
    simulation_free(&run);
}
END_TEST

Suite *test_composites_suite(void) {
    Suite *suite = suite_create("composites");
    TCase *tests = tcase_create("composites");
    tcase_add_test(tests, a_rank_goes_on_when_its_own_part_is_done);
    tcase_add_test(tests, a_barrier_waits_for_all);
    tcase_add_test(tests, a_sequence_repeats);
    tcase_add_test(tests, a_collective_repeats);
    tcase_add_test(tests, parallel_starts_together);
    tcase_add_test(tests, parallel_groups);
    tcase_add_test(tests, a_rank_without_a_part);
    tcase_add_test(tests, nested);
    tcase_add_test(tests, a_late_start_in_one_part);
    tcase_add_test(tests, a_late_start_in_a_sequence);
    tcase_add_test(tests, a_stall_inside);
    tcase_add_test(tests, a_limit_inside);
    suite_add_tcase(suite, tests);
    return suite;
}
