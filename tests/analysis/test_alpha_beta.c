// The alpha-beta model against the closed forms of section 5 of the lecture. Links of 400 GB/s take a byte in exactly
// 2500 fs, so that nothing is rounded where the blocks are equal.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

enum { BYTE_TICKS = 2500 };
static const int64_t alpha = 2000000000; // 2 us through the switch, 1 us a link elsewhere

#define ON_SWITCH                                                                                                               \
    "{'network': {'topology': {'type': 'switch', 'endpoints': %u, 'link': {'bandwidth': '400GB/s', 'alpha': '2us'}}, 'model': " \
    "'alpha-beta'}, "
#define ON_RING_OF_8                                                                                                           \
    "{'network': {'topology': {'type': 'ring', 'endpoints': 8, 'link': {'bandwidth': '400GB/s', 'latency': '2us'}}, 'model': " \
    "'alpha-beta'}, "
#define COLLECTIVE "{'type': 'collective', 'collective': '%s', 'algorithm': '%s', 'size': '%lldB'}"

static int64_t on_switch(uint32_t p, const char *collective, const char *algorithm, long long bytes) {
    struct simulation run;
    simulate(&run, ON_SWITCH "'workload': " COLLECTIVE "}", p, collective, algorithm, bytes);
    int64_t ticks = run.result.makespan_ticks, again = -1;
    struct error err = {0};
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    ck_assert_int_eq(run.result.collectives[0].end_ticks, ticks);
    ck_assert(experiment_alpha_beta(&run.experiment, &(struct run_limits){0}, &again, &err));
    ck_assert_int_eq(again, ticks);
    simulation_free(&run);
    return ticks;
}

static int64_t log2_ceil(uint32_t p) {
    int64_t steps = 0;
    while ((UINT32_C(1) << steps) < p) steps++;
    return steps;
}

START_TEST(all_reduce_on_a_switch) {
    uint32_t p = UINT32_C(1) << (_i + 1);
    for (int64_t n = 1024; n <= INT64_C(1) << 30; n *= 32) {
        int64_t whole = n * BYTE_TICKS, steps = log2_ceil(p);
        ck_assert_int_eq(on_switch(p, "all-reduce", "ring", n), 2 * (p - 1) * (alpha + whole / p));
        ck_assert_int_eq(on_switch(p, "all-reduce", "recursive-doubling", n), steps * (alpha + whole));
        ck_assert_int_eq(on_switch(p, "all-reduce", "tree", n), 2 * steps * (alpha + whole));
        ck_assert_int_eq(on_switch(p, "all-reduce", "naive", n), 2 * (alpha + (p - 1) * whole));
        ck_assert_int_eq(on_switch(p, "all-reduce", "rabenseifner", n), 2 * steps * alpha + 2 * (p - 1) * (whole / p));
        ck_assert_int_eq(on_switch(p, "broadcast", "binomial", n), steps * (alpha + whole));
        ck_assert_int_eq(on_switch(p, "all-gather", "ring", n), (p - 1) * (alpha + whole / p));
        ck_assert_int_eq(on_switch(p, "all-to-all", "direct", n), (p - 1) * (alpha + whole / p));
    }
}
END_TEST

// 2 * 65,535 steps of 65,536 messages: those that are alike are priced as one, or this would take minutes.
START_TEST(a_large_ring) {
    int64_t p = 65536;
    ck_assert_int_eq(on_switch((uint32_t)p, "all-reduce", "ring", 16 * p), 2 * (p - 1) * (alpha + 16 * BYTE_TICKS));
}
END_TEST

// Blocks of 1 or 2 bytes, so that steps are unlike; each has a longest block, and the same routes. A dissemination beside it, step by
// step too, sends to others each time: the routes of its messages must not be taken for those of the step before.
START_TEST(routes_that_change_from_step_to_step) {
    struct simulation both, ring;
    const char *parallel =
        ON_RING_OF_8 "'workload': {'type': 'parallel', 'of': [{'type': 'collective', 'collective': 'barrier'}, " COLLECTIVE "]}}";
    simulate(&both, parallel, "all-gather", "ring", 9LL);
    simulate(&ring, ON_RING_OF_8 "'workload': " COLLECTIVE "}", "all-gather", "ring", 9LL);
    ck_assert_int_eq(ring.result.makespan_ticks, 7 * (alpha + 2 * BYTE_TICKS));
    ck_assert_int_eq(both.result.makespan_ticks,
                     (alpha + 2 * BYTE_TICKS) + 2 * alpha + 4 * alpha + 2 * 2 * BYTE_TICKS + 4 * (alpha + 2 * BYTE_TICKS));
    ck_assert_uint_eq(both.result.chunk_hops, 8 * 7 + 8 * (1 + 2 + 4));
    ck_assert(both.result.bytes_on_links == ring.result.bytes_on_links);
    simulation_free(&both);
    simulation_free(&ring);
}
END_TEST

