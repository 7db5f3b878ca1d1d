// Messages that nobody awaits may be told of before they come: of each once, with the time at which it comes.
#include <check.h>
#include <string.h>

#include "base/random.h"
#include "engine/network.h"

enum { ENDPOINTS = 6, MESSAGES = 400 };

struct trial {
    struct communicator *comm;
    bool all_awaited;
    struct {
        uint32_t from, to;
        int64_t bytes, at, came; ///< -1: it has not
    } messages[MESSAGES];
    int64_t latest[ENDPOINTS]; ///< of what each rank has been told of
    uint32_t told, early;      ///< the latter: while the receiver still posts before that time
};

static void come(void *context, uint32_t message, int64_t time) {
    struct trial *trial = context;
    const uint32_t to = trial->messages[message].to;
    ck_assert_int_eq(trial->messages[message].came, -1);
    trial->messages[message].came = time;
    if (time > trial->latest[to]) trial->latest[to] = time;
    trial->told++;
}

static void post(void *context, uint32_t message, int64_t now) {
    struct trial *trial = context;
    const uint32_t from = trial->messages[message].from, to = trial->messages[message].to;
    const struct done_call told = {come, trial};
    trial->early += trial->latest[from] > now;
    if (trial->all_awaited || message % 3 == 0)
        communicator_send(trial->comm, from, to, trial->messages[message].bytes, 0, message, told, message);
    else
        communicator_send_unawaited(trial->comm, from, to, trial->messages[message].bytes, 0, message, told, message);
}

static void draw(struct trial *trial, uint64_t seed) {
    struct random_stream random;
    random_seed(&random, seed);
    memset(trial, 0, sizeof *trial);
    for (uint32_t m = 0; m < MESSAGES; m++) {
        trial->messages[m].from = (uint32_t)random_below(&random, ENDPOINTS);
        trial->messages[m].to = (uint32_t)random_below(&random, ENDPOINTS);
        trial->messages[m].bytes = (int64_t)random_below(&random, 30);
        trial->messages[m].at = (int64_t)random_below(&random, 2000);
        trial->messages[m].came = -1;
    }
}

static bool run(struct trial *trial, struct network *net, const struct sim_config *config, const struct engine_type *engine) {
    struct error err = {0};
    trial->comm = network_open(net, config, NULL);
    communicator_set_local(trial->comm, true);
    for (uint32_t m = 0; m < MESSAGES; m++)
        communicator_timer(trial->comm, trial->messages[m].from, trial->messages[m].at, (struct done_call){post, trial}, m);
    return communicator_run(trial->comm, engine, &err);
}

static void same(const struct trial *a, const struct trial *b, struct digest digest) {
    for (uint32_t m = 0; m < MESSAGES; m++) ck_assert_int_eq(a->messages[m].came, b->messages[m].came);
    const struct digest other = communicator_digest(b->comm);
    ck_assert(digest.low == other.low && digest.high == other.high);
}

/// _i: on a line or a star, in whole messages or chunks of which some are one, cut through or not.
START_TEST(at_their_times) {
    static struct trial expected, early;
    struct network net;
    if (_i & 1)
        network_star(&net, ENDPOINTS, 7);
    else
        network_equal_line(&net, ENDPOINTS - 1, 7);
    const struct sim_config config = network_config(_i & 2 ? 10 : 0, _i & 4 ? CUT_THROUGH : STORE_AND_FORWARD, INJECT_FIFO);
    draw(&expected, (uint64_t)_i);
    expected.all_awaited = true;
    ck_assert(run(&expected, &net, &config, &heap_engine));
    ck_assert_uint_eq(expected.told, MESSAGES);
    const struct digest digest = communicator_digest(expected.comm);
    const int64_t end = sim_totals(communicator_sim(expected.comm)).end_ticks;
    for (int window = 0; window < 2; window++) {
        draw(&early, (uint64_t)_i);
        ck_assert(run(&early, &net, &config, window ? &window_engine : &heap_engine));
        same(&expected, &early, digest);
        ck_assert_int_eq(sim_totals(communicator_sim(early.comm)).end_ticks, end);
        ck_assert_int_eq(early.early > 0, window);
    }
    network_free(&net);
}
END_TEST

/// _i: of which kind the limit is. Nothing is told of what comes after it.
START_TEST(not_beyond_a_limit) {
    static struct trial trial;
    struct network net;
    network_star(&net, ENDPOINTS, 7);
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    if (_i == 0) config.until_ticks = 1000;
    if (_i == 1) config.max_events = 300;
    if (_i == 2) config.max_memory = 3000;
    for (int window = 0; window < 2; window++) {
        draw(&trial, 1);
        ck_assert(!run(&trial, &net, &config, window ? &window_engine : &heap_engine));
        const int64_t end = sim_totals(communicator_sim(trial.comm)).end_ticks;
        if (_i == 0) ck_assert_int_le(end, 1000);
        for (uint32_t m = 0; m < MESSAGES; m++) ck_assert_int_le(trial.messages[m].came, end);
        ck_assert_uint_gt(trial.told, 0);
    }
    network_free(&net);
}
END_TEST

Suite *test_unawaited_suite(void);
Suite *test_unawaited_suite(void) {
    Suite *suite = suite_create("unawaited");
    TCase *tests = tcase_create("unawaited");
    tcase_add_loop_test(tests, at_their_times, 0, 8);
    tcase_add_loop_test(tests, not_beyond_a_limit, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
