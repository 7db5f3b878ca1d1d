// Workloads of language models against closed forms, in ticks of 1 fs: a network of NVLink's figures, where n bytes from
// rank to rank take 2 us and ceil(n / 450 GB/s), and parts of a model that each take ceil(work / rate).
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define SWITCH(endpoints, more) \
    "'network': {'topology': {'type': 'switch', 'endpoints': " endpoints ", 'link': {'bandwidth': '450GB/s', 'alpha': '2us'}}" more "}"
#define WHOLE ", 'chunk': 'whole'"
#define MODEL "'model': 'llama-3.1-70b', 'hardware': 'h100'"

static const struct figure *figure_of(const struct simulation *run, const char *group, const char *name) {
    const struct figure *figure = figures_find(&run->result.figures, group, name);
    ck_assert_msg(figure != NULL, "no figure %s/%s", group, name);
    return figure;
}

static int64_t whole(const struct simulation *run, const char *name) { return figure_of(run, "whole run", name)->value; }

static int64_t divide_up(__int128 value, __int128 by) { return (int64_t)((value + by - 1) / by); }

/// Of `bytes` over an NVLink port, latency left out.
static int64_t wire(int64_t bytes) { return divide_up((__int128)bytes * 1000000 * US, INT64_C(450000000000)); }

/// Of reading `bytes` from the memory of an H100, and of operations on it in BF16.
static int64_t reading(int64_t bytes) { return divide_up((__int128)bytes * 1000000 * US, INT64_C(3350000000000)); }
static int64_t computing(__int128 operations) { return divide_up(operations * 1000000 * US, INT64_C(989000000000000)); }

/// A decoding step of Llama-3.1-70B on 8: everything waits for memory.
static int64_t decode_compute(int64_t batch, int64_t context) {
    int64_t attention = 2 * INT64_C(8192) * 128 * (64 + 8), network = 3 * INT64_C(8192) * 28672, head = INT64_C(8192) * 128256;
    int64_t kv = batch * context * 4096; // of one layer
    return 80 * (reading(attention * 2 / 8) + reading(kv / 8) + reading(network * 2 / 8)) + reading(head * 2 / 8);
}

