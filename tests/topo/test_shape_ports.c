// Numbering of nodes and ports, which decides ties: cables of every shape by name, overrides, coordinates.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

struct cable {
    const char *line, *from, *to;
    uint32_t from_port, to_port;
};

#define FAT "fat-tree k=4 link=" LINK
#define LEAF "leaf-spine leaves=2 hosts_per_leaf=3 spines=2 cables_per_pair=2 host_link=" LINK " up_link=" LINK
#define FLY "dragonfly p=1 a=2 h=1 link=" LINK
#define CLUSTER "cluster nodes=2 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}"
#define PLANES "cluster nodes=2 planes=2 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}"
#define RAILS                                                                                                                      \
    "cluster nodes=2 node={switch endpoints=2 link=" LINK "} nic_link=" LINK " fabric={leaf-spine leaves=2 spines=1 up_link=" LINK \
    " rails=true}"
#define INNER "cluster nodes=2 nics_per_node=1 node={torus dims=2,3 link=" LINK "} nic_link=" LINK " fabric={switch}"
#define WEB                                                                                                                                \
    "graph nodes=A,X:,B links={from=A to=X bandwidth=9 latency=0},{from=X to=B bandwidth=9 latency=9},{from=B to=A bandwidth=9 latency=9 " \
    "duplex=false}"

static const struct cable cables[] = {
    {"switch endpoints=5 link=" LINK, "3", "s0", 1, 3},
    {"switch endpoints=5 link=" LINK, "s0", "3", 3, 1},
    {"ring endpoints=5 link=" LINK, "4", "0", 1, 2},
    {"ring endpoints=5 link=" LINK, "0", "4", 2, 1},
    {"ring endpoints=5 directions=one link=" LINK, "4", "0", 1, 2},
    {"ring endpoints=2 directions=one link=" LINK, "1", "0", 1, 2},
    {"ring endpoints=2 link=" LINK, "0", "1", 1, 1},
    {"torus dims=4,5 link=" LINK, "0", "1", 3, 4},
    {"torus dims=4,5 link=" LINK, "0", "4", 4, 3},
    {"torus dims=4,5 link=" LINK, "0", "5", 1, 2},
    {"torus dims=4,5 link=" LINK, "0", "15", 2, 1},
    {"torus dims=2,4 link=" LINK, "0", "4", 1, 1}, // a single cable has the + port at both ends
    {"torus dims=2,4 link=" LINK, "4", "0", 1, 1},
    {"torus dims=1,4 link=" LINK, "0", "1", 3, 4}, // a dim of 1 keeps its ports free
    {"mesh dims=2,3 link=" LINK, "0", "1", 3, 4},
    {"mesh dims=2,3 link=" LINK, "1", "0", 4, 3},
    {"mesh dims=2,3 link=" LINK, "0", "3", 1, 2},
    {"mesh dims=2,3 link=" LINK, "3", "0", 2, 1},
    {"hypercube dimension=3 link=" LINK, "0", "1", 5, 5},
    {"hypercube dimension=3 link=" LINK, "0", "4", 1, 1},
    {"full endpoints=4 link=" LINK, "2", "0", 1, 2},
    {"full endpoints=4 link=" LINK, "2", "3", 3, 3},
    {"full endpoints=4 link=" LINK, "0", "1", 1, 1},
    // h = 2: edges s0-s7, aggregations s8-s15, cores s16-s19; pod 1 has s2, s3 and s10, s11
    {FAT, "5", "s2", 1, 1},
    {FAT, "s2", "s10", 2, 0},
    {FAT, "s3", "s11", 3, 1},
    {FAT, "s10", "s17", 3, 1},
    {FAT, "s11", "s18", 2, 1},
    {FAT, "s18", "s15", 3, 2},
    {LEAF, "4", "s1", 1, 1},
    {LEAF, "s1", "s2", 3, 2},
    {LEAF, "s0", "s3", 5, 0},
    // 3 groups of 2 routers; group g's cable j leads to the j-th of the other groups
    {FLY, "5", "s5", 1, 0},
    {FLY, "s0", "s1", 1, 1},
    {FLY, "s0", "s2", 2, 2},
    {FLY, "s1", "s4", 2, 2},
    {FLY, "s3", "s5", 2, 2},
    {CLUSTER, "4", "s1", 1, 1},
    {CLUSTER, "4", "s2", 2, 4},
    {PLANES, "4", "s2", 1, 1},
    {PLANES, "4", "s3", 2, 1},
    {PLANES, "4", "s4", 3, 4},
    // NIC 0 of both nodes on leaf s2, NIC 1 on s3
    {RAILS, "2", "s2", 2, 1},
    {RAILS, "1", "s3", 2, 0},
    // ports 1 (dim of 2) and 3, 4 inside, so the NIC is port 5; it is plugged into device 0
    {INNER, "7", "6", 4, 3},
    {INNER, "6", "s0", 5, 1},
    {WEB, "A", "X", 1, 0},
    {WEB, "X", "B", 1, 1},
    {WEB, "B", "A", 2, 2},
    {WEB, "1", "0", 2, 2}, // endpoints A and B are 0 and 1, X is s0
    {WEB, "s0", "A", 0, 1},
    // crossing the end of the dim of 2 moves 2 along the dim of 4
    {"twisted-torus dims=2,4 link=" LINK, "4", "2", 1, 2},
    {"twisted-torus dims=2,4 link=" LINK, "0", "6", 2, 1},
    {"twisted-torus dims=2,4 link=" LINK, "3", "0", 3, 4},
};

