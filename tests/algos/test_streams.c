// Streams of calls, each due at a time that the one before tells: as if timers had been set for all of them when the stream began.
#include <check.h>
#include <string.h>

#include "base/random.h"
#include "engine/network.h"

enum { ENDPOINTS = 5, MOST = 40, CALLS = 4 * MOST };

static const struct engine_type *const engines[] = {&heap_engine, &window_engine};

/// A rank's calls at drawn times. `timers`: one is set for each of them in place of a stream.
struct caller {
    struct trial *trial;
    uint32_t rank, count, next;
    int64_t times[MOST]; ///< rising, often equal
};

struct trial {
    struct communicator *comm;
    bool timers;
    struct caller callers[2 * ENDPOINTS]; ///< those of a rank's second half begin when its first is over
    struct {
        uint32_t what;
        int64_t now;
    } log[ENDPOINTS][CALLS]; ///< per rank
    uint32_t logged[ENDPOINTS];
    uint32_t order[ENDPOINTS * CALLS]; ///< of all calls, their ranks
    uint32_t calls;
};

static void ignore(void *context, uint32_t cookie, int64_t now) { (void)context, (void)cookie, (void)now; }

static void note(struct trial *trial, uint32_t rank, uint32_t what, int64_t now) {
    ck_assert_uint_lt(trial->logged[rank], CALLS);
    trial->log[rank][trial->logged[rank]].what = what;
    trial->log[rank][trial->logged[rank]++].now = now;
    trial->order[trial->calls++] = rank;
}

static void apart(void *context, uint32_t what, int64_t now) {
    const struct caller *caller = context;
    note(caller->trial, caller->rank, what, now);
}

static void begin(struct caller *caller);

/// Every third call sets a timer besides, some of them for this very instant.
static void act(struct caller *caller, int64_t now) {
    struct trial *trial = caller->trial;
    uint32_t i = caller->next++, to = (caller->rank + 1 + i % (ENDPOINTS - 1)) % ENDPOINTS;
    note(trial, caller->rank, i, now);
    communicator_send(trial->comm, caller->rank, i % 7 ? to : caller->rank, 1 + i % 50, 0, i, (struct done_call){ignore, NULL}, 0);
    if (i % 3 == 0) communicator_timer(trial->comm, caller->rank, now + i % 5, (struct done_call){apart, caller}, 1000 + i);
    if (caller->next == caller->count && caller < &trial->callers[ENDPOINTS]) begin(caller + ENDPOINTS);
}

static void due(void *context, uint32_t cookie, int64_t now) {
    (void)cookie;
    act(context, now);
}

static int64_t due_again(void *context, uint32_t cookie, int64_t now) {
    struct caller *caller = context;
    ck_assert_uint_eq(cookie, caller->rank);
    act(caller, now);
    return caller->next < caller->count ? caller->times[caller->next] : NOT_AGAIN;
}

static void begin(struct caller *caller) {
    struct communicator *comm = caller->trial->comm;
    if (!caller->trial->timers)
        communicator_stream(comm, caller->rank, caller->times[0], (struct stream_call){due_again, caller}, caller->rank);
    else
        for (uint32_t i = 0; i < caller->count; i++)
            communicator_timer(comm, caller->rank, caller->times[i], (struct done_call){due, caller}, i);
}

static void draw_times(struct random_stream *random, struct caller *caller, int64_t from) {
    caller->count = 1 + (uint32_t)random_below(random, MOST);
    for (uint32_t i = 0; i < caller->count; i++) caller->times[i] = from += (int64_t)random_below(random, 4);
}

