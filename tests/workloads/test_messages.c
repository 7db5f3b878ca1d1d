// The messages workload on a switch where n bytes of rank to rank take n us + 2 us.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define NETWORK \
    "'network': {'topology': {'type': 'switch', 'endpoints': 4, 'link': {'bandwidth': '1MB/s', 'latency': '1us'}}, 'chunk': 'whole'}"
#define MESSAGES(list) "{" NETWORK ", 'workload': {'type': 'messages', 'messages': [" list "]}}"

START_TEST(at_its_time) {
    ck_assert_int_eq(ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '10B', 'at': '7us'}")), (7 + 10 + 2) * US);
    ck_assert_int_eq(ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '0B'}")), 2 * US);
}
END_TEST

// 0 -> 1 is there at 12, 2 -> 3 at 27: what waits for both goes at 27, what waits until 40 goes then.
START_TEST(after_others_and_at_its_time) {
    ck_assert_int_eq(ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '10B'}, {'from': 2, 'to': 3, 'size': '5B', 'at': '20us'},"
                                       "{'from': 3, 'to': 0, 'size': '3B', 'after': [0, 1]}")),
                     (27 + 3 + 2) * US);
    ck_assert_int_eq(
        ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '10B'}, {'from': 3, 'to': 0, 'size': '3B', 'at': '40us', 'after': [0]}")),
        (40 + 3 + 2) * US);
}
END_TEST

// A message may wait for one that stands after it in the list, or twice for the same.
START_TEST(after_in_any_order) {
    ck_assert_int_eq(
        ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '10B', 'after': [2, 2]}, {'from': 1, 'to': 2, 'size': '10B', 'after': [0]},"
                          "{'from': 2, 'to': 3, 'size': '10B'}")),
        3 * (10 + 2) * US);
}
END_TEST

// At one instant in list order: the first 30 bytes leave before the 10.
START_TEST(one_instant_in_list_order) {
    struct simulation run;
    simulate(
        &run,
        MESSAGES(
            "{'from': 0, 'to': 1, 'size': '30B'}, {'from': 0, 'to': 2, 'size': '10B'}, {'from': 2, 'to': 0, 'size': '1B', 'after': [1]}"));
    ck_assert_int_eq(run.result.makespan_ticks, (40 + 2 + 1 + 2) * US);
    simulation_free(&run);
}
END_TEST

// The same at 20, listed before what goes at 3 and what had to wait for that: times are in no order in the list.
START_TEST(times_in_any_order) {
    ck_assert_int_eq(
        ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '30B', 'at': '20us'}, {'from': 0, 'to': 2, 'size': '10B', 'at': '20us'},"
                          "{'from': 2, 'to': 0, 'size': '1B', 'after': [1]}, {'from': 0, 'to': 3, 'size': '5B', 'at': '3us'},"
                          "{'from': 3, 'to': 0, 'size': '1B', 'at': '1us', 'after': [3]}")),
        (20 + 40 + 2 + 1 + 2) * US);
    ck_assert_int_eq(ticks_of(MESSAGES("{'from': 0, 'to': 1, 'size': '1B', 'at': '9us'}, {'from': 0, 'to': 2, 'size': '2B', 'at': '4us'}")),
                     (9 + 1 + 2) * US);
}
END_TEST

#define ONE(at) "{'type': 'messages', 'messages': [{'from': 0, 'to': 1, 'size': '1B', 'at': '" at "'}]}"
#define TWO(first, second) "{" NETWORK ", 'workload': {'type': 'sequence', 'of': [" ONE(first) ", " ONE(second) "]}}"

// Times count from the beginning of the sender's part, here from 7.
START_TEST(times_of_a_later_part) { ck_assert_int_eq(ticks_of(TWO("7us", "5us")), (7 + 5 + 1 + 2) * US); }
END_TEST

// Rank 1 gets 90 bytes until 93, which is known when its link begins with them, and posts its own at 20. That is at rank 2 at 25.
START_TEST(a_rank_ends_when_all_has_come) {
    struct simulation run;
    static const char first[] = "{'type': 'messages', 'messages': [{'from': 0, 'to': 1, 'size': '90B', 'at': '1us'}, {'from': 1, 'to': 2, "
                                "'size': '3B', 'at': '20us'}]}",
                      second[] = "{'type': 'messages', 'messages': [{'from': %d, 'to': 3, 'size': '70B'}]}";
    for (int from = 1; from <= 2; from++) {
        char then[128];
        snprintf(then, sizeof then, second, from);
        for (enum engine_choice engine = ENGINE_HEAP; engine <= ENGINE_WINDOW; engine++) {
            simulate_limited(&run, &(struct run_limits){.engine = engine, .proof = PROOF_CHOICE_OFF},
                             "{" NETWORK ", 'workload': {'type': 'sequence', 'of': [%s, %s]}}", first, then);
            ck_assert_int_eq(run.result.makespan_ticks, ((from == 1 ? 93 : 25) + 70 + 2) * US);
            ck_assert_uint_eq(simulation_link(&run, 4, 3).chunks, 1);
            simulation_free(&run);
        }
    }
}
END_TEST

