// What is estimated of a run's traffic against what the run counts.
#include <check.h>

#include "analysis/traffic.h"
#include "base/memory.h"
#include "golden/simulation.h"
#include "scenario/experiment.h"

#define NETWORK(shape) \
    "{'network': {'chunk': '4KiB', 'topology': {" shape ", 'link': {'bandwidth': '45GB/s', 'latency': '1us'}}}, 'workload': "
#define TORUS NETWORK("'type': 'torus', 'dims': [8, 6, 4]")
#define COLLECTIVE(name, more) "{'type': 'collective', 'collective': '" name "', 'size': '1600000B'" more "}"

static const struct {
    const char *scenario;
    double off; ///< how far the estimate may be from the count, as a share of it; 0: not at all
} cases[] = {
    {NETWORK("'type': 'ring', 'endpoints': 64") COLLECTIVE("all-reduce", ", 'algorithm': 'ring', 'repeat': 3") "}", 0.01},
    {TORUS COLLECTIVE("all-reduce", ", 'algorithm': 'torus'") "}", 0.3},
    {TORUS COLLECTIVE("all-reduce", "") ", 'mapping': 'random'}", 0.2},
    {TORUS COLLECTIVE("all-to-all", "") "}", 0.2},
    {TORUS COLLECTIVE("all-to-all", ", 'schedule': 'all-at-once'") "}", 0.4},
    {TORUS COLLECTIVE("broadcast", ", 'algorithm': 'chain', 'pieces': 40, 'root': 5") "}", 0.3},
    {TORUS COLLECTIVE("broadcast", ", 'algorithm': 'naive', 'root': 5") "}", 0.5},
    {TORUS COLLECTIVE("broadcast", "") "}", 0.5},
    {NETWORK("'type': 'switch', 'endpoints': 9") COLLECTIVE("all-gather", ", 'algorithm': 'direct'") "}", 0.01},
    {NETWORK("'type': 'switch', 'endpoints': 1") COLLECTIVE("all-gather", "") "}", 0},
    {NETWORK("'type': 'switch', 'endpoints': 9") "{'type': 'sequence', 'repeat': 5, 'of': [{'type': 'collective', 'collective': 'barrier'}"
                                                 ", {'type': 'parallel', 'of': [" COLLECTIVE("reduce", "") ", " COLLECTIVE("scatter",
                                                                                                                           "") "]}]}}",
     0.01},
    {NETWORK("'type': 'ring', 'endpoints': 8") "{'type': 'messages', 'messages': [{'from': 0, 'to': 3, 'size': '10KB'}, {'from': 2, 'to': "
                                               "2, 'size': '1KB'}, {'from': 7, 'to': 1, 'size': '8KiB'}]}}",
     0.01},
};

static void is_near(double estimate, double count, double off, const char *what) {
    ck_assert_msg(estimate >= count * (1 - off) && estimate <= count * (1 + off), "%.0f %s, estimated as %.0f", count, what, estimate);
}

START_TEST(near_what_is_counted) {
    struct simulation run;
    struct arena arena = {0};
    simulate(&run, "%s", cases[_i].scenario);
    const struct site site = experiment_site(&run.experiment);
    const struct plan *plan = experiment_plan(&run.experiment, NULL, &arena);
    struct traffic traffic = traffic_estimate(&site, plan, run.scenario->network.chunk_bytes);
    is_near(traffic.messages, (double)run.result.messages, cases[_i].off, "messages");
    is_near(traffic.chunk_hops, (double)run.result.chunk_hops, cases[_i].off, "chunk-hops");
    arena_free(&arena);
    simulation_free(&run);
}
END_TEST

Suite *test_traffic_suite(void);
Suite *test_traffic_suite(void) {
    Suite *suite = suite_create("traffic");
    TCase *tests = tcase_create("traffic");
    tcase_add_loop_test(tests, near_what_is_counted, 0, sizeof cases / sizeof *cases);
    suite_add_tcase(suite, tests);
    return suite;
}
