// Small scenarios on which simulators were seen to fail, each with its right answer and why. Unless said: links of 50 GB/s a direction
// (20000 ticks of 1 fs a byte), latency 0, which is one tick.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define MS (1000 * US)
#define NETWORK(topology, chunk) "'network': {'topology': {" topology "}, 'chunk': '" chunk "'}"
#define LINK "'link': {'bandwidth': '50GB/s', 'latency': '0s'}"
#define SWITCH(p) "'type': 'switch', 'endpoints': " p ", " LINK
#define RING(p) "'type': 'ring', 'endpoints': " p ", " LINK
#define TORUS(dims) "'type': 'torus', 'dims': [" dims "], " LINK
#define CABLE(bandwidth) "'type': 'graph', 'nodes': 2, 'links': [{'from': 0, 'to': 1, 'bandwidth': '" bandwidth "', 'latency': '0s'}]"
#define COLLECTIVE(collective, algorithm, size, more) \
    "'workload': {'type': 'collective', 'collective': '" collective "', 'algorithm': '" algorithm "', 'size': '" size "'" more "}"
#define SEND(size, more) COLLECTIVE("send", "direct", size, ", 'from': 0, 'to': 1" more)
#define MESSAGES(list) "'workload': {'type': 'messages', 'messages': [" list "]}"

static struct link_result busiest(const struct simulation *run) {
    uint32_t found = 0;
    for (uint32_t l = 1; l < run->result.link_count; l++)
        if (run->result.loads[l].bytes > run->result.loads[found].bytes) found = l;
    return link_result_of(&run->result, found);
}

static void check_near(int64_t got, int64_t value, int64_t tolerance) {
    ck_assert_msg(got >= value - tolerance && got <= value + tolerance, "%lld is not within %lld of %lld", (long long)got,
                  (long long)tolerance, (long long)value);
}

static void check_refusal(const char *text, const char *expected) {
    char *refusal = refusal_of("%s", text);
    ck_assert_str_eq(refusal, expected);
    free(refusal);
}

// 10^9 bytes: 1 s; 10^9 / 2^30 s; 20 ms; each and one tick of latency.
START_TEST(units) {
    ck_assert_int_eq(ticks_of("{" NETWORK(CABLE("1GB/s"), "whole") ", " SEND("1GB", "") "}"), 1000 * MS + 1);
    ck_assert_int_eq(ticks_of("{" NETWORK(CABLE("1GiB/s"), "whole") ", " SEND("1000000000B", "") "}"), INT64_C(931322574615479) + 1);
    ck_assert_int_eq(ticks_of("{" NETWORK(CABLE("400Gbps"), "whole") ", " SEND("1GB", "") "}"), 20 * MS + 1);
    char *refusal = refusal_of("{" NETWORK(CABLE("10"), "whole") ", " SEND("1GB", "") "}");
    ck_assert_ptr_nonnull(strstr(refusal, "GB/s"));
    free(refusal);
}
END_TEST

// A million messages of 1 byte back to back: 20000 ticks each.
START_TEST(tiny) {
    struct simulation run;
    simulate(&run, "{" NETWORK(CABLE("50GB/s"), "64KiB") ", " SEND("1B", ", 'repeat': 1000000") "}");
    ck_assert_int_eq(run.result.makespan_ticks, INT64_C(1000000) * 20000 + 1);
    ck_assert_uint_eq(run.result.messages, 1000000);
    simulation_free(&run);
}
END_TEST

// 6,467,616,768 B at 12.5 GB/s (80000 ticks a byte) and 2^40 B at 400 Gb/s.
START_TEST(huge) {
    struct simulation run;
    simulate(&run, "{" NETWORK(CABLE("12.5GB/s"), "whole") ", " SEND("6467616768B", "") "}");
    ck_assert_int_eq(run.result.makespan_ticks, INT64_C(6467616768) * 80000 + 1);
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, UINT64_C(6467616768));
    simulation_free(&run);
    simulate(&run, "{" NETWORK(CABLE("400Gbps"), "1MiB") ", " SEND("1TiB", "") "}");
    ck_assert_int_eq(run.result.makespan_ticks, (INT64_C(1) << 40) * 20000 + 1);
    ck_assert_uint_eq(run.result.loads[0].bytes, UINT64_C(1) << 40);
    simulation_free(&run);
}
END_TEST

