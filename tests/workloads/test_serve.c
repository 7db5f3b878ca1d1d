// Serving requests: times against closed forms (ticks of 1 fs), queues and admission against counts made by hand, and runs
// in which collectives are replayed against the same runs simulated whole.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "golden/simulation.h"

#define US INT64_C(1000000000)
#define TRACES "tests/workloads/traces/"
#define SWITCH(endpoints)                                                \
    "'network': {'topology': {'type': 'switch', 'endpoints': " endpoints \
    ", 'link': {'bandwidth': '450GB/s', 'alpha': '2us'}}, 'chunk': 'whole'}"
#define MODEL "'type': 'serve', 'model': 'llama-3.1-8b', 'hardware': 'h100'"
#define ARRIVALS(count, rate, input, output) \
    "'arrivals': {'count': " count ", 'rate': " rate ", 'input': {'tokens': " input "}, 'output': {'tokens': " output "}}"

static int64_t figure(const struct simulation *run, const char *group, const char *name) {
    const struct figure *figure = figures_find(&run->result.figures, group, name);
    ck_assert_msg(figure != NULL, "no figure %s/%s", group, name);
    return figure->value;
}

static int64_t divide_up(__int128 value, __int128 by) { return (int64_t)((value + by - 1) / by); }

/// `bytes` over an NVLink port, latency included.
static int64_t wire(int64_t bytes) { return 2 * US + divide_up((__int128)bytes * 1000000 * US, INT64_C(450000000000)); }

/// The longer of operations in BF16 on an H100 and of reading from its memory.
static int64_t part(__int128 operations, __int128 bytes) {
    int64_t computing = divide_up(operations * 1000000 * US, INT64_C(989000000000000));
    int64_t reading = divide_up(bytes * 1000000 * US, INT64_C(3350000000000));
    return computing > reading ? computing : reading;
}

/// A pass of Llama-3.1-8B on two devices: `tokens` attend to `attended` in all, `kept` are read, `last` make logits.
struct pass_of_8b {
    int64_t tokens, attended, kept, last;
};

static int64_t compute(struct pass_of_8b pass) {
    int64_t projections = INT64_C(4096) * 128 * (2 * 32 + 2 * 8), network = INT64_C(3) * 4096 * 14336, head = INT64_C(4096) * 128256;
    int64_t attention = part((__int128)4 * 32 * 128 * pass.attended / 2, (__int128)pass.kept * 4096 / 2);
    int64_t linear = part((__int128)projections * pass.tokens, projections) + part((__int128)network * pass.tokens, network);
    return 32 * (linear + attention) + part((__int128)head * pass.last, head);
}

/// Two all-reduces a layer by a ring of two: two steps of half of it.
static int64_t communication(int64_t tokens) { return 64 * 2 * wire(tokens * 4096 * 2 / 2); }

static int64_t prefill(int64_t tokens) {
    return compute((struct pass_of_8b){tokens, tokens * (tokens + 1) / 2, tokens, 1}) + communication(tokens);
}

/// An iteration of `batch` sequences that attend to `context` tokens in all.
static int64_t iteration(int64_t batch, int64_t context) {
    return compute((struct pass_of_8b){batch, context, context, batch}) + communication(batch);
}

// One request: prefill, its keys and values (131072 B a token, half of them from each rank), then three iterations.
START_TEST(one_request) {
    struct simulation run;
    simulate(&run, "{" SWITCH("4") ", 'workload': {" MODEL ", 'tp': 2, " ARRIVALS("1", "1", "1000", "4") "}}");
    int64_t first = prefill(1000), transfer = wire(1000 * INT64_C(131072) / 2);
    int64_t decoding = iteration(1, 1001) + iteration(1, 1002) + iteration(1, 1003);
    ck_assert_int_eq(figure(&run, "time to first token", "most"), first);
    ck_assert_int_eq(figure(&run, "transfer of keys and values", "most"), transfer);
    ck_assert_int_eq(figure(&run, "time per output token", "most"), (transfer + decoding) / 3);
    ck_assert_int_eq(figure(&run, "end to end", "p50"), first + transfer + decoding);
    ck_assert_int_eq(run.result.makespan_ticks, first + transfer + decoding);
    ck_assert_int_eq(figure(&run, "keys and values", "moved"), 131072000);
    simulation_free(&run);
}
END_TEST

