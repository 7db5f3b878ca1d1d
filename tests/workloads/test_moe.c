// Mixtures of experts against counts by hand and closed forms, in ticks of 1 fs.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define NODES(nodes, nvlink)                                                                                                         \
    "'network': {'topology': {'type': 'cluster', 'nodes': " nodes ", 'nics_per_node': 8, 'fabric': {'type': 'switch'},"              \
    "'nic_link': {'bandwidth': '50GB/s', 'alpha': '5us'}, 'node': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '" nvlink \
    "', 'alpha': '2us'}}}, 'chunk': 'whole'}"
#define SWITCH(endpoints, rate, alpha)                                                                                          \
    "'network': {'topology': {'type': 'switch', 'endpoints': " endpoints ", 'link': {'bandwidth': '" rate "', 'alpha': '" alpha \
    "'}}, 'chunk': 'whole'}"
/// DeepSeek-V3's dimensions in one layer.
#define ONE_LAYER(experts) "'model': {'base': 'deepseek-v3', 'layers': 1, 'dense_layers': 0, 'experts': " experts "}, 'hardware': 'h100'"
#define SMALL "'model': {'base': 'mixtral-8x7b', 'layers': 1}, 'hardware': 'h100', 'prompt': 1000"

static const struct figure *figure_of(const struct simulation *run, const char *group, const char *name) {
    const struct figure *figure = figures_find(&run->result.figures, group, name);
    ck_assert_msg(figure != NULL, "no figure %s/%s", group, name);
    return figure;
}

static int64_t value_of(const struct simulation *run, const char *group, const char *name) { return figure_of(run, group, name)->value; }

static double ratio_of(const struct simulation *run, const char *group, const char *name) {
    const struct figure *figure = figure_of(run, group, name);
    return (double)figure->value / (double)figure->other;
}

static int64_t divide_up(__int128 value, __int128 by) { return (int64_t)((value + by - 1) / by); }
static int64_t wire(int64_t bytes, int64_t bytes_per_s) { return divide_up((__int128)bytes * 1000000 * US, bytes_per_s); }
static int64_t link_bytes(const struct simulation *run, uint32_t from, uint32_t to) {
    return (int64_t)simulation_link(run, from, to).bytes;
}

#define NIC INT64_C(50000000000)
#define NVLINK_H800 INT64_C(160000000000)

// 2 nodes of 8, 4096 tokens of 7168 bytes each, one copy for each node: 29.36 MB over each NIC, 587 us. Each token has 8 experts, 4
// in either node on different devices: each of a node's 8 x 4096 and of as many from outside is at one of its 4 devices with
// 1 in 8 already: 28,672 copies or 205.5 MB into each, 1.2845 ms. While the NICs are busy NVLink carries what stays inside.
START_TEST(one_copy_a_node) {
    struct simulation run;
    simulate(&run, "{" NODES("2", "160GB/s") ", 'workload': {'type': 'moe', " ONE_LAYER(
                       "16") ", 'tokens': 4096, 'prompt': 4096, 'copies': 'node'}}");
    int64_t into = INT64_C(28672) * 7168, nic = INT64_C(4096) * 7168, each = into / 14;
    ck_assert_int_eq(into, 205520896);
    ck_assert_int_eq(nic, 29360128);
    ck_assert_int_eq(value_of(&run, "dispatch", "bytes of a rank and layer inside nodes"), into);
    ck_assert_int_eq(value_of(&run, "dispatch", "bytes of a rank and layer across nodes"), nic);
    ck_assert_int_eq(value_of(&run, "dispatch", "longest time across nodes"), wire(nic, NIC) + 5 * US);
    ck_assert_int_eq(wire(nic, NIC), 587202560000);
    ck_assert_int_eq(value_of(&run, "dispatch", "longest time"), 14 * wire(each, NVLINK_H800) + 2 * US);
    ck_assert_int_eq(14 * wire(each, NVLINK_H800), 1284505600000);
    // the combine in BF16: twice the bytes the same way back, but first what goes on over NICs
    ck_assert_int_eq(value_of(&run, "combine", "bytes of a rank and layer inside nodes"), 2 * into);
    ck_assert_int_eq(value_of(&run, "combine", "longest time"), 14 * wire(2 * each, NVLINK_H800) + 2 * US);
    ck_assert_int_eq(link_bytes(&run, 18, 0), 3 * nic); // from the fabric
    ck_assert_int_eq(link_bytes(&run, 16, 0), 3 * into);
    simulation_free(&run);
}
END_TEST

