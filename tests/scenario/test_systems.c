// Systems: what each stands for, counted by hand from its source, and what overrides it.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "golden/simulation.h"
#include "scenario/link_presets.h"
#include "systems/system.h"

#define BARRIER "'workload': {'type': 'collective', 'collective': 'barrier'}"

/// Nodes and links of a system's network.
static void assert_network(const char *system, uint32_t endpoints, uint32_t switches, uint32_t links) {
    struct simulation run;
    simulate(&run, "{'system': %s, " BARRIER "}", system);
    ck_assert_msg(run.result.endpoints == endpoints && run.result.switches == switches && run.result.link_count == links,
                  "%s: %u endpoints, %u switches, %u links", system, run.result.endpoints, run.result.switches, run.result.link_count);
    simulation_free(&run);
}

/// An H100 SuperPOD: per machine 8 cables to its NVSwitch and 8 to leaves; a leaf has 32 cables up.
START_TEST(superpod_h100) {
    assert_network("'dgx-h100'", 8, 1, 16);
    assert_network("{'type': 'dgx-h100', 'nodes': 1}", 8, 1, 16);
    assert_network("{'type': 'dgx-h100', 'nodes': 4}", 32, 4 + 8 + 4, 2 * (32 + 32 + 8 * 32));
    assert_network("{'type': 'dgx-h100', 'nodes': 32}", 256, 32 + 8 + 4, 2 * (256 + 256 + 8 * 32));
    assert_network("{'type': 'dgx-h100', 'nodes': 64}", 512, 64 + 16 + 8, 2 * (512 + 512 + 16 * 32));
    assert_network("{'type': 'dgx-h100', 'nodes': 33}", 264, 33 + 24 + 16, 2 * (264 + 264 + 24 * 32)); // 3 units of 11
    assert_network("{'type': 'dgx-h100', 'nodes': 128}", 1024, 128 + 32 + 16, 2 * (1024 + 1024 + 32 * 32));
}
END_TEST

/// An A100 SuperPOD has units of 20 machines, and leaves with 20 cables up.
START_TEST(superpod_a100) {
    assert_network("'dgx-a100'", 8, 1, 16);
    assert_network("{'type': 'dgx-a100', 'nodes': 20}", 160, 20 + 8 + 4, 2 * (160 + 160 + 8 * 20));
    assert_network("{'type': 'dgx-a100', 'nodes': 40}", 320, 40 + 16 + 10, 2 * (320 + 320 + 16 * 20));
    assert_network("{'type': 'dgx-a100', 'nodes': 100}", 800, 100 + 40 + 20, 2 * (800 + 800 + 40 * 20));
}
END_TEST

START_TEST(single_racks_and_slices) {
    assert_network("'gb200-nvl72'", 72, 1, 144);
    assert_network("'mi300x'", 8, 0, 8 * 7);
    assert_network("{'type': 'tpu-v4', 'dims': [2, 2, 1]}", 4, 0, 2 * 4);                // a square
    assert_network("{'type': 'tpu-v4', 'dims': [4, 4, 4]}", 64, 0, 2 * 3 * 64);          // a torus
    assert_network("{'type': 'tpu-v5p', 'dims': [2, 4, 4]}", 32, 0, 2 * (16 + 24 + 24)); // a mesh
    assert_network("{'type': 'tpu-v5p', 'dims': [4, 4, 8], 'twisted': true}", 128, 0, 2 * 3 * 128);
    assert_network("{'type': 'tpu-v5e', 'dims': [4, 8]}", 32, 0, 2 * (3 * 8 + 4 * 7));
    assert_network("{'type': 'tpu-v5e', 'dims': [16, 16]}", 256, 0, 2 * 2 * 256);
}
END_TEST

/// Every number of machines is either wired or refused with one that is.
START_TEST(all_numbers_of_machines) {
    static const char *const names[] = {"dgx-a100", "dgx-h100"};
    static const int units[] = {20, 32};
    for (int nodes = 1; nodes <= 128; nodes++) {
        char text[200], even[64];
        snprintf(text, sizeof text,
                 "{\"system\": {\"type\": \"%s\", \"nodes\": %d}, \"workload\": {\"type\": \"collective\", \"collective\": \"barrier\"}}",
                 names[_i], nodes);
        bool fits = false;
        for (int count = (nodes + units[_i] - 1) / units[_i]; count <= (128 + units[_i] - 1) / units[_i]; count++)
            fits = fits || nodes % count == 0;
        struct problems problems = {0};
        json_t *document = scenario_parse_json(text, strlen(text), &problems);
        struct scenario *scenario = scenario_read(document, text, NULL, &problems);
        struct experiment experiment;
        snprintf(even, sizeof even, "%d nodes cannot be spread evenly", nodes);
        if (fits) {
            ck_assert_msg(scenario && experiment_prepare(scenario, text, &experiment, &problems), "%s", text);
            ck_assert_uint_eq(experiment.topology->graph.endpoints, 8 * (unsigned)nodes);
            experiment_free(&experiment);
        } else {
            ck_assert_msg(problems.count == 1 && strstr(problems.items[0].text, even), "%s", text);
            ck_assert_str_eq(problems.items[0].pointer, "/system/nodes");
        }
        scenario_free(scenario);
        json_decref(document);
        problems_free(&problems);
    }
}
END_TEST

