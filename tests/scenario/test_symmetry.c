// The same run with and without its symmetry: every figure must be equal, and what is not symmetric must be found out.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "golden/simulation.h"
#include "properties/drawn.h"
#include "scenario/folded.h"

#define LINK "'link': {'bandwidth': '45GB/s', 'latency': '500ns'}"
#define NICS "'nic_link': {'bandwidth': '25GB/s', 'latency': '2us'}, 'fabric': {'type': 'switch'}"
#define ALL_TO_ALL(order, schedule)                                                                                              \
    "{'type': 'collective', 'collective': 'all-to-all', 'algorithm': 'direct', 'order': '" order "', 'schedule': '" schedule "'" \
    ", 'size': '7200KB'}"
#define ALL_REDUCE(algorithm, more) \
    "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': '" algorithm "', 'size': '7200KB'" more "}"

// With ties that go + every endpoint is like every other; else those of equal parity are, along even dims (not of one cable only).
START_TEST(all_to_all_on_tori) {
    static const char *const dims[] = {"2", "3", "4", "6", "2, 3", "4, 4", "3, 5", "4, 6", "2, 3, 4", "3, 3, 3", "4, 4, 4"};
    static const uint64_t expected[] = {1, 1, 2, 2, 1, 4, 1, 4, 2, 1, 8};
    static const char *const ties[] = {"positive", "parity", "split"}, *const switching[] = {"cut-through", "store-and-forward"};
    static const char *const schedules[] = {"steps", "all-at-once"};
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
        for (int t = 0; t < 3; t++)
            for (int way = 0; way < 4; way++)
                ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'torus', 'dims': [%s], " LINK
                                                  ", 'ties': '%s'}, 'switching': '%s'},"
                                                  " 'workload': {'type': 'collective', 'collective': 'all-to-all', 'algorithm': 'direct',"
                                                  " 'order': 'shift', 'schedule': '%s', 'size': '8640KB'}}",
                                                  dims[d], ties[t], switching[way % 2], schedules[way / 2]),
                                  t == 0 ? 1 : expected[d]);
}
END_TEST

static const struct folding {
    const char *topology, *workload;
    uint64_t representatives; ///< 0: no symmetry is used
} foldings[] = {
    {"{'type': 'switch', 'endpoints': 6, " LINK "}", ALL_TO_ALL("rank", "all-at-once"), 1},
    {"{'type': 'switch', 'endpoints': 8, " LINK "}", ALL_TO_ALL("rank", "steps"), 1},
    {"{'type': 'switch', 'endpoints': 8, " LINK "}", ALL_REDUCE("bidirectional-ring", ""), 1},
    {"{'type': 'switch', 'endpoints': 8, " LINK "}", ALL_REDUCE("two-shot", ""), 1},
    {"{'type': 'switch', 'endpoints': 8, " LINK "}", ALL_REDUCE("recursive-doubling", ""), 0}, // xor is no shift
    {"{'type': 'switch', 'endpoints': 8, " LINK "}", ALL_REDUCE("tree", ""), 0},               // the root is unlike the others
    {"{'type': 'switch', 'endpoints': 8, " LINK "}", "{'type': 'collective', 'collective': 'barrier', 'repeat': 3}", 1},
    {"{'type': 'ring', 'endpoints': 9, " LINK "}", ALL_TO_ALL("rank", "all-at-once"), 1},
    {"{'type': 'ring', 'endpoints': 9, " LINK ", 'directions': 'one'}", ALL_REDUCE("ring", ", 'repeat': 2"), 1},
    {"{'type': 'ring', 'endpoints': 8, " LINK "}", ALL_REDUCE("ring", ", 'sync': 'step'"), 2}, // ties by parity
    {"{'type': 'full', 'endpoints': 6, " LINK "}", ALL_TO_ALL("rank", "all-at-once"), 1},
    {"{'type': 'full', 'endpoints': 6, " LINK "}", "{'type': 'collective', 'collective': 'all-gather', 'size': '7200KB'}", 1},
    {"{'type': 'hypercube', 'dimension': 3, " LINK "}", ALL_REDUCE("recursive-doubling", ""), 1},
    {"{'type': 'hypercube', 'dimension': 3, " LINK "}", ALL_REDUCE("rabenseifner", ""), 1},
    {"{'type': 'hypercube', 'dimension': 3, " LINK "}", ALL_TO_ALL("shift", "all-at-once"), 1},
    {"{'type': 'torus', 'dims': [3, 5], " LINK "}", ALL_REDUCE("torus", ""), 1},
    {"{'type': 'torus', 'dims': [3, 5], " LINK "}", ALL_REDUCE("ring", ""), 5}, // row by row: rows are alike
    {"{'type': 'torus', 'dims': [3, 2], " LINK ", 'wrap2': 'double'}", ALL_TO_ALL("shift", "all-at-once"), 2},
    {"{'type': 'cluster', 'nodes': 4, 'node': {'type': 'switch', 'endpoints': 4, " LINK "}, " NICS "}", ALL_REDUCE("ring", ""), 4},
    {"{'type': 'cluster', 'nodes': 4, 'node': {'type': 'switch', 'endpoints': 4, " LINK "}, " NICS ", 'planes': 2}",
     ALL_REDUCE("hierarchical", ""), 4},
    {"{'type': 'cluster', 'nodes': 4, 'node': {'type': 'ring', 'endpoints': 4, " LINK "}, " NICS ", 'nics_per_node': 2}",
     ALL_REDUCE("hierarchical", ", 'sync': 'step'"), 4},
    {"{'type': 'cluster', 'nodes': 5, 'node': {'type': 'full', 'endpoints': 3, " LINK "}, " NICS "}", ALL_REDUCE("hierarchical", ""), 3},
    {"{'type': 'cluster', 'nodes': 4, 'node': {'type': 'switch', 'endpoints': 4, " LINK "}, " NICS "}", ALL_TO_ALL("rank", "all-at-once"),
     4},
    {"{'type': 'mesh', 'dims': [3, 3], " LINK "}", ALL_TO_ALL("rank", "all-at-once"), 0},
    {"{'type': 'switch', 'endpoints': 6, " LINK "}",
     "{'type': 'sequence', 'barrier': true, 'repeat': 2, 'of': [" ALL_REDUCE("ring", "") ", " ALL_TO_ALL("rank", "all-at-once") "]}", 1},
    {"{'type': 'switch', 'endpoints': 6, " LINK "}",
     "{'type': 'parallel', 'of': [" ALL_REDUCE("ring", "") ", " ALL_TO_ALL("rank", "steps") "]}", 1},
    {"{'type': 'switch', 'endpoints': 6, " LINK "}",
     "{'type': 'sequence', 'of': [" ALL_REDUCE("ring", "") ", {'type': 'messages', 'messages': [{'from': 0, 'to': 1, 'size': '1B'}]}]}", 0},
};

