// Keys and values from prefill to decode against closed forms, in ticks of 1 fs.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define MS INT64_C(1000000000000)
#define NICS(endpoints)                                                  \
    "'network': {'topology': {'type': 'switch', 'endpoints': " endpoints \
    ", 'link': {'bandwidth': '50GB/s', 'alpha': '5us'}}, 'chunk': 'whole'}"
#define NODES                                                                                                                           \
    "'network': {'topology': {'type': 'cluster', 'nodes': 2, 'nics_per_node': 8, 'nic_link': {'bandwidth': '50GB/s', 'alpha': '5us'}, " \
    "'fabric': {'type': 'switch'}, 'node': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '450GB/s', 'alpha': '2us'}}}, "     \
    "'chunk': 'whole'}"

static int64_t value_of(const struct simulation *run, const char *group, const char *name) {
    const struct figure *figure = figures_find(&run->result.figures, group, name);
    ck_assert_msg(figure != NULL, "no figure %s/%s", group, name);
    return figure->value;
}

static int64_t whole(const struct simulation *run, const char *name) { return value_of(run, "whole run", name); }

static int64_t wire(int64_t bytes, int64_t bytes_per_s) {
    return (int64_t)(((__int128)bytes * 1000000 * US + bytes_per_s - 1) / bytes_per_s);
}
#define NIC INT64_C(50000000000)
#define NVLINK INT64_C(450000000000)

// Qwen2.5-14B, 3072 tokens, 200 ms of prefill: 603,979,776 B, 12.08 ms after it, or what the last of 48 layers takes.
START_TEST(after_prefill_and_layer_by_layer) {
    for (int by_layer = 0; by_layer < 2; by_layer++) {
        struct simulation run;
        simulate(&run,
                 "{" NICS("2") ", 'workload': {'type': 'kv-transfer', 'model': 'qwen2.5-14b', 'hardware': 'h100', 'prompts': [3072],"
                               "'prefill_time': '200ms', 'mode': '%s'}}",
                 by_layer ? "layer-by-layer" : "after-prefill");
        int64_t bytes = 603979776, exposed = wire(by_layer ? bytes / 48 : bytes, NIC) + 5 * US;
        ck_assert_int_eq(whole(&run, "keys and values"), bytes);
        ck_assert_int_eq(whole(&run, "bytes sent"), bytes);
        ck_assert_int_eq((int64_t)simulation_link(&run, 0, 2).bytes, bytes);
        ck_assert_int_eq(whole(&run, "prefill"), 200 * MS);
        ck_assert_int_eq(whole(&run, "after the prefill"), exposed);
        ck_assert_int_eq(run.result.makespan_ticks, 200 * MS + exposed);
        ck_assert_double_eq_tol((double)run.result.makespan_ticks / 1e12, by_layer ? 200.25 : 212.08, 0.01);
        simulation_free(&run);
    }
}
END_TEST

// 1.6 GB (8 heads of 125, 40 layers, 10,000 tokens) from 4 to 8: 400 MB leave each of 4. From 8 to 4: they come in at each.
START_TEST(tensor_parallelism_changes) {
    for (int up = 0; up < 2; up++) {
        struct simulation run;
        simulate(&run,
                 "{" NICS("12") ", 'workload': {'type': 'kv-transfer', 'model': {'base': 'llama-3.1-8b', 'layers': 40, 'head_dim': 125},"
                                "'hardware': 'h100', 'prompts': [10000], 'prefill_time': '0s', 'prefill_ranks': %d, 'decode_ranks': %d,"
                                "'kv_sharding': 'heads'}}",
                 up ? 4 : 8, up ? 8 : 4);
        ck_assert_int_eq(whole(&run, "keys and values"), 1600000000);
        ck_assert_int_eq(run.result.makespan_ticks, 8 * MS + 5 * US);
        ck_assert_int_eq((int64_t)simulation_link(&run, 12, 4).bytes, up ? 200000000 : 0);
        ck_assert_int_eq((int64_t)simulation_link(&run, 12, 8).bytes, up ? 200000000 : 400000000);
        ck_assert_int_eq((int64_t)simulation_link(&run, 0, 12).bytes, up ? 400000000 : 200000000);
        simulation_free(&run);
    }
}
END_TEST