/// Timers of each rank before and after its stream, then a run; `random` is the same for streams and for timers.
static bool run_trial(struct trial *trial, struct network *net, const struct sim_config *config, const struct engine_type *engine,
                      struct random_stream random) {
    trial->comm = network_open(net, config, NULL);
    communicator_set_local(trial->comm, true);
    for (uint32_t c = 0; c < 2 * ENDPOINTS; c++) {
        struct caller *caller = &trial->callers[c];
        *caller = (struct caller){.trial = trial, .rank = c % ENDPOINTS};
        draw_times(&random, caller, c < ENDPOINTS ? 0 : 3 * MOST);
        if (c >= ENDPOINTS) continue;
        for (uint32_t i = 0; i < 10; i++) {
            if (i == 5) begin(caller);
            communicator_timer(trial->comm, caller->rank, (int64_t)random_below(&random, 2 * MOST), (struct done_call){apart, caller},
                               2000 + i);
        }
    }
    struct error err = {0};
    bool ok = communicator_run(trial->comm, engine, &err);
    ck_assert_int_eq(err.kind, ok ? ERROR_NONE : ERROR_LIMIT);
    return ok;
}

// _i is the seed. Of one rank all engines keep the order of calls, the heap engine that of all.
START_TEST(as_timers_set_together) {
    static struct trial streams, timers;
    struct random_stream random;
    struct network net;
    random_seed(&random, (uint64_t)_i);
    network_star(&net, ENDPOINTS, 3);
    struct sim_config config = network_config(_i % 3 ? 20 : 0, _i % 2 ? CUT_THROUGH : STORE_AND_FORWARD, INJECT_FIFO);
    if (_i % 4 == 0) config.until_ticks = 1 + (int64_t)random_below(&random, 4 * MOST);
    for (int e = 0; e < 2; e++) {
        memset(&streams, 0, sizeof streams);
        memset(&timers, 0, sizeof timers);
        timers.timers = true;
        bool ended = run_trial(&timers, &net, &config, engines[e], random);
        struct digest digest = communicator_digest(timers.comm);
        int64_t end = communicator_end_ticks(timers.comm);
        ck_assert(run_trial(&streams, &net, &config, engines[e], random) == ended);
        struct digest same = communicator_digest(streams.comm);
        ck_assert(same.low == digest.low && same.high == digest.high);
        ck_assert_int_eq(communicator_end_ticks(streams.comm), end);
        ck_assert_mem_eq(streams.logged, timers.logged, sizeof streams.logged);
        ck_assert_mem_eq(streams.log, timers.log, sizeof streams.log);
        ck_assert_mem_eq(streams.order, timers.order, sizeof streams.order);
        if (config.until_ticks == 0)
            for (uint32_t c = 0; c < 2 * ENDPOINTS; c++) ck_assert_uint_eq(streams.callers[c].next, streams.callers[c].count);
    }
    network_free(&net);
}
END_TEST

struct ticking {
    int64_t step, calls, most;
};

static int64_t tick(void *context, uint32_t cookie, int64_t now) {
    (void)cookie;
    struct ticking *ticking = context;
    return ++ticking->calls < ticking->most ? now + ticking->step : NOT_AGAIN;
}

static int64_t tick_beyond(void *context, uint32_t cookie, int64_t now) {
    (void)cookie, (void)now;
    ((struct ticking *)context)->calls++;
    return INT64_MAX;
}

static void check_stop(int64_t (*call)(void *context, uint32_t cookie, int64_t now), struct ticking *ticking,
                       const struct sim_config *config, const struct engine_type *engine, const char *text) {
    struct network net;
    struct error err = {0};
    network_equal_line(&net, 1, 5);
    struct communicator *comm = network_open(&net, config, NULL);
    communicator_set_local(comm, true);
    communicator_stream(comm, 0, 7, (struct stream_call){call, ticking}, 0);
    ck_assert(!communicator_run(comm, engine, &err));
    ck_assert_ptr_nonnull(strstr(err.text, text));
    network_free(&net);
}

// What is due beyond the end of time is an error, not forgotten.
START_TEST(beyond_the_end_of_time) {
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    for (int e = 0; e < 2; e++) {
        struct ticking ticking = {0};
        check_stop(tick_beyond, &ticking, &config, engines[e], "the clock overflows");
        ck_assert_int_eq(ticking.calls, 1);
    }
}
END_TEST

