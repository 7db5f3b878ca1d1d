// Lower bounds against closed forms; that no run is below its own is checked in every run.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "analysis/tally.h"
#include "golden/simulation.h"

#define RING_OF_8 \
    "{'network': {'topology': {'type': 'ring', 'endpoints': 8, 'link': {'bandwidth': '50GB/s', 'latency': '0s'}}, 'chunk': '64KiB'%s}, "
#define COLLECTIVE "{'type': 'collective', 'collective': '%s', 'algorithm': '%s', 'size': '%lldB'}"
static const int64_t us = 1000000000, ms = 1000000000000;

static void expect_bound(const struct lower_bound *bound, const char *kind, int64_t ticks) {
    ck_assert_ptr_nonnull(bound->kind);
    ck_assert_str_eq(bound->kind, kind);
    ck_assert_int_eq(bound->ticks, ticks);
}

/// 2(p-1)/p n/beta on every link of one direction: 14/8 x 1 GB / 50 GB/s = 35 ms; the whole ring's rate is twice that.
START_TEST(ring_all_reduce) {
    struct simulation run;
    simulate(&run, RING_OF_8 "'workload': " COLLECTIVE "}", "", "all-reduce", "ring", 1000000000LL);
    expect_bound(&run.result.collectives[0].bound, "link", 35 * ms);
    expect_bound(&run.result.bound, "link", 35 * ms);
    ck_assert_int_ge(run.result.makespan_ticks, 35 * ms);
    ck_assert_int_lt(run.result.makespan_ticks, 35 * ms + 1000);
    simulation_free(&run);
}
END_TEST

/// golden/cases.json, slow-link and late-rank: 70 ms where one link has half the rate, and still 35 of 40 ms where a rank is late.
START_TEST(slow_link_and_late_rank) {
    struct simulation slow;
    simulate(&slow, RING_OF_8 "'workload': " COLLECTIVE "}", ", 'overrides': [{'from': 2, 'to': 3, 'bandwidth': '25GB/s'}]", "all-reduce",
             "ring", 1000000000LL);
    expect_bound(&slow.result.bound, "link", 70 * ms);
    simulation_free(&slow);
    struct simulation late;
    simulate(&late, RING_OF_8 "'workload': {'type': 'collective', 'collective': 'all-reduce', 'size': '1GB', 'start': {'3': '5ms'}}}", "");
    expect_bound(&late.result.collectives[0].bound, "link", 35 * ms);
    ck_assert_int_ge(late.result.makespan_ticks, 40 * ms);
    simulation_free(&late);
}
END_TEST

#define SWITCH_OF_64 "{'network': {'topology': {'type': 'switch', 'endpoints': 64, 'link': {'bandwidth': '50GB/s', 'latency': '1us'}}}, "

/// golden/lecture.json, ex5: 64 devices of 64 MB, 50 GB/s: egress 63/64 x 64 MB / 50 GB/s = 1.26 ms.
START_TEST(all_to_all_on_a_switch) {
    struct simulation run;
    simulate(&run,
             SWITCH_OF_64 "'workload': {'type': 'collective', 'collective': 'all-to-all', 'schedule': 'all-at-once', 'size': '64MB'}}");
    expect_bound(&run.result.collectives[0].bound, "endpoint", 1260 * us);
    ck_assert_int_lt(run.result.makespan_ticks, 1267 * us); // almost at the bound: within 0.5 %
    simulation_free(&run);
}
END_TEST

/// ex5, bisection: 32 x 32 MB each way over 32 links: 0.64 ms.
START_TEST(bytes_across_the_cut) {
    struct simulation run;
    simulate(&run, SWITCH_OF_64 "'workload': {'type': 'collective', 'collective': 'barrier'}}");
    const struct topology *topology = run.experiment.topology;
    const struct site site = {topology, run.experiment.place, 64, run.result.ticks_per_s};
    struct bisection cut = {0};
    topology->type->bisect(topology, &cut);
    struct tally tally = tally_create(&site, cut.side, true);
    for (uint32_t from = 0; from < 64; from++)
        for (uint32_t to = 0; to < 64; to++)
            if (from != to) tally_add(&tally, &(struct posted_message){from, to, 1000000});
    ck_assert_uint_eq(cut.cables, 32);
    for (int direction = 0; direction < 2; direction++) {
        ck_assert(tally.across[direction] == 32 * 32 * 1000000);
        ck_assert(tally.across[direction] * 1000000 / (32 * UINT64_C(50000000000)) == 640); // us
    }
    ck_assert_uint_eq(tally.touched_count, 128);
    ck_assert_uint_eq(tally.on_link[0], 63000000);
    tally_free(&tally);
    free(cut.side);
    simulation_free(&run);
}
END_TEST