// Exercise 8: 80 layers and 8192 tokens over one NIC; and the latent of MLA, that two receivers both keep.
START_TEST(sizes) {
    static const struct {
        const char *model, *kv_dtype;
        int64_t bytes;
        double ms;
    } cases[] = {{"{'base': 'llama-3.1-70b', 'kv_heads': 64}", "bf16", INT64_C(8192) * 2 * 80 * 64 * 128 * 2, 430},
                 {"'llama-3.1-70b'", "bf16", INT64_C(8192) * 2 * 80 * 8 * 128 * 2, 54},
                 {"'llama-3.1-70b'", "fp8", INT64_C(8192) * 2 * 80 * 8 * 128, 27},
                 {"'deepseek-v3'", "bf16", INT64_C(8192) * 61 * 576 * 2, 11.5},
                 {"'deepseek-v3'", "fp8", INT64_C(8192) * 61 * 576, 5.8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct simulation run;
        simulate(&run,
                 "{" NICS("2") ", 'workload': {'type': 'kv-transfer', 'model': %s, 'kv_dtype': '%s', 'prompts': [8192],"
                               "'hardware': {'base': 'h100', 'memory': '1TB'}, 'prefill_time': '0s'}}",
                 cases[i].model, cases[i].kv_dtype);
        ck_assert_int_eq(whole(&run, "bytes sent"), cases[i].bytes);
        ck_assert_int_eq(run.result.makespan_ticks, wire(cases[i].bytes, NIC) + 5 * US);
        ck_assert_double_eq_tol((double)run.result.makespan_ticks / 1e12, cases[i].ms, cases[i].ms * 0.01);
        simulation_free(&run);
    }
    struct simulation run;
    simulate(&run, "{" NICS("3") ", 'workload': {'type': 'kv-transfer', 'model': 'deepseek-v3', 'prompts': [8192], 'kv_sharding': 'heads',"
                                 "'hardware': {'base': 'h100', 'memory': '1TB'}, 'prefill_time': '0s', 'prefill_ranks': 1}}");
    ck_assert_int_eq(whole(&run, "keys and values"), cases[3].bytes);
    ck_assert_int_eq(whole(&run, "bytes sent"), 2 * cases[3].bytes);
    ck_assert_int_eq(run.result.makespan_ticks, wire(2 * cases[3].bytes, NIC) + 5 * US);
    simulation_free(&run);
}
END_TEST

// 7.5: Llama-3.1-70B, 8192 tokens, from 8 to 8: 2.68 GB over 8 NICs take 4 to 5 % of the time of the prefill's compute.
START_TEST(share_of_prefill) {
    struct simulation run;
    simulate(&run, "{" NODES ", 'workload': {'type': 'kv-transfer', 'model': 'llama-3.1-70b', 'hardware': 'h100', 'prompts': [8192]}}");
    int64_t bytes = INT64_C(8192) * 327680;
    ck_assert_int_eq(whole(&run, "keys and values"), bytes);
    ck_assert_int_eq(whole(&run, "transfer"), wire(bytes / 8, NIC) + 5 * US);
    ck_assert_int_eq(whole(&run, "after the prefill"), whole(&run, "transfer"));
    ck_assert_int_eq(run.result.makespan_ticks, whole(&run, "prefill") + whole(&run, "transfer"));
    double share = (double)whole(&run, "transfer") / (double)whole(&run, "prefill compute");
    ck_assert_double_ge(share, 0.04);
    ck_assert_double_le(share, 0.05);
    simulation_free(&run);
}
END_TEST

// One layer from one rank to one over the 8 NICs of its node: an eighth to each of 7 others over the own NVLink port, the
// last then over its NIC and on to the receiver. Over one NIC: all of it. Eight ranks that share one NIC: 7 eighths to it, all
// over it, 7 eighths from it.
START_TEST(stripes) {
    static const struct { int tp, nics; } cases[] = {{1, 1}, {1, 8}, {8, 8}, {8, 1}};
    int64_t bytes = 80000 * INT64_C(4096), part = wire(bytes / 8, NVLINK), nic_part = wire(bytes / 8, NIC);
    int64_t expected[] = {wire(bytes, NIC) + 5 * US, 8 * part + nic_part + 9 * US, nic_part + 5 * US, 14 * part + 8 * nic_part + 9 * US};
    for (int i = 0; i < 4; i++) {
        struct simulation run;
        simulate(&run,
                 "{" NODES ", 'workload': {'type': 'kv-transfer', 'model': {'base': 'llama-3.1-8b', 'layers': 1}, 'hardware': 'h100',"
                 "'prompts': [80000], 'prefill_time': '0s', 'prefill_ranks': 8, 'prefill_tp': %d, 'decode_tp': %d, 'nics': %d}}",
                 cases[i].tp, cases[i].tp, cases[i].nics);
        ck_assert_int_eq(run.result.makespan_ticks, expected[i]);
        simulation_free(&run);
    }
}
END_TEST

// Two instances that prefill take prompts in turn: those of the second do not wait for the first.
START_TEST(instances) {
    struct simulation run;
    simulate(&run, "{" NICS("4") ", 'workload': {'type': 'kv-transfer', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'prefill_ranks': 2,"
                                 "'prefill_tp': 1, 'decode_tp': 1, 'prompts': [1000, 1000, 1000], 'prefill_time': '10ms'}}");
    int64_t transfer = 32 * wire(1000 * 4096, NIC) + 5 * US;
    ck_assert_int_eq(run.result.makespan_ticks, 20 * MS + transfer);
    ck_assert_int_eq(value_of(&run, "prompt 1", "prefill and what follows"), 10 * MS + transfer);
    ck_assert_int_eq(value_of(&run, "prompt 2", "prefill"), 10 * MS);
    ck_assert_int_eq(value_of(&run, "sum of prompts", "keys and values"), 3 * 1000 * 131072);
    simulation_free(&run);
    // What a long prompt of the other instance still has to send does not hold up a short one, though the same ranks receive both.
    int64_t exposed[2];
    for (int i = 0; i < 2; i++) {
        simulate(&run,
                 "{" NODES ", 'workload': {'type': 'kv-transfer', 'model': 'llama-3.1-70b', 'hardware': 'h100', 'prefill_ranks': 8,"
                 "'prefill_tp': 4, 'prompts': [%s100], 'mode': 'layer-by-layer', 'nics': 4, 'logits': 'none'}}",
                 i ? "8192, " : "1, ");
        exposed[i] = value_of(&run, "prompt 1", "after the prefill");
        simulation_free(&run);
    }
    ck_assert_int_gt(exposed[0], 0);
    ck_assert_int_lt(exposed[1], 2 * exposed[0]);
}
END_TEST

// On one switch the keys and values come in by the ports of the decode group's all-reduces: both get slower.
START_TEST(contention) {
#define MEANWHILE(batch, prompt)                                                                                           \
    "{" NICS("4") ", 'workload': {'type': 'kv-transfer', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'prompts': [" prompt \
                  "], 'prefill_time': '20ms', 'decode_batch': " batch ", 'decode_steps': 6}}"
    struct simulation alone, idle, both;
    simulate(&alone, MEANWHILE("0", "20000"));
    simulate(&idle, MEANWHILE("64", "1"));
    simulate(&both, MEANWHILE("64", "20000"));
    int64_t shortest = value_of(&idle, "decoding meanwhile", "shortest step"),
            longest = value_of(&idle, "decoding meanwhile", "longest step");
    ck_assert_int_eq(value_of(&both, "decoding meanwhile", "shortest step"), shortest);
    ck_assert_int_lt(longest - shortest, shortest / 100);
    ck_assert_int_gt(value_of(&both, "decoding meanwhile", "longest step"), longest + longest / 100);
    ck_assert_int_gt(whole(&both, "transfer"), whole(&alone, "transfer"));
    ck_assert_int_eq(whole(&alone, "transfer"), 32 * wire(20000 * 4096 / 2, NIC) + 5 * US);
    simulation_free(&alone);
    simulation_free(&idle);
    simulation_free(&both);
}
END_TEST

// Cut short at 15 ms, of three prompts on two instances those that were prefilled in 10 ms are told of, not the third.
START_TEST(cut_short) {
    struct simulation run;
    const struct run_limits limits = {.until_ticks = 15 * MS};
    simulate_limited(&run, &limits,
                     "{" NICS("4") ", 'workload': {'type': 'kv-transfer', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'prefill_ranks': 2,"
                                   "'prefill_tp': 1, 'decode_tp': 1, 'prompts': [1000, 1000, 1000], 'prefill_time': '10ms',"
                                   "'mode': 'layer-by-layer'}}");
    ck_assert_int_eq(run.result.status, RUN_LIMIT);
    ck_assert_int_eq(whole(&run, "prompts"), 2);
    ck_assert_ptr_nonnull(figures_find(&run.result.figures, "prompt 1", "transfer"));
    ck_assert_ptr_null(figures_find(&run.result.figures, "prompt 2", "transfer"));
    simulation_free(&run);
}
END_TEST

START_TEST(refusals) {
    static const struct {
        const char *more, *problem;
    } cases[] = {
        {"'prefill_ranks': 3, 'decode_ranks': 2", "3 ranks that prefill and 2 that decode are not in the 4 ranks"},
        {"'prefill_ranks': 3, 'prefill_tp': 2", "/workload/prefill_tp: 3 ranks cannot be split into instances of 2"},
        {"'decode_tp': 3", "/workload/decode_tp: 2 ranks cannot be split into instances of 3"},
        {"'nics': 3", "/workload/nics: instances of 2 ranks in a group of 2 cannot use 3 NICs"},
        {"'decode_batch': 1000, 'decode_context': 100000", "/workload/hardware: llama-3.1-8b does not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{" NICS("4") ", 'workload': {'type': 'kv-transfer', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'prompts': [10], %s}}",
                 cases[i].more);
        for (char *c = text; *c; c++)
            if (*c == '\'') *c = '"';
        char *problem = refusal_of("%s", text);
        ck_assert_msg(strstr(problem, cases[i].problem) != NULL, "%s", problem);
        free(problem);
    }
}
END_TEST

Suite *test_kv_transfer_suite(void);
Suite *test_kv_transfer_suite(void) {
    Suite *suite = suite_create("kv_transfer");
    TCase *tests = tcase_create("transfers");
    tcase_add_test(tests, after_prefill_and_layer_by_layer);
    tcase_add_test(tests, tensor_parallelism_changes);
    tcase_add_test(tests, sizes);
    tcase_add_test(tests, share_of_prefill);
    tcase_add_test(tests, stripes);
    tcase_add_test(tests, instances);
    tcase_add_test(tests, contention);
    tcase_add_test(tests, cut_short);
    tcase_add_test(tests, refusals);
    suite_add_tcase(suite, tests);
    return suite;
}