START_TEST(overflow) {
    struct simulation run;
    simulate(&run, "{" NETWORK(CABLE("1B/s"), "whole") ", " SEND("16MiB", "") "}");
    ck_assert_int_eq(run.result.status, RUN_OVERFLOW);
    ck_assert_ptr_nonnull(strstr(run.result.error.text, "the clock overflows"));
    ck_assert_ptr_nonnull(strstr(run.result.error.text, "set \"tick\": \"1ps\""));
    simulation_free(&run);
    // 194 days are too long for ticks of 1 ps too; 16 MB are not quite
    simulate(&run, "{'tick': '1ps', " NETWORK(CABLE("1B/s"), "whole") ", " SEND("16MiB", "") "}");
    ck_assert_int_eq(run.result.status, RUN_OVERFLOW);
    simulation_free(&run);
    ck_assert_int_eq(ticks_of("{'tick': '1ps', " NETWORK(CABLE("1B/s"), "whole") ", " SEND("9MB", "") "}"),
                     INT64_C(9000000) * 1000000000000 + 1);
}
END_TEST

// What ranks and links have carried is counted up to 2^63 bytes: more is told, however the run goes.
START_TEST(too_many_bytes) {
    static const struct {
        const char *model;
        struct run_limits limits;
    } ways[] = {{"event", {.engine = ENGINE_HEAP}},
                {"event", {.engine = ENGINE_WINDOW}},
                {"event", {.shortcuts = 1u << SHORTCUT_REPLAY}},
                {"event", {.shortcuts = 1u << SHORTCUT_SYMMETRY, .proof = PROOF_CHOICE_OFF}},
                {"event", {.threads = 2}},
                {"alpha-beta", {0}}};
    static const struct {
        const char *text, *what;
    } runs[] = {{"'all-reduce', 'size': '1000000000GB', 'repeat': 7", "rank 0 sent"},
                {"'gather', 'size': '9000000000GB', 'repeat': 2", "link s0->0 carried"},
                {"'gather', 'size': '9000000000GB'", NULL}};
    const char *much = "2^63 bytes or more, which is beyond what is counted: make the scenario shorter";
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct simulation run;
        simulate_limited(&run, &ways[_i].limits,
                         "{'network': {'topology': {'type': 'switch', 'endpoints': 4, 'link': {'bandwidth': '5000000000GB/s', 'latency': "
                         "'1us'}}, 'chunk': 'whole', 'model': '%s'}, 'workload': {'type': 'collective', 'collective': %s}}",
                         ways[_i].model, runs[i].text);
        ck_assert_int_eq(run.result.status, runs[i].what ? RUN_OVERFLOW : RUN_COMPLETE);
        char expected[200] = "";
        if (runs[i].what) snprintf(expected, sizeof expected, "%s %s", runs[i].what, much);
        ck_assert_str_eq(run.result.error.text, expected);
        simulation_free(&run);
    }
}
END_TEST

static bool no_further(void *context, int64_t now, uint64_t chunk_hops) {
    (void)context, (void)now, (void)chunk_hops;
    return false;
}

// Four million messages are posted at one instant: who interrupts that need not wait for its end. Each thread asks after a million of
// its own.
START_TEST(an_instant_is_interrupted) {
    const uint32_t threads = _i == 2 ? 2 : 1;
    const struct run_limits limits = {
        .engine = _i ? ENGINE_WINDOW : ENGINE_HEAP, .proof = PROOF_CHOICE_OFF, .progress = no_further, .threads = threads};
    struct simulation run;
    simulate_limited(&run, &limits,
                     "{'network': {'topology': {'type': 'switch', 'endpoints': 2000, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}}}, "
                     "'workload': {'type': 'collective', 'collective': 'all-to-all', 'schedule': 'all-at-once', 'size': '2000B'}}");
    ck_assert_int_eq(run.result.status, RUN_INTERRUPTED);
    ck_assert_uint_lt(run.result.messages, threads * ((1 << 20) + 2000));
    simulation_free(&run);
}
END_TEST

