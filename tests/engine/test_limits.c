// What ends a run before its end, and in which words.
#include <check.h>
#include <string.h>

#include "base/units.h"
#include "engine/network.h"

static void check_stop(struct network *net, const struct sim_config *config, struct sent *messages, uint32_t count, const char *text) {
    struct error err = {0};
    ck_assert(!network_try(net, config, messages, count, &err));
    ck_assert_str_eq(err.text, text);
}

// 10 bytes over a link of latency 5: delivered at 15. What happens at the limit still happens.
START_TEST(until_a_time) {
    struct network net;
    network_equal_line(&net, 1, 5);
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sent message = {0, 1, 10, 0, 0};
    config.until_ticks = 14;
    check_stop(&net, &config, &message, 1, "stopped at the time limit (--until)");
    ck_assert_int_eq(message.delivered_ticks, -1);
    config.until_ticks = 15;
    network_run(&net, &config, &message, 1);
    ck_assert_int_eq(message.delivered_ticks, 15);
    network_free(&net);
}
END_TEST

START_TEST(so_many_events) {
    struct network net;
    network_equal_line(&net, 1, 5);
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct sent messages[20];
    for (int i = 0; i < 20; i++) messages[i] = (struct sent){0, 1, 10, i * 100, 0};
    config.max_events = 7;
    check_stop(&net, &config, messages, 20, "stopped after 7 chunk-hops (--max-events)");
    ck_assert_int_eq(messages[5].delivered_ticks, 515);
    ck_assert_int_eq(messages[6].delivered_ticks, -1);
    config.max_events = 21;
    network_run(&net, &config, messages, 20);
    network_free(&net);
}
END_TEST

enum { OFTEN = 1 << 21 }; ///< chunk-hops after which limits and progress have been looked at

START_TEST(so_much_memory) {
    struct network net;
    network_equal_line(&net, 1, 5);
    struct sim_config config = network_config(1, CUT_THROUGH, INJECT_FIFO);
    config.max_memory = 1;
    struct sent message = {0, 1, OFTEN, 0, 0};
    struct error err = {0};
    ck_assert(!network_try(&net, &config, &message, 1, &err));
    ck_assert_int_eq(err.kind, ERROR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.text, "(--max-memory)"));
    network_free(&net);
}
END_TEST

static bool stop(void *context, int64_t now, uint64_t chunk_hops) {
    (void)now;
    *(uint64_t *)context = chunk_hops;
    return false;
}

static void ignore(void *context, uint32_t cookie, int64_t now) { (void)context, (void)cookie, (void)now; }

START_TEST(progress_may_interrupt) {
    struct network net;
    network_equal_line(&net, 1, 5);
    const struct sim_config config = network_config(1, CUT_THROUGH, INJECT_FIFO);
    struct communicator *comm = network_open(&net, &config, NULL);
    uint64_t told = 0;
    communicator_on_progress(comm, stop, &told);
    communicator_send(comm, 0, 1, OFTEN, 0, 0, (struct done_call){ignore, NULL}, 0);
    struct error err = {0};
    ck_assert(!communicator_run(comm, &heap_engine, &err));
    ck_assert_int_eq(err.kind, ERROR_NONE);
    ck_assert(sim_interrupted(communicator_sim(comm)));
    ck_assert(!communicator_stalled(comm));
    ck_assert_uint_eq(told, OFTEN);
    network_free(&net);
}
END_TEST

static struct sim_config clock_of(int64_t ticks_per_s) {
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    config.ticks_per_s = ticks_per_s;
    return config;
}

