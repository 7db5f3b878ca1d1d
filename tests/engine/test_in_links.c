// The order of the links that come in at each node, and which nodes have so many that they are grouped.
#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/in_links.h"

static const struct link_info like = {.bandwidth_bytes_per_s = 1, .latency_ticks = 1};

/// `endpoints` at one switch, at its ports from the last to the first; nodes take places from the last to the first too.
static void index_star(uint32_t endpoints, struct graph *graph, struct in_links *in) {
    struct error err = {0};
    graph_init(graph, endpoints, 1);
    for (uint32_t e = 0; e < endpoints; e++) graph_add_cable(graph, e, 5, endpoints, endpoints - 1 - e, &like);
    ck_assert(graph_finish(graph, &err));
    uint32_t nodes = graph_nodes(graph), *place_of = allocate(nodes * sizeof *place_of);
    for (uint32_t v = 0; v < nodes; v++) place_of[v] = nodes - 1 - v;
    in_links_index(in, graph, place_of);
    free(place_of);
}

static void check_positions(const struct graph *graph, const struct in_links *in) {
    uint32_t nodes = graph_nodes(graph);
    ck_assert_uint_eq(in->first[0], 0);
    ck_assert_uint_eq(in->first[nodes], graph->link_count);
    for (uint32_t place = 0; place < nodes; place++)
        for (uint32_t p = in->first[place]; p < in->first[place + 1]; p++) {
            uint32_t link = in->links[p];
            ck_assert_uint_eq(in->ends[link].position, p);
            ck_assert_uint_eq(in->ends[link].place, place);
            ck_assert_uint_eq(graph->links[link].to, nodes - 1 - place);
            ck_assert_uint_eq(in->out_port[link], graph->links[link].from_port);
            ck_assert_int_eq(in->next[p], INT64_MAX);
            if (p > in->first[place]) ck_assert_uint_lt(graph->links[in->links[p - 1]].to_port, graph->links[link].to_port);
        }
}

START_TEST(by_place_then_port) {
    struct graph graph;
    struct in_links in;
    index_star(7, &graph, &in);
    check_positions(&graph, &in);
    ck_assert_uint_eq(in.first[1], 7); // the switch, the last of the nodes, has the first place
    ck_assert_uint_eq(graph.links[in.links[0]].from, 6);
    ck_assert(!in_links_are_many(&in, 0));
    ck_assert_ptr_null(in.due_groups.least);
    in_links_free(&in);
    graph_free(&graph);
}
END_TEST

START_TEST(many_have_groups) {
    struct graph graph;
    struct in_links in;
    index_star(MANY_LINKS, &graph, &in);
    check_positions(&graph, &in);
    ck_assert(in_links_are_many(&in, 0));
    ck_assert(!in_links_are_many(&in, 1));
    ck_assert_ptr_eq(in.due_groups.times, in.next);
    for (uint32_t g = 0; g <= graph.link_count / LINKS_A_GROUP; g++) ck_assert_int_eq(in.due_groups.least[g], INT64_MAX);
    in_links_free(&in);
    graph_free(&graph);
}
END_TEST

Suite *test_in_links_suite(void) {
    Suite *suite = suite_create("in_links");
    TCase *tests = tcase_create("in_links");
    tcase_add_test(tests, by_place_then_port);
    tcase_add_test(tests, many_have_groups);
    suite_add_tcase(suite, tests);
    return suite;
}