static bool stop(void *context, int64_t now_ticks, uint64_t hops) {
    (void)now_ticks, (void)hops;
    ++*(int *)context;
    return false;
}

// Blocks that differ, so that no step is like another: 2 * 299 steps of 300 messages.
START_TEST(a_signal_stops_it) {
    static const char *const models[] = {"alpha-beta", "both"};
    for (int i = 0; i < 2; i++) {
        struct simulation run;
        int asked = 0;
        const struct run_limits limits = {.proof = PROOF_CHOICE_OFF, .progress = stop, .context = &asked};
        simulate_limited(&run, &limits,
                         "{'network': {'topology': {'type': 'ring', 'endpoints': 300, 'link': {'bandwidth': '400GB/s', 'latency': '2us'}}, "
                         "'chunk': 'whole', 'model': '%s'}, 'workload': " COLLECTIVE "}",
                         models[i], "all-reduce", "ring", 301LL);
        ck_assert_int_eq(run.result.status, RUN_INTERRUPTED);
        ck_assert_int_eq(asked, 1);
        ck_assert(!run.result.has_alpha_beta);
        simulation_free(&run);
    }
}
END_TEST

START_TEST(any_number_of_ranks) {
    for (uint32_t p = 1; p <= 9; p++) {
        ck_assert_int_eq(on_switch(p, "all-reduce", "tree", 1000), 2 * log2_ceil(p) * (alpha + 1000 * BYTE_TICKS));
        ck_assert_int_eq(on_switch(p, "all-reduce", "naive", 1000), p > 1 ? 2 * (alpha + (p - 1) * 1000 * BYTE_TICKS) : 0);
    }
}
END_TEST

/// Rounded up on the link that carries most, once a step: 7 GB/s take a byte in 142857.14 fs.
START_TEST(rounds_up) {
    struct simulation run;
    simulate(&run,
             "{'network': {'topology': {'type': 'switch', 'endpoints': 3, 'link': {'bandwidth': '7GB/s', 'latency': '0s'}},"
             "'model': 'alpha-beta'}, 'workload': " COLLECTIVE "}",
             "all-reduce", "naive", 1LL);
    ck_assert_int_eq(run.result.makespan_ticks, 2 * (2 + 285715)); // a latency of 0 is one tick; two bytes: 285714.3
    simulation_free(&run);
}
END_TEST

static double all_to_all_of_64(const char *topology) {
    struct simulation run;
    simulate(&run, "{'network': {'topology': {%s}, 'model': 'alpha-beta'}, 'workload': " COLLECTIVE "}", topology, "all-to-all", "direct",
             16000000LL);
    double ticks = (double)run.result.makespan_ticks;
    simulation_free(&run);
    return ticks;
}

/// golden/lecture.json, 6.2-ring-over-switch: 16.25 with ties positive, 16.04 by parity (within 0.2 %).
START_TEST(ring_over_switch) {
    double star = all_to_all_of_64("'type': 'switch', 'endpoints': 64, 'link': {'bandwidth': '45GB/s', 'alpha': '1us'}");
    double positive =
        all_to_all_of_64("'type': 'ring', 'endpoints': 64, 'ties': 'positive', 'link': {'bandwidth': '45GB/s', 'latency': '1us'}");
    double parity =
        all_to_all_of_64("'type': 'ring', 'endpoints': 64, 'ties': 'parity', 'link': {'bandwidth': '45GB/s', 'latency': '1us'}");
    ck_assert_double_eq_tol(positive / star, 16.25, 0.002 * 16.25);
    ck_assert_double_eq_tol(parity / star, 16.04, 0.002 * 16.04);
}
END_TEST