// 16 MiB at 1 B/s are 1.7e22 fs; 9223 s are just within 2^63 fs, a second more is not.
START_TEST(the_clock_overflows) {
    struct network net;
    network_line(&net, 1, (int64_t[]){1}, (int64_t[]){1});
    const struct sim_config fine = clock_of(TICKS_PER_S_FS), coarse = clock_of(TICKS_PER_S_PS);
    struct sent message = {0, 1, 16 << 20, 0, 0};
    check_stop(
        &net, &fine, &message, 1,
        "the clock overflows: at 0s a chunk of the message of 16777216 bytes from endpoint 0 to endpoint 1 on link 0->1 would end after "
        "2^63 ticks of 1 fs, which is 2.5 hours; set \"tick\": \"1ps\" to reach 106 days");
    check_stop(
        &net, &coarse, &message, 1,
        "the clock overflows: at 0s a chunk of the message of 16777216 bytes from endpoint 0 to endpoint 1 on link 0->1 would end after "
        "2^63 ticks of 1 ps, which is 106 days; no larger tick exists: make the scenario shorter");
    message.bytes = 9223;
    network_run(&net, &fine, &message, 1);
    ck_assert_int_eq(message.delivered_ticks, INT64_C(9223) * TICKS_PER_S_FS + 1);
    message.bytes = 9224;
    struct error err = {0};
    ck_assert(!network_try(&net, &fine, &message, 1, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    network_free(&net);
}
END_TEST

// The same in queues, over several hops and in runs of chunks: never a wrapped time.
START_TEST(the_clock_overflows_anywhere) {
    struct network net;
    network_line(&net, 2, (int64_t[]){1, 1}, (int64_t[]){1, INT64_C(4000) * TICKS_PER_S_FS});
    struct sim_config config = clock_of(TICKS_PER_S_FS);
    struct error err = {0};
    struct sent queued[] = {{0, 1, 5000, 0, 0}, {0, 1, 5000, 0, 0}};
    ck_assert(!network_try(&net, &config, queued, 2, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    struct sent far = {0, 2, 6000, 0, 0};
    err = (struct error){0};
    ck_assert(!network_try(&net, &config, &far, 1, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    config.chunk_bytes = 1000;
    err = (struct error){0};
    ck_assert(!network_try(&net, &config, &far, 1, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    struct sent run = {0, 1, 10000, 0, 0};
    err = (struct error){0};
    ck_assert(!network_try(&net, &config, &run, 1, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    network_free(&net);
}
END_TEST

// A rank's processor that would be busy beyond the clock is an overflow too, not an end and not a stall.
START_TEST(a_timer_overflows) {
    struct network net;
    network_equal_line(&net, 1, 1);
    const struct sim_config config = clock_of(TICKS_PER_S_FS);
    struct communicator *comm = network_open(&net, &config, NULL);
    communicator_compute(comm, 0, INT64_MAX - 1, (struct done_call){ignore, NULL}, 0);
    communicator_compute(comm, 0, 2, (struct done_call){ignore, NULL}, 0);
    struct error err = {0};
    ck_assert(!communicator_run(comm, &heap_engine, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    ck_assert(!communicator_stalled(comm));
    ck_assert_str_eq(err.text,
                     "the clock overflows: at 9223.372036854775806s a rank's delay or work would end after 2^63 ticks of 1 fs, which is "
                     "2.5 hours; set \"tick\": \"1ps\" to reach 106 days");
    network_free(&net);
}
END_TEST

// INT64_MAX stands for never: what would arrive then is an overflow, not a stall. At 1 B/s a byte takes a second.
START_TEST(the_last_tick_is_never) {
    struct sim_config config = clock_of(TICKS_PER_S_FS);
    struct sent message = {0, 1, 1, 0, 0};
    for (int64_t early = 0; early < 2; early++) {
        struct network net;
        network_line(&net, 1, (int64_t[]){1}, (int64_t[]){INT64_MAX - TICKS_PER_S_FS - early});
        struct error err = {0};
        ck_assert_int_eq(network_try(&net, &config, &message, 1, &err), early);
        if (!early) ck_assert(!strncmp(err.text, "the clock overflows: ", 21));
        network_free(&net);
    }
    ck_assert_int_eq(message.delivered_ticks, INT64_MAX - 1);
}
END_TEST

START_TEST(too_many_chunks) {
    struct network net;
    network_equal_line(&net, 1, 1);
    const struct sim_config config = network_config(1, CUT_THROUGH, INJECT_FIFO);
    struct sent message = {0, 1, INT64_C(1) << 32, 0, 0};
    check_stop(&net, &config, &message, 1,
               "a message of 4294967296 bytes is 2^32 chunks of 1 bytes or more; choose a larger network.chunk");
    network_free(&net);
}
END_TEST

Suite *test_limits_suite(void) {
    Suite *suite = suite_create("limits");
    TCase *tests = tcase_create("limits");
    tcase_add_test(tests, until_a_time);
    tcase_add_test(tests, so_many_events);
    tcase_add_test(tests, so_much_memory);
    tcase_add_test(tests, progress_may_interrupt);
    tcase_add_test(tests, the_clock_overflows);
    tcase_add_test(tests, the_clock_overflows_anywhere);
    tcase_add_test(tests, a_timer_overflows);
    tcase_add_test(tests, the_last_tick_is_never);
    tcase_add_test(tests, too_many_chunks);
    suite_add_tcase(suite, tests);
    return suite;
}
