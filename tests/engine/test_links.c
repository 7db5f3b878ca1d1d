// Links: service in order of joining, latency that occupies nobody, and the closed forms of model.md. Written a: latency of
// a link, s: service of a full chunk, l: of the last one, h: hops, k: chunks.
#include <check.h>

#include "engine/network.h"

static int64_t one_message(struct network *net, const struct sim_config *config, uint32_t from, uint32_t to, int64_t bytes) {
    struct sent message = {from, to, bytes, 0, 0};
    network_run(net, config, &message, 1);
    return message.delivered_ticks;
}

START_TEST(serves_in_order_of_joining) {
    struct network net;
    network_equal_line(&net, 1, 4);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{0, 1, 10, 0, 0}, {0, 1, 5, 3, 0}, {0, 1, 2, 100, 0}, {1, 0, 6, 0, 0}};
    network_run(&net, &config, messages, 4);
    ck_assert_int_eq(messages[0].delivered_ticks, 10 + 4);
    ck_assert_int_eq(messages[1].delivered_ticks, 15 + 4);  // begins when the link is free at 10
    ck_assert_int_eq(messages[2].delivered_ticks, 102 + 4); // the link has been idle
    ck_assert_int_eq(messages[3].delivered_ticks, 6 + 4);   // the other direction is another link
    ck_assert_int_eq(network_link_totals(&net, 0, 1).busy_ticks, 17);
    ck_assert_uint_eq(network_link_totals(&net, 0, 1).bytes, 17);
    ck_assert_uint_eq(network_link_totals(&net, 0, 1).chunks, 3);
    network_free(&net);
}
END_TEST

// k chunks take k s + a, not k (s + a).
START_TEST(latency_does_not_occupy_the_link) {
    struct network net;
    network_equal_line(&net, 1, 1000);
    const struct sim_config config = network_config(10, STORE_AND_FORWARD, INJECT_FIFO);
    ck_assert_int_eq(one_message(&net, &config, 0, 1, 200), 20 * 10 + 1000);
    network_free(&net);
}
END_TEST

// Of the sizes that there is no room for in the table only a message's last chunk may be, however many sizes came before its full ones.
START_TEST(more_sizes_than_are_kept) {
    enum { SIZES = 4100, CHUNK = 5000 };
    static struct sent messages[SIZES + 1];
    struct network net;
    network_equal_line(&net, 2, 4);
    const struct sim_config config = network_config(CHUNK, CUT_THROUGH, INJECT_FIFO);
    int64_t bytes = 0;
    for (uint32_t i = 0; i <= SIZES; i++) {
        messages[i] = (struct sent){0, 2, i < SIZES ? 1 + (int64_t)i : 2 * CHUNK + 4321, 0, 0};
        bytes += messages[i].bytes;
    }
    network_run(&net, &config, messages, SIZES + 1);
    ck_assert_uint_eq(network_link_totals(&net, 1, 2).bytes, (uint64_t)bytes);
    ck_assert_int_eq(network_link_totals(&net, 1, 2).busy_ticks, bytes);
    ck_assert_int_eq(messages[SIZES].delivered_ticks, bytes + 2 * 4);
    network_free(&net);
}
END_TEST

// Equal links: h a + (k + h - 1) s stored and forwarded, h a + k s cut through.
START_TEST(equal_links) {
    enum { A = 7, S = 10 };
    for (uint32_t h = 1; h <= 5; h++) {
        struct network net;
        network_equal_line(&net, h, A);
        for (int64_t k = 1; k <= 6; k++) {
            const struct sim_config stored = network_config(S, STORE_AND_FORWARD, INJECT_FIFO),
                                    cut = network_config(S, CUT_THROUGH, INJECT_FIFO);
            ck_assert_int_eq(one_message(&net, &stored, 0, h, k * S), h * A + (k + h - 1) * S);
            ck_assert_int_eq(one_message(&net, &cut, h, 0, k * S), h * A + k * S);
        }
        network_free(&net);
    }
}
END_TEST

static int64_t sum(const int64_t *values, int first, int end) {
    int64_t total = 0;
    for (int i = first; i < end; i++) total += values[i];
    return total;
}

static int64_t most(const int64_t *values, int end) {
    int64_t found = 0;
    for (int i = 0; i < end; i++) found = values[i] > found ? values[i] : found;
    return found;
}

// Unequal links, stored and forwarded, k >= 2: sum of a + max over r of
// [sum of s up to r + (k - 2) max s up to r + sum of l from r on].
static int64_t stored_and_forwarded(const int64_t *a, const int64_t *s, const int64_t *l, int64_t k) {
    int64_t worst = 0;
    for (int r = 0; r < 4; r++) {
        int64_t path = sum(s, 0, r + 1) + (k - 2) * most(s, r + 1) + sum(l, r, 4);
        worst = path > worst ? path : worst;
    }
    return sum(a, 0, 4) + worst;
}

