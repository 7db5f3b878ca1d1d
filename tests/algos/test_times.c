// What each algorithm takes on the network that it was designed for, in exact ticks, beside its closed form. A link has
// 1 GB/s, so a byte takes 10^6 ticks and nothing is rounded; alpha is 1 us (half of it on each link of a switch).
// n is the size, p the ranks; messages are whole.
#include <check.h>

#include "golden/simulation.h"

#define BYTE INT64_C(1000000)
#define ALPHA INT64_C(1000000000)

#define LINK "'link': {'bandwidth': '1GB/s', 'latency': '1us'}"
#define SWITCH(p) "{'type': 'switch', 'endpoints': " p ", 'link': {'bandwidth': '1GB/s', 'alpha': '1us'}}"
#define RING(p) "{'type': 'ring', 'endpoints': " p ", " LINK "}"
#define TORUS(dims) "{'type': 'torus', 'dims': [" dims "], " LINK "}"
#define FULL(p) "{'type': 'full', 'endpoints': " p ", " LINK "}"
/// Inside a node 4 GB/s and the same alpha.
#define CLUSTER(nodes, g)                                                                                                        \
    "{'type': 'cluster', 'nodes': " nodes ", 'node': {'type': 'switch', 'endpoints': " g                                         \
    ", 'link': {'bandwidth': '4GB/s', 'alpha': '1us'}}, 'nic_link': {'bandwidth': '1GB/s', 'alpha': '1us'}, 'fabric': {'type': " \
    "'switch'}}"
/// Three links up and down a tree of leaves and spines.
#define LEAF_SPINE                                                                                              \
    "{'type': 'leaf-spine', 'leaves': 4, 'hosts_per_leaf': 4, 'spines': 2, 'cables_per_pair': 1, 'host_link': " \
    "{'bandwidth': '1GB/s', 'latency': '1us'}, 'up_link': {'bandwidth': '1GB/s', 'latency': '1us'}}"

struct timing {
    const char *topology, *collective; ///< the collective's name and algorithm, and what else it needs
    const char *size;
    int64_t ticks; ///< the closed form
};

static void check_timings(const struct timing *timings, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct timing *t = &timings[i];
        int64_t ticks = ticks_of("{'network': {'topology': %s, 'chunk': 'whole'}, 'workload': {'type': 'collective', %s%s%s%s}}",
                                 t->topology, t->collective, t->size ? ", 'size': '" : "", t->size ? t->size : "", t->size ? "'" : "");
        ck_assert_msg(ticks == t->ticks, "%s on %s: %lld ticks, not %lld", t->collective, t->topology, (long long)ticks,
                      (long long)t->ticks);
    }
}

#define CHECK_TIMINGS(timings) check_timings(timings, sizeof(timings) / sizeof *(timings))
#define OF(collective, algorithm) "'collective': '" collective "', 'algorithm': '" algorithm "'"

