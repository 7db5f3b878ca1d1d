// The resolved scenario reads back to the same scenario: the same document, and the same run.
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scenario/simulate.h"

static struct problems problems;

static void release(void) { problems_free(&problems); }

static struct scenario *read(json_t *document, const char *text) {
    struct scenario *scenario = scenario_read(document, NULL, NULL, &problems);
    ck_assert_msg(scenario != NULL, "%s: %s\n%s", problems.count ? problems.items[0].pointer : "",
                  problems.count ? problems.items[0].text : "", text);
    return scenario;
}

static char *print(json_t *document) {
    char *text = json_dumps(document, JSON_INDENT(1));
    ck_assert_ptr_nonnull(text);
    return text;
}

static struct run_result run(const struct scenario *scenario, const char *text) {
    struct experiment experiment;
    struct run_result result;
    struct error err = {0};
    bool ready = experiment_prepare(scenario, NULL, &experiment, &problems);
    ck_assert_msg(ready, "%s: %s\n%s", problems.count ? problems.items[0].pointer : "", problems.count ? problems.items[0].text : "", text);
    ck_assert_msg(experiment_run(&experiment, &(struct run_limits){0}, NULL, &result, &err), "%s", err.text);
    ck_assert_msg(result.status == RUN_COMPLETE, "%s\n%s", result.error.text, text);
    experiment_free(&experiment);
    return result;
}

static void assert_same_run(const struct scenario *a, const struct scenario *b, const char *text) {
    struct run_result x = run(a, text), y = run(b, text);
    ck_assert_int_eq(x.makespan_ticks, y.makespan_ticks);
    ck_assert_uint_eq(x.digest.low, y.digest.low);
    ck_assert_uint_eq(x.digest.high, y.digest.high);
    ck_assert_uint_eq(x.chunk_hops, y.chunk_hops);
    run_result_free(&x);
    run_result_free(&y);
}

/// Reads, resolves, reads that, resolves again.
static void round_trip(const char *text, bool and_run) {
    json_t *document = scenario_parse_json(text, strlen(text), &problems);
    ck_assert_msg(document != NULL, "%s\n%s", problems.count ? problems.items[0].text : "", text);
    struct scenario *scenario = read(document, text);
    json_t *resolved = scenario_resolved(scenario);
    char *printed = print(resolved);
    struct scenario *again = read(resolved, printed);
    json_t *resolved_again = scenario_resolved(again);
    char *printed_again = print(resolved_again);
    ck_assert_str_eq(printed, printed_again);
    if (and_run) assert_same_run(scenario, again, printed);
    free(printed);
    free(printed_again);
    json_decref(document);
    json_decref(resolved);
    json_decref(resolved_again);
    scenario_free(scenario);
    scenario_free(again);
}

struct draft {
    struct random_stream stream;
    char text[4096];
    size_t length;
};

static void add(struct draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct draft *draft, const char *format, ...) {
    va_list args;
    va_start(args, format);
    draft->length += (size_t)vsnprintf(draft->text + draft->length, sizeof draft->text - draft->length, format, args);
    va_end(args);
    ck_assert_uint_lt(draft->length, sizeof draft->text);
}

static int below(struct draft *draft, int limit) { return (int)random_below(&draft->stream, (uint64_t)limit); }

#define PICK(draft, ...) pick(draft, (const char *const[]){__VA_ARGS__, NULL})
static const char *pick(struct draft *draft, const char *const *choices) {
    int count = 0;
    while (choices[count]) count++;
    return choices[below(draft, count)];
}

static void add_topology(struct draft *draft) {
    const char *link = PICK(draft, "\"ici-v5e\"", "{\"bandwidth\": \"45GB/s\", \"latency\": \"1us\"}",
                            "{\"bandwidth\": \"399.5Gbps\", \"latency\": \"0ns\"}",
                            "{\"latency\": \"1.000000000000001us\", \"bandwidth\": \"7000000001B/s\"}");
    switch (below(draft, 4)) {
    case 0:
        add(draft, "{\"type\": \"switch\", \"endpoints\": 8, \"link\": %s}",
            PICK(draft, "\"nvlink4\"", "{\"bandwidth\": \"450GB/s\", \"alpha\": \"2us\"}",
                 "{\"bandwidth\": \"1GiB/s\", \"alpha\": \"1.000000000000001us\"}"));
        break;
    case 1:
        add(draft, "{\"type\": \"ring\", \"endpoints\": 8, \"link\": %s, \"directions\": \"%s\"}", link, PICK(draft, "both", "one"));
        break;
    case 2: add(draft, "{\"type\": \"mesh\", \"dims\": [2, 4], \"links\": [%s, \"ib-ndr\"]}", link); break;
    default:
        add(draft, "{\"type\": \"torus\", \"dims\": [2, 2, 2], \"link\": %s, \"ties\": \"%s\", \"wrap2\": \"%s\"}", link,
            PICK(draft, "parity", "positive", "split"), PICK(draft, "single", "double"));
    }
}