// A ring all-reduce sends each block over each of p - 1 hops twice: 2 (p - 1) n bytes, whatever n mod p.
START_TEST(uneven) {
    struct simulation run;
    simulate(&run, "{" NETWORK(RING("4"), "64KiB") ", " COLLECTIVE("all-reduce", "ring", "10B", "") "}");
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 60);
    simulation_free(&run);
    simulate(&run, "{" NETWORK(RING("8"), "64KiB") ", " COLLECTIVE("all-reduce", "ring", "3B", "") "}");
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 42);
    simulation_free(&run);
}
END_TEST

/// Whether an algorithm has an option of that name.
static bool has_option(const struct algorithm *algorithm, const char *name) {
    for (const char *const *option = algorithm->options; option && *option; option++)
        if (!strcmp(*option, name)) return true;
    return false;
}

// Every algorithm of every collective on one rank: nothing to send, no time.
START_TEST(one_rank) {
    for (const struct algorithm *const *a = algorithms; *a; a++) {
        const struct algorithm *algorithm = *a;
        if (has_option(algorithm, "matrix")) continue; // takes its sizes from elsewhere
        bool grid = strstr(algorithm->name, "torus");
        struct simulation run;
        simulate(&run, "{%s, 'workload': {'type': 'collective', 'collective': '%s', 'algorithm': '%s'%s%s%s}}",
                 grid ? NETWORK("'type': 'torus', 'dims': [1], " LINK, "64KiB")
                      : NETWORK("'type': 'cluster', 'nodes': 1, 'node': {'type': 'switch', 'endpoints': 1, " LINK "}, 'nics_per_node': 1, "
                                "'nic_link': {'bandwidth': '50GB/s', 'latency': '1us'}, 'fabric': {'type': 'switch'}",
                                "64KiB"),
                 collective_names[algorithm->kind], algorithm->name, algorithm->kind == BARRIER ? "" : ", 'size': '1MB'",
                 algorithm->kind == SEND ? ", 'from': 0, 'to': 0" : "", has_option(algorithm, "pieces") ? ", 'pieces': 4" : "");
        const char *name = algorithm->name;
        ck_assert_msg(run.result.status == RUN_COMPLETE, "%s: %s", name, run.result.error.text);
        ck_assert_msg(run.result.makespan_ticks == 0 || algorithm->in_network, "%s: %lld ticks", name,
                      (long long)run.result.makespan_ticks);
        ck_assert_msg(run.result.bytes_on_links == 0 || algorithm->in_network, "%s: bytes on links", name);
        simulation_free(&run);
    }
}
END_TEST

// 0 bytes over 3 links of 1 us: delivered once.
START_TEST(zero_bytes) {
    struct simulation run;
    simulate(&run, "{" NETWORK("'type': 'mesh', 'dims': [4], 'link': {'bandwidth': '50GB/s', 'latency': '1us'}",
                               "64KiB") ", " MESSAGES("{'from': 0, 'to': 3, 'size': '0B'}") "}");
    ck_assert_int_eq(run.result.makespan_ticks, 3 * US);
    ck_assert_uint_eq(run.result.messages, 1);
    simulation_free(&run);
}
END_TEST

// What a rank has for itself uses no link: 4 ranks send 3 blocks of 100 bytes over 2 links.
START_TEST(self) {
    struct simulation run;
    simulate(&run, "{" NETWORK(SWITCH("4"), "64KiB") ", " COLLECTIVE("all-to-all", "direct", "400B", "") "}");
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 4 * 3 * 100 * 2);
    ck_assert_uint_eq(run.result.messages, 12);
    simulation_free(&run);
}
END_TEST