/// golden/lecture.json, 6.2-above-bound: all at once on a ring of 64 reaches the bisection bound, p^2/8 units of 250 kB a link.
START_TEST(all_to_all_on_a_ring) {
    struct simulation run;
    simulate(
        &run,
        "{'network': {'topology': {'type': 'ring', 'endpoints': 64, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}, 'chunk': 'whole'},"
        "'workload': {'type': 'collective', 'collective': 'all-to-all', 'schedule': 'all-at-once', 'size': '16MB'}}");
    int64_t bound = 512 * INT64_C(250000) * 1000000 / 45;
    expect_bound(&run.result.bound, "bisection", bound);
    ck_assert_int_lt(run.result.makespan_ticks, bound + bound / 200);
    simulation_free(&run);
}
END_TEST

static const char *const idle_networks[] = {
    "'type': 'switch', 'endpoints': 12, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}",
    "'type': 'ring', 'endpoints': 12, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}, 'ties': 'split'",
    "'type': 'torus', 'dims': [2, 3, 2], 'link': {'bandwidth': '1GB/s', 'latency': '1us'}, 'wrap2': 'double'",
    "'type': 'torus', 'dims': [3, 4], 'links': [{'bandwidth': '1GB/s', 'latency': '1us'}, {'bandwidth': '1GB/s', 'latency': '3us'}]",
    "'type': 'ring', 'endpoints': 12, 'directions': 'one', 'link': {'bandwidth': '1GB/s', 'latency': '1us'}",
    "'type': 'leaf-spine', 'leaves': 4, 'hosts_per_leaf': 3, 'spines': 2, 'cables_per_pair': 2, 'host_link': {'bandwidth': '1GB/s', "
    "'latency': '1us'}, "
    "'up_link': {'bandwidth': '1GB/s', 'latency': '5us'}",
};
enum { IDLE_NETWORKS = sizeof idle_networks / sizeof *idle_networks };

/// Messages of no bytes never queue, so that a run of them takes exactly its longest chain of latencies.
static void takes_its_chain(const char *network, const char *workload) {
    struct simulation run;
    simulate(&run, "{'network': {'topology': {%s}}, 'workload': %s}", network, workload);
    ck_assert_msg(run.result.bound.ticks == run.result.makespan_ticks, "%s on %s: %lld ticks, chain %lld", workload, network,
                  (long long)run.result.makespan_ticks, (long long)run.result.bound.ticks);
    for (size_t i = 0; i < run.result.collective_count; i++) ck_assert(!run.result.collectives[i].bound.partial);
    expect_bound(&run.result.bound, "latency", run.result.makespan_ticks);
    simulation_free(&run);
}