static void add_collective(struct draft *draft) {
    add(draft, "{\"type\": \"collective\", %s",
        PICK(draft, "\"collective\": \"all-reduce\", \"algorithm\": \"ring\", \"size\": \"100001B\"",
             "\"collective\": \"all-reduce\", \"size\": \"1.5KB\", \"ranks\": [3, 1, 0]",
             "\"collective\": \"broadcast\", \"algorithm\": \"chain\", \"pieces\": 3, \"size\": \"64KiB\", \"root\": 2",
             "\"collective\": \"all-to-all\", \"schedule\": \"all-at-once\", \"size\": \"1KiB\"",
             "\"collective\": \"send\", \"from\": 1, \"to\": 0, \"size\": \"1e4B\"", "\"collective\": \"barrier\""));
    if (below(draft, 3) == 0) add(draft, ", \"sync\": \"step\"");
    if (below(draft, 3) == 0) add(draft, ", \"repeat\": %d", 1 + below(draft, 3));
    if (below(draft, 3) == 0) add(draft, ", \"start\": {\"3\": \"0.5us\", \"0\": \"3.25ns\"}");
    add(draft, "}");
}

static void add_workload(struct draft *draft) {
    switch (below(draft, 4)) {
    case 0:
        add(draft, "{\"type\": \"messages\", \"messages\": [{\"from\": 0, \"to\": 3, \"size\": \"1MB\", \"at\": \"1.5us\"},"
                   " {\"from\": 3, \"to\": 1, \"size\": \"0B\", \"after\": [0]}]}");
        break;
    case 1:
        add(draft, "{\"type\": \"%s\", \"of\": [", PICK(draft, "parallel", "sequence"));
        add_collective(draft);
        add(draft, ", ");
        add_collective(draft);
        add(draft, "]}");
        break;
    default: add_collective(draft);
    }
}

static const char *random_scenario(struct draft *draft) {
    draft->length = 0;
    add(draft, "{");
    if (below(draft, 2)) add(draft, "\"seed\": %d, ", below(draft, 1000));
    if (below(draft, 4) == 0) add(draft, "\"tick\": \"1ps\", ");
    if (below(draft, 4) == 0) add(draft, "\"name\": \"caf\u00e9 \\\"%d\\\"\", \"$schema\": \"x.json\", ", below(draft, 10));
    if (below(draft, 3) == 0)
        add(draft, "\"ranks\": 4, \"mapping\": %s, ", PICK(draft, "[7, 0, 3, 2]", "\"snake\"", "\"random\""));
    else
        add(draft, "\"mapping\": %s, ",
            PICK(draft, "\"linear\"", "\"snake\"", "\"random\"", "{\"type\": \"random\", \"seed\": 3}", "\"stride\"",
                 "{\"type\": \"stride\", \"by\": 3}", "[7, 0, 3, 2, 1, 4, 6, 5]"));
    if (below(draft, 4) == 0)
        add(draft, "\"costs\": {\"send_overhead\": \"10ns\", \"launch_overhead\": \"1us\", \"reduce_bandwidth\": \"1TB/s\"}, ");
    add(draft, "\"network\": {\"topology\": ");
    add_topology(draft);
    if (below(draft, 2)) add(draft, ", \"chunk\": \"%s\"", PICK(draft, "whole", "4KiB", "1000B", "1.5MB"));
    if (below(draft, 3) == 0) add(draft, ", \"switching\": \"store-and-forward\"");
    if (below(draft, 3) == 0) add(draft, ", \"injection\": \"round-robin\"");
    add(draft, "}, \"workload\": ");
    add_workload(draft);
    add(draft, "}");
    return draft->text;
}

START_TEST(random_scenarios_read_back) {
    struct draft draft = {.length = 0};
    random_seed(&draft.stream, (uint64_t)_i + 1);
    for (int i = 0; i < 250; i++) round_trip(random_scenario(&draft), true);
}
END_TEST

START_TEST(overrides_read_back) {
    round_trip("{\"network\": {\"topology\": {\"type\": \"torus\", \"dims\": [4, 4], \"link\": \"ici-v5e\"}, \"overrides\": ["
               "{\"from\": 6, \"to\": \"5\", \"bandwidth\": \"22.5GB/s\"}, {\"from\": 0, \"to\": 1, \"latency\": \"0s\"}]},"
               " \"workload\": {\"type\": \"collective\", \"collective\": \"all-reduce\", \"size\": \"1MB\"}}",
               true);
}
END_TEST

START_TEST(defaults_are_written) {
    static const char text[] = "{\"workload\": {\"type\": \"collective\", \"collective\": \"barrier\"},"
                               " \"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": 2, \"link\": \"nvlink4\"}}}";
    static const char expected[] =
        "{\"seed\": 1, \"tick\": \"1fs\", \"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": 2, \"link\": \"nvlink4\"}, "
        "\"chunk\": \"64KiB\", \"switching\": \"cut-through\", \"injection\": \"fifo\", \"model\": \"event\"}, "
        "\"costs\": {\"send_overhead\": \"0s\", \"launch_overhead\": \"0s\"}, \"mapping\": \"linear\", "
        "\"workload\": {\"type\": \"collective\", \"collective\": \"barrier\", \"sync\": \"free\", \"repeat\": 1}}";
    json_t *document = scenario_parse_json(text, strlen(text), &problems);
    struct scenario *scenario = read(document, text);
    json_t *resolved = scenario_resolved(scenario);
    char *printed = json_dumps(resolved, 0);
    ck_assert_str_eq(printed, expected);
    free(printed);
    json_decref(resolved);
    json_decref(document);
    scenario_free(scenario);
}
END_TEST

Suite *test_resolved_suite(void) {
    Suite *suite = suite_create("resolved");
    TCase *tests = tcase_create("resolved");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, NULL, release);
    tcase_add_loop_test(tests, random_scenarios_read_back, 0, 4);
    tcase_add_test(tests, overrides_read_back);
    tcase_add_test(tests, defaults_are_written);
    suite_add_tcase(suite, tests);
    return suite;
}