// All copies to half of the devices: into each of them twice as many bytes, in twice the time.
START_TEST(half_of_the_devices) {
    struct simulation run;
    simulate(&run, "{" NODES("2", "160GB/s") ", 'workload': {'type': 'moe', " ONE_LAYER(
                       "16") ", 'tokens': 4096, 'prompt': 4096, 'copies': 'node',"
                             "'routing': 'loads', 'loads': [[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]]}}");
    int64_t tokens = INT64_C(4096) * 7168, into = 14 * tokens;
    ck_assert_int_eq(into, 2 * INT64_C(205520896));
    ck_assert_int_eq(value_of(&run, "dispatch", "bytes inside nodes"), 8 * into);
    ck_assert_int_eq(value_of(&run, "dispatch", "longest time"), 14 * wire(tokens, NVLINK_H800) + 2 * US);
    ck_assert_int_eq(14 * wire(tokens, NVLINK_H800), 2 * INT64_C(1284505600000));
    // back come to device 0 the results of its own tokens, and of those it passed on, from three others, in twice the bytes
    ck_assert_int_eq(link_bytes(&run, 16, 0), into + 2 * 3 * 2 * tokens);
    ck_assert_double_eq_tol(ratio_of(&run, "balance", "its tokens over the mean of devices"), 2, 1e-12);
    ck_assert_double_eq_tol(ratio_of(&run, "balance", "experts slowed by the busiest device"), 2, 1e-9);
    ck_assert_double_eq_tol(ratio_of(&run, "balance", "bytes dispatched to a device, most over the mean"),
                            (double)(into + tokens) / ((double)into / 2 + (double)tokens), 1e-9);
    simulation_free(&run);
}
END_TEST

// 7.4: 256 tokens a GPU, 8 copies each over 64: tokens x k x d x (EP - 1) / EP, in one NVLink domain and over NICs.
START_TEST(lecture_sizes) {
    static const char *const networks[] = {SWITCH("64", "450GB/s", "2us"), SWITCH("64", "50GB/s", "5us")};
    int64_t times[2], block = INT64_C(256) * 8 * 7168 / 64;
    for (int i = 0; i < 2; i++) {
        struct simulation run;
        simulate(&run, "{%s, 'workload': {'type': 'moe', " ONE_LAYER("256") ", 'tokens': 256, 'prompt': 256, 'copies': 'expert'}}",
                 networks[i]);
        times[i] = value_of(&run, "dispatch", "longest time");
        ck_assert_int_eq(value_of(&run, "dispatch", "bytes of a rank and layer inside nodes"), 63 * block);
        ck_assert_int_eq(times[i], 63 * wire(block, i ? NIC : 9 * NIC) + (i ? 5 : 2) * US);
        simulation_free(&run);
    }
    ck_assert_double_ge((double)times[1] / (double)times[0], 8);
    ck_assert_double_le((double)times[1] / (double)times[0], 11);
}
END_TEST