START_TEST(cables_lead_from_port_to_port) {
    const struct cable *want = &cables[_i];
    struct topology *topology = shape_build(want->line);
    const struct graph *graph = &topology->graph;
    uint32_t from = graph_find_node(graph, want->from), to = graph_find_node(graph, want->to);
    ck_assert_uint_ne(from, NO_NODE);
    uint32_t l = graph_link_at(graph, from, want->from_port);
    ck_assert_msg(l != NO_LINK, "%s: no link leaves %s by port %u", want->line, want->from, want->from_port);
    ck_assert_uint_eq(graph->links[l].to, to);
    ck_assert_uint_eq(graph->links[l].to_port, want->to_port);
    shape_free(topology);
}
END_TEST

START_TEST(dims_of_2_have_one_cable_or_two) {
    struct topology *single = shape_build("torus dims=2,4 link=" LINK);
    struct topology *twofold = shape_build("torus dims=2,4 wrap2=double link=" LINK);
    ck_assert_uint_eq(single->graph.link_count, 24);
    ck_assert_uint_eq(twofold->graph.link_count, 32);
    const struct link_info *plus = &twofold->graph.links[graph_link_at(&twofold->graph, 0, 1)];
    const struct link_info *minus = &twofold->graph.links[graph_link_at(&twofold->graph, 0, 2)];
    ck_assert_uint_eq(plus->to, 4);
    ck_assert_uint_eq(plus->to_port, 2);
    ck_assert_uint_eq(minus->to, 4);
    ck_assert_uint_eq(minus->to_port, 1);
    topology_free(single);
    shape_free(twofold);
}
END_TEST

START_TEST(ports_of_switches_are_counted) {
    struct topology *topology = shape_build(LEAF);
    ck_assert_uint_eq(topology->graph.switch_ports[0], 3 + 2 * 2);
    ck_assert_uint_eq(topology->graph.switch_ports[2], 2 * 2);
    shape_free(topology);
    topology = shape_build(PLANES);
    ck_assert_uint_eq(topology->graph.switch_ports[3], 3);
    ck_assert_uint_eq(topology->graph.switch_ports[4], 6);
    ck_assert_uint_eq(topology->group_size, 3);
    shape_free(topology);
    topology = shape_build(WEB);
    ck_assert_uint_eq(topology->graph.switch_ports[0], 2);
    ck_assert_int_eq(topology->graph.links[0].latency_ticks, 1); // 0 counts as one tick
    shape_free(topology);
}
END_TEST