// Without other ranks nothing is sent: the first token comes from the prefill, and the last needs no pass of its own.
START_TEST(one_request_colocated) {
    struct simulation run;
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'colocated': {'tp': 2}, " ARRIVALS("1", "1", "500", "3") "}}");
    ck_assert_int_eq(run.result.makespan_ticks, prefill(500) + iteration(1, 501) + iteration(1, 502));
    ck_assert_int_eq(figure(&run, "keys and values", "transfers"), 0);
    simulation_free(&run);
}
END_TEST

// Two requests of one instant, 1000 tokens each, in a batch of at most 1500 tokens: 1000 and 500 first; then the first
// decodes beside the other 500, which attend to the 500 before; then both decode.
START_TEST(chunks_beside_decoding) {
    struct simulation run;
    simulate(&run,
             "{" SWITCH("2") ", 'workload': {" MODEL ", 'colocated': {'tp': 2}, 'max_batch_tokens': 1500, 'trace': '" TRACES "pair.csv'}}");
    int64_t one = compute((struct pass_of_8b){1500, 500500 + 125250, 1500, 1}) + communication(1500);
    int64_t two = compute((struct pass_of_8b){501, 1001 + 500 * 500 + 125250, 1001 + 1000, 2}) + communication(501);
    ck_assert_int_eq(run.result.makespan_ticks, one + two + iteration(2, 1002 + 1001) + iteration(1, 1002));
    ck_assert_int_eq(figure(&run, "instances", "most sequences"), 2);
    simulation_free(&run);
}
END_TEST

// Memory for one request only (81 of 80 + 81 tokens): the second waits for the first to end before its keys and values go.
START_TEST(admission_by_memory) {
    struct simulation run;
    int64_t weights = 2 * (INT64_C(8029995008) / 2), room = weights + 65536 * 100;
    simulate(&run,
             "{" SWITCH("4") ", 'workload': {'type': 'serve', 'model': 'llama-3.1-8b', 'hardware': {'base': 'h100', 'memory': '%lldB'}, "
                             "'memory_share': 1, 'tp': 2, " ARRIVALS("2", "1000000000", "50", "40") "}}",
             (long long)room);
    ck_assert_int_eq(figure(&run, "decode instances", "tokens that fit each"), 100);
    ck_assert_int_eq(figure(&run, "decode instances", "most sequences"), 1);
    ck_assert_int_eq(figure(&run, "decode instances", "decode iterations"), 2 * 39);
    ck_assert_int_gt(figure(&run, "waiting for memory to decode in", "most"), 30 * iteration(1, 51));
    simulation_free(&run);
    char text[900];
    snprintf(text, sizeof text,
             "{" SWITCH("4") ", 'workload': {'type': 'serve', 'model': 'llama-3.1-8b', 'hardware': {'base': 'h100', 'memory': '%lldB'}, "
                             "'memory_share': 1, 'tp': 2, " ARRIVALS("2", "1000000000", "50", "52") "}}",
             (long long)room);
    char *refusal = refusal_of("%s", text);
    ck_assert_str_eq(refusal, "/workload/arrivals: a request of 50 tokens in, 52 out: the memory of an instance keeps 100 tokens, not 101");
    free(refusal);
}
END_TEST

// Nine equal requests of one instant on three instances: each prefills three of them, one after another.
START_TEST(the_least_loaded_is_taken) {
    struct simulation run;
    simulate(&run, "{" SWITCH("6") ", 'workload': {" MODEL ", 'tp': 1, 'prefill': {'instances': 3}, 'decode': {'instances': 3}, "
                                   "'max_batch_tokens': 100, 'trace': '" TRACES "nine.csv'}}");
    int64_t batch = figure(&run, "queueing for prefill", "p50");
    ck_assert_int_eq(figure(&run, "prefill instances", "prefill batches"), 9);
    ck_assert_int_gt(batch, 0);
    ck_assert_int_eq(figure(&run, "queueing for prefill", "most"), 2 * batch);
    ck_assert_int_eq(figure(&run, "time to first token", "most"), 3 * batch);
    ck_assert_int_eq(figure(&run, "time to first token", "mean"), 2 * batch);
    ck_assert_int_eq(figure(&run, "requests", "done"), 9);
    simulation_free(&run);
}
END_TEST

