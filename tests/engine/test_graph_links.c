#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/graph.h"

static void build(struct graph *graph) {
    struct error err = {0};
    const struct link_info like = {.bandwidth_bytes_per_s = 7, .latency_ticks = 3};
    graph_init(graph, 3, 2);
    graph_add_cable(graph, 4, 1, 3, 2, &like);
    graph_add_cable(graph, 2, 1, 4, 0, &like);
    graph_add_cable(graph, 1, 1, 3, 1, &like);
    graph_add_cable(graph, 0, 2, 3, 0, &like);
    graph_add_link(graph, (struct link_info){.from = 0, .from_port = 1, .to = 2, .to_port = 3, .bandwidth_bytes_per_s = 5});
    ck_assert(graph_finish(graph, &err));
}

START_TEST(links_are_sorted_by_node_and_port) {
    struct graph graph;
    build(&graph);
    ck_assert_uint_eq(graph.link_count, 9);
    for (uint32_t l = 1; l < graph.link_count; l++) {
        const struct link_info *a = &graph.links[l - 1], *b = &graph.links[l];
        ck_assert(a->from < b->from || (a->from == b->from && a->from_port < b->from_port));
    }
    for (uint32_t v = 0; v < graph_nodes(&graph); v++)
        for (uint32_t l = graph.first_out[v]; l < graph.first_out[v + 1]; l++) ck_assert_uint_eq(graph.links[l].from, v);
    ck_assert_uint_eq(graph.first_out[graph_nodes(&graph)], graph.link_count);
    ck_assert_uint_eq(graph_most_outs(&graph), 3);
    graph_free(&graph);
}
END_TEST

START_TEST(a_link_is_found_by_its_port) {
    struct graph graph;
    build(&graph);
    ck_assert_uint_eq(graph.links[graph_link_at(&graph, 0, 1)].to, 2);
    ck_assert_uint_eq(graph.links[graph_link_at(&graph, 0, 2)].to, 3);
    ck_assert_uint_eq(graph.links[graph_link_at(&graph, 3, 1)].to, 1);
    ck_assert_uint_eq(graph_link_at(&graph, 0, 0), NO_LINK);
    ck_assert_uint_eq(graph_link_at(&graph, 0, 3), NO_LINK);
    ck_assert_uint_eq(graph_link_at(&graph, 4, 2), NO_LINK);
    graph_free(&graph);
}
END_TEST

START_TEST(a_latency_of_0_is_one_tick) {
    struct graph graph;
    build(&graph);
    ck_assert_int_eq(graph.links[graph_link_at(&graph, 0, 1)].latency_ticks, 1);
    ck_assert_int_eq(graph.links[graph_link_at(&graph, 0, 2)].latency_ticks, 3);
    graph_free(&graph);
}
END_TEST

START_TEST(nodes_have_names) {
    struct graph graph;
    build(&graph);
    char name[NODE_NAME_SIZE];
    for (uint32_t v = 0; v < graph_nodes(&graph); v++) ck_assert_uint_eq(graph_find_node(&graph, graph_node_name(&graph, v, name)), v);
    ck_assert_str_eq(graph_node_name(&graph, 4, name), "s1");
    static const char *const nobody[] = {"3", "s2", "s", "", "-1", "1x", "99999999999", "s4294967296"};
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) ck_assert_uint_eq(graph_find_node(&graph, nobody[i]), NO_NODE);
    graph.names = allocate_zeroed(graph_nodes(&graph), sizeof *graph.names);
    graph.names[2] = strcpy(allocate(4), "gpu");
    ck_assert_uint_eq(graph_find_node(&graph, "gpu"), 2);
    ck_assert_uint_eq(graph_find_node(&graph, "2"), 2);
    graph_free(&graph);
}
END_TEST

Suite *test_graph_links_suite(void) {
    Suite *suite = suite_create("graph_links");
    TCase *tests = tcase_create("graph_links");
    tcase_add_test(tests, links_are_sorted_by_node_and_port);
    tcase_add_test(tests, a_link_is_found_by_its_port);
    tcase_add_test(tests, a_latency_of_0_is_one_tick);
    tcase_add_test(tests, nodes_have_names);
    suite_add_tcase(suite, tests);
    return suite;
}
