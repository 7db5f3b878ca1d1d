// The files that a run writes, against runs small enough to be computed by hand, and what happens when they cannot be.
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/written.h"

// Two endpoints and a cable of 1 GB/s and 1 us; a tick is 1 ps, so a byte takes 1000. Two messages of 10 KB, each one
// chunk, posted at 0: served in [0, 10) and [10, 20) us, delivered at 11 and 21 us.
#define TWO_MESSAGES                                                                                                  \
    "{'tick': '1ps', 'network': {'chunk': 'whole', 'topology': {'type': 'graph', 'nodes': 2, 'links': ["              \
    "{'from': 0, 'to': 1, 'bandwidth': '1GB/s', 'latency': '1us'}]}}, 'workload': {'type': 'messages', 'messages': [" \
    "{'from': 0, 'to': 1, 'size': '10KB'}, {'from': 0, 'to': 1, 'size': '10KB'}]}, 'output': %s}"

static void assert_file(const struct written *written, const char *name, const char *expected) {
    char *text = file_text(written->directory, name);
    ck_assert_msg(text != NULL, "%s was not written: %s", name, written->error.text);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void assert_two_messages(const char *output, const char *name, const char *expected) {
    struct written written;
    run_and_write(&written, NULL, TWO_MESSAGES, output);
    ck_assert_msg(written.error.kind == ERROR_NONE, "%s", written.error.text);
    assert_file(&written, name, expected);
    written_free(&written);
}

// Bins of 8 us. The second message waits until 10 us: 10 KB in all of bin 0 and in 2 of 8 us of bin 1.
START_TEST(links_in_long_form) {
    assert_two_messages("{'link_trace': {'file': 'links.csv', 'bin': '8us'}}", "links.csv",
                        "time_start_ticks,time_start_seconds,link,from,to,busy_ticks,busy_share,bytes,queue_mean_bytes,queue_peak_bytes\n"
                        "0,0,0->1,0,1,8000000,1,8000,10000,10000\n"
                        "8000000,0.000008,0->1,0,1,8000000,1,8000,2500,10000\n"
                        "16000000,0.000016,0->1,0,1,4000000,0.5,4000,0,0\n");
}
END_TEST

// 21 us are 2.1e7 ticks: of at most 3 bins each is 2^23 = 8388608 ticks wide.
START_TEST(links_by_count_in_wide_form) {
    assert_two_messages("{'link_trace': {'file': 'l.csv', 'bins': 3, 'format': 'wide', 'value': 'bytes', 'link': '*->*'}}", "l.csv",
                        "time_start_ticks,time_start_seconds,0->1,1->0\n"
                        "0,0,8388,0\n"
                        "8388608,0.000008388608,8389,0\n"
                        "16777216,0.000016777216,3223,0\n");
}
END_TEST

START_TEST(one_link_by_name) {
    assert_two_messages("{'link_trace': {'file': 'l.csv', 'bin': '20us', 'format': 'wide', 'link': '1->0'}}", "l.csv",
                        "time_start_ticks,time_start_seconds,1->0\n0,0,0\n20000000,0.00002,0\n");
}
END_TEST

// Alone each takes 11 us; the second took 21: a slowdown of 21/11.
START_TEST(messages_with_their_slowdown) {
    struct written written;
    run_and_write(&written, NULL, TWO_MESSAGES, "{'messages': 'm.csv', 'waits': 'w.csv'}");
    assert_file(&written, "m.csv",
                "number,rank,peer,bytes,posted_ticks,posted_seconds,delivered_ticks,delivered_seconds,ideal_ticks,slowdown\n"
                "0,0,1,10000,0,0,11000000,0.000011,11000000,1\n"
                "1,0,1,10000,0,0,21000000,0.000021,11000000,1.90909091\n");
    assert_file(&written, "w.csv",
                "link,rank,peer,behind_rank,behind_peer,chunks,wait_ticks,wait_seconds\n"
                "0->1,0,1,0,1,1,10000000,0.00001\n");
    ck_assert_str_eq(written.summary, "\nslowdown of 2 messages against an idle network: median 1, 90 % 1.909, 99 % 1.909, most 1.909\n"
                                      "  the slowest: message 1 of rank 0 to rank 1, 10 KB\n"
                                      "\nlongest waits of messages behind others, summed over chunks (1 of 1)\n"
                                      "  link  waited       behind       chunks   wait\n"
                                      "  0->1  rank 0 to 1  rank 0 to 1       1  10 us\n");
    written_free(&written);
}
END_TEST

// Nodes with names, two links from a to b, a name that CSV must quote.
START_TEST(names_and_parallel_links) {
    struct written written;
    run_and_write(&written, NULL,
                  "{'tick': '1ps', 'network': {'topology': {'type': 'graph', 'nodes': [{'name': 'a,b'}, {'name': 'c'}], 'links': ["
                  "{'from': 'a,b', 'to': 'c', 'bandwidth': '1GB/s', 'latency': '1us'}, {'from': 'a,b', 'to': 'c', 'bandwidth': '1GB/s', "
                  "'latency': '1us'}]}}, 'workload': {'type': 'messages', 'messages': [{'from': 0, 'to': 1, 'size': '1KB'}]},"
                  "'output': {'link_trace': {'file': 'l.csv', 'bin': '10us', 'format': 'wide', 'value': 'bytes', 'link': '0->1*'}}}");
    assert_file(&written, "l.csv", "time_start_ticks,time_start_seconds,\"a,b->c:1\",\"a,b->c:2\"\n0,0,1000,0\n");
    written_free(&written);
}
END_TEST

// 2 ranks, 2 blocks of 1 MB a step: each link is busy for 1 ms, then idle for 1 us of latency, then busy again.
START_TEST(hottest_links_first) {
    struct written written;
    run_and_write(
        &written, NULL,
        "{'tick': '1ps', 'network': {'topology': {'type': 'ring', 'endpoints': 4, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}}},"
        "'workload': {'type': 'messages', 'messages': [{'from': 2, 'to': 3, 'size': '2MB'}, {'from': 0, 'to': 1, 'size': '1MB'},"
        "{'from': 1, 'to': 2, 'size': '3MB'}]},"
        "'output': {'link_trace': {'file': 'l.csv', 'bin': '10ms', 'format': 'wide', 'value': 'bytes', 'top': 2}}}");
    assert_file(&written, "l.csv", "time_start_ticks,time_start_seconds,1->2,2->3\n0,0,3000000,2000000\n");
    written_free(&written);
}
END_TEST

#define ALL_OUTPUTS                                                                                                                        \
    "{'network': {'chunk': '16KiB', 'topology': {'type': 'torus', 'dims': [4, 4], 'ties': 'split', 'link': {'bandwidth': '45GB/s', "       \
    "'latency': '1us'}}}, 'workload': {'type': 'collective', 'collective': 'all-to-all', 'schedule': 'all-at-once', 'size': '2MB', "       \
    "'start': {'3': '5us'}}, 'output': {'link_trace': {'file': 'l.csv', 'bin': '1us'}, 'perfetto': {'file': 'p.json', 'messages': true}, " \
    "'messages': 'm.csv', 'waits': 'w.csv'}}"

START_TEST(the_same_bytes_each_time) {
    static const char *const names[] = {"l.csv", "p.json", "m.csv", "w.csv"};
    static const enum engine_choice engines[] = {ENGINE_AUTO, ENGINE_HEAP, ENGINE_WINDOW};
    struct written first, again;
    run_and_write(&first, NULL, ALL_OUTPUTS);
    for (int e = 0; e < 3; e++) {
        run_and_write_again(&again, &first, engines[e]);
        for (int i = 0; i < 4; i++) {
            char *a = file_text(first.directory, names[i]), *b = file_text(again.directory, names[i]);
            ck_assert_ptr_nonnull(a);
            ck_assert_uint_gt(strlen(a), 1000);
            ck_assert_str_eq(a, b);
            free(a);
            free(b);
        }
        written_free(&again);
    }
    written_free(&first);
}
END_TEST

static void write_old(const char *directory, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *old = fopen(path, "w");
    ck_assert_ptr_nonnull(old);
    fputs("old\n", old);
    fclose(old);
}

// A limit on file sizes stands for a full disk: write(2) fails in the middle.
START_TEST(a_full_disk_leaves_the_old_files) {
    static const char *const names[] = {"l.csv", "p.json", "m.csv", "w.csv"};
    char directory[64];
    struct written written;
    make_directory(directory, sizeof directory);
    for (int i = 0; i < 4; i++) write_old(directory, names[i]);
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, limit.rlim_max});
    run_and_write(&written, directory, ALL_OUTPUTS);
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(written.error.kind, ERROR_OUTPUT);
    ck_assert_msg(strstr(written.error.text, "l.csv: File too large") != NULL, "%s", written.error.text);
    for (int i = 0; i < 4; i++) assert_file(&written, names[i], "old\n");
    ck_assert_uint_eq(count_files(directory), 4);
    written_free(&written);
}
END_TEST