// Of the second prompt 1024 tokens are known, of the third (the first again) all but the last, of the fourth none: its first
// block is new. Reused tokens are not prefilled.
START_TEST(prefixes_are_reused) {
    struct simulation run;
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "mooncake.jsonl'}}");
    ck_assert_int_eq(figure(&run, "keys and values", "tokens reused"), 1024 + 1023);
    ck_assert_int_eq(figure(&run, "keys and values", "saved by prefix reuse"), (1024 + 1023) * INT64_C(131072));
    ck_assert_int_eq(figure(&run, "keys and values", "moved"), (1024 + 1024 + 700) * INT64_C(131072));
    ck_assert_int_eq(figure(&run, "requests", "last arrival"), 180000000 * US);
    simulation_free(&run);
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "mooncake.jsonl', 'prefix_reuse': false}}");
    ck_assert_int_eq(figure(&run, "keys and values", "tokens reused"), 0);
    simulation_free(&run);
    // two blocks are remembered: of [10 11 12] the first two, so the third request finds both
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "mooncake.jsonl', 'prefix_cache_blocks': 2}}");
    ck_assert_int_eq(figure(&run, "keys and values", "tokens reused"), 1024 + 1023);
    simulation_free(&run);
}
END_TEST

START_TEST(azure_and_plain_traces) {
    struct simulation run;
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "azure.csv'}}");
    ck_assert_int_eq(figure(&run, "requests", "requests"), 3);
    ck_assert_int_eq(figure(&run, "requests", "tokens in"), 374 + 396 + 12);
    ck_assert_int_eq(figure(&run, "requests", "tokens out"), 44 + 109 + 7);
    ck_assert_int_eq(figure(&run, "requests", "last arrival"), INT64_C(60520040000) * (US / 1000000) * 1000); // 60.52004 s
    simulation_free(&run);
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "plain.csv', 'limit': 4}}");
    ck_assert_int_eq(figure(&run, "requests", "requests"), 4);
    ck_assert_int_eq(figure(&run, "requests", "last arrival"), 1000 * US);
    simulation_free(&run);
}
END_TEST

static void assert_refused(const char *trace, const char *more, const char *expected) {
    char text[900];
    snprintf(text, sizeof text, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "%s'%s}}", trace, more);
    char *refusal = refusal_of("%s", text);
    ck_assert_str_eq(refusal, expected);
    free(refusal);
}

START_TEST(what_does_not_fit_together_is_refused) {
    static const struct {
        const char *keys, *refusal;
    } cases[] = {
        {"'trace': '" TRACES "pair.csv', 'arrivals': {}",
         "/workload/arrivals: requests come from a \"trace\" or from \"arrivals\", not both"},
        {"'limit': 3", "/workload: serve needs a \"trace\" of requests, or \"arrivals\""},
        {"'trace': '" TRACES "pair.csv', 'colocated': {}, 'decode': {}",
         "/workload/colocated: instances are \"colocated\", or \"prefill\" and \"decode\" apart, not both"},
        {"'trace': '" TRACES "pair.csv', 'prefill': {'instances': 2, 'tp': 2}",
         "/workload/decode: how many ranks has an instance? give \"tp\" here or for all"},
        {"'trace': '" TRACES "pair.csv', 'tp': 2, 'prefill': {'instances': 2}",
         "/workload/decode: 1 instances of 2 ranks do not fit: 4 ranks, of which 4 are taken"},
        {"'trace': '" TRACES "pair.csv', 'tp': 2, 'algorithm': 'auto'",
         "/workload/algorithm: serve does not choose one for each batch; \"auto\" in tp-decode tells which suits a batch"},
        {"'tp': 2, 'arrivals': {'input': {'least': 5, 'most': 4}}", "/workload/arrivals/input: \"least\" is above \"most\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "{" SWITCH("4") ", 'workload': {" MODEL ", %s}}", cases[i].keys);
        char *refusal = refusal_of("%s", text);
        ck_assert_str_eq(refusal, cases[i].refusal);
        free(refusal);
    }
}
END_TEST

// 0.9 x 80 GB less 2 x 8029995008 B of weights, at 131072 B a token: 426788 fit.
START_TEST(bad_lines_are_refused) {
    assert_refused("bad.csv", "",
                   "/workload/trace: " TRACES "bad.csv, line 3: expected three columns: time, tokens in, tokens out, and 5 more bad lines; "
                   "\"on_bad_line\": \"skip\" leaves such lines out");
    assert_refused("bad.jsonl", "",
                   "/workload/trace: " TRACES
                   "bad.jsonl, line 2: \"hash_ids\" must be a list of 2 ids, one for each 512 tokens of the prompt, "
                   "and 4 more bad lines; \"on_bad_line\": \"skip\" leaves such lines out");
    assert_refused("large.csv", "",
                   "/workload/trace: " TRACES "large.csv, line 2: the prompt of 100000000 tokens: the memory of an instance keeps 426788; "
                   "\"on_bad_line\": \"skip\" leaves such lines out");
}
END_TEST

// Of nine lines: a cut one, one back in time, two of no tokens, one without a number, one of four columns, and one that fits no memory.
START_TEST(bad_lines_are_skipped_and_counted) {
    struct simulation run;
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, 'trace': '" TRACES "bad.csv', 'on_bad_line': 'skip'}}");
    ck_assert_int_eq(figure(&run, "requests", "requests"), 3);
    ck_assert_int_eq(figure(&run, "requests", "skipped, malformed"), 6);
    ck_assert_int_eq(figure(&run, "requests", "skipped, too large"), 1);
    ck_assert_int_eq(figure(&run, "requests", "tokens in"), 100 + 200 + 300);
    simulation_free(&run);
}
END_TEST