// 7.1: 160 times 14 steps of 16384 / 8 bytes.
START_TEST(decode_by_ring) {
    struct simulation run;
    simulate(&run, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', " MODEL ", 'algorithm': 'ring'}}");
    int64_t communication = 160 * 14 * (2 * US + wire(2048)), compute = decode_compute(1, 4096);
    ck_assert_int_eq(whole(&run, "communication"), communication);
    ck_assert_int_eq(whole(&run, "exposed communication"), communication);
    ck_assert_int_eq(whole(&run, "overlapped communication"), 0);
    ck_assert_int_eq(whole(&run, "compute"), compute);
    ck_assert_int_eq(whole(&run, "time"), compute + communication);
    ck_assert_int_eq(run.result.makespan_ticks, compute + communication);
    ck_assert_int_eq(figure_of(&run, "collectives of a pass", "all-reduce count")->value, 160);
    ck_assert_int_eq(figure_of(&run, "collectives of a pass", "all-reduce size")->value, 16384);
    ck_assert_int_eq(figure_of(&run, "collectives of a pass", "mean time")->value, communication / 160);
    ck_assert_double_eq_tol((double)communication / 1e12, 4.49, 4.49 * 0.002); // lecture P5, 7.1
    simulation_free(&run);
}
END_TEST

// 7.1: 160 times 3 steps of all 16384 bytes: 0.2177 of the ring's; a share of 0.16, and at 20 us of 0.65.
START_TEST(decode_by_recursive_doubling) {
    static const struct {
        const char *alpha;
        int64_t us;
        double share;
    } cases[] = {{"2us", 2, 0.16}, {"20us", 20, 0.65}};
    for (int i = 0; i < 2; i++) {
        struct simulation run;
        simulate(&run,
                 "{'network': {'topology': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '450GB/s', 'alpha': '%s'}}" WHOLE
                 "}, 'workload': {'type': 'tp-decode', " MODEL ", 'algorithm': 'recursive-doubling'}}",
                 cases[i].alpha);
        int64_t communication = 160 * 3 * (cases[i].us * US + wire(16384));
        ck_assert_int_eq(whole(&run, "communication"), communication);
        double share = (double)communication / (double)(communication + decode_compute(1, 4096));
        ck_assert_double_eq_tol(share, cases[i].share, cases[i].share * (i ? 0.01 : 0.03));
        const struct figure *reported = figure_of(&run, "whole run", "share of exposed communication");
        ck_assert_double_eq_tol((double)reported->value / (double)reported->other, share, 1e-12);
        simulation_free(&run);
    }
}
END_TEST

// 7.3: batch 64. One node: 8.39 + 5.13 = 13.52 ms. Two: half the compute, and 14 steps of an eighth over NVLink and two of
// half of that eighth over InfiniBand for each all-reduce: 4.20 + 7.15 = 11.35 ms.
START_TEST(decode_on_one_node_and_two) {
    struct simulation one, two;
    simulate(&one, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', " MODEL ", 'batch': 64}}");
    int64_t eighth = 64 * 8192 * 2 / 8;
    ck_assert_int_eq(one.result.makespan_ticks, decode_compute(64, 4096) + 160 * 14 * (2 * US + wire(eighth)));
    ck_assert_double_eq_tol((double)one.result.makespan_ticks / 1e12, 13.52, 13.52 * 0.002);
    simulate(&two, "{'network': {'topology': {'type': 'cluster', 'nodes': 2, 'nics_per_node': 8, 'nic_link': {'bandwidth': '50GB/s', "
                   "'alpha': '5us'}, 'fabric': {'type': 'switch'},"
                   "'node': {'type': 'switch', 'endpoints': 8, 'link': {'bandwidth': '450GB/s', 'alpha': '2us'}}}" WHOLE "},"
                   "'workload': {'type': 'tp-decode', " MODEL ", 'batch': 64, 'algorithm': 'hierarchical'}}");
    int64_t over_nics = divide_up((__int128)(eighth / 2) * 1000000 * US, INT64_C(50000000000));
    ck_assert_int_eq(whole(&two, "communication"), 160 * (14 * (2 * US + wire(eighth)) + 2 * (5 * US + over_nics)));
    ck_assert_double_eq_tol((double)whole(&two, "communication") / 1e12, 7.15, 7.15 * 0.001);
    ck_assert_double_eq_tol((double)two.result.makespan_ticks / 1e12, 11.35, 11.35 * 0.002);
    simulation_free(&one);
    simulation_free(&two);
}
END_TEST

// Exercise 7: 64 all-reduces of 131,072 bytes between 4.
START_TEST(decode_of_exercise_7) {
    struct simulation run;
    simulate(&run, "{" SWITCH("4", WHOLE) ", 'workload': {'type': 'tp-decode', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'batch': 16}}");
    ck_assert_int_eq(whole(&run, "communication"), 64 * 6 * (2 * US + wire(32768)));
    ck_assert_double_eq_tol((double)whole(&run, "communication") / 1e12, 0.80, 0.008);
    ck_assert_int_eq(figure_of(&run, "collectives of a pass", "all-reduce count")->value, 64);
    simulation_free(&run);
    simulate(&run, "{" SWITCH("4", WHOLE) ", 'workload': {'type': 'tp-decode', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'batch': 16,"
                                          "'algorithm': 'recursive-doubling'}}");
    ck_assert_int_eq(whole(&run, "communication"), 64 * 2 * (2 * US + wire(131072)));
    ck_assert_double_eq_tol((double)whole(&run, "communication") / 1e12, 0.29, 0.0058);
    simulation_free(&run);
}
END_TEST

// One more token in each step.
START_TEST(decode_of_a_growing_context) {
    struct simulation run;
    simulate(&run, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', " MODEL ", 'batch': 8, 'context': 1000, 'steps': 5}}");
    int64_t communication = 160 * 14 * (2 * US + wire(8 * 8192 * 2 / 8)), all = 0;
    for (int step = 0; step < 5; step++) {
        char name[64];
        snprintf(name, sizeof name, "step %d context %d", step, 1000 + step);
        int64_t expected = decode_compute(8, 1000 + step) + communication;
        ck_assert_int_eq(figure_of(&run, "time of a step", name)->value, expected);
        all += expected;
    }
    ck_assert_int_eq(run.result.makespan_ticks, all);
    simulation_free(&run);
}
END_TEST

// A reduce-scatter and an all-gather by rings are the ring all-reduce; the launch of each counts as communication.
START_TEST(decode_by_sequence_parallelism) {
    struct simulation run;
    simulate(&run,
             "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', " MODEL ", 'parallelism': 'sequence', 'launch_overhead': '5us'}}");
    ck_assert_int_eq(whole(&run, "communication"), 160 * 14 * (2 * US + wire(2048)) + 320 * 5 * US);
    ck_assert_int_eq(whole(&run, "compute"), decode_compute(1, 4096));
    ck_assert_int_eq(figure_of(&run, "collectives of a pass", "all-gather count")->value, 160);
    simulation_free(&run);
}
END_TEST

// Two teams of four side by side on one switch do not disturb each other.
START_TEST(decode_in_two_teams) {
    struct simulation run;
    simulate(
        &run,
        "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', 'model': 'llama-3.1-8b', 'hardware': 'h100', 'batch': 16, 'tp': 4}}");
    ck_assert_int_eq(whole(&run, "communication"), 64 * 6 * (2 * US + wire(32768)));
    ck_assert_uint_eq(run.result.messages, 64 * 6 * 8);
    simulation_free(&run);
}
END_TEST

/// Prefill of a whole prompt of Llama-3.1-70B on 8: everything waits for arithmetic.
static int64_t prefill_compute(int64_t tokens) {
    int64_t attention = 2 * INT64_C(8192) * 128 * (64 + 8), network = 3 * INT64_C(8192) * 28672, head = INT64_C(8192) * 128256;
    __int128 pairs = (__int128)tokens * (tokens + 1) / 2, each = 2 * tokens / 8 * (__int128)1;
    return 80 * (computing(each * attention) + computing(pairs * 4 * 8192 / 8) + computing(each * network)) + computing(each * head);
}

// 7.2: communication is 107 % of the compute of 512 tokens, 45 % of that of 32,768.
START_TEST(prefill_of_lecture) {
    static const struct {
        int64_t tokens;
        double ratio;
    } cases[] = {{512, 1.07}, {32768, 0.45}};
    for (int i = 0; i < 2; i++) {
        struct simulation run;
        simulate(&run, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-prefill', " MODEL ", 'prompts': [%d]}}", (int)cases[i].tokens);
        int64_t communication = 160 * 14 * (2 * US + wire(cases[i].tokens * 8192 * 2 / 8)), compute = prefill_compute(cases[i].tokens);
        ck_assert_int_eq(whole(&run, "communication"), communication);
        ck_assert_int_eq(whole(&run, "compute"), compute);
        ck_assert_int_eq(run.result.makespan_ticks, compute + communication);
        ck_assert_double_eq_tol((double)communication / (double)compute, cases[i].ratio, cases[i].ratio * 0.01);
        simulation_free(&run);
    }
}
END_TEST

// Prompts in a row, in chunks: 100 tokens of 40, 40 and 20, then 10. Each chunk reads its weights again, and attends to all before it.
START_TEST(prefill_in_chunks) {
    struct simulation run, parts[4];
    simulate(&run, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-prefill', " MODEL ", 'prompts': [100, 10], 'chunk_tokens': 40}}");
    int64_t all = 0;
    static const int prompts[] = {40, 20, 10};
    for (int i = 0; i < 3; i++) {
        simulate(&parts[i], "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-prefill', " MODEL ", 'prompts': [%d]}}", prompts[i]);
        all += parts[i].result.makespan_ticks * (i == 0 ? 2 : 1);
        simulation_free(&parts[i]);
    }
    // the second and third chunk read 40 and 80 tokens more of 4096 bytes in each of 80 layers, which outlasts their arithmetic
    int64_t reading_more = 80 * (reading(80 * 512) - reading(40 * 512) + reading(100 * 512) - reading(20 * 512));
    ck_assert_int_eq(run.result.makespan_ticks, all + reading_more);
    ck_assert_int_eq(figure_of(&run, "prompt 0", "time")->value + figure_of(&run, "prompt 1", "time")->value, run.result.makespan_ticks);
    ck_assert_int_eq(figure_of(&run, "whole run", "chunks")->value, 4);
    simulation_free(&run);
}
END_TEST

// Without overlap all communication is exposed; in parts nearly none is left where a part's compute outlasts its all-reduce.
START_TEST(prefill_overlapped) {
    static const struct {
        int parts;
        double exposed_least, exposed_most; ///< of all communication
    } cases[] = {{1, 1, 1}, {2, 0.05, 0.2}, {4, 0, 0.01}};
    for (int i = 0; i < 3; i++) {
        struct simulation run;
        simulate(&run, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-prefill', " MODEL ", 'prompts': [8192], 'overlap': %d}}",
                 cases[i].parts);
        int64_t parts = cases[i].parts, exposed = whole(&run, "exposed communication");
        ck_assert_int_eq(whole(&run, "communication"), 160 * parts * 14 * (2 * US + wire(8192 * 8192 * 2 / 8 / parts)));
        ck_assert_int_eq(run.result.makespan_ticks, whole(&run, "compute") + exposed);
        ck_assert_double_ge((double)exposed, cases[i].exposed_least * (double)whole(&run, "communication"));
        ck_assert_double_le((double)exposed, cases[i].exposed_most * (double)whole(&run, "communication"));
        ck_assert_int_lt(llabs(whole(&run, "compute") - prefill_compute(8192)), 1000); // rounding of parts, in fs
        simulation_free(&run);
    }
}
END_TEST

#define SMALL "'model': {'base': 'llama-3.1-8b', 'layers': 8}, 'hardware': 'h100', 'logits': 'none'"

// Four stages of two layers: M + S - 1 times a stage's time, and the transfer of the first micro-batch three times: 4096 x 2 bytes.
START_TEST(pipeline_of_equal_stages) {
    struct simulation run;
    simulate(&run,
             "{" SWITCH("4", WHOLE) ", 'workload': {'type': 'pipeline', " SMALL ", 'stages': 4, 'micro_batches': 6, 'context': 100}}");
    int64_t attention = 2 * INT64_C(4096) * 128 * (32 + 8), network = 3 * INT64_C(4096) * 14336;
    int64_t stage = 2 * (reading(attention * 2) + reading(100 * 4096) + reading(network * 2)), transfer = 2 * US + wire(8192);
    ck_assert_int_eq(run.result.makespan_ticks, 9 * stage + 3 * transfer);
    ck_assert_int_eq(figure_of(&run, "stage 2", "compute")->value, 6 * stage);
    ck_assert_int_eq(figure_of(&run, "stage 2", "idle")->value, 3 * stage + 3 * transfer);
    const struct figure *bubble = figure_of(&run, "whole run", "bubble"),
                        *ideal = figure_of(&run, "whole run", "bubble of equal stages and free transfers");
    ck_assert_int_eq(bubble->value, 3 * stage + 3 * transfer);
    ck_assert_int_eq(ideal->value * 9, ideal->other * 3); // (S - 1) / (M + S - 1)
    ck_assert_uint_eq(run.result.messages, 18);
    simulation_free(&run);
}
END_TEST

// Two stages of two ranks: each layer's two all-reduces are work, not bubble; every rank sends on all it has. Once the last
// step of stage 1 finds its port taken by what stage 0 sends on: it left wire(4096) after that, which takes wire(8192).
START_TEST(pipeline_of_teams) {
    struct simulation run;
    simulate(&run,
             "{" SWITCH("4", WHOLE) ", 'workload': {'type': 'pipeline', " SMALL ", 'stages': 2, 'micro_batches': 3, 'context': 100}}");
    int64_t attention = 2 * INT64_C(4096) * 128 * (32 + 8), network = 3 * INT64_C(4096) * 14336, all_reduce = 2 * (2 * US + wire(4096));
    int64_t stage = 4 * (reading(attention) + reading(100 * 2048) + reading(network) + 2 * all_reduce);
    ck_assert_int_eq(run.result.makespan_ticks, 4 * stage + 2 * US + wire(8192) + wire(4096));
    ck_assert_int_eq(figure_of(&run, "stage 1", "exposed collectives")->value, 3 * 8 * all_reduce + wire(4096));
    ck_assert_int_eq(figure_of(&run, "whole run", "bytes from stage to stage for each micro batch")->value, 16384);
    simulation_free(&run);
}
END_TEST

// Inside of others: after the first the second runs the same, and its figures stand below its number.
START_TEST(inside_a_sequence) {
    struct simulation alone, run;
    simulate(&alone, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', " MODEL "}}");
    simulate(&run,
             "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'sequence', 'of': [{'type': 'tp-decode', " MODEL "}, {'type': 'parallel', 'of':"
                                    "[{'type': 'tp-decode', " MODEL "}]}]}}");
    ck_assert_int_eq(run.result.makespan_ticks, 2 * alone.result.makespan_ticks);
    ck_assert_int_eq(figure_of(&run, "0/whole run", "time")->value, alone.result.makespan_ticks);
    ck_assert_int_eq(figure_of(&run, "1/0/whole run", "time")->value, alone.result.makespan_ticks);
    simulation_free(&alone);
    simulation_free(&run);
}
END_TEST

static void check_refusal(const char *workload, const char *expected) {
    char text[1024];
    snprintf(text, sizeof text, "{" SWITCH("8", "") ", 'workload': {%s}}", workload);
    char *refusal = refusal_of("%s", text);
    ck_assert_str_eq(refusal, expected);
    free(refusal);
}

START_TEST(refused_before_the_run) {
    check_refusal("'type': 'tp-decode', 'model': 'llama-3.1-70B', 'hardware': 'h100'",
                  "/workload/model: unknown model \"llama-3.1-70B\"; known: llama-3.1-8b, llama-3.1-70b, llama-3.1-405b, qwen2.5-14b, "
                  "mixtral-8x7b, deepseek-v3 (did you mean \"llama-3.1-70b\"?)");
    check_refusal(
        "'type': 'tp-decode', 'model': 'llama-3.1-70b', 'hardware': 'h10'",
        "/workload/hardware: unknown hardware \"h10\"; known: h100, h200, a100, b200, mi300x, tpu-v5e, tpu-v5p (did you mean \"h100\"?)");
    check_refusal("'type': 'tp-decode', " MODEL ", 'tp': 3", "/workload/tp: 8 ranks cannot be split into teams of 3");
    check_refusal("'type': 'tp-decode', " MODEL ", 'algorithm': 'rign'",
                  "/workload/algorithm: all-reduce has no algorithm \"rign\"; it has auto, bidirectional-ring, double-tree, hierarchical, "
                  "in-network, naive, one-shot, pipelined-ring, rabenseifner, recursive-doubling, ring, torus, torus-rotated, tree, "
                  "two-shot (did you mean \"ring\"?)");
    check_refusal(
        "'type': 'tp-decode', " MODEL ", 'tp': 1",
        "/workload/hardware: llama-3.1-70b does not fit: each device needs 141.1 GB for weights (bf16) and 1.342 GB for keys and values "
        "(bf16), 62.45 GB more than the 80 GB of h100");
    check_refusal("'type': 'tp-prefill', " MODEL ", 'prompts': [100, 5], 'overlap': 8",
                  "/workload/overlap: a chunk of 5 tokens cannot be cut into 8 parts");
    check_refusal("'type': 'tp-prefill', " MODEL ", 'prompts': []", "/workload/prompts: there must be a prompt");
    check_refusal("'type': 'pipeline', " MODEL ", 'stages': 3", "/workload/stages: 3 stages of 2 ranks are not the 8 ranks that there are");
    check_refusal("'type': 'tp-decode', 'model': {'base': 'mixtral-8x7b', 'top_k': 9}, 'hardware': 'h100'",
                  "/workload/model: a token cannot be sent to 9 of 8 experts");
    check_refusal("'type': 'tp-decode', " MODEL ", 'compute_efficiency': 1.5",
                  "/workload/compute_efficiency: the number is too large; the most is 1");
    check_refusal("'type': 'tp-decode', " MODEL ", 'compute_efficiency': '70%'",
                  "/workload/compute_efficiency: expected a number with at most six decimals, found \"70%\"");
}
END_TEST

// Dimensions and rates of one's own: twice the layers, half the bandwidth reached.
START_TEST(own_figures) {
    struct simulation run;
    simulate(
        &run,
        "{" SWITCH("1", WHOLE) ", 'workload': {'type': 'tp-decode', 'model': {'base': 'llama-3.1-8b', 'layers': 2, 'vocabulary': 1000},"
                               "'hardware': {'base': 'h100', 'memory_bandwidth': '1TB/s', 'bf16_tflops': 1234.5}, 'memory_efficiency': 0.5,"
                               "'context': 100}}");
    int64_t attention = 2 * INT64_C(4096) * 128 * (32 + 8), network = 3 * INT64_C(4096) * 14336;
    // 2 bytes at 500 GB/s: 4000 ticks each
    ck_assert_int_eq(run.result.makespan_ticks, 4000 * (2 * (attention + network) + 4096 * 1000) + 2 * 2000 * 100 * 4096);
    simulation_free(&run);
}
END_TEST

// What the document says of the scenario, run again, is the same run.
START_TEST(echo_runs_the_same) {
    struct simulation run, again;
    simulate(
        &run,
        "{" SWITCH("8",
                   WHOLE) ", 'workload': {'type': 'tp-prefill', 'model': {'base': 'mixtral-8x7b', 'layers': 3, 'dense_layers': 1,"
                          "'ffn': 2000}, 'hardware': {'base': 'mi300x', 'fp16_tflops': 1000.125}, 'activation_dtype': 'fp16', 'overlap': 2,"
                          "'compute_efficiency': 0.625, 'prompts': [300], 'launch_overhead': '1.5us'}}");
    json_t *resolved = scenario_resolved(run.scenario);
    char *text = json_dumps(resolved, 0);
    simulate(&again, "%s", text);
    ck_assert_int_eq(run.result.makespan_ticks, again.result.makespan_ticks);
    json_t *twice = scenario_resolved(again.scenario);
    ck_assert(json_equal(resolved, twice));
    json_decref(resolved);
    json_decref(twice);
    free(text);
    simulation_free(&run);
    simulation_free(&again);
}
END_TEST

// Whichever engine takes the events, and with auto whatever is chosen: all that is reported is the same.
START_TEST(engines_agree) {
    static const char text[] =
        "{" SWITCH("8", "") ", 'workload': {'type': 'pipeline', " MODEL ", 'stages': 2, 'micro_batches': 3, 'prompt': 64}}";
    struct simulation runs[2];
    char *documents[2];
    for (int i = 0; i < 2; i++) {
        simulate_limited(&runs[i], &(struct run_limits){.engine = (enum engine_choice)(ENGINE_HEAP + i)}, "%s", text);
        documents[i] = simulation_json(&runs[i]);
    }
    ck_assert_str_eq(documents[0], documents[1]);
    for (int i = 0; i < 2; i++) {
        simulation_free(&runs[i]);
        free(documents[i]);
    }
}
END_TEST

// One-shot is the fastest for 16 KiB between eight: 2 us and seven times 16384 bytes on each port.
START_TEST(auto_takes_the_fastest) {
    struct simulation run;
    simulate(&run, "{" SWITCH("8", WHOLE) ", 'workload': {'type': 'tp-decode', " MODEL ", 'algorithm': 'auto'}}");
    ck_assert_str_eq(figure_of(&run, "collectives of a pass", "all-reduce")->text, "one-shot (auto)");
    ck_assert_int_eq(whole(&run, "communication"), 160 * (2 * US + 7 * wire(16384)));
    simulation_free(&run);
}
END_TEST

Suite *test_llm_suite(void);
Suite *test_llm_suite(void) {
    Suite *suite = suite_create("llm");
    TCase *tcase = tcase_create("llm");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, decode_by_ring);
    tcase_add_test(tcase, decode_by_recursive_doubling);
    tcase_add_test(tcase, decode_on_one_node_and_two);
    tcase_add_test(tcase, decode_of_exercise_7);
    tcase_add_test(tcase, decode_of_a_growing_context);
    tcase_add_test(tcase, decode_by_sequence_parallelism);
    tcase_add_test(tcase, decode_in_two_teams);
    tcase_add_test(tcase, prefill_of_lecture);
    tcase_add_test(tcase, prefill_in_chunks);
    tcase_add_test(tcase, prefill_overlapped);
    tcase_add_test(tcase, pipeline_of_equal_stages);
    tcase_add_test(tcase, pipeline_of_teams);
    tcase_add_test(tcase, inside_a_sequence);
    tcase_add_test(tcase, refused_before_the_run);
    tcase_add_test(tcase, own_figures);
    tcase_add_test(tcase, echo_runs_the_same);
    tcase_add_test(tcase, engines_agree);
    tcase_add_test(tcase, auto_takes_the_fastest);
    suite_add_tcase(suite, tcase);
    return suite;
}