START_TEST(collectives_on_shapes) {
    static const char *const costs[] = {"", ", 'costs': {'send_overhead': '1us', 'launch_overhead': '2us', 'reduce_bandwidth': '99GB/s'}"};
    const struct folding *folding = &foldings[_i];
    for (int way = 0; way < 4; way++) {
        bool full = strstr(folding->topology, "'full', 'endpoints': 6") != NULL; // its ports do not shift
        uint64_t uses =
            representatives("{'network': {'topology': %s, %s}, 'workload': %s%s}", folding->topology,
                            way % 2 ? "'chunk': '50KB'" : "'switching': 'store-and-forward'", folding->workload, costs[way / 2]);
        uint64_t expected = full && way >= 2 ? 0 : folding->representatives;
        ck_assert_msg(uses == expected, "%u representatives, not %u: %s with %s", (unsigned)uses, (unsigned)expected, folding->topology,
                      folding->workload);
    }
}
END_TEST

/// What takes the symmetry of an all-to-all on a switch of 6 away: more of the network, of the workload, and beside both.
static const struct spoiler {
    const char *network, *workload, *beside;
} spoilers[] = {
    {", 'overrides': [{'from': '2', 'to': 's0', 'bandwidth': '20GB/s'}]", "", ""},
    {", 'overrides': [{'from': 's0', 'to': '5', 'latency': '501ns'}]", "", ""},
    {", 'injection': 'round-robin'", "", ""},
    {"", ", 'start': {'3': '1us'}", ""},
    {"", ", 'ranks': [0, 1, 2, 3, 4, 5]", ""},
    {"", ", 'size': '7200001B'", ""},
    {"", "", ", 'ranks': 5"},
    {"", "", ", 'mapping': {'type': 'random', 'seed': 3}"},
    {"", "", ", 'mapping': [1, 0, 2, 3, 4, 5]"},
};

START_TEST(what_differs_is_run_in_full) {
    const struct spoiler *spoiler = &spoilers[_i];
    ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'switch', 'endpoints': 6, " LINK "}%s}%s,"
                                      " 'workload': {'type': 'collective', 'collective': 'all-to-all', 'schedule': 'all-at-once'%s%s}}",
                                      spoiler->network, spoiler->beside, spoiler->workload,
                                      strstr(spoiler->workload, "size") ? "" : ", 'size': '7200KB'"),
                      0);
}
END_TEST