// At 7, 17, 27 and 37; the limit is still within the time.
START_TEST(until_a_time) {
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    config.until_ticks = 37;
    for (int e = 0; e < 2; e++) {
        struct ticking ticking = {.step = 10, .most = 100};
        check_stop(tick, &ticking, &config, engines[e], "stopped at the time limit (--until)");
        ck_assert_int_eq(ticking.calls, 4);
    }
}
END_TEST

// ---- rounds

static uint64_t two_steps(const struct collective_args *args, uint32_t machine) {
    (void)args, (void)machine;
    return 2;
}

static void exchange(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine, (void)k;
    step_send(out, view, view->rank ^ 1, whole_vector(args->bytes));
    step_receive(out, view, view->rank ^ 1, whole_vector(args->bytes), COMBINE_ADD);
}

static const struct algorithm pairwise = {.kind = ALL_REDUCE, .name = "pairwise", .steps = two_steps, .step = exchange};

/// The same collective again and again.
struct repeating {
    struct communicator *comm;
    struct collective_request request;
    uint32_t id, done, left;
};

static bool state(void *context, struct word_list *words) {
    (void)context, (void)words;
    return true;
}
static void mark(void *context) { (void)context; }
static uint64_t left(void *context) { return ((struct repeating *)context)->left; }
static void skip(void *context, uint64_t times, int64_t ticks) {
    (void)ticks;
    ((struct repeating *)context)->left -= (uint32_t)times;
}

static void open_next(struct repeating *repeating) {
    repeating->done = 0;
    repeating->id = communicator_open(repeating->comm, &repeating->request);
    for (uint32_t i = 0; i < repeating->request.args.size; i++) communicator_start(repeating->comm, repeating->id, i, 0);
    communicator_begins_round(repeating->comm, &(struct round_teller){repeating, state, mark, left, skip});
}

static void member_done(void *context, uint32_t member, int64_t now) {
    (void)member, (void)now;
    struct repeating *repeating = context;
    if (++repeating->done < repeating->request.args.size) return;
    communicator_close(repeating->comm, repeating->id);
    if (repeating->left == 0) return;
    repeating->left--;
    open_next(repeating);
}

// While a stream is called once in each round, at the same time of it, a round does not stand for another: the calls are counted. Each
// collective takes two steps of 20 bytes and latencies of 10.
START_TEST(rounds_wait_for_its_end) {
    enum { TIMES = 50, TICKS = 2 * (20 + 10) };
    for (int64_t calls = 0; calls <= TIMES; calls += TIMES / 2) {
        struct network net;
        struct error err = {0};
        network_star(&net, 2, 5);
        const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
        struct communicator *comm = network_open(&net, &config, NULL);
        communicator_set_replays(comm, &(struct replay_rules){.message_period = 1, .vain_rounds = TIMES});
        struct repeating repeating = {
            .comm = comm, .left = TIMES - 1, .request = {.algorithm = &pairwise, .args = {.kind = ALL_REDUCE, .size = 2, .bytes = 20}}};
        repeating.request.done = (struct done_call){member_done, &repeating};
        struct ticking ticking = {.step = TICKS, .most = calls};
        if (calls > 0) communicator_stream(comm, 0, TICKS / 2, (struct stream_call){tick, &ticking}, 0);
        open_next(&repeating);
        ck_assert_msg(communicator_run(comm, &heap_engine, &err), "%s", err.text);
        ck_assert_int_eq(ticking.calls, calls);
        ck_assert_int_eq(communicator_end_ticks(comm), TIMES * TICKS);
        ck_assert_uint_le(communicator_saved(comm).rounds, (uint64_t)(TIMES - calls));
        if (calls < TIMES) ck_assert_uint_gt(communicator_saved(comm).rounds, 20);
        network_free(&net);
    }
}
END_TEST

Suite *test_streams_suite(void);
Suite *test_streams_suite(void) {
    Suite *suite = suite_create("streams");
    TCase *tests = tcase_create("streams");
    tcase_add_loop_test(tests, as_timers_set_together, 0, 60);
    tcase_add_test(tests, beyond_the_end_of_time);
    tcase_add_test(tests, until_a_time);
    tcase_add_test(tests, rounds_wait_for_its_end);
    suite_add_tcase(suite, tests);
    return suite;
}