// ---- replay

static const char *const networks[] = {
    // own links for collectives, NICs for keys and values: everything is replayed
    "{'topology': {'type': 'cluster', 'nodes': 3, 'node': {'type': 'switch', 'endpoints': 4, 'link': 'nvlink4'}, 'nic_link': 'ib-ndr', "
    "'fabric': 'switch'}}",
    // transfers use the links of the collectives
    "{'topology': {'type': 'switch', 'endpoints': 12, 'link': 'nvlink4'}}",
    "{'topology': {'type': 'switch', 'endpoints': 12, 'link': 'ib-ndr'}, 'injection': 'round-robin', 'switching': 'store-and-forward'}",
    "{'topology': {'type': 'full', 'endpoints': 12, 'link': 'ib-ndr'}, 'chunk': 'whole'}",
    // teams and transfers cross each other
    "{'topology': {'type': 'mesh', 'dims': [3, 4], 'link': 'ib-ndr'}}",
    // routes depend on message numbers
    "{'topology': {'type': 'torus', 'dims': [2, 6], 'link': 'ib-ndr'}}",
    "{'topology': {'type': 'leaf-spine', 'leaves': 3, 'hosts_per_leaf': 4, 'spines': 2, 'host_link': 'ib-ndr', 'up_link': 'ib-ndr', "
    "'ecmp': 'spray'}}",
};
static const bool replays_some[] = {true, true, true, true, true, false, true};

static const char *const workloads[] = {
    "'prefill': {'instances': 1}, 'decode': {'instances': 2}",
    "'prefill': {'instances': 2, 'tp': 2}, 'decode': {'instances': 2, 'tp': 4}, 'parallelism': 'sequence', 'launch_overhead': '3us'",
    ("'prefill': {'instances': 1, 'tp': 4}, 'decode': {'instances': 4, 'tp': 2}, 'algorithm': 'two-shot', 'kv_sharding': 'heads', "
     "'max_batch': 3"),
    "'colocated': {'instances': 3}, 'max_batch_tokens': 700",
    "'colocated': {'instances': 6, 'tp': 2}, 'chunked_prefill': false, 'max_batch_tokens': 700, 'logits': 'none'",
};

enum { NETWORKS = sizeof networks / sizeof *networks, WORKLOADS = sizeof workloads / sizeof *workloads };

static void serve(struct simulation *run, int network, int workload, const char *replay) {
    simulate(run,
             "{'seed': %d, 'network': %s, 'costs': {'reduce_bandwidth': '1TB/s'}, 'workload': {'type': 'serve', 'model': {'base': "
             "'llama-3.1-8b', 'layers': 3}, "
             "'hardware': 'h100', 'tp': 4, %s, 'arrivals': {'process': 'gamma', 'rate': 600, 'count': 40, "
             "'input': {'distribution': 'log-normal', 'tokens': 300, 'most': 3000}, "
             "'output': {'distribution': 'exponential', 'tokens': 6}}, 'replay': %s}}",
             7 + workload, networks[network], workloads[workload], replay);
    ck_assert_msg(run->result.status == RUN_COMPLETE, "%s", run->result.error.text);
}