// Exercise 10: 8 experts on 8 nodes, one of them the own, against 4 of 8 nodes: 7 copies across nodes against 3.5.
START_TEST(limit_of_nodes) {
    int64_t across[2];
    for (int i = 0; i < 2; i++) {
        struct simulation run;
        simulate(
            &run,
            "{" NODES("8", "450GB/s") ", 'workload': {'type': 'moe', " ONE_LAYER("256") ", 'tokens': 64, 'prompt': 64, 'copies': 'node',"
                                                                                        "'node_limit': %d}}",
            i ? 4 : 0);
        across[i] = value_of(&run, "dispatch", "bytes across nodes");
        simulation_free(&run);
    }
    ck_assert_int_eq(across[0], INT64_C(64) * 64 * 7 * 7168);
    ck_assert_int_eq(across[1] * 2, across[0]);
}
END_TEST

// The roofline of the experts: each of 16 devices has one, with half of all 65,536 tokens; twice the products of 3 x 7168 x 2048.
START_TEST(compute_of_experts) {
    struct simulation run;
    simulate(&run, "{" NODES("2", "160GB/s") ", 'workload': {'type': 'moe', " ONE_LAYER("16") ", 'tokens': 4096, 'prompt': 4096}}");
    int64_t expert = 3 * INT64_C(7168) * 2048;
    ck_assert_int_eq(value_of(&run, "balance", "experts of a layer, its busiest device"),
                     divide_up((__int128)2 * expert * 32768 * 1000000 * US, INT64_C(1979000000000000)));
    simulation_free(&run);
    // one token a rank: both devices of a token read their expert's weights
    simulate(&run, "{" SWITCH("8", "450GB/s", "2us") ", 'workload': {'type': 'moe', " SMALL ", 'tokens': 1}}");
    ck_assert_int_eq(value_of(&run, "balance", "experts of a layer, its busiest device"),
                     divide_up((__int128)3 * 4096 * 14336 * 2 * 1000000 * US, INT64_C(3350000000000)));
    simulation_free(&run);
}
END_TEST

// Mixtral on 4: device d has experts 2d and 2d + 1. Rank 0 needs none of the others, rank 1 device 0, rank 2 twice device 3, rank 3
// device 0.
START_TEST(experts_of_tokens) {
    for (int by_expert = 0; by_expert < 2; by_expert++) {
        struct simulation run;
        simulate(&run,
                 "{" SWITCH("4", "50GB/s", "2us") ", 'workload': {'type': 'moe', " SMALL ", 'tokens': 1, 'copies': '%s',"
                                                  "'routing': 'token-experts', 'token_experts': [[0, 1], [0, 2], [6, 7], [0, 7]]}}",
                 by_expert ? "expert" : "device");
        int64_t out[4] = {0, 1, by_expert ? 2 : 1, 1}, in[4] = {2, 0, 0, by_expert ? 2 : 1};
        for (uint32_t r = 0; r < 4; r++) {
            ck_assert_int_eq(link_bytes(&run, r, 4), out[r] * 4096 + in[r] * 8192); // the results go back in BF16
            ck_assert_int_eq(link_bytes(&run, 4, r), in[r] * 4096 + out[r] * 8192);
        }
        ck_assert_int_eq(value_of(&run, "balance", "busiest device"), 0); // 4 of the 8 picks
        ck_assert_double_eq_tol(ratio_of(&run, "balance", "its tokens over the mean of devices"), 2, 1e-12);
        simulation_free(&run);
    }
}
END_TEST

// 8 experts on 3 devices: 3, 3 and 2. Two groups of 3 have nothing to do with each other.
START_TEST(groups_of_uneven_experts) {
    struct simulation run;
    simulate(&run,
             "{" SWITCH("6", "50GB/s", "2us") ", 'workload': {'type': 'moe', " SMALL ", 'tokens': 240, 'ep': 3, 'copies': 'expert'}}");
    ck_assert_double_eq_tol(ratio_of(&run, "balance", "its tokens over the mean of devices"), 3.0 / 8 * 3, 1e-12);
    // each rank sends to the two others of its group: of 480 picks 3/8 to each of the first two devices
    int64_t sent[3] = {180 + 120, 180 + 120, 180 + 180};
    for (uint32_t r = 0; r < 6; r++) ck_assert_int_eq(link_bytes(&run, r, 6), sent[r % 3] * 4096 + (r % 3 == 2 ? 2 * 120 : 2 * 180) * 8192);
    simulation_free(&run);
}
END_TEST