START_TEST(a_failure_does_not_stop_the_other_files) {
    struct written written;
    run_and_write(&written, NULL, TWO_MESSAGES, "{'link_trace': 'none/l.csv', 'messages': '/dev/full', 'waits': 'w.csv'}");
    ck_assert_int_eq(written.error.kind, ERROR_OUTPUT);
    ck_assert_msg(strstr(written.error.text, "none/l.csv: No such file or directory") != NULL, "%s", written.error.text);
    ck_assert_uint_eq(count_files(written.directory), 1);
    written_free(&written);
    run_and_write(&written, NULL, TWO_MESSAGES, "{'messages': '/dev/full'}");
    ck_assert_int_eq(written.error.kind, ERROR_OUTPUT);
    ck_assert_str_eq(written.error.text, "cannot write to /dev/full: No space left on device");
    written_free(&written);
}
END_TEST

START_TEST(a_replaced_file_keeps_its_mode) {
    char directory[64], path[128];
    struct written written;
    struct stat found;
    make_directory(directory, sizeof directory);
    write_old(directory, "w.csv");
    snprintf(path, sizeof path, "%s/w.csv", directory);
    chmod(path, 0640);
    run_and_write(&written, directory, TWO_MESSAGES, "{'waits': 'w.csv'}");
    ck_assert_int_eq(stat(path, &found), 0);
    ck_assert_uint_eq(found.st_mode & 0777, 0640);
    written_free(&written);
}
END_TEST