// A dim of 2 has one cable or two, a dim of 1 none: 2x4 has 24 or 32 directed links, 4x1 is a ring of 4.
START_TEST(torus_of_2_and_1) {
    struct simulation run, ring;
    simulate(&run, "{" NETWORK(TORUS("2, 4"), "64KiB") ", " COLLECTIVE("all-reduce", "torus", "1MB", "") "}");
    ck_assert_uint_eq(run.result.link_count, 24);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    simulation_free(&run);
    simulate(&run, "{" NETWORK(TORUS("2, 4") ", 'wrap2': 'double'", "64KiB") ", " COLLECTIVE("all-reduce", "torus", "1MB", "") "}");
    ck_assert_uint_eq(run.result.link_count, 32);
    ck_assert_int_eq(run.result.status, RUN_COMPLETE);
    simulation_free(&run);
    simulate(&run, "{" NETWORK(TORUS("4, 1"), "64KiB") ", " COLLECTIVE("all-reduce", "ring", "1MB", "") "}");
    simulate(&ring, "{" NETWORK(RING("4"), "64KiB") ", " COLLECTIVE("all-reduce", "ring", "1MB", "") "}");
    ck_assert_uint_eq(run.result.link_count, ring.result.link_count);
    ck_assert(run.result.digest.low == ring.result.digest.low && run.result.digest.high == ring.result.digest.high);
    simulation_free(&run);
    simulation_free(&ring);
}
END_TEST

// The short way round an odd ring; the hops of a 5x5 torus over all ordered pairs are 25 * 24 * 2.5 = 1500.
START_TEST(ring_of_5) {
    struct simulation run;
    simulate(&run,
             "{" NETWORK(RING("5"), "64KiB") ", " MESSAGES("{'from': 3, 'to': 0, 'size': '1B'}, {'from': 0, 'to': 3, 'size': '1B'}") "}");
    ck_assert_uint_eq(simulation_link(&run, 3, 4).bytes, 1);
    ck_assert_uint_eq(simulation_link(&run, 4, 0).bytes, 1);
    ck_assert_uint_eq(simulation_link(&run, 0, 4).bytes, 1);
    ck_assert_uint_eq(simulation_link(&run, 4, 3).bytes, 1);
    ck_assert_uint_eq(run.result.chunk_hops, 4);
    simulation_free(&run);
    simulate(&run, "{" NETWORK(TORUS("5, 5"), "64KiB") ", " COLLECTIVE("all-to-all", "direct", "25B", "") "}");
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 1500);
    simulation_free(&run);
}
END_TEST

#define SWITCHED(chunk, switching) "'network': {'topology': {" SWITCH("8") "}, 'chunk': '" chunk "', 'switching': '" switching "'}"

// 100 MB, 8 ranks, a block takes 250 us. The ring has 14 steps: 3.5 ms cut through, 7 ms stored and forwarded whole. Two-shot posts 7
// blocks at once, twice: 3.5 ms, and 2 (7 + 1) blocks = 4 ms.
START_TEST(ring_against_two_shot) {
    ck_assert_int_eq(ticks_of("{" SWITCHED("whole", "cut-through") ", " COLLECTIVE("all-reduce", "ring", "100MB", "") "}"),
                     14 * (250 * US + 2));
    ck_assert_int_eq(ticks_of("{" SWITCHED("whole", "store-and-forward") ", " COLLECTIVE("all-reduce", "ring", "100MB", "") "}"),
                     14 * (500 * US + 2));
    check_near(ticks_of("{" SWITCHED("10KB", "cut-through") ", " COLLECTIVE("all-reduce", "two-shot", "100MB", "") "}"), 3500 * US,
               35 * US);
    check_near(ticks_of("{" SWITCHED("whole", "store-and-forward") ", " COLLECTIVE("all-reduce", "two-shot", "100MB", "") "}"), 4000 * US,
               40 * US);
}
END_TEST

// All-to-all on a ring of 16: at distance 8 half of the pairs go each way, or all go +: 32 or 36 units on the busiest link.
START_TEST(ring_all_to_all_ties) {
    static const struct {
        const char *ties;
        uint64_t bytes;
    } rows[] = {{"parity", 64}, {"split", 64}, {"positive", 72}}; // a unit is two chunks of 1 byte
    for (int i = 0; i < 3; i++) {
        struct simulation run;
        simulate(&run, "{" NETWORK(RING("16") ", 'ties': '%s'", "1B") ", " COLLECTIVE("all-to-all", "direct", "32B", "") "}", rows[i].ties);
        ck_assert_uint_eq(busiest(&run).bytes, rows[i].bytes);
        simulation_free(&run);
    }
}
END_TEST