// Expert 0 has half of all picks; a second copy of it on another device takes half of that.
START_TEST(redundant_expert) {
    for (int copies = 0; copies < 2; copies++) {
        struct simulation run;
        simulate(&run,
                 "{" SWITCH("8", "50GB/s", "2us") ", 'workload': {'type': 'moe', " SMALL ", 'tokens': 700, 'routing': 'loads',"
                                                  "'loads': [[7, 1, 1, 1, 1, 1, 1, 1]], 'redundant_experts': %d}}",
                 copies);
        double busiest = ratio_of(&run, "balance", "its tokens over the mean of devices");
        // of 1400 x 8 picks 5600 to expert 0 and 800 to each other; the copy lies on device 1
        ck_assert_double_eq_tol(busiest, copies ? (2800 + 800) / 1400.0 : 4, 1e-3);
        ck_assert_int_eq(value_of(&run, "balance", "busiest device"), copies);
        simulation_free(&run);
    }
}
END_TEST

// Two ranks, attention shared: gather, attention, scatter, dispatch, experts, combine, one after the other.
START_TEST(tensor_parallel_attention) {
    struct simulation run;
    simulate(&run,
             "{" SWITCH("2", "50GB/s", "2us") ", 'workload': {'type': 'moe', " SMALL ", 'tokens': 1000, 'tp': 2, 'copies': 'expert'}}");
    int64_t share = 1000 * 4096 * 2, dispatched = 1000 * 4096; // half of 2000 picks leave
    int64_t communication = 2 * (2 * US + wire(share, NIC)) + 4 * US + wire(dispatched, NIC) + wire(2 * dispatched, NIC);
    ck_assert_int_eq(value_of(&run, "whole run", "communication"), communication);
    ck_assert_int_eq(value_of(&run, "whole run", "exposed communication"), communication);
    ck_assert_int_eq(run.result.makespan_ticks, communication + value_of(&run, "whole run", "compute"));
    simulation_free(&run);
}
END_TEST

// Two micro-batches send and compute the same, but much of the one's communication passes beside the other's compute.
START_TEST(micro_batches) {
    int64_t exposed[2], compute[2], bytes[2];
    for (int i = 0; i < 2; i++) {
        struct simulation run;
        simulate(&run,
                 "{" SWITCH("8", "50GB/s", "2us") ", 'workload': {'type': 'moe', 'model': {'base': 'mixtral-8x7b', 'layers': 8},"
                                                  "'hardware': 'h100', 'prompt': 1024, 'tokens': 16384, 'micro_batches': %d}}",
                 1 + i);
        exposed[i] = value_of(&run, "whole run", "exposed communication");
        compute[i] = value_of(&run, "whole run", "compute");
        bytes[i] = value_of(&run, "dispatch", "bytes inside nodes") + value_of(&run, "combine", "bytes inside nodes");
        ck_assert_int_eq(run.result.makespan_ticks, compute[i] + exposed[i]);
        simulation_free(&run);
    }
    ck_assert_int_eq(bytes[0], bytes[1]);
    ck_assert_int_lt(llabs(compute[0] - compute[1]), compute[0] / 10000);
    ck_assert_int_lt(exposed[1] * 3, exposed[0]);
}
END_TEST