START_TEST(chain_of_collectives) {
    static const char *const names[][2] = {
        {"all-reduce", "ring"},
        {"all-reduce", "bidirectional-ring"},
        {"all-reduce", "recursive-doubling"},
        {"all-reduce", "tree"},
        {"all-reduce", "naive"},
        {"all-reduce", "rabenseifner"},
        {"all-reduce", "two-shot"},
        {"broadcast", "binomial"},
        {"broadcast", "scatter-allgather"},
        {"all-to-all", "direct"},
        {"all-gather", "bruck"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int sync = 0; sync < 2; sync++)
            for (int repeat = 1; repeat < 3; repeat++) {
                char workload[256];
                snprintf(workload, sizeof workload,
                         "{'type': 'collective', 'collective': '%s', 'algorithm': '%s', 'size': '0B', 'sync': '%s', 'repeat': %d}",
                         names[i][0], names[i][1], sync ? "step" : "free", repeat);
                takes_its_chain(idle_networks[_i], workload);
            }
}
END_TEST

#define EMPTY "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'recursive-doubling', 'size': '0B', 'ranks': [%s]}"

START_TEST(chain_of_workloads) {
    const char *network = idle_networks[_i];
    for (int barrier = 0; barrier < 2; barrier++) {
        char workload[1024];
        snprintf(workload, sizeof workload,
                 "{'type': 'sequence', 'repeat': 2, 'barrier': %s, 'of': [" EMPTY ", {'type': 'parallel', 'of': [" EMPTY ", " EMPTY
                 "]}, " EMPTY "]}",
                 barrier ? "true" : "false", "0, 5, 9", "1, 7, 3", "2, 8, 10, 4, 6", "11, 0, 4");
        takes_its_chain(network, workload);
    }
    takes_its_chain(network,
                    "{'type': 'messages', 'messages': [{'from': 0, 'to': 5, 'size': '0B', 'after': [2]}, {'from': 5, 'to': 3, 'size': "
                    "'0B', 'after': [0, 3]},"
                    "{'from': 7, 'to': 0, 'size': '0B', 'at': '4us'}, {'from': 5, 'to': 5, 'size': '0B', 'after': [2], 'at': '9us'}]}");
}
END_TEST

/// Alone, and as items of a sequence, where routes are walked: n and 2n, 14/8 of each over 50 GB/s; the run does both, twice.
START_TEST(each_of_a_sequence) {
    struct simulation run;
    simulate(&run,
             RING_OF_8 "'workload': {'type': 'sequence', 'repeat': 2, 'of': [" COLLECTIVE
                       ", {'type': 'collective', 'collective': 'all-reduce', 'size': '2MB', 'repeat': 3}]}}",
             "", "all-reduce", "ring", 1000000LL);
    ck_assert_uint_eq(run.result.collective_count, 4);
    for (size_t i = 0; i < 4; i++) expect_bound(&run.result.collectives[i].bound, "link", i % 2 ? 210 * us : 35 * us);
    expect_bound(&run.result.bound, "link", 490 * us);
    simulation_free(&run);
}
END_TEST

/// golden/cases.json, shared-ring: two of 100 MB at once, 7 ms together, 3.5 ms each.
START_TEST(each_of_a_parallel) {
    struct simulation run;
    simulate(&run, RING_OF_8 "'workload': {'type': 'parallel', 'of': [" COLLECTIVE ", " COLLECTIVE "]}}", "", "all-reduce", "ring",
             100000000LL, "all-reduce", "ring", 100000000LL);
    for (size_t i = 0; i < 2; i++) expect_bound(&run.result.collectives[i].bound, "link", 3500 * us);
    expect_bound(&run.result.bound, "link", 7 * ms);
    ck_assert_int_lt(run.result.makespan_ticks, 7 * ms + 7 * us);
    simulation_free(&run);
}
END_TEST

/// Where routes vary an item has no link bound; its endpoints send 7/8 of n by two links of 50 GB/s.
START_TEST(varying_routes) {
    struct simulation run;
    simulate(
        &run,
        "{'network': {'topology': {'type': 'ring', 'endpoints': 8, 'ties': 'split', 'link': {'bandwidth': '50GB/s', 'latency': '0s'}}},"
        "'workload': {'type': 'sequence', 'of': [" COLLECTIVE "]}}",
        "all-gather", "ring", 8000000LL);
    expect_bound(&run.result.collectives[0].bound, "endpoint", 70 * us);
    expect_bound(&run.result.bound, "link", 140 * us);
    simulation_free(&run);
}
END_TEST

/// Three senders of 1 kB, one receiver: what comes in counts as what goes out does.
START_TEST(incast_bounds_the_receiver) {
    struct simulation run;
    simulate(
        &run,
        "{'network': {'topology': {'type': 'switch', 'endpoints': 4, 'link': {'bandwidth': '1GB/s', 'latency': '0s'}}}, 'workload':"
        "{'type': 'messages', 'messages': [{'from': 1, 'to': 0, 'size': '1KB'}, {'from': 2, 'to': 0, 'size': '1KB'}, {'from': 3, 'to': 0, "
        "'size': '1KB'}]}}");
    expect_bound(&run.result.bound, "endpoint", 3 * us);
    simulation_free(&run);
}
END_TEST

/// Reduced in the network: each rank sends and receives n once.
START_TEST(in_network) {
    struct simulation run;
    simulate(&run,
             "{'network': {'topology': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '50GB/s', 'latency': "
             "'1us'}}}, 'workload': " COLLECTIVE "}",
             "all-reduce", "in-network", 5000000LL);
    expect_bound(&run.result.bound, "endpoint", 100 * us);
    simulation_free(&run);
}
END_TEST

START_TEST(nothing_to_bound) {
    struct simulation run;
    simulate(&run,
             "{'network': {'topology': {'type': 'switch', 'endpoints': 1, 'link': {'bandwidth': '50GB/s', 'latency': "
             "'1us'}}}, 'workload': " COLLECTIVE "}",
             "all-reduce", "ring", 8LL);
    ck_assert_ptr_null(run.result.bound.kind);
    ck_assert_ptr_null(run.result.collectives[0].bound.kind);
    simulation_free(&run);
}
END_TEST

/// A ring of 1500 posts 2 x 1499 x 1500 = 4.5 million messages: too many for the chain, the other kinds stay.
START_TEST(many_messages) {
    struct simulation run;
    simulate(&run,
             "{'network': {'topology': {'type': 'ring', 'endpoints': 1500, 'link': {'bandwidth': '50GB/s', "
             "'latency': '1us'}}, 'model': 'alpha-beta'},"
             "'workload': " COLLECTIVE "}",
             "all-reduce", "ring", 1500000LL);
    ck_assert(run.result.bound.partial);
    expect_bound(&run.result.bound, "link", 2 * 1499 * 20000000LL); // 2(p-1) blocks of 1 kB at 50 GB/s
    simulation_free(&run);
}
END_TEST

#define ROUND_OF_8                                                                                                                      \
    "{'network': {'topology': {'type': 'ring', 'endpoints': 8, 'link': {'bandwidth': '50GB/s', 'latency': '3us'}}, 'chunk': 'whole'}, " \
    "'workload': {'type': 'sequence', 'of': ["
#define TWICE(what) what ", " what
#define TWELVE(what) TWICE(what) ", " TWICE(what) ", " TWICE(what) ", " TWICE(what) ", " TWICE(what) ", " TWICE(what)
#define SMALL(more) "{'type': 'collective', 'collective': %s, 'size': '8B'" more "}"

// What is repeated is bound as what is written down so many times, whether its ranks end together or apart.
START_TEST(repetitions) {
    static const char *const names[] = {"'all-reduce', 'algorithm': 'ring'", "'broadcast', 'algorithm': 'binomial'", "'reduce'",
                                        "'all-gather', 'algorithm': 'bruck'"};
    static const char *const forms[] = {ROUND_OF_8 SMALL("") "], 'repeat': 12}}", ROUND_OF_8 TWICE(SMALL("")) "], 'repeat': 6}}",
                                        ROUND_OF_8 SMALL(", 'repeat': 3") ", " SMALL("") "], 'repeat': 3}}",
                                        ROUND_OF_8 SMALL("") "], 'repeat': 12, 'barrier': true}}"};
    const char *name = names[_i];
    struct simulation written[2], run;
    simulate(&written[0], ROUND_OF_8 TWELVE(SMALL("")) "]}}", name, name, name, name, name, name, name, name, name, name, name, name);
    simulate(&written[1], ROUND_OF_8 TWELVE(SMALL("")) "], 'barrier': true}}", name, name, name, name, name, name, name, name, name, name,
             name, name);
    for (int form = 0; form < 4; form++) {
        simulate(&run, forms[form], name, name);
        const struct lower_bound *bound = &written[form == 3].result.bound;
        expect_bound(&run.result.bound, bound->kind, bound->ticks);
        simulation_free(&run);
    }
    ck_assert_str_eq(written[0].result.bound.kind, "latency");
    simulation_free(&written[0]);
    simulation_free(&written[1]);
}
END_TEST

START_TEST(a_run_below_its_bound) {
    struct simulation run;
    simulate(&run, RING_OF_8 "'workload': " COLLECTIVE "}", "", "all-reduce", "ring", 8000LL);
    struct error err = {0};
    ck_assert(bounds_hold(&run.result, &err));
    run.result.makespan_ticks = 279999999; // 14 blocks of 1 kB over 50 GB/s take 280 ns
    ck_assert(!bounds_hold(&run.result, &err));
    ck_assert_int_eq(err.kind, ERROR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "makespan of 279999999 ticks is below the link bound of 280000000"));
    run.result.collectives[0].end_ticks = 279999998;
    struct error other = {0};
    ck_assert(!bounds_hold(&run.result, &other));
    ck_assert_ptr_nonnull(strstr(other.text, "all-reduce/ring) took 279999998 ticks, below its link bound of 280000000"));
    simulation_free(&run);
}
END_TEST

Suite *test_bounds_suite(void) {
    Suite *suite = suite_create("bounds");
    TCase *tests = tcase_create("bounds");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, ring_all_reduce);
    tcase_add_test(tests, slow_link_and_late_rank);
    tcase_add_test(tests, all_to_all_on_a_switch);
    tcase_add_test(tests, bytes_across_the_cut);
    tcase_add_test(tests, all_to_all_on_a_ring);
    tcase_add_loop_test(tests, chain_of_collectives, 0, IDLE_NETWORKS);
    tcase_add_loop_test(tests, chain_of_workloads, 0, IDLE_NETWORKS);
    tcase_add_test(tests, each_of_a_sequence);
    tcase_add_test(tests, each_of_a_parallel);
    tcase_add_test(tests, varying_routes);
    tcase_add_test(tests, incast_bounds_the_receiver);
    tcase_add_test(tests, in_network);
    tcase_add_test(tests, nothing_to_bound);
    tcase_add_test(tests, many_messages);
    tcase_add_loop_test(tests, repetitions, 0, 4);
    tcase_add_test(tests, a_run_below_its_bound);
    suite_add_tcase(suite, tests);
    return suite;
}