// One slow link leaves no shift of the torus; a whole dim that is slower leaves all.
START_TEST(overrides_break_shifts) {
    const char *format = "{'network': {'topology': {'type': 'torus', 'dims': [3, 3], %s}, 'overrides': [%s]}, 'workload': " ALL_TO_ALL(
        "shift", "all-at-once") "}";
    ck_assert_uint_eq(representatives(format, LINK, "{'from': '4', 'to': '5', 'bandwidth': '40GB/s'}"), 0);
    const char *links = "'links': [{'bandwidth': '45GB/s', 'latency': '500ns'}, {'bandwidth': '9GB/s', 'latency': '2us'}]";
    ck_assert_uint_eq(representatives(format, links, ""), 1);
}
END_TEST

// Every row has the same slow link: rows are alike, columns are not.
START_TEST(a_symmetry_may_be_of_one_dim) {
    ck_assert_uint_eq(
        representatives("{'network': {'topology': {'type': 'torus', 'dims': [3, 3], " LINK "}, 'overrides': ["
                        "{'from': '0', 'to': '1', 'bandwidth': '40GB/s'}, {'from': '3', 'to': '4', 'bandwidth': '40GB/s'},"
                        "{'from': '6', 'to': '7', 'bandwidth': '40GB/s'}]}, 'workload': " ALL_TO_ALL("shift", "all-at-once") "}"),
        3);
}
END_TEST

// Hashed flows go their own ways; and switches that lead to switches are not folded.
START_TEST(fabrics_of_many_switches_are_run_in_full) {
    ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'cluster', 'nodes': 4, 'node': {'type': 'switch', 'endpoints': 2,"
                                      " " LINK "}, 'nic_link': {'bandwidth': '25GB/s', 'latency': '2us'}, 'fabric': {'type': 'leaf-spine',"
                                      " 'leaves': 2, 'spines': 2, 'up_link': {'bandwidth': '50GB/s', 'latency': '1us'}, 'ecmp': 'hash'}}},"
                                      " 'workload': " ALL_REDUCE("ring", "") "}"),
                      0);
}
END_TEST

// More pairs and operations than are checked one by one.
START_TEST(a_larger_torus) {
    ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'torus', 'dims': [9, 8, 8], " LINK ", 'ties': 'positive'}},"
                                      " 'workload': {'type': 'collective', 'collective': 'all-to-all', 'order': 'shift', 'size': '576KB',"
                                      " 'schedule': 'all-at-once'}}"),
                      1);
    ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'cluster', 'nodes': 100, 'node': {'type': 'switch', 'endpoints':"
                                      " 6, " LINK "}, " NICS "}}, 'workload': {'type': 'collective', 'collective': 'all-reduce',"
                                      " 'algorithm': 'hierarchical', 'size': '600KB'}}"),
                      6);
}
END_TEST

// Of more sizes than there is room for in the table, each chunk of its own size; the last messages have a full chunk too.
START_TEST(more_sizes_than_are_kept) {
    enum { SIZES = 4200 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 1; i <= SIZES + 1; i++)
        fprintf(out, "%s{'type': 'collective', 'collective': 'all-to-all', 'order': 'shift', 'schedule': 'all-at-once', 'size': '%dB'}",
                i > 1 ? ", " : "", i <= SIZES ? 3 * i : 3 * 9000);
    fclose(out);
    ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'ring', 'endpoints': 3, " LINK "}, 'chunk': '8KiB'},"
                                      " 'workload': {'type': 'sequence', 'of': [%s]}}",
                                      text),
                      1);
    free(text);
}
END_TEST

/// A run is followed rank by rank where somebody wants to know, or where little would be saved.
static uint64_t folded_with(struct run_limits limits) {
    struct simulation run;
    simulate_limited(&run, &limits, "{'network': {'topology': {'type': 'switch', 'endpoints': 6, " LINK "}}, 'workload': %s}",
                     ALL_REDUCE("ring", ""));
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    uint64_t uses = run.result.savings[SHORTCUT_SYMMETRY].uses;
    simulation_free(&run);
    return uses;
}