/// Both halves of a bidirectional ring are in one step and use links of their own: half the bandwidth term.
START_TEST(machines_share_a_step) {
    struct simulation run;
    simulate(&run, ON_RING_OF_8 "'workload': " COLLECTIVE "}", "all-reduce", "bidirectional-ring", 16000LL);
    ck_assert_int_eq(run.result.makespan_ticks, 14 * (alpha + 1000 * BYTE_TICKS));
    simulation_free(&run);
}
END_TEST

static void expect_times(const struct simulation *run, size_t i, int64_t start, int64_t end) {
    const struct collective_result *collective = &run->result.collectives[i];
    ck_assert_int_eq(collective->start_ticks, start);
    ck_assert_int_eq(collective->end_ticks, end);
    for (uint32_t member = 0; member < collective->args.size; member++) ck_assert_int_eq(collective->rank_end_ticks[member], end);
}

/// An all-gather of 7 steps beside an all-reduce of 14: the first 7 carry both.
START_TEST(parallel_in_lock_step) {
    struct simulation run;
    simulate(&run, ON_RING_OF_8 "'workload': {'type': 'parallel', 'of': [" COLLECTIVE ", " COLLECTIVE "]}}", "all-gather", "ring", 16000LL,
             "all-reduce", "ring", 8000LL);
    int64_t both = 7 * (alpha + 3000 * BYTE_TICKS), all = both + 7 * (alpha + 1000 * BYTE_TICKS);
    ck_assert_int_eq(run.result.makespan_ticks, all);
    expect_times(&run, 0, 0, both);
    expect_times(&run, 1, 0, all);
    simulation_free(&run);
}
END_TEST

START_TEST(sequence_adds_and_repeats) {
    struct simulation run;
    simulate(&run,
             ON_RING_OF_8 "'workload': {'type': 'sequence', 'repeat': 3, 'of': [" COLLECTIVE
                          ", {'type': 'collective', 'collective': 'barrier', 'repeat': 5}]}}",
             "all-gather", "ring", 8000LL);
    int64_t gather = 7 * (alpha + 1000 * BYTE_TICKS), barrier = 5 * (1 + 2 + 4) * alpha, once = gather + barrier; // to r+1, r+2, r+4
    ck_assert_int_eq(run.result.makespan_ticks, 3 * once);
    ck_assert_uint_eq(run.result.collective_count, 6);
    for (int i = 0; i < 3; i++) {
        expect_times(&run, 2 * (size_t)i, i * once, i * once + gather);
        expect_times(&run, 2 * (size_t)i + 1, i * once + gather, (i + 1) * once);
    }
    ck_assert_uint_eq(run.result.messages, 3 * 8 * (7 + 5 * 3));
    simulation_free(&run);
}
END_TEST

/// A sequence beside another: its next item begins in the step after its last, whatever goes on beside it.
START_TEST(sequences_side_by_side) {
    struct simulation run;
    simulate(&run,
             ON_RING_OF_8 "'workload': {'type': 'parallel', 'of': [{'type': 'sequence', 'repeat': 2, 'of': [" COLLECTIVE "]}, " COLLECTIVE
                          "]}}",
             "all-gather", "ring", 16000LL, "all-reduce", "ring", 8000LL);
    int64_t half = 7 * (alpha + 3000 * BYTE_TICKS); // each of 14 steps carries a block of either
    ck_assert_int_eq(run.result.makespan_ticks, 2 * half);
    expect_times(&run, 0, 0, half);
    expect_times(&run, 1, half, 2 * half);
    expect_times(&run, 2, 0, 2 * half);
    simulation_free(&run);
}
END_TEST

START_TEST(counts_what_links_carry) {
    const char *workload = "'workload': {'type': 'collective', 'collective': 'all-to-all', 'size': '800B', 'repeat': 2}}";
    struct simulation priced;
    simulate(&priced, ON_RING_OF_8 "%s", workload);
    struct simulation simulated;
    simulate(&simulated,
             "{'network': {'topology': {'type': 'ring', 'endpoints': 8, 'link': {'bandwidth': '400GB/s', 'latency': '2us'}}}, %s",
             workload);
    ck_assert_uint_eq(priced.result.messages, simulated.result.messages);
    ck_assert_uint_eq(priced.result.chunk_hops, simulated.result.chunk_hops);
    ck_assert(priced.result.bytes_on_links == simulated.result.bytes_on_links);
    for (uint32_t l = 0; l < priced.result.link_count; l++) {
        ck_assert_uint_eq(priced.result.loads[l].bytes, simulated.result.loads[l].bytes);
        ck_assert_uint_eq(priced.result.loads[l].chunks, simulated.result.loads[l].chunks);
        ck_assert_int_eq(priced.result.loads[l].busy_ticks, simulated.result.loads[l].busy_ticks);
    }
    for (uint32_t r = 0; r < 8; r++) ck_assert_int_eq(priced.result.bytes_sent[r], simulated.result.bytes_sent[r]);
    ck_assert(priced.result.digest.low == 0 && priced.result.digest.high == 0);
    simulation_free(&priced);
    simulation_free(&simulated);
}
END_TEST