static void assert_same(const struct run_result *a, const struct run_result *b) {
    ck_assert_int_eq(a->makespan_ticks, b->makespan_ticks);
    ck_assert_uint_eq(a->digest.low, b->digest.low);
    ck_assert_uint_eq(a->digest.high, b->digest.high);
    ck_assert_uint_eq(a->messages, b->messages);
    ck_assert_uint_eq(a->chunks, b->chunks);
    ck_assert_uint_eq(a->chunk_hops, b->chunk_hops);
    for (uint32_t l = 0; l < a->link_count; l++) {
        ck_assert_uint_eq(a->loads[l].bytes, b->loads[l].bytes);
        ck_assert_uint_eq(a->loads[l].chunks, b->loads[l].chunks);
        ck_assert_int_eq(a->loads[l].busy_ticks, b->loads[l].busy_ticks);
        ck_assert_int_eq(a->loads[l].peak_queue_bytes, b->loads[l].peak_queue_bytes);
    }
    for (uint32_t r = 0; r < a->ranks; r++) ck_assert_int_eq(a->bytes_sent[r], b->bytes_sent[r]);
    for (size_t i = 0; i < a->figures.count; i++) {
        const struct figure *figure = &a->figures.items[i], *other = figures_find(&b->figures, figure->group, figure->name);
        if (!strcmp(figure->group, "simulated and replayed")) continue;
        ck_assert_msg(other && other->value == figure->value && other->other == figure->other, "%s/%s", figure->group, figure->name);
    }
}

START_TEST(replay_changes_nothing) {
    int network = _i / WORKLOADS, workload = _i % WORKLOADS;
    struct simulation replayed, simulated;
    serve(&replayed, network, workload, "true");
    serve(&simulated, network, workload, "false");
    assert_same(&replayed.result, &simulated.result);
    ck_assert_int_eq(figure(&simulated, "simulated and replayed", "chunk-hops replayed"), 0);
    int64_t some = figure(&replayed, "simulated and replayed", "chunk-hops replayed");
    ck_assert_msg(replays_some[network] ? some > 0 : true, "nothing was replayed");
    if (network == 0 && workload == 0) ck_assert_int_eq(figure(&replayed, "simulated and replayed", "halves of layers simulated"), 0);
    simulation_free(&replayed);
    simulation_free(&simulated);
}
END_TEST

// Beside another workload nothing is replayed: its messages may come at any time.
START_TEST(beside_another_workload) {
    struct simulation run[2];
    for (int i = 0; i < 2; i++)
        simulate(&run[i],
                 "{" SWITCH("4") ", 'workload': {'type': 'parallel', 'of': [{" MODEL ", 'tp': 2, " ARRIVALS(
                     "3", "1000", "100", "4") ", 'replay': %s}, "
                                              "{'type': 'collective', 'collective': 'all-reduce', 'size': '50MB', 'repeat': 20}]}}",
                 i ? "true" : "false");
    ck_assert_int_eq(run[0].result.status, RUN_COMPLETE);
    ck_assert_uint_eq(run[0].result.digest.low, run[1].result.digest.low);
    ck_assert_int_eq(figure(&run[1], "0/simulated and replayed", "chunk-hops replayed"), 0);
    ck_assert_int_eq(figure(&run[1], "0/simulated and replayed", "instances that cannot replay"), 2);
    for (int i = 0; i < 2; i++) simulation_free(&run[i]);
}
END_TEST

// A trace that lasts 3000 s is run with ticks of 1 ps, unless the scenario says otherwise.
START_TEST(a_long_trace_takes_the_larger_tick) {
    struct simulation run;
    simulate(&run, "{" SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, " ARRIVALS("3", "0.001", "100", "2") "}}");
    ck_assert_int_eq(run.result.ticks_per_s, INT64_C(1000000000000));
    simulation_free(&run);
    simulate(&run, "{'tick': '1fs', " SWITCH("2") ", 'workload': {" MODEL ", 'tp': 1, " ARRIVALS("3", "0.001", "100", "2") "}}");
    ck_assert_int_eq(run.result.ticks_per_s, INT64_C(1000000000000000));
    simulation_free(&run);
}
END_TEST

Suite *test_serve_suite(void) {
    Suite *suite = suite_create("serve");
    TCase *tests = tcase_create("serve");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, one_request);
    tcase_add_test(tests, one_request_colocated);
    tcase_add_test(tests, chunks_beside_decoding);
    tcase_add_test(tests, admission_by_memory);
    tcase_add_test(tests, the_least_loaded_is_taken);
    tcase_add_test(tests, prefixes_are_reused);
    tcase_add_test(tests, azure_and_plain_traces);
    tcase_add_test(tests, what_does_not_fit_together_is_refused);
    tcase_add_test(tests, bad_lines_are_refused);
    tcase_add_test(tests, bad_lines_are_skipped_and_counted);
    tcase_add_loop_test(tests, replay_changes_nothing, 0, NETWORKS * WORKLOADS);
    tcase_add_test(tests, beside_another_workload);
    tcase_add_test(tests, a_long_trace_takes_the_larger_tick);
    suite_add_tcase(suite, tests);
    return suite;
}
