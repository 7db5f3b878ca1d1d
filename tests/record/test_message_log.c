// The message log, ideal times and waits, against the run itself.
#include <check.h>
#include <stdlib.h>

#include "golden/simulation.h"
#include "record/ideal_time.h"
#include "record/message_log.h"
#include "record/waits.h"
#include "report/random_run.h"

enum { ALONE_RUNS = 200, ALONE_MESSAGES = 12, RANDOM_RUNS = 300 };

static void run_watched(const struct experiment *experiment, const struct recorder *recorders, size_t count, struct run_result *result) {
    struct observers observers = {0};
    struct error err = {0};
    for (size_t i = 0; i < count; i++) observers_add(&observers, &recorders[i]);
    ck_assert(experiment_run(experiment, &(struct run_limits){0}, &observers, result, &err));
    observers_free(&observers);
}

/// Messages so far apart that each has the network to itself.
static void lonely_messages(struct random_stream *stream, char *out) {
    char network[SCENARIO_SIZE];
    uint32_t ranks;
    random_network(stream, network, &ranks);
    int used = sprintf(out, "{%s, 'workload': {'type': 'messages', 'messages': [", network);
    for (int i = 0; i < ALONE_MESSAGES; i++) {
        uint32_t from = (uint32_t)random_below(stream, ranks), to = (from + 1 + (uint32_t)random_below(stream, ranks - 1)) % ranks;
        used += sprintf(out + used, "%s{'from': %u, 'to': %u, 'size': '%u%s', 'at': '%dms'}", i ? ", " : "", from, to,
                        (unsigned)random_below(stream, 100), random_below(stream, 2) ? "KB" : "B", i);
    }
    sprintf(out + used, "]}}");
}

// Whatever the shape, its selectors, switching and injection: a message that meets nobody takes its ideal time.
START_TEST(alone_a_message_takes_its_ideal_time) {
    struct random_stream stream;
    char text[2 * SCENARIO_SIZE];
    random_seed(&stream, 7);
    for (int i = 0; i < ALONE_RUNS; i++) {
        struct simulation plain;
        struct run_result result;
        lonely_messages(&stream, text);
        simulate(&plain, "%s", text);
        struct message_log *log = message_log_create();
        const struct recorder recorder = message_log_recorder(log);
        run_watched(&plain.experiment, &recorder, 1, &result);
        message_log_finish(log);
        const struct sim_config config = experiment_sim_config(&plain.experiment);
        const struct topology *topology = plain.experiment.topology;
        struct ideal_time *ideal = ideal_time_create(&topology->graph, &topology->router, &config);
        const struct logged_message *messages;
        ck_assert_uint_eq(message_log_all(log, &messages), ALONE_MESSAGES);
        for (int round = 0; round < 2; round++) { // the second from what is kept
            for (int m = 0; m < ALONE_MESSAGES; m++) {
                int64_t expected = ideal_time_of(ideal, messages[m].from, messages[m].to, messages[m].number, messages[m].bytes);
                ck_assert_msg(messages[m].delivered_ticks - messages[m].posted_ticks == expected,
                              "message %d took %lld, ideally %lld in\n%s", m,
                              (long long)(messages[m].delivered_ticks - messages[m].posted_ticks), (long long)expected, plain.text);
            }
        }
        ideal_time_free(ideal);
        message_log_free(log);
        run_result_free(&result);
        simulation_free(&plain);
    }
}
END_TEST

/// What was posted, counted apart.
struct numbers {
    uint64_t posted;
    int64_t bytes;
};

static void count_posted(void *context, const struct network_message *message, int64_t now) {
    (void)now;
    struct numbers *numbers = context;
    numbers->posted++;
    numbers->bytes += message->bytes;
}