// 8x8 torus, 1 MB a pair, all at once: the busiest link carries 64 MB with ties by parity, 80 MB with ties positive, so at best 1.28
// and 1.60 ms.
START_TEST(torus_all_to_all_ties) {
    static const struct {
        const char *chunk, *injection, *ties;
        uint64_t bytes;
        int64_t us, tolerance_us;
    } rows[] = {{"whole", "fifo", "parity", 64000000, 1560, 1},
                {"whole", "fifo", "positive", 80000000, 1660, 1},
                {"10KB", "round-robin", "parity", 64000000, 1286, 1},
                {"10KB", "round-robin", "positive", 80000000, 1600, 1}};
    for (int i = 0; i < 4; i++) {
        struct simulation run;
        simulate(&run,
                 "{'network': {'topology': {" TORUS("8, 8") ", 'ties': '%s'}, 'chunk': '%s', 'injection': '%s'}, " COLLECTIVE(
                     "all-to-all", "direct", "64MB", ", 'schedule': 'all-at-once'") "}",
                 rows[i].ties, rows[i].chunk, rows[i].injection);
        ck_assert_uint_eq(busiest(&run).bytes, rows[i].bytes);
        check_near(run.result.makespan_ticks, rows[i].us * US, rows[i].tolerance_us * US);
        simulation_free(&run);
    }
}
END_TEST

// Recursive doubling of 1 MB (21 us a message) on 6 ranks: fold, 2 steps, unfold. With a barrier 4 * 21; free, the ranks that do not fold
// run ahead by one. 2 + 4 + 4 + 2 messages.
START_TEST(fold) {
    struct simulation run;
#define FULL "'type': 'full', 'endpoints': 6, 'link': {'bandwidth': '50GB/s', 'latency': '1us'}"
    simulate(&run, "{" NETWORK(FULL, "whole") ", " COLLECTIVE("all-reduce", "recursive-doubling", "1MB", "") "}");
    ck_assert_int_eq(run.result.makespan_ticks, 63 * US);
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, 12000000);
    simulation_free(&run);
    ck_assert_int_eq(
        ticks_of("{" NETWORK(FULL, "whole") ", " COLLECTIVE("all-reduce", "recursive-doubling", "1MB", ", 'sync': 'step'") "}"), 84 * US);
#undef FULL
}
END_TEST

// Latency does not occupy the link: 80 ms and 50 ms.
START_TEST(pipeline) {
    ck_assert_int_eq(
        ticks_of("{" NETWORK("'type': 'graph', 'nodes': 2, 'links': [{'from': 0, 'to': 1, 'bandwidth': '100Gbps', 'latency': '50ms'}]",
                             "1MB") ", " SEND("1GB", "") "}"),
        130 * MS);
}
END_TEST

// Eight messages over four cables in turn: two a cable, 200 us and 1 us.
START_TEST(parallel_links) {
#define CABLES "{'from': 0, 'to': 1, 'bandwidth': '10GB/s', 'latency': '1us'}"
#define MESSAGE "{'from': 0, 'to': 1, 'size': '1MB'}"
    struct simulation run;
    simulate(&run,
             "{" NETWORK("'type': 'graph', 'nodes': 2, 'links': [" CABLES ", " CABLES ", " CABLES ", " CABLES "]", "64KiB") ", " MESSAGES(
                 MESSAGE ", " MESSAGE ", " MESSAGE ", " MESSAGE ", " MESSAGE ", " MESSAGE ", " MESSAGE ", " MESSAGE) "}");
    ck_assert_int_eq(run.result.makespan_ticks, 201 * US);
    ck_assert_uint_eq(run.result.link_count, 8);
    for (uint32_t l = 0; l < 4; l++) ck_assert_uint_eq(run.result.loads[l].bytes, 2000000);
    simulation_free(&run);
#undef CABLES
#undef MESSAGE
}
END_TEST