START_TEST(only_where_nobody_watches) {
    const uint32_t all = SHORTCUTS_ALL, others = SHORTCUTS_ALL & ~(1u << SHORTCUT_SYMMETRY);
    ck_assert_uint_eq(folded_with((struct run_limits){.shortcuts = all, .proof = PROOF_CHOICE_OFF}), 1);
    ck_assert_uint_eq(folded_with((struct run_limits){.shortcuts = all}), 0);
    ck_assert_uint_eq(folded_with((struct run_limits){.shortcuts = all, .proof = PROOF_CHOICE_ON}), 0);
    ck_assert_uint_eq(folded_with((struct run_limits){.shortcuts = others, .proof = PROOF_CHOICE_OFF}), 0);
    ck_assert_uint_eq(folded_with((struct run_limits){.shortcuts = all, .proof = PROOF_CHOICE_OFF, .engine = ENGINE_HEAP}), 0);
    ck_assert_uint_eq(folded_with((struct run_limits){.shortcuts = all, .proof = PROOF_CHOICE_OFF, .until_ticks = INT64_MAX / 2}), 0);
}
END_TEST

// 2000 messages each on 2000 endpoints are folded of their own accord; so many deliveries are still counted one by one.
START_TEST(many_messages_are_folded) {
    struct simulation run;
    const char *format = "{'network': {'topology': {'type': 'switch', 'endpoints': %d, " LINK "}}, 'workload': {'type': 'collective',"
                         " 'collective': 'all-to-all', 'size': '%dKB', 'schedule': 'all-at-once'}}";
    simulate_limited(&run, &(struct run_limits){.shortcuts = SHORTCUTS_ALL}, format, 2000, 2000);
    ck_assert_uint_eq(run.result.savings[SHORTCUT_SYMMETRY].uses, 1);
    ck_assert_int_eq(run.result.proof, PROOF_LEFT);
    ck_assert_uint_eq(run.result.messages, UINT64_C(2000) * 1999);
    ck_assert(!run.result.no_digest && run.result.has_orbit_digest);
    simulation_free(&run);
    simulate_limited(&run, &(struct run_limits){.shortcuts = SHORTCUTS_ALL}, format, 5000, 5000);
    ck_assert(run.result.no_digest && run.result.has_orbit_digest);
    // the first of 4999 blocks of 1 KB is at the receiver after two links, and the others follow it without a gap
    const int64_t service = 22222223;
    ck_assert_int_eq(run.result.makespan_ticks, 2 * INT64_C(500000000) + 4999 * service);
    simulation_free(&run);
}
END_TEST

// The first rank of a node posts 9 messages a repetition, the others 3: 60 by all 16.
START_TEST(few_messages_are_proved_though_rank_0_posts_many) {
    const char *format = "{'network': {'topology': {'type': 'cluster', 'nodes': 2, 'node': {'type': 'switch', 'endpoints': 8, " LINK "},"
                         " 'nic_link': {'bandwidth': '45GB/s', 'latency': '1us'}, 'fabric': {'type': 'switch'}}}, 'workload':"
                         " {'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'hierarchical', 'inner': 'naive',"
                         " 'size': '1600B', 'repeat': %d}}";
    for (int more = 0; more < 2; more++) {
        struct simulation run;
        simulate_limited(&run, &(struct run_limits){.shortcuts = 1u << SHORTCUT_SYMMETRY}, format, 16666 + more);
        ck_assert_uint_eq(run.result.messages, UINT64_C(60) * (16666 + (uint64_t)more)); // 999,960 and 1,000,020
        ck_assert_uint_eq(run.result.savings[SHORTCUT_SYMMETRY].uses, more ? 8 : 0);
        ck_assert_int_eq(run.result.proof, more ? PROOF_LEFT : PROOF_PROVED);
        simulation_free(&run);
    }
}
END_TEST

static bool stop(void *context, int64_t now_ticks, uint64_t chunk_hops) {
    (void)context, (void)now_ticks, (void)chunk_hops;
    return false;
}

// As in a run in full, nothing is said of the proof of collectives that have not ended.
START_TEST(an_interrupted_run_has_no_proof) {
    struct simulation run;
    simulate_limited(&run, &(struct run_limits){.shortcuts = SHORTCUTS_ALL, .progress = stop},
                     "{'network': {'topology': {'type': 'switch', 'endpoints': 2000, " LINK "}}, 'workload': {'type': 'collective',"
                     " 'collective': 'all-to-all', 'size': '2000KB', 'schedule': 'all-at-once', 'repeat': 1000}}");
    ck_assert_int_eq(run.result.status, RUN_INTERRUPTED);
    ck_assert_uint_eq(run.result.savings[SHORTCUT_SYMMETRY].uses, 1);
    ck_assert_int_eq(run.result.proof, PROOF_OFF);
    simulation_free(&run);
}
END_TEST