START_TEST(a_time_beyond_the_end) {
    struct simulation run;
    simulate(&run, TWO("9000s", "9000s"));
    ck_assert_int_eq(run.result.error.kind, ERROR_SIMULATION);
    ck_assert_ptr_nonnull(strstr(run.result.error.text, "the clock overflows: at 9000"));
    ck_assert_uint_eq(run.result.messages, 1);
    simulation_free(&run);
}
END_TEST

// To oneself: delivered when posted, on no link, in no total; others may wait for it.
START_TEST(to_oneself) {
    struct simulation run;
    simulate(&run, MESSAGES("{'from': 0, 'to': 0, 'size': '10B', 'at': '5us'}, {'from': 1, 'to': 2, 'size': '10B', 'after': [0]}, {'from': "
                            "3, 'to': 3, 'size': '1B', 'at': '50us'}"));
    ck_assert_int_eq(run.result.makespan_ticks, 50 * US); // the other is there at 17
    ck_assert_uint_eq(run.result.messages, 1);
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 20);
    ck_assert_uint_eq(simulation_link(&run, 0, 4).chunks, 0);
    simulation_free(&run);
}
END_TEST

START_TEST(a_cycle_stalls) {
    struct simulation run;
    simulate(&run, MESSAGES("{'from': 0, 'to': 1, 'size': '1B', 'after': [1]}, {'from': 1, 'to': 0, 'size': '1B', 'after': [0]},"
                            "{'from': 2, 'to': 3, 'size': '1B'}"));
    ck_assert_int_eq(run.result.status, RUN_STALLED);
    ck_assert_int_eq(run.result.error.kind, ERROR_SIMULATION);
    ck_assert_str_eq(run.result.error.text,
                     "nothing is left to happen: rank 0 cannot send message 0 to rank 1: it waits for message 1 from rank 1 to rank 0; "
                     "rank 1 cannot send message 1 to rank 0: it waits for message 0 from rank 0 to rank 1");
    ck_assert_uint_eq(run.result.messages, 1);
    simulation_free(&run);
}
END_TEST

START_TEST(a_message_after_itself_stalls) {
    struct simulation run;
    simulate(&run, MESSAGES("{'from': 2, 'to': 3, 'size': '1B', 'after': [0]}"));
    ck_assert_int_eq(run.result.status, RUN_STALLED);
    simulation_free(&run);
}
END_TEST

START_TEST(an_unknown_message_is_refused) {
    char *refusal = refusal_of(MESSAGES("{'from': 0, 'to': 1, 'size': '1B', 'after': [1]}"));
    ck_assert_str_eq(refusal, "/workload/messages/0/after/0: there is no message 1; they are counted from 0 to 0");
    free(refusal);
}
END_TEST

START_TEST(none_at_all) {
    struct simulation run;
    simulate(&run, MESSAGES(""));
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_int_eq(run.result.makespan_ticks, 0);
    simulation_free(&run);
}
END_TEST

Suite *test_messages_suite(void) {
    Suite *suite = suite_create("messages");
    TCase *tests = tcase_create("messages");
    tcase_add_test(tests, at_its_time);
    tcase_add_test(tests, after_others_and_at_its_time);
    tcase_add_test(tests, after_in_any_order);
    tcase_add_test(tests, one_instant_in_list_order);
    tcase_add_test(tests, times_in_any_order);
    tcase_add_test(tests, times_of_a_later_part);
    tcase_add_test(tests, a_rank_ends_when_all_has_come);
    tcase_add_test(tests, a_time_beyond_the_end);
    tcase_add_test(tests, to_oneself);
    tcase_add_test(tests, a_cycle_stalls);
    tcase_add_test(tests, a_message_after_itself_stalls);
    tcase_add_test(tests, an_unknown_message_is_refused);
    tcase_add_test(tests, none_at_all);
    suite_add_tcase(suite, tests);
    return suite;
}