// 100 us and 1 us there, 1000 us and 1 us back.
START_TEST(asymmetric) {
    ck_assert_int_eq(
        ticks_of("{" NETWORK(
            "'type': 'graph', 'nodes': 2, 'links': ["
            "{'from': 0, 'to': 1, 'bandwidth': '10GB/s', 'latency': '1us', 'duplex': false},"
            "{'from': 1, 'to': 0, 'bandwidth': '1GB/s', 'latency': '1us', 'duplex': false}]",
            "64KiB") ", " MESSAGES("{'from': 0, 'to': 1, 'size': '1MB'}, {'from': 1, 'to': 0, 'size': '1MB', 'after': [0]}") "}"),
        1102 * US);
}
END_TEST

START_TEST(refused) {
    check_refusal("{" NETWORK("'type': 'fat-tree', 'k': 3, " LINK, "64KiB") ", " COLLECTIVE("all-reduce", "ring", "1MB", "") "}",
                  "/network/topology/k: k must be even, and at least 2");
    check_refusal("{" NETWORK("'type': 'graph', 'nodes': 4, 'links': [{'from': 0, 'to': 1, 'bandwidth': '1GB/s', 'latency': '1us'},"
                              "{'from': 2, 'to': 3, 'bandwidth': '1GB/s', 'latency': '1us'}]",
                              "64KiB") ", " COLLECTIVE("all-reduce", "ring", "1MB", "") "}",
                  "/network/topology: endpoint 0 cannot reach endpoint 2: no links lead there");
}
END_TEST

#define MAPPED(dims, mapping) \
    "{'seed': %d, " NETWORK(TORUS(dims), "1B") ", 'mapping': '" mapping "', " COLLECTIVE("all-reduce", "ring", "%dB", "") "}"

/// Hops of the logical ring of a torus and the most of its messages that share a link. Each pair of neighbours passes on 2 (p - 1) blocks
/// of a byte.
static void ring_of_mapping(const char *format, int seed, int ranks, uint64_t *hops, uint64_t *shared) {
    struct simulation run;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    simulate(&run, format, seed, ranks);
#pragma GCC diagnostic pop
    uint64_t passed = 2 * (uint64_t)(ranks - 1);
    *hops = (uint64_t)run.result.bytes_on_links / passed;
    *shared = busiest(&run).bytes / passed;
    simulation_free(&run);
}

// 8x8: snake closes in 64 hops, linear in 72 (8 rows, each ending 2 hops from the next), random in 64 times the mean distance of
// 4.063; at most 1, 1 and on average 3 to 4 of the ring's messages share a link.
START_TEST(mappings_of_8x8) {
    uint64_t hops, shared, sum = 0, most = 0;
    ring_of_mapping(MAPPED("8, 8", "snake"), 1, 64, &hops, &shared);
    ck_assert(hops == 64 && shared == 1);
    ring_of_mapping(MAPPED("8, 8", "linear"), 1, 64, &hops, &shared);
    ck_assert(hops == 72 && shared == 1);
    for (int seed = 1; seed <= 200; seed++) {
        ring_of_mapping(MAPPED("8, 8", "random"), seed, 64, &hops, &shared);
        most += shared;
        sum += hops;
    }
    check_near((int64_t)sum, 200 * 260, 200 * 2);
    ck_assert(most >= 200 * 3 && most <= 200 * 4);
}
END_TEST

// An odd number of rows cannot close in one hop.
START_TEST(odd_snakes) {
    uint64_t hops, shared;
    ring_of_mapping(MAPPED("3, 3", "snake"), 1, 9, &hops, &shared);
    ck_assert_uint_eq(hops, 10);
    ring_of_mapping(MAPPED("5, 5", "snake"), 1, 25, &hops, &shared);
    ck_assert_uint_eq(hops, 26);
}
END_TEST

#define RING_8(overrides) "'network': {'topology': {" RING("8") "}, 'chunk': 'whole'" overrides "}"