START_TEST(each_level_and_dim_has_its_own_link) {
    struct topology *topology = shape_build("torus dims=3,3 links=10/1,20/2");
    ck_assert_int_eq(topology->graph.links[graph_link_at(&topology->graph, 4, 2)].bandwidth_bytes_per_s, 10);
    ck_assert_int_eq(topology->graph.links[graph_link_at(&topology->graph, 4, 3)].bandwidth_bytes_per_s, 20);
    ck_assert_int_eq(topology->graph.links[graph_link_at(&topology->graph, 4, 3)].latency_ticks, 2);
    shape_free(topology);
    topology = shape_build("fat-tree k=2 links=10/1,20/1,30/1");
    static const int64_t rates[] = {10, 20, 30, 30, 20, 10};
    uint32_t links[ROUTE_SIZE];
    ck_assert_uint_eq(shape_route(topology, 0, 1, 0, 0, links), 6);
    for (uint32_t i = 0; i < 6; i++) ck_assert_int_eq(topology->graph.links[links[i]].bandwidth_bytes_per_s, rates[i]);
    shape_free(topology);
    topology = shape_build("dragonfly p=1 a=2 h=1 local_link=10/1 global_link=20/1");
    static const int64_t fly_rates[] = {10, 10, 20, 10, 10}; // 0 -> s0 -> s1 -> s4 -> s5 -> 5
    ck_assert_uint_eq(shape_route(topology, 0, 5, 0, 0, links), 5);
    for (uint32_t i = 0; i < 5; i++) ck_assert_int_eq(topology->graph.links[links[i]].bandwidth_bytes_per_s, fly_rates[i]);
    shape_free(topology);
}
END_TEST

START_TEST(overrides_set_all_links_one_way) {
    struct topology *topology = shape_build("graph nodes=2 links={from=0 to=1 bandwidth=9 latency=9},{from=1 to=0 bandwidth=8 latency=8}");
    struct error err = {0};
    ck_assert(topology_override(topology, "1", "0", 5, -1, &err));
    ck_assert(topology_override(topology, "0", "1", -1, 0, &err));
    static const int64_t bandwidth[] = {9, 8, 5, 5}, latency[] = {1, 1, 9, 8};
    for (uint32_t l = 0; l < 4; l++) {
        ck_assert_int_eq(topology->graph.links[l].bandwidth_bytes_per_s, bandwidth[l]);
        ck_assert_int_eq(topology->graph.links[l].latency_ticks, latency[l]);
    }
    shape_free(topology);
}
END_TEST

START_TEST(overrides_need_a_link) {
    static const char *const wrong[][3] = {{"9", "0", "from"}, {"0", "s0", "to"}, {"0", "2", "to"}, {"-1", "0", "from"}};
    struct topology *topology = shape_build("ring endpoints=5 link=" LINK);
    struct error err = {0};
    ck_assert(!topology_override(topology, wrong[_i][0], wrong[_i][1], 1, 1, &err));
    ck_assert_int_eq(err.kind, ERROR_INPUT);
    ck_assert_str_eq(err.where, wrong[_i][2]);
    shape_free(topology);
}
END_TEST

START_TEST(coordinates_are_in_c_order) {
    struct topology *topology = shape_build("torus dims=4,5,6 link=" LINK);
    uint32_t at[MAX_DIMS];
    topology_coordinates(topology, 3 * 30 + 2 * 6 + 5, at);
    ck_assert_uint_eq(topology->dim_count, 3);
    ck_assert_uint_eq(at[0], 3);
    ck_assert_uint_eq(at[1], 2);
    ck_assert_uint_eq(at[2], 5);
    shape_free(topology);
}
END_TEST

Suite *test_shape_ports_suite(void);
Suite *test_shape_ports_suite(void) {
    Suite *suite = suite_create("shape_ports");
    TCase *tcase = tcase_create("ports");
    tcase_add_loop_test(tcase, cables_lead_from_port_to_port, 0, sizeof cables / sizeof *cables);
    tcase_add_test(tcase, dims_of_2_have_one_cable_or_two);
    tcase_add_test(tcase, ports_of_switches_are_counted);
    tcase_add_test(tcase, each_level_and_dim_has_its_own_link);
    tcase_add_test(tcase, overrides_set_all_links_one_way);
    tcase_add_loop_test(tcase, overrides_need_a_link, 0, 4);
    tcase_add_test(tcase, coordinates_are_in_c_order);
    suite_add_tcase(suite, tcase);
    return suite;
}
