// What the lecture on collectives states about times, in exact ticks where a closed form exists. Alpha is the latency of a
// path (a switch gives half of it to each of its two links), beta the bandwidth: NVLink 450 GB/s and 2 us, InfiniBand NDR 50 GB/s and
// 5 us, ICI v5e 45 GB/s and 1 us. s(n) = n / beta, rounded up to ticks. Messages are whole, so cut through they take alpha + s(n).
#include <check.h>
#include <stdlib.h>

#include "base/units.h"
#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define SWITCH(p, beta, alpha)                                                                                          \
    "'network': {'topology': {'type': 'switch', 'endpoints': " p ", 'link': {'bandwidth': '" beta "', 'alpha': '" alpha \
    "'}}, 'chunk': 'whole'}"
#define NVLINK(p) SWITCH(p, "450GB/s", "2us")
#define INFINIBAND(p) SWITCH(p, "50GB/s", "5us")
#define ICI(p) SWITCH(p, "45GB/s", "1us")
#define CLUSTER(nodes)                                                                                                                  \
    "'network': {'topology': {'type': 'cluster', 'nodes': " nodes ", 'node': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': " \
    "'450GB/s', 'alpha': '2us'}}, 'nics_per_node': 8, 'nic_link': {'bandwidth': '50GB/s', 'alpha': '5us'}, 'fabric': {'type': "         \
    "'switch'}}, "                                                                                                                      \
    "'chunk': 'whole'}"
#define TORUS_4X4 \
    "'network': {'topology': {'type': 'torus', 'dims': [4, 4], 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}, 'chunk': 'whole'}"
#define RUN(network, collective, algorithm, size, more)                                                                             \
    "{" network ", 'workload': {'type': 'collective', 'collective': '" collective "', 'algorithm': '" algorithm "', 'size': '" size \
    "'" more "}}"

static int64_t s(int64_t bytes, int64_t beta) {
    int64_t ticks = 0;
    ck_assert(transfer_ticks(bytes, beta, TICKS_PER_S_FS, &ticks));
    return ticks;
}

static int64_t nvlink(int64_t bytes) { return s(bytes, INT64_C(450000000000)); }
static int64_t infiniband(int64_t bytes) { return s(bytes, INT64_C(50000000000)); }
static int64_t ici(int64_t bytes) { return s(bytes, INT64_C(45000000000)); }

/// Within `per_mille` of a figure that the lecture rounds.
static void check_near(double got, double value, double per_mille) {
    ck_assert_msg(got >= value * (1 - per_mille / 1000) && got <= value * (1 + per_mille / 1000), "%g is not within %g per mille of %g",
                  got, per_mille, value);
}

// 2.2: half the bandwidth is reached at n = alpha beta, in twice alpha.
START_TEST(half_bandwidth_points) {
    ck_assert_int_eq(ticks_of(RUN(NVLINK("2"), "send", "direct", "900KB", ", 'from': 0, 'to': 1")), 2 * 2 * US);
    ck_assert_int_eq(ticks_of(RUN(INFINIBAND("2"), "send", "direct", "250KB", ", 'from': 0, 'to': 1")), 2 * 5 * US);
    ck_assert_int_eq(ticks_of(RUN(ICI("2"), "send", "direct", "45KB", ", 'from': 0, 'to': 1")), 2 * 1 * US);
}
END_TEST

// 2.2 and exercise 1: alpha + s(n); 4 KB over NVLink reach 0.44 % of the link, 25 KB over InfiniBand 4.5 GB/s, 2.5 MB 45.5 GB/s.
START_TEST(one_message) {
    int64_t ticks = ticks_of(RUN(NVLINK("2"), "send", "direct", "4KB", ", 'from': 0, 'to': 1"));
    ck_assert_int_eq(ticks, 2 * US + nvlink(4000));
    check_near(4e3 / (double)ticks * 1e15 / 450e9, 0.0044, 20);
    ticks = ticks_of(RUN(INFINIBAND("2"), "send", "direct", "25KB", ", 'from': 0, 'to': 1"));
    ck_assert_int_eq(ticks, 5500 * US / 1000);
    check_near(25e3 / (double)ticks * 1e15, 4.5e9, 15);
    ticks = ticks_of(RUN(INFINIBAND("2"), "send", "direct", "2.5MB", ", 'from': 0, 'to': 1"));
    ck_assert_int_eq(ticks, 55 * US);
    check_near(2.5e6 / (double)ticks * 1e15, 45.5e9, 2);
}
END_TEST

