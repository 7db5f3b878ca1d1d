// Who goes first when several chunks join a link at one instant (model.md, "Links"). Latency 1, so chunks of the first
// hop join the second at 1; 10 bytes take 10 ticks, so the n-th in order is delivered at 2 + 10 n.
#include <check.h>

#include "engine/network.h"

static void check_order(struct network *net, struct sent *messages, uint32_t count, const uint32_t *order) {
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    network_run(net, &config, messages, count);
    for (uint32_t n = 0; n < count; n++) ck_assert_int_eq(messages[order[n]].delivered_ticks, 2 + 10 * (n + 1));
}

// At a switch inputs rank by (input - output) mod ports: towards port 2 of 4 that is 3, 0, 1; towards port 0 it is 1, 2, 3.
START_TEST(at_a_switch) {
    struct network net;
    network_star(&net, 4, 1);
    struct sent to_2[] = {{0, 2, 10, 0, 0}, {1, 2, 10, 0, 0}, {3, 2, 10, 0, 0}};
    check_order(&net, to_2, 3, (uint32_t[]){2, 0, 1});
    struct sent to_0[] = {{3, 0, 10, 0, 0}, {2, 0, 10, 0, 0}, {1, 0, 10, 0, 0}};
    check_order(&net, to_0, 3, (uint32_t[]){2, 1, 0});
    network_free(&net);
}
END_TEST

/// Endpoint 0 has port e to endpoint e.
static void build_hub(struct network *net) {
    network_init(net, 5, 0, 0);
    for (uint32_t e = 1; e <= 4; e++) network_cable(net, (uint32_t[]){0, e, e, 1}, BYTE_A_TICK, 1);
    network_finish(net);
}

// At an endpoint by (input - 1) xor (output - 1), its own last: towards port 4 that is 3, 2, 1; towards port 2 it is 1, 4, 3.
START_TEST(at_an_endpoint) {
    struct network net;
    build_hub(&net);
    struct sent to_4[] = {{0, 4, 10, 1, 0}, {1, 4, 10, 0, 0}, {2, 4, 10, 0, 0}, {3, 4, 10, 0, 0}};
    check_order(&net, to_4, 4, (uint32_t[]){3, 2, 1, 0});
    struct sent to_2[] = {{0, 2, 10, 1, 0}, {1, 2, 10, 0, 0}, {3, 2, 10, 0, 0}, {4, 2, 10, 0, 0}};
    check_order(&net, to_2, 4, (uint32_t[]){1, 3, 2, 0});
    network_free(&net);
}
END_TEST

// What joined a tick earlier goes first whatever the ports.
START_TEST(time_goes_before_ports) {
    struct network net;
    build_hub(&net);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{0, 4, 10, 0, 0}, {3, 4, 10, 0, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[0].delivered_ticks, 10 + 1);
    ck_assert_int_eq(messages[1].delivered_ticks, 20 + 1);
    network_free(&net);
}
END_TEST

// Stored and forwarded, chunks join when their tails are there: the shorter first, whatever the ports.
START_TEST(stored_chunks_join_at_their_tails) {
    struct network net;
    network_star(&net, 4, 1);
    const struct sim_config config = network_config(0, STORE_AND_FORWARD, INJECT_FIFO);
    struct sent messages[] = {{0, 2, 9, 0, 0}, {1, 2, 8, 0, 0}, {3, 2, 10, 0, 0}};
    network_run(&net, &config, messages, 3);
    ck_assert_int_eq(messages[1].delivered_ticks, (8 + 1) + 8 + 1);
    ck_assert_int_eq(messages[0].delivered_ticks, (8 + 1) + 8 + 9 + 1);
    ck_assert_int_eq(messages[2].delivered_ticks, (8 + 1) + 8 + 9 + 10 + 1);
    network_free(&net);
}
END_TEST

// Two chunks that come through one port at one instant (the first has 0 bytes) keep their order.
START_TEST(one_port_keeps_its_order) {
    struct network net;
    build_hub(&net);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{1, 4, 0, 0, 0}, {1, 4, 10, 0, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[0].delivered_ticks, 2);
    ck_assert_int_eq(messages[1].delivered_ticks, 12);
    struct sent swapped[] = {{1, 4, 10, 0, 0}, {1, 4, 0, 0, 0}};
    network_run(&net, &config, swapped, 2);
    ck_assert_int_eq(swapped[0].delivered_ticks, 12);
    ck_assert_int_eq(swapped[1].delivered_ticks, 12);
    network_free(&net);
}
END_TEST

// Injections of one instant go by message number, which is the order of posting.
START_TEST(injections_go_by_number) {
    struct network net;
    network_equal_line(&net, 1, 1);
    const struct sim_config config = network_config(4, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{0, 1, 30, 0, 0}, {0, 1, 10, 0, 0}, {0, 1, 20, 0, 0}};
    network_run(&net, &config, messages, 3);
    ck_assert_int_eq(messages[0].delivered_ticks, 30 + 1);
    ck_assert_int_eq(messages[1].delivered_ticks, 40 + 1);
    ck_assert_int_eq(messages[2].delivered_ticks, 60 + 1);
    network_free(&net);
}
END_TEST

struct reply {
    struct communicator *comm;
    int64_t delivered_ticks;
};

static void reply_delivered(void *context, uint32_t cookie, int64_t now) {
    (void)cookie;
    ((struct reply *)context)->delivered_ticks = now;
}

static void send_reply(void *context, uint32_t cookie, int64_t now) {
    (void)cookie, (void)now;
    struct reply *reply = context;
    communicator_send(reply->comm, 0, 4, 10, 0, 9, (struct done_call){reply_delivered, reply}, 0);
}

static void ignore(void *context, uint32_t cookie, int64_t now) { (void)context, (void)cookie, (void)now; }

// Deliveries come before links: what endpoint 0 posts because a message of 0 bytes came at 1 joins its link at 1, together with
// the chunk from endpoint 3 (and behind it), and before the one that joins at 2.
START_TEST(deliveries_come_before_links) {
    struct network net;
    build_hub(&net);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct reply reply = {network_open(&net, &config, NULL), -1};
    communicator_send(net.comm, 2, 0, 0, 0, 0, (struct done_call){send_reply, &reply}, 0);
    communicator_send(net.comm, 3, 4, 10, 0, 0, (struct done_call){ignore, NULL}, 0);
    struct error err = {0};
    ck_assert(communicator_run(net.comm, &heap_engine, &err));
    ck_assert_int_eq(reply.delivered_ticks, 2 + 20);
    network_free(&net);
}
END_TEST

Suite *test_ties_suite(void) {
    Suite *suite = suite_create("ties");
    TCase *tests = tcase_create("ties");
    tcase_add_test(tests, at_a_switch);
    tcase_add_test(tests, at_an_endpoint);
    tcase_add_test(tests, time_goes_before_ports);
    tcase_add_test(tests, stored_chunks_join_at_their_tails);
    tcase_add_test(tests, one_port_keeps_its_order);
    tcase_add_test(tests, injections_go_by_number);
    tcase_add_test(tests, deliveries_come_before_links);
    suite_add_tcase(suite, tests);
    return suite;
}
