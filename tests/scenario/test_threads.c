// Several threads give the result of one, whatever the run ends by; and when one thread must do.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "golden/simulation.h"

static const char all_to_all[] =
    "{'network': {'topology': {'type': 'torus', 'dims': [6, 6], 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}, "
    "'chunk': '4KiB'}, 'workload': {'type': 'collective', 'collective': 'all-to-all', 'algorithm': 'direct', "
    "'schedule': 'all-at-once', 'size': '%s'}}";

/// Runs by one thread and by four, without the proof.
struct pair {
    struct simulation one, four;
};

static void run_both(struct pair *pair, struct run_limits limits, const char *format, const char *argument) {
    limits.proof = PROOF_CHOICE_OFF;
    limits.threads = 1;
    simulate_limited(&pair->one, &limits, format, argument);
    limits.threads = 4;
    simulate_limited(&pair->four, &limits, format, argument);
}

static void free_both(struct pair *pair) {
    simulation_free(&pair->one);
    simulation_free(&pair->four);
}

/// The documents are equal, but for the line that says how many threads there were.
static void check_same(struct pair *pair, uint32_t threads) {
    struct run_result *one = &pair->one.result, *four = &pair->four.result;
    ck_assert_uint_eq(one->threads, 1);
    ck_assert_uint_eq(four->threads, threads);
    ck_assert_str_eq(one->error.text, four->error.text);
    char *a = simulation_json(&pair->one), *told = simulation_json(&pair->four);
    ck_assert(!strstr(told, "\"threads\": 4,\n") == (threads == 1));
    four->threads = 1;
    char *b = simulation_json(&pair->four);
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
    free(told);
}

// A limit of events too: both stop after a window, and windows are the same.
static const struct {
    const char *size;
    struct run_limits limits;
    enum run_status status;
} ends[] = {
    {"36KB", {0}, RUN_COMPLETE},
    {"3600KB", {.until_ticks = 3000000000}, RUN_LIMIT},
    {"3600KB", {.max_events = 20000}, RUN_LIMIT},
};

START_TEST(however_it_ends) {
    struct pair pair;
    run_both(&pair, ends[_i].limits, all_to_all, ends[_i].size);
    ck_assert_int_eq(pair.four.result.status, ends[_i].status);
    ck_assert_uint_ge(pair.four.result.chunk_hops, ends[_i].limits.max_events);
    check_same(&pair, 4);
    free_both(&pair);
}
END_TEST

START_TEST(so_much_memory) {
    struct pair pair;
    run_both(&pair, (struct run_limits){.max_memory = 10000}, all_to_all, "3600KB");
    ck_assert_int_eq(pair.four.result.status, RUN_LIMIT);
    ck_assert_uint_eq(pair.four.result.threads, 4);
    ck_assert_ptr_nonnull(strstr(pair.four.result.error.text, "bytes of chunks and messages (--max-memory)"));
    free_both(&pair);
}
END_TEST

static bool stop(void *context, int64_t now_ticks, uint64_t chunk_hops) {
    (void)now_ticks;
    *(uint64_t *)context = chunk_hops;
    return false;
}

// Progress counts the chunk-hops of all threads, and ends all.
START_TEST(an_interrupt) {
    struct pair pair;
    uint64_t hops = 0;
    run_both(&pair, (struct run_limits){.progress = stop, .context = &hops}, all_to_all, "64MB");
    ck_assert_int_eq(pair.four.result.status, RUN_INTERRUPTED);
    ck_assert_uint_eq(pair.four.result.threads, 4);
    ck_assert_uint_ge(hops, 1 << 20);
    ck_assert_uint_lt(hops, 2 << 20);
    free_both(&pair);
}
END_TEST

// Ranks 0 and 3 wait for each other's message; a message takes longer than the clock goes: one thread runs it again and names them.
static const struct {
    const char *rate, *messages;
    enum run_status status;
} failures[] = {
    {"45GB/s",
     "{'from': 0, 'to': 3, 'size': '1KB', 'after': [1]}, {'from': 3, 'to': 0, 'size': '1KB', 'after': [0]}, "
     "{'from': 1, 'to': 2, 'size': '1KB'}",
     RUN_STALLED},
    {"1B/s", "{'from': 0, 'to': 3, 'size': '1MB'}", RUN_OVERFLOW},
};

START_TEST(failures_are_named_by_one_thread) {
    struct pair pair;
    char *scenario =
        text_format("{'network': {'topology': {'type': 'ring', 'endpoints': 4, 'link': {'bandwidth': '%s', 'latency': '1us'}}}, "
                    "'workload': {'type': 'messages', 'messages': [%%s]}}",
                    failures[_i].rate);
    run_both(&pair, (struct run_limits){0}, scenario, failures[_i].messages);
    ck_assert_int_eq(pair.four.result.status, failures[_i].status);
    check_same(&pair, 1);
    free_both(&pair);
    free(scenario);
}
END_TEST