// 4.2: scatter and ring all-gather: alpha + 7 s(n/8) + 7 (alpha + s(n/8)) = 16.1 and 49 us; binomial 3 (alpha + s(n)) = 6.2 and 62 us.
START_TEST(broadcasts_small_and_large) {
    int64_t small = ticks_of(RUN(NVLINK("8"), "broadcast", "scatter-allgather", "32KiB", ""));
    int64_t large = ticks_of(RUN(NVLINK("8"), "broadcast", "scatter-allgather", "8MiB", ""));
    ck_assert_int_eq(small, 8 * 2 * US + 14 * nvlink(32768 / 8));
    ck_assert_int_eq(large, 8 * 2 * US + 14 * nvlink((8 << 20) / 8));
    check_near((double)small, 16.1e9, 5);
    check_near((double)large, 49e9, 10);
    small = ticks_of(RUN(NVLINK("8"), "broadcast", "binomial", "32KiB", ""));
    large = ticks_of(RUN(NVLINK("8"), "broadcast", "binomial", "8MiB", ""));
    ck_assert_int_eq(small, 3 * (2 * US + nvlink(32768)));
    ck_assert_int_eq(large, 3 * (2 * US + nvlink(8 << 20)));
    check_near((double)small, 6.2e9, 5);
    check_near((double)large, 62e9, 5);
}
END_TEST

static int64_t all_reduce(int p, const char *algorithm, int64_t bytes) {
    return ticks_of(RUN(NVLINK("%d"), "all-reduce", "%s", "%lldB", ""), p, algorithm, (long long)bytes);
}

// Section 5: ring 2 (p-1) (alpha + s(n/p)); recursive doubling d (alpha + s(n)) with d = log2 p; Rabenseifner, its blocks halving, twice
// the sum of alpha + s(n/2) ... alpha + s(n/p); tree 2 d (alpha + s(n)); naive 2 (alpha + (p-1) s(n)); in the network alpha + s(n).
START_TEST(all_reduce_formulas) {
    const int64_t a = 2 * US;
    for (int p = 2, d = 1; p <= 64; p *= 2, d++)
        for (int64_t n = 1024; n <= 1 << 30; n *= 32) {
            int64_t halving = 0;
            for (int i = 1; i <= d; i++) halving += a + nvlink(n >> i);
            ck_assert_int_eq(all_reduce(p, "ring", n), 2 * (p - 1) * (a + nvlink(n / p)));
            ck_assert_int_eq(all_reduce(p, "recursive-doubling", n), d * (a + nvlink(n)));
            ck_assert_int_eq(all_reduce(p, "rabenseifner", n), 2 * halving);
            ck_assert_int_eq(all_reduce(p, "tree", n), 2 * d * (a + nvlink(n)));
            ck_assert_int_eq(all_reduce(p, "naive", n), 2 * (a + (p - 1) * nvlink(n)));
            ck_assert_int_eq(all_reduce(p, "in-network", n), a + nvlink(n));
        }
}
END_TEST

// 5.3 and exercise 3, p = 8 over NVLink. Ring and recursive doubling cross at 11 alpha beta / 1.25 = 7.92 MB, Rabenseifner and recursive
// doubling at 3 alpha beta / 1.25 = 2.16 MB, both whole in ticks; naive at alpha beta / 11 = 81.8 KB; with p = 16 at 26 alpha beta / 2.125
// = 11.0 MB.
START_TEST(crossovers) {
    ck_assert_int_eq(all_reduce(8, "ring", 7920000), all_reduce(8, "recursive-doubling", 7920000));
    ck_assert_int_gt(all_reduce(8, "ring", 7919992), all_reduce(8, "recursive-doubling", 7919992));
    ck_assert_int_lt(all_reduce(8, "ring", 7920008), all_reduce(8, "recursive-doubling", 7920008));
    ck_assert_int_eq(all_reduce(8, "rabenseifner", 2160000), all_reduce(8, "recursive-doubling", 2160000));
    ck_assert_int_gt(all_reduce(8, "rabenseifner", 2159992), all_reduce(8, "recursive-doubling", 2159992));
    ck_assert_int_lt(all_reduce(8, "rabenseifner", 2160008), all_reduce(8, "recursive-doubling", 2160008));
    ck_assert_int_lt(all_reduce(8, "naive", 81818), all_reduce(8, "recursive-doubling", 81818));
    ck_assert_int_gt(all_reduce(8, "naive", 81819), all_reduce(8, "recursive-doubling", 81819));
    ck_assert_int_gt(all_reduce(16, "ring", 11011760), all_reduce(16, "recursive-doubling", 11011760));
    ck_assert_int_lt(all_reduce(16, "ring", 11011776), all_reduce(16, "recursive-doubling", 11011776));
}
END_TEST