/// One NVLink step: 1.4 us of software, then two links of 300 ns; 450 MB at 450 GB/s are 1 ms.
START_TEST(software_and_wire_add_up) {
    int64_t ticks =
        ticks_of("{'system': 'dgx-h100', 'network': {'chunk': 'whole'}, 'workload': {'type': 'collective', 'collective': 'send', "
                 "'from': 0, 'to': 1, 'size': '450MB'}}");
    ck_assert_int_eq(ticks, INT64_C(1000000000000) + 1400000000 + 2 * 300000000);
}
END_TEST

START_TEST(own_keys_override) {
    struct simulation run;
    simulate(&run, "{'system': 'gb200-nvl72', 'network': {'topology': {'endpoints': 36}, 'chunk': '1MiB'}, "
                   "'costs': {'launch_overhead': '1us'}, " BARRIER "}");
    ck_assert_uint_eq(run.result.endpoints, 36);
    ck_assert_int_eq(run.result.graph->links[0].bandwidth_bytes_per_s, INT64_C(900000000000)); // still NVLink 5
    ck_assert_int_eq(run.scenario->network.chunk_bytes, 1 << 20);
    ck_assert_int_eq(run.scenario->costs.send_overhead_ticks, 1400000000); // still the system's
    ck_assert_int_eq(run.scenario->costs.launch_overhead_ticks, 1000000000);
    simulation_free(&run);
    // a topology with a type is another network, of which nothing of the system's is left
    simulate(&run, "{'system': 'gb200-nvl72', 'network': {'topology': {'type': 'ring', 'endpoints': 5, "
                   "'link': {'bandwidth': '1GB/s', 'latency': '1us'}}}, " BARRIER "}");
    ck_assert_uint_eq(run.result.endpoints, 5);
    simulation_free(&run);
}
END_TEST

/// The resolved echo holds system and network, and reads back to itself.
START_TEST(echo_reads_back) {
    struct simulation run;
    simulate(&run, "{'system': {'type': 'dgx-h100', 'nodes': 2}, " BARRIER "}");
    json_t *resolved = scenario_resolved(run.scenario);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(resolved, "system"), "type")), "dgx-h100");
    struct problems problems = {0};
    struct scenario *again = scenario_read(resolved, NULL, NULL, &problems);
    ck_assert_ptr_nonnull(again);
    json_t *twice = scenario_resolved(again);
    ck_assert(json_equal(resolved, twice));
    scenario_free(again);
    json_decref(twice);
    json_decref(resolved);
    simulation_free(&run);
}
END_TEST

START_TEST(figures_have_sources) {
    for (size_t i = 0; system_family.types[i]; i++) {
        const struct system_type *system = (const struct system_type *)system_family.types[i];
        ck_assert_ptr_nonnull(system->sources[0]);
    }
    for (const struct link_preset *preset = link_presets; preset->name; preset++) {
        int64_t figure;
        struct error err = {0};
        ck_assert(parse_rate(preset->bandwidth, &figure, &err) && parse_time(preset->latency, TICKS_PER_S_FS, &figure, &err));
        ck_assert(strstr(preset->source, "bandwidth: ") && strstr(preset->source, "latency: "));
    }
}
END_TEST

Suite *test_systems_suite(void) {
    Suite *suite = suite_create("systems");
    TCase *tests = tcase_create("systems");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, superpod_h100);
    tcase_add_test(tests, superpod_a100);
    tcase_add_test(tests, single_racks_and_slices);
    tcase_add_loop_test(tests, all_numbers_of_machines, 0, 2);
    tcase_add_test(tests, software_and_wire_add_up);
    tcase_add_test(tests, own_keys_override);
    tcase_add_test(tests, echo_reads_back);
    tcase_add_test(tests, figures_have_sources);
    suite_add_tcase(suite, tests);
    return suite;
}