START_TEST(all_reduce) {
    static const struct timing timings[] = {
        // 2(p-1)(alpha + n/p)
        {RING("8"), OF("all-reduce", "ring"), "8000B", 14 * (ALPHA + 1000 * BYTE)},
        // both directions at once, n/2 each
        {RING("8"), OF("all-reduce", "bidirectional-ring"), "8000B", 14 * (ALPHA + 500 * BYTE)},
        // log2(p) (alpha + n); with a fold and an unfold of n before and after where p is no power of two
        {SWITCH("8"), OF("all-reduce", "recursive-doubling"), "1000B", 3 * (ALPHA + 1000 * BYTE)},
        // 2 log2(p) alpha + 2 (p-1)/p n
        {SWITCH("8"), OF("all-reduce", "rabenseifner"), "8000B", 6 * ALPHA + 14000 * BYTE},
        // 2 ceil(log2 p) (alpha + n)
        {SWITCH("8"), OF("all-reduce", "tree"), "1000B", 6 * (ALPHA + 1000 * BYTE)},
        // 2 (alpha + (p-1) n)
        {SWITCH("8"), OF("all-reduce", "naive"), "1000B", 2 * (ALPHA + 7000 * BYTE)},
        // a cable for each pair: alpha + n; through one link: alpha + (p-1) n
        {FULL("6"), OF("all-reduce", "one-shot"), "1000B", ALPHA + 1000 * BYTE},
        {SWITCH("6"), OF("all-reduce", "one-shot"), "1000B", ALPHA + 5000 * BYTE},
        // 2 (alpha + n/p); 2 (alpha + (p-1)/p n)
        {FULL("6"), OF("all-reduce", "two-shot"), "6000B", 2 * (ALPHA + 1000 * BYTE)},
        {SWITCH("6"), OF("all-reduce", "two-shot"), "6000B", 2 * (ALPHA + 5000 * BYTE)},
        // last dim of 5 first: 2 [4 (alpha + n/5) + 2 (alpha + n/15)]
        {TORUS("3, 5"), OF("all-reduce", "torus"), "15000B", 2 * (4 * (ALPHA + 3000 * BYTE) + 2 * (ALPHA + 1000 * BYTE))},
        // 2d(k-1) alpha + (p-1)/p n/d on k^d
        {TORUS("4, 4"), OF("all-reduce", "torus-rotated"), "64000B", 12 * ALPHA + 30000 * BYTE},
        // 2 (g-1)(alpha + n/(4 g)) + 2 (N-1)(alpha + n/(g N))
        {CLUSTER("4", "4"), OF("all-reduce", "hierarchical"), "16000B", 6 * (ALPHA + 1000 * BYTE) + 6 * (ALPHA + 1000 * BYTE)},
    };
    CHECK_TIMINGS(timings);
}
END_TEST

// alpha + n on one switch; over leaf and spine and back four links of 1 us, then n.
START_TEST(in_network) {
    static const struct timing timings[] = {
        {SWITCH("8"), OF("all-reduce", "in-network"), "1000B", ALPHA + 1000 * BYTE},
        {LEAF_SPINE, OF("all-reduce", "in-network"), "1000B", 4 * ALPHA + 1000 * BYTE},
        {LEAF_SPINE, OF("all-reduce", "in-network") ", 'ranks': [4, 5, 6]", "1000B", 2 * ALPHA + 1000 * BYTE},
        // three times in a row
        {SWITCH("8"), OF("all-reduce", "in-network") ", 'repeat': 3", "1000B", 3 * (ALPHA + 1000 * BYTE)},
    };
    CHECK_TIMINGS(timings);
    // A switch that reduces half as fast as its links: ten chunks of 100 B take 200 ns each, one after another; the first
    // joins at alpha/2, the last has gone 10 x 200 ns later, and its tail is alpha/2 further on.
    ck_assert_int_eq(ticks_of("{'network': {'topology': " SWITCH(
                         "8") ", 'chunk': '100B'}, 'costs': {'switch_reduce_bandwidth': '500MB/s'}, "
                              "'workload': {'type': 'collective', " OF("all-reduce", "in-network") ", 'size': '1000B'}}"),
                     ALPHA + 2000 * BYTE);
}
END_TEST

START_TEST(halves) {
    static const struct timing timings[] = {
        {RING("8"), OF("reduce-scatter", "ring"), "8000B", 7 * (ALPHA + 1000 * BYTE)},
        {RING("8"), OF("all-gather", "ring"), "8000B", 7 * (ALPHA + 1000 * BYTE)},
        // log2(p) alpha + (p-1)/p n
        {SWITCH("8"), OF("reduce-scatter", "recursive-halving"), "8000B", 3 * ALPHA + 7000 * BYTE},
        {SWITCH("8"), OF("all-gather", "recursive-doubling"), "8000B", 3 * ALPHA + 7000 * BYTE},
        {SWITCH("8"), OF("all-gather", "bruck"), "8000B", 3 * ALPHA + 7000 * BYTE},
        // ceil(log2 6) alpha + 5/6 n: blocks of 1, 2 and 2
        {SWITCH("6"), OF("all-gather", "bruck"), "6000B", 3 * ALPHA + 5000 * BYTE},
        // alpha + n/p, a cable for each pair
        {FULL("6"), OF("reduce-scatter", "direct"), "6000B", ALPHA + 1000 * BYTE},
        {FULL("6"), OF("all-gather", "direct"), "6000B", ALPHA + 1000 * BYTE},
    };
    CHECK_TIMINGS(timings);
}
END_TEST