// 5.4: 64 KB over 512 devices: 1022 (alpha + s(125)) = 5.11256 ms against 9 (alpha + s(64000)) = 56.5 us.
START_TEST(many_small_steps) {
    ck_assert_int_eq(ticks_of(RUN(INFINIBAND("512"), "all-reduce", "ring", "64KB", "")), 1022 * (5 * US + infiniband(125)));
    ck_assert_int_eq(ticks_of(RUN(INFINIBAND("512"), "all-reduce", "recursive-doubling", "64KB", "")), 9 * (5 * US + infiniband(64000)));
}
END_TEST

// 5.5: broadcast of 8 MB, p = 8, ICI: naive alpha + 7 s(n); binomial 3 (alpha + s(n)); a chain of k = 32 pieces (p-2+k) (alpha + s(n/k))
// with a barrier after each step (249.11 us), 7 alpha + (p-2+k) s(n/k) without (218.11 us).
START_TEST(chain_broadcast) {
    const int64_t n = 8000000;
    int64_t binomial = ticks_of(RUN(ICI("8"), "broadcast", "binomial", "8MB", ""));
    int64_t chain = ticks_of(RUN(ICI("8"), "broadcast", "chain", "8MB", ", 'pieces': 32, 'sync': 'step'"));
    ck_assert_int_eq(ticks_of(RUN(ICI("8"), "broadcast", "naive", "8MB", "")), US + 7 * ici(n));
    ck_assert_int_eq(binomial, 3 * (US + ici(n)));
    ck_assert_int_eq(chain, 38 * (US + ici(n / 32)));
    ck_assert_int_eq(ticks_of(RUN(ICI("8"), "broadcast", "chain", "8MB", ", 'pieces': 32")), 7 * US + 38 * ici(n / 32));
    check_near((double)chain, 249.11e9, 0.1);
    check_near((double)chain / (double)binomial, 0.46, 20);
    check_near((double)chain / (double)ici(n), 1.40, 20);
}
END_TEST

static int64_t chain_with_barriers(const char *network, const char *size, int pieces) {
    return ticks_of("{%s, 'workload': {'type': 'collective', 'collective': 'broadcast', 'algorithm': 'chain', 'size': '%s', 'pieces': %d, "
                    "'sync': 'step'}}",
                    network, size, pieces);
}

static int best_pieces(const char *network, const char *size, int first, int last) {
    int best = first;
    for (int k = first + 1; k <= last; k++)
        if (chain_with_barriers(network, size, k) < chain_with_barriers(network, size, best)) best = k;
    return best;
}

// 5.5 and exercise 9: the best number of pieces is sqrt((p-2) n / (alpha beta)): 32.7 over ICI, 5.2 over NVLink with 4 MB, where the chain
// takes 11 (alpha + s(n/5)) = 41.56 us and binomial 3 (alpha + s(n)) = 32.67 us.
START_TEST(best_numbers_of_pieces) {
    ck_assert_int_eq(best_pieces(ICI("8"), "8MB", 28, 38), 33);
    ck_assert_int_eq(best_pieces(NVLINK("8"), "4MB", 1, 10), 5);
    ck_assert_int_eq(chain_with_barriers(NVLINK("8"), "4MB", 5), 11 * (2 * US + nvlink(800000)));
    ck_assert_int_eq(ticks_of(RUN(NVLINK("8"), "broadcast", "binomial", "4MB", "")), 3 * (2 * US + nvlink(4000000)));
}
END_TEST

// 5.6: 58 MB in 676.67 us over 8 devices are 150 GB/s of bus bandwidth; the ring takes that long with alpha = 32.2 us a step.
START_TEST(effective_alpha) {
    struct simulation run;
    simulate(&run, RUN(SWITCH("8", "450GB/s", "32222222222fs"), "all-reduce", "ring", "58MB", ""));
    ck_assert_int_eq(run.result.makespan_ticks, 14 * (INT64_C(32222222222) + nvlink(7250000)));
    check_near((double)run.result.makespan_ticks, 676.67e9, 0.1);
    check_near(collective_busbw(&run.result, &run.result.collectives[0]), 150e9, 1);
    simulation_free(&run);
}
END_TEST

