// How chunks enter their first link, and that a message of many chunks is one record there.
#include <check.h>

#include "engine/network.h"
#include "engine/sim_state.h"

enum { A = 5 };

// A is 10 + 10 + 5 bytes, B is 10 + 10. fifo: AAABB.
START_TEST(fifo_serves_message_by_message) {
    struct network net;
    network_equal_line(&net, 1, A);
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{0, 1, 25, 0, 0}, {0, 1, 20, 0, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[0].delivered_ticks, 25 + A);
    ck_assert_int_eq(messages[1].delivered_ticks, 45 + A);
    network_free(&net);
}
END_TEST

// round-robin: A [0, 10) B [10, 20) A [20, 30) B [30, 40) A [40, 45).
START_TEST(round_robin_takes_turns) {
    struct network net;
    network_equal_line(&net, 1, A);
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_ROUND_ROBIN);
    struct sent messages[] = {{0, 1, 25, 0, 0}, {0, 1, 20, 0, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[0].delivered_ticks, 45 + A);
    ck_assert_int_eq(messages[1].delivered_ticks, 40 + A);
    network_free(&net);
}
END_TEST

// C comes at 12, when A's second chunk is queued behind B's first: A [0, 10) B [10, 20) A [20, 30) C [30, 40) B [40, 50) A [50, 55).
START_TEST(a_late_message_takes_its_turn) {
    struct network net;
    network_equal_line(&net, 1, A);
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_ROUND_ROBIN);
    struct sent messages[] = {{0, 1, 25, 0, 0}, {0, 1, 20, 0, 0}, {0, 1, 10, 12, 0}};
    network_run(&net, &config, messages, 3);
    ck_assert_int_eq(messages[0].delivered_ticks, 55 + A);
    ck_assert_int_eq(messages[1].delivered_ticks, 50 + A);
    ck_assert_int_eq(messages[2].delivered_ticks, 40 + A);
    network_free(&net);
}
END_TEST

// At 10 the second chunk of an older message and a new message join together: the lower number goes first.
START_TEST(an_older_message_goes_on_first) {
    struct network net;
    network_equal_line(&net, 1, A);
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_ROUND_ROBIN);
    struct sent messages[] = {{0, 1, 20, 0, 0}, {0, 1, 10, 10, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[0].delivered_ticks, 20 + A);
    ck_assert_int_eq(messages[1].delivered_ticks, 30 + A);
    network_free(&net);
}
END_TEST

// Messages that leave by different links do not wait for each other, whatever the injection.
START_TEST(other_links_are_not_held_up) {
    struct network net;
    network_equal_line(&net, 2, A);
    for (int injection = INJECT_FIFO; injection <= INJECT_ROUND_ROBIN; injection++) {
        const struct sim_config config = network_config(10, CUT_THROUGH, (enum injection)injection);
        struct sent messages[] = {{1, 0, 50, 0, 0}, {1, 2, 30, 0, 0}};
        network_run(&net, &config, messages, 2);
        ck_assert_int_eq(messages[0].delivered_ticks, 50 + A);
        ck_assert_int_eq(messages[1].delivered_ticks, 30 + A);
    }
    network_free(&net);
}
END_TEST

// A lone message takes the same time either way: 4 chunks over 2 hops.
START_TEST(injection_is_nothing_to_a_lone_message) {
    struct network net;
    network_equal_line(&net, 2, A);
    for (int injection = INJECT_FIFO; injection <= INJECT_ROUND_ROBIN; injection++) {
        const struct sim_config config = network_config(10, STORE_AND_FORWARD, (enum injection)injection);
        struct sent message = {0, 2, 40, 0, 0};
        network_run(&net, &config, &message, 1);
        ck_assert_int_eq(message.delivered_ticks, 2 * A + (4 + 2 - 1) * 10);
    }
    network_free(&net);
}
END_TEST

// A million chunks are posted as one record, and no more chunks exist at once than are on the wire: O(1) memory.
START_TEST(many_chunks_are_one_record) {
    enum { CHUNKS = 1000000 };
    struct network net;
    network_equal_line(&net, 2, A);
    const struct sim_config config = network_config(1, STORE_AND_FORWARD, INJECT_FIFO);
    struct sent message = {0, 2, CHUNKS, 0, 0};
    network_run(&net, &config, &message, 1);
    ck_assert_int_eq(message.delivered_ticks, 2 * A + CHUNKS + 1);
    const struct sim *sim = communicator_sim(net.comm);
    ck_assert_uint_eq(sim->run_count, 1);
    ck_assert_uint_eq(sim->totals.chunk_hops, 2 * CHUNKS);
    ck_assert_uint_le(sim->ring_bytes, 64 * sizeof(struct chunk));
    ck_assert_uint_le(sim->message_capacity, 16);
    ck_assert_int_eq(network_link_totals(&net, 0, 1).peak_queue_bytes, CHUNKS - 1);
    network_free(&net);
}
END_TEST

// The record of a run is used again after its last chunk has gone.
START_TEST(records_are_used_again) {
    struct network net;
    network_equal_line(&net, 2, A);
    const struct sim_config config = network_config(1, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[100];
    for (int i = 0; i < 100; i++) messages[i] = (struct sent){0, 2, 20, i * 100, 0};
    network_run(&net, &config, messages, 100);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(messages[i].delivered_ticks, i * 100 + 20 + 2 * A);
    ck_assert_uint_eq(communicator_sim(net.comm)->run_count, 1);
    ck_assert_uint_le(communicator_sim(net.comm)->message_count, 8);
    network_free(&net);
}
END_TEST

// Whether a message's chunks are one record or served one by one is nothing to others: a run and a message cross on link 1->2.
START_TEST(a_run_shares_its_links) {
    struct network net;
    network_equal_line(&net, 2, 1);
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_FIFO);
    // through: joins 1->2 at 1, 11, 21; own: 10 bytes posted at 15, between the second and the third
    struct sent messages[] = {{0, 2, 30, 0, 0}, {1, 2, 10, 15, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[1].delivered_ticks, 31 + 1); // served in [21, 31)
    ck_assert_int_eq(messages[0].delivered_ticks, 41 + 1); // its third chunk in [31, 41)
    network_free(&net);
}
END_TEST

Suite *test_injection_suite(void) {
    Suite *suite = suite_create("injection");
    TCase *tests = tcase_create("injection");
    tcase_add_test(tests, fifo_serves_message_by_message);
    tcase_add_test(tests, round_robin_takes_turns);
    tcase_add_test(tests, a_late_message_takes_its_turn);
    tcase_add_test(tests, an_older_message_goes_on_first);
    tcase_add_test(tests, other_links_are_not_held_up);
    tcase_add_test(tests, injection_is_nothing_to_a_lone_message);
    tcase_add_test(tests, many_chunks_are_one_record);
    tcase_add_test(tests, records_are_used_again);
    tcase_add_test(tests, a_run_shares_its_links);
    suite_add_tcase(suite, tests);
    return suite;
}