/// alpha + n/beta on one switch; over a tree of two levels twice that latency. The same bytes as a run of whole chunks.
START_TEST(reduced_in_the_network) {
    ck_assert_int_eq(on_switch(8, "all-reduce", "in-network", 1000000), alpha + INT64_C(1000000) * BYTE_TICKS);
    const char *network = "'topology': {'type': 'fat-tree', 'k': 4, 'link': {'bandwidth': '400GB/s', 'latency': '2us'}}, 'chunk': 'whole'";
    const char *workload =
        "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'in-network', 'size': '1MB', 'ranks': [0, 3, 1], 'repeat': 2}";
    struct simulation priced;
    simulate(&priced, "{'network': {%s, 'model': 'alpha-beta'}, 'workload': %s}", network, workload);
    struct simulation simulated;
    simulate(&simulated, "{'network': {%s}, 'workload': %s}", network, workload);
    ck_assert_int_eq(priced.result.makespan_ticks, 2 * (4 * alpha + INT64_C(1000000) * BYTE_TICKS)); // two links up, two down
    ck_assert_int_eq(priced.result.makespan_ticks, simulated.result.makespan_ticks);
    ck_assert_uint_eq(priced.result.messages, simulated.result.messages);
    ck_assert_uint_eq(priced.result.chunk_hops, simulated.result.chunk_hops);
    for (uint32_t l = 0; l < priced.result.link_count; l++)
        ck_assert_uint_eq(priced.result.loads[l].bytes, simulated.result.loads[l].bytes);
    for (uint32_t r = 0; r < priced.result.ranks; r++) ck_assert_int_eq(priced.result.bytes_sent[r], simulated.result.bytes_sent[r]);
    simulation_free(&priced);
    simulation_free(&simulated);
}
END_TEST

START_TEST(overflow_is_named) {
    struct simulation run;
    simulate(&run, ON_SWITCH "'workload': {'type': 'collective', 'collective': 'barrier', 'repeat': 1000000000}}", 1024u);
    ck_assert_int_eq(run.result.status, RUN_OVERFLOW); // 10^9 times 10 steps of 2 us: 5.6 hours
    ck_assert_ptr_nonnull(strstr(run.result.error.text, "1ps"));
    simulation_free(&run);
}
END_TEST

START_TEST(refuses_what_has_no_steps) {
    char *listed = refusal_of(
        ON_RING_OF_8 "'workload': {'type': 'parallel', 'of': [{'type': 'messages', 'messages': [{'from': 0, 'to': 1, 'size': '1B'}]}]}}");
    ck_assert_ptr_nonnull(strstr(listed, "/network/model: the alpha-beta model prices steps, and a list of messages has none"));
    free(listed);
}
END_TEST

Suite *test_alpha_beta_suite(void) {
    Suite *suite = suite_create("alpha-beta");
    TCase *tests = tcase_create("alpha-beta");
    tcase_add_loop_test(tests, all_reduce_on_a_switch, 0, 6); // p = 2 to 64
    tcase_add_test(tests, a_large_ring);
    tcase_add_test(tests, routes_that_change_from_step_to_step);
    tcase_add_test(tests, a_signal_stops_it);
    tcase_add_test(tests, any_number_of_ranks);
    tcase_add_test(tests, rounds_up);
    tcase_add_test(tests, ring_over_switch);
    tcase_add_test(tests, machines_share_a_step);
    tcase_add_test(tests, parallel_in_lock_step);
    tcase_add_test(tests, sequence_adds_and_repeats);
    tcase_add_test(tests, sequences_side_by_side);
    tcase_add_test(tests, counts_what_links_carry);
    tcase_add_test(tests, reduced_in_the_network);
    tcase_add_test(tests, overflow_is_named);
    tcase_add_test(tests, refuses_what_has_no_steps);
    suite_add_tcase(suite, tests);
    return suite;
}