// 6.1: a 4x4 torus, snake: the ring of 64 MB takes 30 (alpha + s(4 MB)) = 2696.667 us, of 64 KB 32.67 us; per dimension, 64 KB take
// 2 * 3 (alpha + s(n/4)) + 2 * 3 (alpha + s(n/16)) = 14.67 us.
START_TEST(torus_all_reduce) {
    ck_assert_int_eq(
        ticks_of("{" TORUS_4X4 ", 'mapping': 'snake', 'workload': {'type': 'collective', 'collective': 'all-reduce', 'size': '64MB'}}"),
        INT64_C(2696666666670));
    ck_assert_int_eq(
        ticks_of("{" TORUS_4X4 ", 'mapping': 'snake', 'workload': {'type': 'collective', 'collective': 'all-reduce', 'size': '64KB'}}"),
        30 * (US + ici(4000)));
    ck_assert_int_eq(ticks_of(RUN(TORUS_4X4, "all-reduce", "torus", "64KB", "")), 6 * (US + ici(16000)) + 6 * (US + ici(4000)));
}
END_TEST

static int64_t mapped(const char *mapping, int seed) {
    return ticks_of(
        "{'seed': %d, 'network': {'topology': {'type': 'torus', 'dims': [4, 4], 'link': {'bandwidth': '45GB/s', 'latency': '1us'}},"
        "'chunk': '32KiB', 'switching': 'store-and-forward'}, 'mapping': '%s', 'workload': {'type': 'collective',"
        "'collective': 'all-reduce', 'size': '64MB', 'sync': 'step'}}",
        seed, mapping);
}

