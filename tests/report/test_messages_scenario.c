// Any run written as a scenario of its messages: run again, it has the same digest.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "report/written.h"

#define SWITCH "'network': {'topology': {'type': 'switch', 'endpoints': 6, 'link': {'bandwidth': '45GB/s', 'alpha': '2us'}}}"
#define TORUS "'network': {'topology': {'type': 'torus', 'dims': [4, 6], 'link': 'ici-v5e'}, 'chunk': '16KiB', 'injection': 'round-robin'}"
#define SPRAY                                                                                                               \
    "'network': {'topology': {'type': 'leaf-spine', 'leaves': 3, 'hosts_per_leaf': 4, 'spines': 2, 'host_link': 'ib-ndr', " \
    "'up_link': 'ib-ndr', 'ecmp': 'spray'}, 'switching': 'store-and-forward'}"

static const char *const scenarios[] = {
    "{" SWITCH ", 'workload': {'type': 'collective', 'collective': 'all-reduce', 'size': '1MB', 'start': {'3': '5us'}}, 'output': %s}",
    "{" TORUS
    ", 'mapping': 'random', 'workload': {'type': 'collective', 'collective': 'all-to-all', 'size': '300KB', 'schedule': 'all-at-once'}, "
    "'output': %s}",
    "{" SPRAY ", 'workload': {'type': 'parallel', 'of': [{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'rabenseifner', "
    "'size': '2MB'}, {'type': 'collective', 'collective': 'broadcast', 'size': '100KB', 'ranks': [1, 3, 5, 7, 9, 11], 'root': "
    "2}]}, 'output': %s}",
    "{" SWITCH ", 'costs': {'send_overhead': '1us', 'reduce_bandwidth': '100GB/s'}, 'workload': {'type': 'collective', "
    "'collective': 'all-reduce', 'algorithm': 'bidirectional-ring', 'size': '123457B', 'sync': 'step'}, 'output': %s}",
    "{" SWITCH ", 'ranks': 4, 'mapping': [5, 2, 0, 3], 'workload': {'type': 'tp-decode', 'model': {'base': 'llama-3.1-8b', 'layers': 3}, "
    "'hardware': 'h100', 'steps': 3, 'batch': 7}, 'output': %s}",
    "{'tick': '1ps', " SWITCH
    ", 'workload': {'type': 'serve', 'model': {'base': 'llama-3.1-8b', 'layers': 2}, 'hardware': 'h100', 'tp': 2, "
    "'decode': {'instances': 2}, 'arrivals': {'rate': 900, 'count': 12, 'output': {'distribution': 'exponential', 'tokens': 5}}}, "
    "'output': %s}",
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static void assert_same_digest(const char *scenario, const char *output) {
    struct written written;
    struct simulation again;
    char path[128];
    run_and_write(&written, NULL, scenario, output);
    ck_assert_msg(written.error.kind == ERROR_NONE, "%s", written.error.text);
    snprintf(path, sizeof path, "%s/m.json", written.directory);
    simulate_file(&again, path);
    const struct run_result *first = &written.simulation.result, *second = &again.result;
    ck_assert_int_eq(first->status, RUN_COMPLETE);
    ck_assert_int_eq(second->status, RUN_COMPLETE);
    ck_assert_uint_gt(first->messages, 0);
    ck_assert_uint_eq(first->messages, second->messages);
    ck_assert_uint_eq(first->digest.low, second->digest.low);
    ck_assert_uint_eq(first->digest.high, second->digest.high);
    for (uint32_t l = 0; l < first->link_count; l++) {
        ck_assert_uint_eq(first->loads[l].bytes, second->loads[l].bytes);
        ck_assert_int_eq(first->loads[l].busy_ticks, second->loads[l].busy_ticks);
        ck_assert_int_eq(first->loads[l].peak_queue_bytes, second->loads[l].peak_queue_bytes);
    }
    simulation_free(&again);
    written_free(&written);
}

START_TEST(messages_by_what_they_come_after) { assert_same_digest(scenarios[_i], "{'messages_scenario': 'm.json'}"); }
END_TEST

START_TEST(messages_by_their_times) { assert_same_digest(scenarios[_i], "{'messages_scenario': {'file': 'm.json', 'after': false}}"); }
END_TEST

// A ring of two ranks: two steps; the second is posted when the first has come, 2 us and 500 KB / 45 GB/s later.
START_TEST(two_steps) {
    struct written written;
    run_and_write(
        &written, NULL,
        "{'network': {'chunk': 'whole', 'topology': {'type': 'switch', 'endpoints': 2, 'link': {'bandwidth': '50GB/s', 'alpha': '2us'}}}, "
        "'workload': {'type': 'collective', 'collective': 'all-reduce', 'size': '1MB'}, 'output': {'messages_scenario': 'm.json'}}");
    char *text = file_text(written.directory, "m.json");
    ck_assert_msg(text != NULL, "%s", written.error.text);
    const char *messages = strstr(text, "\"messages\": [");
    ck_assert_msg(messages != NULL, "%s", text);
    ck_assert_str_eq(messages, "\"messages\": [\n"
                               "    {\"from\": 0, \"to\": 1, \"size\": \"500000B\"},\n"
                               "    {\"from\": 1, \"to\": 0, \"size\": \"500000B\"},\n"
                               "    {\"from\": 0, \"to\": 1, \"size\": \"500000B\", \"after\": [1]},\n"
                               "    {\"from\": 1, \"to\": 0, \"size\": \"500000B\", \"after\": [0]}\n"
                               "  ]}\n}\n");
    free(text);
    written_free(&written);
}
END_TEST

START_TEST(what_the_network_reduces_cannot_be_listed) {
    struct written written;
    run_and_write(&written, NULL,
                  "{" SWITCH ", 'workload': {'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'in-network', "
                  "'size': '1MB'}, 'output': {'messages_scenario': 'm.json'}}");
    ck_assert_int_eq(written.error.kind, ERROR_OUTPUT);
    ck_assert_str_eq(written.error.text, "m.json was not written: the network reduces messages of this run, which none can list");
    written_free(&written);
}
END_TEST

Suite *test_messages_scenario_suite(void) {
    Suite *suite = suite_create("messages_scenario");
    TCase *tests = tcase_create("messages_scenario");
    tcase_add_loop_test(tests, messages_by_what_they_come_after, 0, SCENARIOS);
    tcase_add_loop_test(tests, messages_by_their_times, 0, SCENARIOS);
    tcase_add_test(tests, two_steps);
    tcase_add_test(tests, what_the_network_reduces_cannot_be_listed);
    suite_add_tcase(suite, tests);
    return suite;
}