struct told {
    uint64_t hops;
    int64_t now;
    uint32_t times, falls;
};

static bool see_progress(void *context, int64_t now, uint64_t chunk_hops) {
    struct told *told = context;
    told->falls += chunk_hops < told->hops || now < told->now;
    told->hops = chunk_hops, told->now = now;
    told->times++;
    return true;
}

// A thread asks too after many steps of its own ranks, and then knows of its own part only.
START_TEST(progress_never_falls) {
    struct told told = {0};
    struct simulation run;
    const struct run_limits limits = {
        .progress = see_progress, .context = &told, .proof = PROOF_CHOICE_OFF, .threads = 2, .engine = ENGINE_WINDOW};
    simulate_limited(&run, &limits,
                     "{'network': {'topology': {'type': 'ring', 'endpoints': 1024, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}}, "
                     "'workload': {'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '%s'}}",
                     "64MB");
    ck_assert_uint_eq(run.result.threads, 2);
    ck_assert_uint_gt(told.times, 2);
    ck_assert_uint_eq(told.falls, 0);
    simulation_free(&run);
}
END_TEST

/// Runs by two threads; the reason why it was one.
static const char *one_thread(const struct run_limits *limits, const char *network, const char *workload) {
    struct simulation simulation;
    struct run_limits two = *limits;
    two.threads = 2;
    simulate_limited(&simulation, &two,
                     "{'network': {'topology': {'type': 'ring', 'endpoints': 4, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}%s}, "
                     "'workload': %s}",
                     network, workload);
    ck_assert_int_eq(simulation.result.status, RUN_COMPLETE);
    ck_assert_uint_eq(simulation.result.threads, simulation.result.one_thread ? 1 : 2);
    const char *why = simulation.result.one_thread;
    simulation_free(&simulation);
    return why;
}

START_TEST(one_thread_where_it_must_be) {
    static const char ring[] = "{'type': 'collective', 'collective': 'all-reduce', 'size': '1KB'}";
    static const char steps[] = "{'type': 'collective', 'collective': 'all-reduce', 'size': '1KB', 'sync': 'step'}";
    static const char message[] = "{'type': 'messages', 'messages': [{'from': 0, 'to': 3, 'size': '1KB'}]}";
    const struct run_limits off = {.proof = PROOF_CHOICE_OFF}, automatic = {.proof = PROOF_CHOICE_AUTO}, on = {.proof = PROOF_CHOICE_ON};
    ck_assert_ptr_null(one_thread(&off, "", ring));
    ck_assert_str_eq(one_thread(&automatic, "", ring), "the proof follows every contribution; --proof off allows more");
    ck_assert_str_eq(one_thread(&on, "", ring), "the proof follows every contribution; --proof off allows more");
    ck_assert_ptr_null(one_thread(&on, "", message)); // nothing to prove
    ck_assert_str_eq(one_thread(&off, ", 'injection': 'round-robin'", ring), "injection is not fifo");
    ck_assert_str_eq(one_thread(&off, "", steps), "ranks wait for each other at one instant");
    const struct run_limits heap = {.proof = PROOF_CHOICE_OFF, .engine = ENGINE_HEAP};
    ck_assert_str_eq(one_thread(&heap, "", ring), "the heap engine takes all events in their order");
}
END_TEST

// The proof gives up above a million messages anyway: here 64 x 6 a barrier.
START_TEST(a_proof_that_gives_up) {
    for (int repeat = 2604; repeat <= 2605; repeat++) {
        struct simulation simulation;
        simulate_limited(&simulation, &(struct run_limits){.proof = PROOF_CHOICE_AUTO, .threads = 2},
                         "{'network': {'topology': {'type': 'torus', 'dims': [8, 8], 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}}, "
                         "'workload': {'type': 'collective', 'collective': 'barrier', 'repeat': %d}}",
                         repeat);
        ck_assert_int_eq(simulation.result.proof, repeat == 2604 ? PROOF_PROVED : PROOF_LEFT);
        ck_assert_uint_eq(simulation.result.threads, repeat == 2604 ? 1 : 2);
        simulation_free(&simulation);
    }
}
END_TEST

Suite *test_threads_suite(void);
Suite *test_threads_suite(void) {
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("threads");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, however_it_ends, 0, sizeof ends / sizeof *ends);
    tcase_add_loop_test(tests, failures_are_named_by_one_thread, 0, sizeof failures / sizeof *failures);
    tcase_add_test(tests, so_much_memory);
    tcase_add_test(tests, an_interrupt);
    tcase_add_test(tests, progress_never_falls);
    tcase_add_test(tests, one_thread_where_it_must_be);
    tcase_add_test(tests, a_proof_that_gives_up);
    suite_add_tcase(suite, tests);
    return suite;
}