START_TEST(unequal_links_with_a_short_last_chunk) {
    static const int64_t ticks_a_byte[] = {1, 2, 4, 8};
    const int64_t a[4] = {3, 50, 1, 20};
    for (int order = 0; order < 256; order++)
        for (int64_t k = 2; k <= 5; k++)
            for (int64_t last = 1; last <= 8; last += 7) {
                int64_t rates[4], s[4], l[4];
                for (int i = 0; i < 4; i++) {
                    int64_t per_byte = ticks_a_byte[order >> 2 * i & 3];
                    rates[i] = BYTE_A_TICK / per_byte, s[i] = 8 * per_byte, l[i] = last * per_byte;
                }
                struct network net;
                network_line(&net, 4, rates, a);
                const struct sim_config config = network_config(8, STORE_AND_FORWARD, INJECT_FIFO);
                ck_assert_int_eq(one_message(&net, &config, 0, 4, 8 * (k - 1) + last), stored_and_forwarded(a, s, l, k));
                network_free(&net);
            }
}
END_TEST

// Cut through, whole: sum of a + n / slowest rate, wherever the slowest link is.
START_TEST(a_whole_message_streams_at_the_slowest_rate) {
    static const int64_t ticks_a_byte[] = {1, 2, 4, 8};
    const int64_t a[4] = {3, 50, 1, 20};
    for (int order = 0; order < 256; order++) {
        int64_t rates[4], per_byte[4];
        for (int i = 0; i < 4; i++) per_byte[i] = ticks_a_byte[order >> 2 * i & 3], rates[i] = BYTE_A_TICK / per_byte[i];
        struct network net;
        network_line(&net, 4, rates, a);
        const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
        ck_assert_int_eq(one_message(&net, &config, 0, 4, 600), sum(a, 0, 4) + 600 * most(per_byte, 4));
        network_free(&net);
    }
}
END_TEST

// A fast link in the middle waits for the slow stream: the tail leaves it as the tail comes.
START_TEST(slow_fast_slow) {
    for (int64_t fast = 1; fast <= 8; fast *= 2) {
        struct network net;
        const int64_t rates[] = {BYTE_A_TICK, BYTE_A_TICK * fast, BYTE_A_TICK * fast, BYTE_A_TICK}, a[] = {2, 2, 2, 2};
        network_line(&net, 4, rates, a);
        const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
        ck_assert_int_eq(one_message(&net, &config, 0, 4, 1000), 1000 + 4 * 2);
        ck_assert_int_eq(network_link_totals(&net, 1, 2).busy_ticks, 1000 / fast);
        network_free(&net);
    }
}
END_TEST

// first = max(h, free), start = max(first, t - s): while the slow stream 0->2 holds the fast link 1->2 from its head at 2 to
// its tail at 102, the message of endpoint 1 posted at 50 waits, though the link works only from 92 to 102.
START_TEST(a_slow_streams_head_holds_its_place) {
    struct network net;
    network_line(&net, 2, (int64_t[]){BYTE_A_TICK, BYTE_A_TICK * 10}, (int64_t[]){2, 2});
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{0, 2, 100, 0, 0}, {1, 2, 100, 50, 0}};
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(messages[0].delivered_ticks, 100 + 2 + 2);
    ck_assert_int_eq(messages[1].delivered_ticks, 102 + 10 + 2);
    network_free(&net);
}
END_TEST

// A service time is rounded up: 1 byte at 3 bytes in 1000 ticks takes 334, 3 bytes 1000.
START_TEST(service_is_rounded_up) {
    struct network net;
    network_line(&net, 1, (int64_t[]){3}, (int64_t[]){1});
    const struct sim_config whole = network_config(0, CUT_THROUGH, INJECT_FIFO), bytes = network_config(1, CUT_THROUGH, INJECT_FIFO);
    ck_assert_int_eq(one_message(&net, &whole, 0, 1, 1), 334 + 1);
    ck_assert_int_eq(one_message(&net, &whole, 0, 1, 3), 1000 + 1);
    ck_assert_int_eq(one_message(&net, &bytes, 0, 1, 3), 3 * 334 + 1); // chunk by chunk
    network_free(&net);
}
END_TEST

