// Schedules that users write, beside the algorithms they spell out: the same messages at the same times.
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "algos/custom.h"
#include "base/memory.h"
#include "golden/simulation.h"
#include "scenario/nvlink_switch.h"

/// The schedule file and the algorithm give one digest, free and by steps.
static void assert_same(const char *collective, const char *file, const char *algorithm, int ranks, int bytes) {
    for (int step = 0; step < 2; step++) {
        struct simulation custom, known;
        const char *sync = step ? "step" : "free";
        simulate(&custom,
                 "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"%s\", \"algorithm\": \"custom\", "
                 "\"schedule_file\": \"%s\", \"size\": \"%dB\", \"sync\": \"%s\"}}",
                 ranks, collective, file, bytes, sync);
        simulate(&known,
                 "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"%s\", \"algorithm\": \"%s\", "
                 "\"size\": \"%dB\", \"sync\": \"%s\"}}",
                 ranks, collective, algorithm, bytes, sync);
        ck_assert_int_eq(custom.result.status, RUN_COMPLETE);
        ck_assert_int_eq(custom.result.makespan_ticks, known.result.makespan_ticks);
        ck_assert_mem_eq(&custom.result.digest, &known.result.digest, sizeof custom.result.digest);
        simulation_free(&custom);
        simulation_free(&known);
    }
}

START_TEST(a_ring_at_any_size) {
    static const int sizes[] = {0, 1, 7, 300, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_same("all-reduce", "scenarios/schedules/ring-all-reduce.json", "ring", _i, sizes[i]);
}
END_TEST

START_TEST(halving_with_ranges_of_blocks) {
    assert_same("reduce-scatter", "scenarios/schedules/halving-reduce-scatter.json", "recursive-halving", 1 << _i, 97);
}
END_TEST

/// Writes a schedule to a file of its own, whose name it returns.
static const char *write_schedule(const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "/tmp/weft-schedule-XXXXXX");
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    return path;
}

static const struct {
    const char *collective, *algorithm, *schedule;
} written[] = {
    // A loop over i, several messages a step.
    {"all-reduce", "naive",
     "{\"name\": \"naive\", \"collective\": \"all-reduce\", \"blocks\": 1, \"steps\": \"p > 1 ? 2 : 0\", \"rules\": ["
     "{\"step\": 0, \"when\": \"r\", \"send\": {\"to\": 0, \"block\": 0}},"
     "{\"step\": 0, \"for\": \"1..p-1\", \"when\": \"!r\", \"receive\": {\"from\": \"i\", \"block\": 0, \"reduce\": true}},"
     "{\"step\": 1, \"for\": \"1..p-1\", \"when\": \"!r\", \"send\": {\"to\": \"i\", \"block\": 0}},"
     "{\"step\": 1, \"when\": \"r\", \"receive\": {\"from\": 0, \"block\": 0}}]}"},
    // Ranges that wrap round the end.
    {"all-gather", "bruck",
     "{\"name\": \"bruck\", \"collective\": \"all-gather\", \"blocks\": \"p\", \"steps\": \"p > 1 ? log2(p-1)+1 : 0\","
     "\"let\": {\"d\": \"1 << k\", \"n\": \"min(d, p-d)\"}, \"rules\": ["
     "{\"send\": {\"to\": \"(r-d) % p\", \"blocks\": \"r..r+n-1\"},"
     "\"receive\": {\"from\": \"(r+d) % p\", \"blocks\": \"(r+d) % p..(r+d) % p+n-1\"}}]}"},
    {"broadcast", "binomial",
     "{\"name\": \"tree\", \"collective\": \"broadcast\", \"blocks\": 1, \"steps\": \"p > 1 ? log2(p-1)+1 : 0\","
     "\"let\": {\"mask\": \"(p > 1 ? 1 << log2(p-1) : 1) >> k\"}, \"rules\": ["
     "{\"when\": \"r % (2*mask) == 0 && r+mask < p\", \"send\": {\"to\": \"r+mask\", \"block\": 0}},"
     "{\"when\": \"r % (2*mask) == mask\", \"receive\": {\"from\": \"r-mask\", \"block\": 0}}]}"},
    // From one vector to the other.
    {"all-to-all", "direct",
     "{\"name\": \"direct\", \"collective\": \"all-to-all\", \"blocks\": \"p\", \"steps\": \"p-1\", \"rules\": ["
     "{\"send\": {\"to\": \"(r+k+1) % p\", \"block\": \"(r+k+1) % p\"},"
     "\"receive\": {\"from\": \"(r-k-1) % p\", \"block\": \"(r-k-1) % p\"}}]}"},
    // Two machines side by side.
    {"all-reduce", "bidirectional-ring",
     "{\"name\": \"both ways\", \"collective\": \"all-reduce\", \"blocks\": \"2*p\", \"steps\": \"2*(p-1)\", \"machines\": 2,"
     "\"let\": {\"q\": \"m ? p-1-r : r\", \"to\": \"m ? (r-1) % p : (r+1) % p\", \"from\": \"m ? (r+1) % p : (r-1) % p\"}, \"rules\": ["
     "{\"send\": {\"to\": \"to\", \"block\": \"m*p + (q-1-k) % p\"},"
     "\"receive\": {\"from\": \"from\", \"block\": \"m*p + (q-2-k) % p\", \"reduce\": true}, \"steps\": \"0..p-2\"},"
     "{\"send\": {\"to\": \"to\", \"block\": \"m*p + (q-1-k) % p\"},"
     "\"receive\": {\"from\": \"from\", \"block\": \"m*p + (q-2-k) % p\"}, \"steps\": \"p-1..2*p-3\"}]}"},
    {"barrier", "dissemination",
     "{\"name\": \"dissemination\", \"collective\": \"barrier\", \"blocks\": \"p\", \"steps\": \"p > 1 ? log2(p-1)+1 : 0\","
     "\"let\": {\"d\": \"1 << k\", \"n\": \"min(d, p-d)\"}, \"rules\": ["
     "{\"send\": {\"to\": \"(r+d) % p\", \"blocks\": \"(r-n+1) % p..(r-n+1) % p+n-1\"},"
     "\"receive\": {\"from\": \"(r-d) % p\", \"blocks\": \"(r-d-n+1) % p..(r-d-n+1) % p+n-1\"}}]}"},
};

