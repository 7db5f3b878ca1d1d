// Numbers of messages go on for ever, as routes and round-robin see them.
#include <check.h>

#include "engine/network.h"
#include "engine/renumber.h"

enum { LATENCY = 5, MESSAGES = 12 };

/// Two endpoints with three cables, the last two twice as fast: which of them each chunk took, and when each message was delivered.
struct lines {
    struct network net;
    struct sim *sim;
    bool spread;
    uint32_t count, taken[MESSAGES];
    int64_t delivered[MESSAGES];
    void (*at_timer)(struct lines *lines, uint32_t cookie);
};

/// First chunks go by number, further ones by link 0, or spread.
static uint32_t select_line(const void *state, uint32_t source, uint32_t destination, uint32_t number, uint64_t chunk) {
    const struct lines *lines = state;
    (void)source, (void)destination;
    return chunk == 0 || lines->spread ? (number + (uint32_t)chunk) % 3 : 0;
}

static uint32_t next_line(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)state, (void)node, (void)destination;
    return selector;
}

static void see_service(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    struct lines *lines = context;
    (void)message, (void)joined, (void)start, (void)end, (void)bytes;
    if (lines->count < MESSAGES) lines->taken[lines->count++] = link;
}

static void see_delivery(void *context, const struct message *message, int64_t now) {
    ((struct lines *)context)->delivered[message->user[0]] = now;
}

static void post(struct lines *lines, uint32_t message, int64_t bytes) { sim_post(lines->sim, 0, 1, bytes, 0, 0)->user[0] = message; }

static int64_t call_timer(void *context, uint32_t cookie, int64_t now) {
    struct lines *lines = context;
    (void)now;
    lines->at_timer(lines, cookie);
    return NOT_AGAIN;
}

static void begin(struct lines *lines, enum injection injection, void (*at_timer)(struct lines *lines, uint32_t cookie)) {
    *lines = (struct lines){.at_timer = at_timer};
    network_init(&lines->net, 2, 0, 0);
    for (uint32_t port = 1; port <= 3; port++)
        network_cable(&lines->net, (uint32_t[]){0, port, 1, port}, port > 1 ? 2 * BYTE_A_TICK : BYTE_A_TICK, LATENCY);
    network_finish(&lines->net);
    const struct router router = {.state = lines, .next_link = next_line, .selector = select_line, .message_period = 3};
    const struct sim_config config = network_config(10, CUT_THROUGH, injection);
    const struct sim_client client = {.context = lines, .delivered = see_delivery, .timer = call_timer};
    lines->sim = sim_create(&lines->net.graph, &router, &config, &client);
    sim_observe(lines->sim, &(struct sim_observer){.context = lines, .service = see_service});
}

static void run(struct lines *lines) {
    struct error err = {0};
    ck_assert_msg(sim_run(lines->sim, &heap_engine, &err), "%s", err.text);
    sim_free(lines->sim);
    network_free(&lines->net);
}

static void post_one(struct lines *lines, uint32_t cookie) { post(lines, cookie, 10); }

// Number 2^32 + 2 is a multiple of 3, 2 is not.
START_TEST(counted_messages) {
    struct lines lines;
    begin(&lines, INJECT_FIFO, NULL);
    sim_count_posts(lines.sim, 0, (UINT64_C(1) << 32) + 2);
    for (uint32_t i = 0; i < MESSAGES; i++) post(&lines, i, 10);
    run(&lines);
    for (uint32_t i = 0; i < MESSAGES; i++) ck_assert_uint_eq(lines.taken[i], i % 3);
}
END_TEST

// From number 2^32 - 6 on, whose rest is 1; many more have been posted by all.
START_TEST(simulated_messages) {
    struct lines lines;
    begin(&lines, INJECT_FIFO, post_one);
    lines.sim->next_number[0] = UINT32_MAX - 5;
    lines.sim->totals.messages = RENUMBER_EVERY - 2;
    for (uint32_t i = 0; i < MESSAGES; i++) sim_timer(lines.sim, 0, 100 * i, i);
    run(&lines);
    for (uint32_t i = 0; i < MESSAGES; i++) ck_assert_uint_eq(lines.taken[i], (i + 1) % 3);
}
END_TEST

static void post_two(struct lines *lines, uint32_t cookie) { post(lines, cookie, cookie == 0 ? 30 : 20); }

// 30 bytes by link 0 from 0 on; then numbers become smaller. 20 bytes that come at 5 take link 1 in [5, 10), and at 10 link 0 with their
// second chunk, after the older message's: [20, 30). 20 bytes that come at 15 take link 2 in [15, 20), and link 0 after the third: [40,
// 50).
START_TEST(order_of_what_is_under_way) {
    struct lines lines;
    begin(&lines, INJECT_ROUND_ROBIN, post_two);
    lines.sim->next_number[0] = (UINT32_C(1) << 31) + 1;
    lines.sim->totals.messages = RENUMBER_EVERY - 1;
    for (uint32_t i = 0; i < 3; i++) sim_timer(lines.sim, 0, i == 2 ? 15 : 5 * i, i);
    run(&lines);
    ck_assert_int_eq(lines.delivered[0], 40 + LATENCY);
    ck_assert_int_eq(lines.delivered[1], 30 + LATENCY);
    ck_assert_int_eq(lines.delivered[2], 50 + LATENCY);
}
END_TEST

static void post_far_apart(struct lines *lines, uint32_t cookie) {
    if (cookie == 1) {
        lines->sim->next_number[0] = (UINT32_C(1) << 31) + 2;
        lines->sim->totals.messages = RENUMBER_EVERY - 1;
    }
    post_two(lines, cookie);
}

// 2^31 messages after one that is still under way its number is as small as it can be, and none becomes smaller.
START_TEST(what_is_far_apart) {
    static const uint32_t links[] = {0, 1, 1, 2, 2};
    struct lines lines;
    begin(&lines, INJECT_ROUND_ROBIN, post_far_apart);
    lines.spread = true;
    for (uint32_t i = 0; i < 2; i++) sim_timer(lines.sim, 0, 5 * i, i);
    run(&lines);
    ck_assert_uint_eq(lines.count, 5);
    for (uint32_t i = 0; i < 5; i++) ck_assert_uint_eq(lines.taken[i], links[i]);
}
END_TEST

Suite *test_renumber_suite(void);
Suite *test_renumber_suite(void) {
    Suite *suite = suite_create("renumber");
    TCase *tests = tcase_create("renumber");
    tcase_add_test(tests, counted_messages);
    tcase_add_test(tests, simulated_messages);
    tcase_add_test(tests, order_of_what_is_under_way);
    tcase_add_test(tests, what_is_far_apart);
    suite_add_tcase(suite, tests);
    return suite;
}