// Every message of a run is logged once, numbered from 0 for each sender, delivered after it was posted, never faster
// than on an idle network; waits are those of the links.
START_TEST(random_runs_are_logged) {
    struct random_stream stream;
    char text[SCENARIO_SIZE];
    random_seed(&stream, 8);
    for (int i = 0; i < RANDOM_RUNS; i++) {
        struct simulation plain;
        struct run_result result;
        simulate(&plain, "%s", random_scenario(&stream, text));
        struct numbers numbers = {0};
        struct message_log *log = message_log_create();
        struct waits *waits = waits_create(plain.result.link_count);
        const struct recorder recorders[] = {
            message_log_recorder(log), waits_recorder(waits), {.ranks = {.context = &numbers, .posted = count_posted}}};
        run_watched(&plain.experiment, recorders, 3, &result);
        message_log_finish(log);
        const struct logged_message *messages;
        size_t count = message_log_all(log, &messages);
        ck_assert_uint_eq(count, result.messages);
        ck_assert_uint_eq(count, numbers.posted);
        uint32_t *next = calloc(result.ranks, sizeof *next);
        for (size_t m = 0; m < count; m++) {
            ck_assert_uint_eq(messages[m].number, next[messages[m].from]++);
            ck_assert_int_gt(messages[m].delivered_ticks, messages[m].posted_ticks);
            ck_assert_int_le(messages[m].delivered_ticks, result.makespan_ticks);
            numbers.bytes -= messages[m].bytes;
        }
        ck_assert_int_eq(numbers.bytes, 0);
        const struct wait_pair *pairs;
        size_t pair_count = waits_finish(waits, &pairs);
        for (size_t p = 0; p < pair_count; p++) {
            ck_assert_uint_gt(pairs[p].chunks, 0);
            ck_assert(pairs[p].ticks > 0 && (p == 0 || pairs[p].ticks <= pairs[p - 1].ticks));
            ck_assert_uint_gt(result.loads[pairs[p].link].chunks, pairs[p].chunks);
        }
        free(next);
        waits_free(waits);
        message_log_free(log);
        run_result_free(&result);
        simulation_free(&plain);
    }
}
END_TEST

static void serve(const struct recorder *recorder, uint32_t message, int64_t joined, int64_t start, int64_t end) {
    recorder->links.service(recorder->links.context, 3, message, joined, start, end, 1);
}

static void post(const struct recorder *recorder, uint64_t message, uint32_t engine_id, uint32_t from, uint32_t to) {
    const struct network_message posted = {.message = message, .engine_id = engine_id, .from = from, .to = to, .bytes = 1};
    recorder->ranks.posted(recorder->ranks.context, &posted, 0);
}

// A chunk waits for the one served before it, unless that is of its own message or it only waits for its own tail.
START_TEST(who_waits_behind_whom) {
    struct waits *waits = waits_create(4);
    const struct recorder recorder = waits_recorder(waits);
    post(&recorder, 0, 0, 5, 6);
    post(&recorder, 1, 1, 7, 8);
    serve(&recorder, 0, 0, 0, 10);
    serve(&recorder, 0, 0, 10, 20);  // behind its own message
    serve(&recorder, 1, 12, 20, 30); // 8 behind message 0
    serve(&recorder, 1, 40, 45, 50); // the link was free
    post(&recorder, 2, 0, 9, 6);     // takes over the id of message 0
    serve(&recorder, 0, 48, 50, 60); // 2 behind message 1
    post(&recorder, 3, 0, 9, 6);     // the same pair, but another message
    serve(&recorder, 0, 55, 60, 61); // 5
    const struct wait_pair *pairs;
    ck_assert_uint_eq(waits_finish(waits, &pairs), 3);
    const struct wait_pair expected[] = {{3, 7, 8, 5, 6, 1, 8}, {3, 9, 6, 9, 6, 1, 5}, {3, 9, 6, 7, 8, 1, 2}};
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(pairs[i].link, expected[i].link);
        ck_assert_uint_eq(pairs[i].from, expected[i].from);
        ck_assert_uint_eq(pairs[i].to, expected[i].to);
        ck_assert_uint_eq(pairs[i].before_from, expected[i].before_from);
        ck_assert_uint_eq(pairs[i].before_to, expected[i].before_to);
        ck_assert_uint_eq(pairs[i].chunks, expected[i].chunks);
        ck_assert_int_eq((int64_t)pairs[i].ticks, (int64_t)expected[i].ticks);
    }
    waits_free(waits);
}
END_TEST

Suite *test_message_log_suite(void);
Suite *test_message_log_suite(void) {
    Suite *suite = suite_create("message_log");
    TCase *messages = tcase_create("messages");
    tcase_set_timeout(messages, 120);
    tcase_add_test(messages, alone_a_message_takes_its_ideal_time);
    tcase_add_test(messages, random_runs_are_logged);
    tcase_add_test(messages, who_waits_behind_whom);
    suite_add_tcase(suite, messages);
    return suite;
}