static char *draw_shape(struct random_stream *random) {
    static const char *const ties[] = {"parity", "positive", "split"};
    switch (draw(random, 0, 5)) {
    case 0: return text_format("{'type': 'switch', 'endpoints': %u, " LINK "}", draw(random, 2, 12));
    case 1:
        return text_format("{'type': 'ring', 'endpoints': %u, " LINK ", 'ties': '%s', 'directions': '%s'}", draw(random, 2, 12),
                           ties[draw(random, 0, 2)], draw(random, 0, 1) ? "both" : "one");
    case 2:
        return text_format("{'type': 'torus', 'dims': [%u, %u, %u], " LINK ", 'ties': '%s', 'wrap2': '%s'}", draw(random, 1, 4),
                           draw(random, 1, 4), draw(random, 2, 4), ties[draw(random, 0, 2)], draw(random, 0, 1) ? "single" : "double");
    case 3: return text_format("{'type': 'hypercube', 'dimension': %u, " LINK "}", draw(random, 1, 4));
    case 4: return text_format("{'type': 'full', 'endpoints': %u, " LINK "}", draw(random, 2, 9));
    default:
        return text_format("{'type': 'cluster', 'nodes': %u, 'planes': %u, 'node': {'type': '%s', 'endpoints': %u, " LINK "}, " NICS "}",
                           draw(random, 2, 5), draw(random, 1, 2), draw(random, 0, 1) ? "switch" : "ring", draw(random, 2, 4));
    }
}

START_TEST(random_runs) {
    struct random_stream random;
    random_seed(&random, (uint64_t)_i + 1000);
    char *shape = draw_shape(&random);
    static const char *const workloads[] = {
        "'collective': 'all-to-all', 'algorithm': 'direct', 'schedule': 'all-at-once'",
        "'collective': 'all-to-all', 'algorithm': 'bruck'",
        "'collective': 'all-reduce', 'algorithm': 'ring'",
        "'collective': 'all-reduce', 'algorithm': 'bidirectional-ring'",
        "'collective': 'all-reduce', 'algorithm': 'one-shot'",
        "'collective': 'all-reduce', 'algorithm': 'recursive-doubling'",
        "'collective': 'all-gather', 'algorithm': 'ring'",
        "'collective': 'reduce-scatter', 'algorithm': 'ring'",
        "'collective': 'all-gather', 'algorithm': 'direct'",
    };
    const char *workload = workloads[draw(&random, 0, sizeof workloads / sizeof *workloads - 1)];
    // 0 bytes too: then several chunks leave a link at once, and the port by which they came to a switch decides
    static const unsigned sizes[] = {0, 1, 5040, 5040, 504000, 10080000};
    representatives("{'network': {'topology': %s, 'chunk': '%s', 'switching': '%s'}, 'workload': {'type': 'collective', %s, 'size': '%uB',"
                    " 'sync': '%s', 'repeat': %u}}",
                    shape, draw(&random, 0, 1) ? "whole" : "30KB", draw(&random, 0, 1) ? "cut-through" : "store-and-forward", workload,
                    sizes[draw(&random, 0, 5)], draw(&random, 0, 2) ? "free" : "step", draw(&random, 1, 3));
    free(shape);
}
END_TEST

Suite *test_symmetry_suite(void);
Suite *test_symmetry_suite(void) {
    Suite *suite = suite_create("symmetry");
    TCase *equal = tcase_create("equal");
    tcase_set_timeout(equal, 120);
    tcase_add_test(equal, all_to_all_on_tori);
    tcase_add_loop_test(equal, collectives_on_shapes, 0, (int)(sizeof foldings / sizeof *foldings));
    tcase_add_loop_test(equal, what_differs_is_run_in_full, 0, (int)(sizeof spoilers / sizeof *spoilers));
    tcase_add_test(equal, overrides_break_shifts);
    tcase_add_test(equal, a_symmetry_may_be_of_one_dim);
    tcase_add_test(equal, fabrics_of_many_switches_are_run_in_full);
    tcase_add_test(equal, a_larger_torus);
    tcase_add_test(equal, more_sizes_than_are_kept);
    tcase_add_loop_test(equal, random_runs, 0, 200);
    suite_add_tcase(suite, equal);
    TCase *use = tcase_create("use");
    tcase_add_test(use, only_where_nobody_watches);
    tcase_add_test(use, many_messages_are_folded);
    tcase_add_test(use, an_interrupted_run_has_no_proof);
    tcase_add_test(use, few_messages_are_proved_though_rank_0_posts_many);
    suite_add_tcase(suite, use);
    return suite;
}