START_TEST(what_rules_can_say) {
    const char *path = write_schedule(written[_i].schedule);
    // A multiple of 2p, so that halves cut into blocks are the whole cut into twice as many.
    for (int p = 1; p <= 9; p++) {
        if (strcmp(written[_i].collective, "barrier")) {
            assert_same(written[_i].collective, path, written[_i].algorithm, p, 5040 * p);
            continue;
        }
        struct simulation custom, known;
        simulate(&custom,
                 "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"barrier\", \"algorithm\": \"custom\", "
                 "\"schedule_file\": \"%s\"}}",
                 p, path);
        simulate(&known, "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"barrier\"}}", p);
        ck_assert_mem_eq(&custom.result.digest, &known.result.digest, sizeof custom.result.digest);
        simulation_free(&custom);
        simulation_free(&known);
    }
    unlink(path);
}
END_TEST

/// Golden case "stall": unchecked, it runs until nothing is left to happen and names both ranks and whom they wait for.
START_TEST(an_unchecked_schedule_stalls) {
    const char *path = write_schedule("{\"name\": \"stall\", \"collective\": \"all-reduce\", \"blocks\": 1, \"steps\": 1, \"check\": false,"
                                      "\"rules\": [{\"receive\": {\"from\": \"1-r\", \"block\": 0, \"reduce\": true}}]}");
    struct simulation run;
    simulate(&run,
             "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"all-reduce\", \"algorithm\": \"custom\", "
             "\"schedule_file\": \"%s\", \"size\": \"1MB\"}}",
             2, path);
    ck_assert_int_eq(run.result.status, RUN_STALLED);
    ck_assert_ptr_nonnull(strstr(run.result.error.text, "rank 0 all-reduce/custom stall step 1/1 waits for rank 1 since 0 s"));
    ck_assert_ptr_nonnull(strstr(run.result.error.text, "rank 1 all-reduce/custom stall step 1/1 waits for rank 0 since 0 s"));
    simulation_free(&run);
    unlink(path);
}
END_TEST

/// What a broadcast to 3 ranks fails with whose unchecked rules are `rules`, after its file's name.
static struct error unchecked_fault(const char *rules) {
    char text[600], start[80];
    snprintf(text, sizeof text,
             "{\"name\": \"lossy\", \"collective\": \"broadcast\", \"blocks\": 2, \"steps\": 1, \"check\": false, \"rules\": [%s]}", rules);
    const char *path = write_schedule(text);
    int length = snprintf(start, sizeof start, "%s, 3 ranks: ", path);
    struct simulation run;
    snprintf(text, sizeof text,
             "{" NVLINK_SWITCH ", \"workload\": {\"type\": \"collective\", \"collective\": \"broadcast\", \"algorithm\": \"custom\", "
             "\"schedule_file\": \"%s\", \"size\": \"2KB\"}}",
             3, path);
    simulation_prepare(&run, strcpy(allocate(strlen(text) + 1), text), NULL);
    struct error err = {0};
    ck_assert(!experiment_run(&run.experiment, &(struct run_limits){.proof = PROOF_CHOICE_AUTO}, NULL, &run.result, &err));
    ck_assert_int_eq(strncmp(err.text, start, (size_t)length), 0);
    memmove(err.text, err.text + length, strlen(err.text + length) + 1);
    simulation_free(&run);
    unlink(path);
    return err;
}

#define TO_RANK_1 \
    "{\"rank\": 0, \"send\": {\"to\": 1, \"blocks\": \"0..1\"}}, {\"rank\": 1, \"receive\": {\"from\": 0, \"blocks\": \"0..1\"}}"
#define HALF_TO_RANK_2 "{\"rank\": 0, \"send\": {\"to\": 2, \"block\": 0}}, {\"rank\": 2, \"receive\": {\"from\": 0, \"block\": 0}}"

/// The user is told, with exit code 2, which rank lacks what.
START_TEST(an_unchecked_schedule_that_loses_something) {
    static const struct {
        const char *rules, *fault;
    } faults[] = {
        {TO_RANK_1, "broadcast: rank 2 ends without block 0 "},
        {TO_RANK_1 ", " HALF_TO_RANK_2, "broadcast: rank 2 ends without block 1 "},
        {TO_RANK_1 ", {\"rank\": 0, \"send\": {\"to\": 2, \"blocks\": \"0..1\"}}",
         "a collective ended with messages that no rank received: 1"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct error err = unchecked_fault(faults[i].rules);
        ck_assert_int_eq(err.kind, ERROR_INPUT);
        ck_assert_msg(strstr(err.text, faults[i].fault) == err.text, "%s", err.text);
    }
}
END_TEST

Suite *test_schedules_suite(void);
Suite *test_schedules_suite(void) {
    Suite *suite = suite_create("schedules");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_ring_at_any_size, 1, 12);
    tcase_add_loop_test(all, halving_with_ranges_of_blocks, 0, 6);
    tcase_add_loop_test(all, what_rules_can_say, 0, sizeof written / sizeof *written);
    tcase_add_test(all, an_unchecked_schedule_stalls);
    tcase_add_test(all, an_unchecked_schedule_that_loses_something);
    suite_add_tcase(suite, all);
    return suite;
}