START_TEST(from_and_to_a_root) {
    static const struct timing timings[] = {
        // ceil(log2 p) (alpha + n)
        {SWITCH("8"), OF("broadcast", "binomial"), "1000B", 3 * (ALPHA + 1000 * BYTE)},
        {SWITCH("8"), OF("reduce", "binomial"), "1000B", 3 * (ALPHA + 1000 * BYTE)},
        // alpha + (p-1) n
        {SWITCH("8"), OF("broadcast", "naive"), "1000B", ALPHA + 7000 * BYTE},
        // by steps (p-2+k)(alpha + n/k)
        {SWITCH("8"), OF("broadcast", "chain") ", 'pieces': 10, 'sync': 'step'", "10000B", 16 * (ALPHA + 1000 * BYTE)},
        // by steps k + ceil(log2 p) - 1 of alpha + as many pieces as the root sends in one: 1, 2, 3, … 3, 2, 1
        {SWITCH("8"), OF("broadcast", "pipelined-binomial") ", 'pieces': 4, 'sync': 'step'", "4000B", 6 * ALPHA + 12000 * BYTE},
        // log2(p) alpha + (p-1)/p n: halves, quarters, eighths
        {SWITCH("8"), OF("scatter", "binomial"), "8000B", 3 * ALPHA + 7000 * BYTE},
        {SWITCH("8"), OF("gather", "binomial"), "8000B", 3 * ALPHA + 7000 * BYTE},
        {SWITCH("8"), OF("barrier", "dissemination"), NULL, 3 * ALPHA},
        {RING("8"), "'collective': 'send', 'from': 0, 'to': 4", "1000B", 4 * ALPHA + 1000 * BYTE},
    };
    CHECK_TIMINGS(timings);
}
END_TEST

START_TEST(all_to_all) {
    static const struct timing timings[] = {
        // (p-1)(alpha + n/p); all at once alpha + (p-1)/p n
        {SWITCH("8"), OF("all-to-all", "direct"), "8000B", 7 * (ALPHA + 1000 * BYTE)},
        {SWITCH("8"), OF("all-to-all", "direct") ", 'schedule': 'all-at-once'", "8000B", ALPHA + 7000 * BYTE},
        {SWITCH("8"), OF("all-to-all", "pairwise"), "8000B", 7 * (ALPHA + 1000 * BYTE)},
        // log2(p) (alpha + n/2)
        {SWITCH("8"), OF("all-to-all", "bruck"), "8000B", 3 * (ALPHA + 4000 * BYTE)},
        // (g-1)(alpha + n/(4 g)) + (N-1)(alpha + g n/p)
        {CLUSTER("4", "4"), OF("all-to-all", "two-level"), "16000B", 3 * (ALPHA + 1000 * BYTE) + 3 * (ALPHA + 4000 * BYTE)},
    };
    CHECK_TIMINGS(timings);
}
END_TEST

Suite *test_times_suite(void) {
    Suite *suite = suite_create("times");
    TCase *tcase = tcase_create("closed forms");
    tcase_add_test(tcase, all_reduce);
    tcase_add_test(tcase, in_network);
    tcase_add_test(tcase, halves);
    tcase_add_test(tcase, from_and_to_a_root);
    tcase_add_test(tcase, all_to_all);
    suite_add_tcase(suite, tcase);
    return suite;
}