// A seed means the same run, another seed another; all layers draw anew, and no two micro-batches alike.
START_TEST(random_draws) {
    static const char *const routings[] = {"uniform", "zipf", "log-normal"};
    for (int i = 0; i < 3; i++) {
        struct simulation runs[3];
        for (int k = 0; k < 3; k++)
            simulate(
                &runs[k],
                "{'seed': %d, " NODES(
                    "2", "450GB/s") ", 'workload': {'type': 'moe', 'model': {'base': 'deepseek-v3', 'layers': 6},"
                                    "'hardware': 'h100', 'prompt': 128, 'tokens': 64, 'copies': 'node', 'draw': 'random', 'routing': '%s',"
                                    "'micro_batches': 2}}",
                k == 2 ? 5 : 4, routings[i]);
        ck_assert(!memcmp(&runs[0].result.digest, &runs[1].result.digest, sizeof runs[0].result.digest));
        ck_assert(memcmp(&runs[0].result.digest, &runs[2].result.digest, sizeof runs[0].result.digest));
        double most = ratio_of(&runs[0], "balance", "tokens of a layer, its busiest device over the mean");
        ck_assert_double_gt(most, i == 0 ? 1 : 1.5);
        ck_assert_double_ge(ratio_of(&runs[0], "balance", "the same of the worst layer"), most);
        for (int k = 0; k < 3; k++) simulation_free(&runs[k]);
    }
}
END_TEST

START_TEST(refusals) {
    static const struct {
        const char *more, *problem;
    } cases[] = {
        {"'ep': 3", "/workload/ep: 8 ranks cannot be split into groups of 3"},
        {"'micro_batches': 5", "/workload/micro_batches: 4 tokens cannot be cut into 5"},
        {"'copies': 'node'", "/workload/copies: \"node\" needs a network of several nodes"},
        {"'routing': 'loads'", "/workload/loads: the routing \"loads\" needs them"},
        {"'loads': [[1, 2]]", "/workload/loads: only the routing \"loads\" takes loads"},
        {"'routing': 'loads', 'loads': [[1, 2]]", "/workload/loads: 1 rows of 2 loads do not fit 8 experts"},
        {"'routing': 'loads', 'loads': [[1, 0, 0, 0, 0, 0, 0, 0]]",
         "/workload/loads: a token is sent to 2 different ones of 8 of which 1 are used"},
        {"'routing': 'token-experts', 'token_experts': [[1, 2, 3]]",
         "/workload/token_experts: 3 experts of each token; mixtral-8x7b sends it to 2"},
        {"'routing': 'token-experts', 'token_experts': [[1, 8]]", "/workload/token_experts: row 0: there is no expert 8"},
        {"'routing': 'token-experts', 'token_experts': [[1, 2], [3, 3]]", "/workload/token_experts: row 1: expert 3 twice"},
        {"'kv_dtype': 'bf16', 'context': 10000000", "/workload/hardware: mixtral-8x7b does not fit"},
        {"'model': 'llama-3.1-8b'", "/workload/model: llama-3.1-8b has no layers with experts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{" SWITCH("8", "50GB/s", "2us") ", 'workload': {'type': 'moe', 'hardware': 'h100', 'tokens': 4, %s%s}}",
                 strstr(cases[i].more, "'model'") ? "" : "'model': 'mixtral-8x7b', ", cases[i].more);
        for (char *c = text; *c; c++)
            if (*c == '\'') *c = '"';
        char *problem = refusal_of("%s", text);
        ck_assert_msg(strstr(problem, cases[i].problem) != NULL, "%s", problem);
        free(problem);
    }
}
END_TEST

Suite *test_moe_suite(void);
Suite *test_moe_suite(void) {
    Suite *suite = suite_create("moe");
    TCase *tests = tcase_create("moe");
    tcase_add_test(tests, one_copy_a_node);
    tcase_add_test(tests, half_of_the_devices);
    tcase_add_test(tests, lecture_sizes);
    tcase_add_test(tests, limit_of_nodes);
    tcase_add_test(tests, compute_of_experts);
    tcase_add_test(tests, experts_of_tokens);
    tcase_add_test(tests, groups_of_uneven_experts);
    tcase_add_test(tests, redundant_expert);
    tcase_add_test(tests, tensor_parallel_attention);
    tcase_add_test(tests, micro_batches);
    tcase_add_test(tests, random_draws);
    tcase_add_test(tests, refusals);
    suite_add_tcase(suite, tests);
    return suite;
}