// 0 bytes: one chunk that pays latencies and waits its turn, but takes no service.
START_TEST(a_message_of_0_bytes) {
    struct network net;
    network_equal_line(&net, 3, 5);
    const struct sim_config config = network_config(4, STORE_AND_FORWARD, INJECT_FIFO);
    struct sent alone = {0, 3, 0, 0, 0};
    network_run(&net, &config, &alone, 1);
    ck_assert_int_eq(alone.delivered_ticks, 3 * 5);
    struct sim_totals totals = sim_totals(communicator_sim(net.comm));
    ck_assert_uint_eq(totals.messages, 1);
    ck_assert_uint_eq(totals.chunks, 1);
    ck_assert_uint_eq(totals.chunk_hops, 3);
    ck_assert_uint_eq((uint64_t)totals.bytes_on_links, 0);
    struct sent behind[] = {{0, 1, 8, 0, 0}, {0, 1, 0, 0, 0}};
    network_run(&net, &config, behind, 2);
    ck_assert_int_eq(behind[0].delivered_ticks, 8 + 5);
    ck_assert_int_eq(behind[1].delivered_ticks, 8 + 5);
    network_free(&net);
}
END_TEST

// Eight senders of k chunks to one endpoint: the last is delivered at 2a + (8k + 1)s, cut through at 2a + 8k s.
START_TEST(incast) {
    struct network net;
    network_star(&net, 9, 6);
    struct sent messages[8];
    for (int k = 1; k <= 4; k++)
        for (int switching = CUT_THROUGH; switching <= STORE_AND_FORWARD; switching++) {
            int64_t last = 0;
            for (uint32_t i = 0; i < 8; i++) messages[i] = (struct sent){i < 3 ? i : i + 1, 3, 10 * k, 0, 0};
            const struct sim_config config = network_config(10, (enum switching)switching, INJECT_FIFO);
            network_run(&net, &config, messages, 8);
            for (int i = 0; i < 8; i++) last = messages[i].delivered_ticks > last ? messages[i].delivered_ticks : last;
            ck_assert_int_eq(last, 2 * 6 + (8 * k + (switching == STORE_AND_FORWARD)) * 10);
        }
    network_free(&net);
}
END_TEST

// Peak queue, by hand: 8 chunks of 10 bytes join s0's port 3 at 6 (cut through); one begins at once, the other 7 wait.
START_TEST(peak_queue_of_an_incast) {
    struct network net;
    network_star(&net, 9, 6);
    struct sent messages[8];
    for (uint32_t i = 0; i < 8; i++) messages[i] = (struct sent){i < 3 ? i : i + 1, 3, 10, 0, 0};
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_FIFO);
    network_run(&net, &config, messages, 8);
    ck_assert_int_eq(network_link_totals(&net, 9, 3).peak_queue_bytes, 70);
    ck_assert_int_eq(network_link_totals(&net, 0, 9).peak_queue_bytes, 0);
    network_free(&net);
}
END_TEST

// A message of 4 chunks waits but for its first chunk; what is posted at 5 finds 30 bytes, what is posted at 20 finds 20.
START_TEST(peak_queue_of_a_source) {
    struct network net;
    network_equal_line(&net, 1, 1);
    const struct sim_config config = network_config(10, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[] = {{0, 1, 40, 0, 0}, {0, 1, 7, 5, 0}, {0, 1, 12, 20, 0}};
    network_run(&net, &config, messages, 1);
    ck_assert_int_eq(network_link_totals(&net, 0, 1).peak_queue_bytes, 30);
    network_run(&net, &config, messages, 2);
    ck_assert_int_eq(network_link_totals(&net, 0, 1).peak_queue_bytes, 30 + 7);
    network_run(&net, &config, messages, 3); // at 20 the third chunk begins: 10 + 7 + 12 is no new peak
    ck_assert_int_eq(network_link_totals(&net, 0, 1).peak_queue_bytes, 30 + 7);
    network_free(&net);
}
END_TEST

Suite *test_links_suite(void) {
    Suite *suite = suite_create("links");
    TCase *tests = tcase_create("links");
    tcase_add_test(tests, serves_in_order_of_joining);
    tcase_add_test(tests, more_sizes_than_are_kept);
    tcase_add_test(tests, latency_does_not_occupy_the_link);
    tcase_add_test(tests, equal_links);
    tcase_add_test(tests, unequal_links_with_a_short_last_chunk);
    tcase_add_test(tests, a_whole_message_streams_at_the_slowest_rate);
    tcase_add_test(tests, slow_fast_slow);
    tcase_add_test(tests, a_slow_streams_head_holds_its_place);
    tcase_add_test(tests, service_is_rounded_up);
    tcase_add_test(tests, a_message_of_0_bytes);
    tcase_add_test(tests, incast);
    tcase_add_test(tests, peak_queue_of_an_incast);
    tcase_add_test(tests, peak_queue_of_a_source);
    suite_add_tcase(suite, tests);
    return suite;
}