// A ring all-reduce of 1 GB: 14 steps of 2.5 ms. A link of half the rate is busy for 14 * 5 ms without a pause, and everything waits for
// it.
START_TEST(slow_link) {
    struct simulation run;
    simulate(&run, "{" RING_8("") ", " COLLECTIVE("all-reduce", "ring", "1GB", "") "}");
    ck_assert_int_eq(run.result.makespan_ticks, 14 * (2500 * US + 1));
    simulation_free(&run);
    simulate(&run, "{" RING_8(", 'overrides': [{'from': 2, 'to': 3, 'bandwidth': '25GB/s'}]") ", " COLLECTIVE("all-reduce", "ring", "1GB",
                                                                                                              "") "}");
    ck_assert_int_eq(run.result.makespan_ticks, 70 * MS + 1);
    uint32_t hottest;
    ck_assert_uint_eq(hottest_links(&run.result, 1, &hottest), 1);
    ck_assert_uint_eq(run.result.graph->links[hottest].from, 2);
    ck_assert_uint_eq(run.result.graph->links[hottest].to, 3);
    ck_assert_int_eq(run.result.loads[hottest].busy_ticks, 70 * MS);
    ck_assert_int_eq(simulation_link(&run, 3, 4).busy_ticks, 35 * MS);
    simulation_free(&run);
}
END_TEST

// Rank 3 comes 5 ms late and everything waits for it: 5 + 35 ms, and 14 ticks of latency.
START_TEST(late_rank) {
    ck_assert_int_eq(ticks_of("{" RING_8("") ", " COLLECTIVE("all-reduce", "ring", "1GB", ", 'start': {'3': '5ms'}") "}"), 40 * MS + 14);
}
END_TEST

// Two at once on the same ring take twice as long as one (3.5 ms): every link has twice the bytes.
START_TEST(shared_ring) {
    struct simulation run;
#define ALL_REDUCE "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '100MB'}"
    simulate(&run, "{" RING_8("") ", 'workload': {'type': 'parallel', 'of': [" ALL_REDUCE ", " ALL_REDUCE "]}}");
#undef ALL_REDUCE
    check_near(run.result.makespan_ticks, 7 * MS, 14);
    ck_assert_uint_eq((uint64_t)run.result.bytes_on_links, UINT64_C(2) * 14 * 100000000);
    ck_assert_int_eq(simulation_link(&run, 0, 1).busy_ticks, 7 * MS);
    simulation_free(&run);
}
END_TEST

// In the network each rank sends and receives 1 GB once: 1 / 370 s and a chunk; the bus bandwidth, 1.75 times the algorithm's, is above the
// link's.
START_TEST(in_network) {
    struct simulation run;
    simulate(&run, "{" NETWORK("'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '370GB/s', 'latency': '0s'}",
                               "64KiB") ", " COLLECTIVE("all-reduce", "in-network", "1GB", "") "}");
    check_near(run.result.makespan_ticks, 2703 * US, 1 * US);
    for (uint32_t l = 0; l < run.result.link_count; l++) ck_assert_uint_eq(run.result.loads[l].bytes, 1000000000);
    check_near((int64_t)(collective_busbw(&run.result, &run.result.collectives[0]) / 1e6), 647500, 200);
    simulation_free(&run);
}
END_TEST

// 1.6 GB from 4 ranks to 8, and back: the side of 4 has 400 MB a rank, 8 ms.
START_TEST(kv_tp_change) {
    char list[4096] = "", back[4096] = "";
    for (int i = 0; i < 8; i++) {
        size_t end = strlen(list);
        snprintf(list + end, sizeof list - end, "%s{'from': %d, 'to': %d, 'size': '200MB'}", i ? ", " : "", i / 2, 4 + i);
        snprintf(back + end, sizeof back - end, "%s{'from': %d, 'to': %d, 'size': '200MB'}", i ? ", " : "", 4 + i, i / 2);
    }
    struct simulation run;
    simulate(&run, "{" NETWORK(SWITCH("12"), "64KiB") ", " MESSAGES("%s") "}", list);
    check_near(run.result.makespan_ticks, 8 * MS, US);
    for (uint32_t e = 4; e < 12; e++) ck_assert_uint_eq(simulation_link(&run, 12, e).bytes, 200000000);
    simulation_free(&run);
    check_near(ticks_of("{" NETWORK(SWITCH("12"), "64KiB") ", " MESSAGES("%s") "}", back), 8 * MS, US);
}
END_TEST