static int by_value(const void *left, const void *right) {
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

// 6.1: with barriers, stored and forwarded in 32 KiB chunks, row-major is 2 % slower than snake, random about twice (median of 20).
START_TEST(mappings_of_a_ring) {
    double snake = (double)mapped("snake", 1);
    check_near((double)mapped("linear", 1) / snake, 1.02, 5);
    int64_t random[20];
    for (int seed = 0; seed < 20; seed++) random[seed] = mapped("random", seed + 1);
    qsort(random, 20, sizeof *random, by_value);
    check_near((double)(random[9] + random[10]) / 2 / snake, 2.0, 50);
}
END_TEST

// 6.2: all-to-all of 64 devices with 16 MB each through a switch, all at once: the egress bound 63/64 n / beta = 350 us.
START_TEST(all_to_all_at_the_egress_bound) {
    int64_t ticks = ticks_of(RUN(ICI("64"), "all-to-all", "direct", "16MB", ", 'schedule': 'all-at-once'"));
    check_near((double)ticks, 350e9, 5);
    ck_assert_int_ge(ticks, 63 * ici(250000));
}
END_TEST

// 6.2: on a ring of 64 each half has 32 * 32 blocks of 250 KB for the other, over two links. All at once reaches that bound; step by step
// takes 2 to 4 times as long.
START_TEST(all_to_all_on_a_ring) {
#define RING "'network': {'topology': {'type': 'ring', 'endpoints': 64, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}, 'chunk': '%s'}"
    double bound = (double)ici(INT64_C(250000) * 32 * 32 / 2);
    int64_t at_once = ticks_of(RUN(RING, "all-to-all", "direct", "16MB", ", 'schedule': 'all-at-once'"), "whole");
    int64_t steps = ticks_of(RUN(RING, "all-to-all", "direct", "16MB", ", 'sync': 'step'"), "whole");
#undef RING
    check_near((double)at_once / bound, 1.00, 20);
    ck_assert_msg((double)steps / bound >= 1.9 && (double)steps / bound <= 4.0, "%g", (double)steps / bound);
}
END_TEST

#define STEPS(topology)                                                                                                                \
    "{'network': {'topology': {" topology "}, 'model': 'alpha-beta'}, 'workload': {'type': 'collective', 'collective': 'all-to-all', " \
    "'algorithm': 'direct', 'size': '16MB'}}"

// 6.2: step by step under the alpha-beta model, a ring of 64 over a switch: 16.25 times with ties positive, 16.04 by parity. On the switch
// 63 (alpha + s(n/64)); on the ring step k has min(k, 64-k) alpha and as many blocks on a link, but at k = 32 all go one way, or half each.
START_TEST(ring_over_switch) {
    int64_t through = ticks_of(STEPS("'type': 'switch', 'endpoints': 64, 'link': {'bandwidth': '45GB/s', 'alpha': '1us'}"));
    ck_assert_int_eq(through, 63 * (US + ici(250000)));
    int64_t positive =
        ticks_of(STEPS("'type': 'ring', 'endpoints': 64, 'ties': 'positive', 'link': {'bandwidth': '45GB/s', 'latency': '1us'}"));
    int64_t parity = ticks_of(STEPS("'type': 'ring', 'endpoints': 64, 'link': {'bandwidth': '45GB/s', 'latency': '1us'}"));
    int64_t expected = 0;
    for (int k = 1; k < 32; k++) expected += 2 * (k * US + ici(k * 250000));
    ck_assert_int_eq(positive, expected + 32 * US + ici(32 * 250000));
    ck_assert_int_eq(parity, expected + 32 * US + ici(16 * 250000));
    check_near((double)positive / (double)through, 16.25, 2);
    check_near((double)parity / (double)through, 16.04, 2);
}
END_TEST

// 6.3 and exercise 6, nodes of 8: hierarchical 14 (alpha_in + s_in(n/8)) + 2 (N-1) (alpha_out + s_out(n/(8 N))). The flat ring's slowest
// link is a NIC: about 2 (8 N - 1) s_out(n/(8 N)).
static int64_t hierarchical(int64_t n, int nodes) {
    return 14 * (2 * US + nvlink(n / 8)) + 2 * (nodes - 1) * (5 * US + infiniband(n / 8 / nodes));
}

START_TEST(hierarchical_all_reduce) {
    int64_t inner = ticks_of(RUN(CLUSTER("4"), "all-reduce", "hierarchical", "512MB", ""));
    int64_t flat = ticks_of(RUN(CLUSTER("4"), "all-reduce", "ring", "512MB", ""));
    ck_assert_int_eq(inner, hierarchical(512000000, 4));
    check_near((double)inner, 3.9e12, 30);
    check_near((double)flat, 19.8e12, 5);
    check_near((double)flat / (double)inner, 5.0, 10);
    inner = ticks_of(RUN(CLUSTER("16"), "all-reduce", "hierarchical", "512MB", ""));
    flat = ticks_of(RUN(CLUSTER("16"), "all-reduce", "ring", "512MB", ""));
    ck_assert_int_eq(inner, hierarchical(512000000, 16));
    check_near((double)flat / (double)inner, 4.448, 5);
}
END_TEST

// 6.3: at 64 KB the gain grows with the nodes.
START_TEST(hierarchical_gains_with_nodes) {
    static const struct {
        int nodes;
        double gain;
    } rows[] = {{2, 1.889}, {4, 2.540}, {8, 3.051}, {16, 3.386}};
    for (int i = 0; i < 4; i++) {
        int64_t inner = ticks_of(RUN(CLUSTER("%d"), "all-reduce", "hierarchical", "64KB", ""), rows[i].nodes);
        int64_t flat = ticks_of(RUN(CLUSTER("%d"), "all-reduce", "ring", "64KB", ""), rows[i].nodes);
        check_near((double)flat / (double)inner, rows[i].gain, 2);
    }
}
END_TEST

// 4.3: bytes that each rank sends, in units of n, p = 8: ring and Rabenseifner 2 (p-1)/p; recursive doubling 3; naive 7 at the root,
// else 1.
START_TEST(bytes_sent) {
    static const struct {
        const char *algorithm;
        int64_t root, others;
    } rows[] = {{"ring", 14, 14}, {"rabenseifner", 14, 14}, {"recursive-doubling", 24, 24}, {"naive", 56, 8}};
    for (int i = 0; i < 4; i++) {
        struct simulation run;
        simulate(&run, RUN(NVLINK("8"), "all-reduce", "%s", "8000B", ""), rows[i].algorithm);
        for (uint32_t r = 0; r < 8; r++) ck_assert_int_eq(run.result.bytes_sent[r], 1000 * (r ? rows[i].others : rows[i].root));
        simulation_free(&run);
    }
}
END_TEST

// 7.1, 7.2, 7.3: the 160 all-reduces of a step of Llama-3.1-70B, TP = 8, 16 KiB a token: batch 1, batch 64, alpha alone; TP = 16 over two
// nodes.
START_TEST(decode_step) {
    int64_t ring = ticks_of(RUN(NVLINK("8"), "all-reduce", "ring", "16KiB", ", 'repeat': 160"));
    int64_t doubling = ticks_of(RUN(NVLINK("8"), "all-reduce", "recursive-doubling", "16KiB", ", 'repeat': 160"));
    ck_assert_int_eq(ring, 160 * 14 * (2 * US + nvlink(2048)));
    ck_assert_int_eq(doubling, 160 * 3 * (2 * US + nvlink(16384)));
    check_near((double)ring, 4.49e12, 2);
    check_near((double)doubling / (double)ring, 0.2177, 10);
    ck_assert_int_eq(ticks_of(RUN(NVLINK("8"), "all-reduce", "ring", "0B", ", 'repeat': 160")), 4480 * US);
    int64_t batch = ticks_of(RUN(NVLINK("8"), "all-reduce", "ring", "1MiB", ", 'repeat': 160"));
    ck_assert_int_eq(batch, 160 * 14 * (2 * US + nvlink(1 << 17)));
    check_near((double)batch, 5.13e12, 1);
    int64_t two_nodes = ticks_of(RUN(CLUSTER("2"), "all-reduce", "hierarchical", "1MiB", ", 'repeat': 160"));
    ck_assert_int_eq(two_nodes, 160 * hierarchical(1 << 20, 2));
    check_near((double)two_nodes, 7.15e12, 1);
}
END_TEST

// Exercise 4: ring all-gather of bf16[1024, 16384]: 7 (alpha + s(4 MiB)) = 79.25 us. Exercise 7: 64 all-reduces of 128 KiB over 4 devices.
START_TEST(exercises_4_and_7) {
    ck_assert_int_eq(ticks_of(RUN(NVLINK("8"), "all-gather", "ring", "32MiB", "")), 7 * (2 * US + nvlink(4 << 20)));
    ck_assert_int_eq(ticks_of(RUN(NVLINK("4"), "all-reduce", "ring", "128KiB", ", 'repeat': 64")), 64 * 6 * (2 * US + nvlink(32768)));
    ck_assert_int_eq(ticks_of(RUN(NVLINK("4"), "all-reduce", "recursive-doubling", "128KiB", ", 'repeat': 64")),
                     64 * 2 * (2 * US + nvlink(131072)));
}
END_TEST

// Exercise 8: KV of 8192 tokens, 80 layers, heads of 128, BF16, over one NIC: 2 * 80 * heads * 128 * 2 * 8192 bytes, 430 and 54 ms; FP8 27
// ms.
START_TEST(exercise_8) {
    static const struct {
        int64_t heads, bytes_a_value;
        double seconds;
    } rows[] = {{64, 2, 0.430}, {8, 2, 0.054}, {8, 1, 0.027}};
    for (int i = 0; i < 3; i++) {
        int64_t n = 2 * 80 * rows[i].heads * 128 * rows[i].bytes_a_value * 8192;
        int64_t ticks = ticks_of(RUN(INFINIBAND("2"), "send", "direct", "%lldB", ", 'from': 0, 'to': 1"), (long long)n);
        ck_assert_int_eq(ticks, 5 * US + infiniband(n));
        check_near((double)ticks / 1e15, rows[i].seconds, 10);
    }
}
END_TEST

Suite *test_lecture_suite(void) {
    Suite *suite = suite_create("lecture");
    TCase *tests = tcase_create("lecture");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, half_bandwidth_points);
    tcase_add_test(tests, one_message);
    tcase_add_test(tests, broadcasts_small_and_large);
    tcase_add_test(tests, all_reduce_formulas);
    tcase_add_test(tests, crossovers);
    tcase_add_test(tests, many_small_steps);
    tcase_add_test(tests, chain_broadcast);
    tcase_add_test(tests, best_numbers_of_pieces);
    tcase_add_test(tests, effective_alpha);
    tcase_add_test(tests, torus_all_reduce);
    tcase_add_test(tests, mappings_of_a_ring);
    tcase_add_test(tests, all_to_all_at_the_egress_bound);
    tcase_add_test(tests, all_to_all_on_a_ring);
    tcase_add_test(tests, ring_over_switch);
    tcase_add_test(tests, hierarchical_all_reduce);
    tcase_add_test(tests, hierarchical_gains_with_nodes);
    tcase_add_test(tests, bytes_sent);
    tcase_add_test(tests, decode_step);
    tcase_add_test(tests, exercises_4_and_7);
    tcase_add_test(tests, exercise_8);
    suite_add_tcase(suite, tests);
    return suite;
}