START_TEST(nobody_watches_without_output) {
    struct simulation simulation;
    simulate(&simulation, TWO_MESSAGES, "{}");
    struct observers observers = {0};
    struct outputs *outputs = outputs_create(&simulation.experiment, &observers);
    ck_assert_uint_eq(observers.count, 0);
    ck_assert_ptr_null(observers_of_links(&observers).service);
    ck_assert_ptr_null(observers_of_ranks(&observers).delivered);
    outputs_free(outputs);
    simulation_free(&simulation);
}
END_TEST

static void assert_refused(const char *output, const char *expected) {
    char text[1024];
    snprintf(text, sizeof text, TWO_MESSAGES, output);
    char *refusal = refusal_of("%s", text);
    ck_assert_msg(!strncmp(refusal, expected, strlen(expected)), "%s", refusal);
    free(refusal);
}

START_TEST(what_is_refused) {
    assert_refused("{'link_trace': {'bin': '1us'}}", "/output/link_trace: the key \"file\" is missing");
    assert_refused("{'link_trace': {'file': 'a', 'bin': '1us', 'bins': 9}}", "/output/link_trace/bins: give the bins by their width");
    assert_refused("{'link_trace': {'file': 'a', 'bin': '0us'}}", "/output/link_trace/bin: 0us is too short");
    assert_refused("{'link_trace': {'file': 'a', 'link': '1->2'}}", "/output/link_trace/link: no link fits \"1->2\"");
    assert_refused("{'link_trace': 'a', 'messages': 'a'}", "/output/messages: the file \"a\" is the one of \"link_trace\" too");
    assert_refused("{'link_trace': 5}", "/output/link_trace: expected an object or a text, found 5");
    assert_refused("{'perfeto': 'a'}", "/output/perfeto: unknown key \"perfeto\" (did you mean \"perfetto\"?)");
    char *refusal = refusal_of("{'network': {'model': 'alpha-beta', 'topology': {'type': 'switch', 'endpoints': 2, 'link': 'nvlink4'}},"
                               "'workload': {'type': 'collective', 'collective': 'barrier'}, 'output': {'waits': 'w.csv'}}");
    ck_assert_msg(!strncmp(refusal, "/output: the model \"alpha-beta\" simulates nothing", 40), "%s", refusal);
    free(refusal);
}
END_TEST

// A file's bare name stands for the object; what is absent is not echoed.
START_TEST(the_resolved_form) {
    struct simulation simulation;
    simulate(&simulation, TWO_MESSAGES, "{'waits': 'w.csv', 'link_trace': {'file': 'l.csv', 'bin': '1us'}}");
    json_t *resolved = scenario_resolved(simulation.scenario);
    char *output = json_dumps(json_object_get(resolved, "output"), JSON_COMPACT);
    ck_assert_str_eq(output, "{\"link_trace\":{\"file\":\"l.csv\",\"bin\":\"1us\",\"format\":\"long\",\"value\":\"busy_share\"},"
                             "\"waits\":{\"file\":\"w.csv\"}}");
    free(output);
    json_decref(resolved);
    simulation_free(&simulation);
}
END_TEST

Suite *test_outputs_suite(void);
Suite *test_outputs_suite(void) {
    Suite *suite = suite_create("outputs");
    TCase *files = tcase_create("files");
    tcase_add_test(files, links_in_long_form);
    tcase_add_test(files, links_by_count_in_wide_form);
    tcase_add_test(files, one_link_by_name);
    tcase_add_test(files, messages_with_their_slowdown);
    tcase_add_test(files, names_and_parallel_links);
    tcase_add_test(files, hottest_links_first);
    tcase_add_test(files, the_same_bytes_each_time);
    tcase_add_test(files, a_full_disk_leaves_the_old_files);
    tcase_add_test(files, a_failure_does_not_stop_the_other_files);
    tcase_add_test(files, a_replaced_file_keeps_its_mode);
    suite_add_tcase(suite, files);
    TCase *scenario = tcase_create("scenario");
    tcase_add_test(scenario, nobody_watches_without_output);
    tcase_add_test(scenario, what_is_refused);
    tcase_add_test(scenario, the_resolved_form);
    suite_add_tcase(suite, scenario);
    return suite;
}