// Qwen2.5-14B, 3072 tokens: 48 layers * 2 * 8 heads * 128 * 2 B * 3072 = 603,979,776 B, 12.08 ms over one NIC after a prefill of 200 ms;
// layer by layer only the last layer's 0.2517 ms come after it.
START_TEST(kv_layerwise) {
    const int64_t layer = INT64_C(2) * 8 * 128 * 2 * 3072;
    ck_assert_int_eq(48 * layer, 603979776);
    ck_assert_int_eq(
        ticks_of("{" NETWORK(CABLE("50GB/s"), "whole") ", " MESSAGES("{'from': 0, 'to': 1, 'size': '%lldB', 'at': '200ms'}") "}",
                 (long long)(48 * layer)),
        200 * MS + 48 * layer * 20000 + 1);
    char list[8192] = "";
    for (int i = 1; i <= 48; i++) {
        size_t end = strlen(list);
        snprintf(list + end, sizeof list - end, "%s{'from': 0, 'to': 1, 'size': '%lldB', 'at': '%lldfs'}", i > 1 ? ", " : "",
                 (long long)layer, (long long)(200 * MS / 48 * i + 200 * MS % 48 * i / 48));
    }
    ck_assert_int_eq(ticks_of("{" NETWORK(CABLE("50GB/s"), "whole") ", " MESSAGES("%s") "}", list), 200 * MS + layer * 20000 + 1);
}
END_TEST

// A faster link in the middle never makes a message later: 20 ms and four latencies.
START_TEST(slow_fast_slow) {
    static const char *const rates[] = {"50GB/s", "100GB/s", "400GB/s"};
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            ticks_of("{" NETWORK("'type': 'leaf-spine', 'leaves': 2, 'hosts_per_leaf': 1, 'spines': 1, 'cables_per_pair': 1, "
                                 "'host_link': {'bandwidth': '50GB/s', 'latency': '1us'}, 'up_link': {'bandwidth': '%s', 'latency': '1us'}",
                                 "whole") ", " SEND("1GB", "") "}",
                     rates[i]),
            20 * MS + 4 * US);
}
END_TEST

Suite *test_cases_suite(void) {
    Suite *suite = suite_create("cases");
    TCase *tests = tcase_create("cases");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, units);
    tcase_add_test(tests, tiny);
    tcase_add_test(tests, huge);
    tcase_add_test(tests, overflow);
    tcase_add_loop_test(tests, too_many_bytes, 0, 6);
    tcase_add_loop_test(tests, an_instant_is_interrupted, 0, 3);
    tcase_add_test(tests, uneven);
    tcase_add_test(tests, one_rank);
    tcase_add_test(tests, zero_bytes);
    tcase_add_test(tests, self);
    tcase_add_test(tests, torus_of_2_and_1);
    tcase_add_test(tests, ring_of_5);
    tcase_add_test(tests, ring_against_two_shot);
    tcase_add_test(tests, ring_all_to_all_ties);
    tcase_add_test(tests, torus_all_to_all_ties);
    tcase_add_test(tests, fold);
    tcase_add_test(tests, pipeline);
    tcase_add_test(tests, parallel_links);
    tcase_add_test(tests, asymmetric);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, mappings_of_8x8);
    tcase_add_test(tests, odd_snakes);
    tcase_add_test(tests, slow_link);
    tcase_add_test(tests, late_rank);
    tcase_add_test(tests, shared_ring);
    tcase_add_test(tests, in_network);
    tcase_add_test(tests, kv_tp_change);
    tcase_add_test(tests, kv_layerwise);
    tcase_add_test(tests, slow_fast_slow);
    suite_add_tcase(suite, tests);
    return suite;
}
