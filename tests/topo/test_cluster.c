// Clusters: what stays inside a node, which NIC a message leaves and arrives by, planes, rails, shared NICs, PXN.
#include <check.h>
#include <stdlib.h>

#include "shapes.h"

#define NODE "node={switch endpoints=8 link=" LINK "} nic_link=" LINK
#define RAIL_FABRIC "fabric={leaf-spine leaves=8 spines=4 up_link=" LINK " rails=true}"

// Whether a link leads from a leaf up to a spine of a fabric of 8 leaves behind 4 node switches.
static bool goes_up(const struct topology *topology, uint32_t link) {
    const struct link_info *info = &topology->graph.links[link];
    uint32_t first_leaf = topology->graph.endpoints + 4, first_spine = first_leaf + 8;
    return info->from >= first_leaf && info->from < first_spine && info->to >= first_spine;
}

START_TEST(off_rail_traffic_climbs_the_spine_unless_pxn) {
    // 4 nodes of 8 by rails, 1 MB a pair: each of 32 endpoints has 3 nodes of 7 off-rail peers, so 672 MB over the spines.
    static const struct {
        const char *line;
        uint32_t pairs_over_spines;
    } want[] = {
        {"cluster nodes=4 " NODE " " RAIL_FABRIC, 32 * 3 * 7},
        {"cluster nodes=4 pxn=true " NODE " " RAIL_FABRIC, 0},
    };
    struct topology *topology = shape_build(want[_i].line);
    uint32_t links[ROUTE_SIZE], up = 0;
    for (uint32_t pair = 0; pair < 32 * 32; pair++) {
        uint32_t hops = shape_route(topology, pair / 32, pair % 32, 0, 0, links);
        for (uint32_t i = 0; i < hops; i++) up += goes_up(topology, links[i]);
    }
    ck_assert_uint_eq(up, want[_i].pairs_over_spines);
    shape_free(topology);
}
END_TEST

START_TEST(pxn_goes_over_nvlink_to_the_right_rail) {
    struct topology *topology = shape_build("cluster nodes=4 pxn=true " NODE " " RAIL_FABRIC);
    uint32_t links[ROUTE_SIZE], first = topology->graph.endpoints;
    ck_assert_uint_eq(shape_route(topology, 2, 8 + 5, 0, 0, links), 4);
    uint32_t nodes[] = {first + 0, 5, first + 4 + 5, 8 + 5}; // the node's switch, endpoint 5, the leaf of rail 5
    for (uint32_t i = 0; i < 4; i++) ck_assert_uint_eq(topology->graph.links[links[i]].to, nodes[i]);
    ck_assert_uint_eq(shape_route(topology, 5, 8 + 5, 0, 0, links), 2); // on its rail already
    shape_free(topology);
}
END_TEST

START_TEST(messages_inside_a_node_stay_inside) {
    struct topology *topology = shape_build("cluster nodes=3 node={ring endpoints=4 link=" LINK "} nic_link=" LINK " fabric={switch}");
    uint32_t links[ROUTE_SIZE];
    ck_assert_uint_eq(shape_route(topology, 4, 6, 0, 0, links), 2); // as far over the fabric
    for (uint32_t i = 0; i < 2; i++) ck_assert_uint_lt(topology->graph.links[links[i]].to, topology->graph.endpoints);
    ck_assert_uint_eq(shape_route(topology, 4, 10, 0, 0, links), 2);
    ck_assert_uint_eq(topology->graph.links[links[0]].to, topology->graph.endpoints);
    shape_free(topology);
}
END_TEST

START_TEST(shared_nics_are_reached_through_their_owner) {
    // 2 NICs for 4 devices: devices 0, 1 use NIC 0 (at device 0), devices 2, 3 use NIC 1 (at device 2).
    struct topology *topology =
        shape_build("cluster nodes=2 nics_per_node=2 node={switch endpoints=4 link=" LINK "} nic_link=" LINK " fabric={switch}");
    static const struct {
        uint32_t from, to, hops, via[5];
    } want[] = {
        {0, 6, 2, {10, 6}},
        {3, 6, 4, {8, 2, 10, 6}},
        {0, 7, 4, {10, 6, 9, 7}},
        {1, 5, 6, {8, 0, 10, 4, 9}},
    };
    uint32_t links[ROUTE_SIZE];
    ck_assert_uint_eq(shape_route(topology, want[_i].from, want[_i].to, 0, 0, links), want[_i].hops);
    for (uint32_t i = 0; i < want[_i].hops && i < 5; i++) ck_assert_uint_eq(topology->graph.links[links[i]].to, want[_i].via[i]);
    shape_free(topology);
}
END_TEST

START_TEST(nics_are_shared_as_evenly_as_can_be) {
    // 3 NICs for 8 devices: NIC floor(3 i / 8), plugged into the first device that uses it.
    struct topology *topology =
        shape_build("cluster nodes=2 nics_per_node=3 node={switch endpoints=8 link=" LINK "} nic_link=" LINK " fabric={switch}");
    static const uint32_t owner[] = {0, 0, 0, 3, 3, 3, 6, 6};
    uint32_t links[ROUTE_SIZE];
    for (uint32_t i = 0; i < 8; i++) {
        bool owns = owner[i] == i;
        ck_assert_uint_eq(shape_route(topology, i, 8, 0, 0, links), owns ? 2 : 4); // endpoint 8 owns NIC 0 of its node
        ck_assert_uint_eq(topology->graph.links[links[owns ? 0 : 2]].from, owner[i]);
    }
    shape_free(topology);
}
END_TEST

START_TEST(chunks_are_striped_over_planes) {
    struct topology *topology =
        shape_build("cluster nodes=2 planes=4 node={switch endpoints=8 link=" LINK "} nic_link=" LINK " fabric={switch}");
    uint32_t links[ROUTE_SIZE];
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t message = i / 4, chunk = i % 4, plane = (message + chunk) % 4;
        ck_assert_uint_eq(shape_route(topology, 9, 12, message, chunk, links), 2);
        ck_assert_uint_eq(topology->graph.links[links[0]].to, topology->graph.endpoints + 4 + plane);
    }
    ck_assert_uint_eq(topology->router.period, 4);
    shape_free(topology);
}
END_TEST

START_TEST(shapes_and_policies_inside_keep_theirs) {
    // A doubled dim of 2 inside still takes its cables in turn; a sprayed fabric still sprays.
    struct topology *topology = shape_build("cluster nodes=4 node={torus dims=1,2 wrap2=double link=" LINK "} nic_link=" LINK
                                            " fabric={leaf-spine leaves=4 spines=3 ecmp=spray up_link=" LINK "}");
    uint32_t links[ROUTE_SIZE];
    ck_assert_uint_eq(topology->router.period, 6);
    for (uint32_t chunk = 0; chunk < 6; chunk++) {
        shape_route(topology, 2, 3, 0, chunk, links);
        ck_assert_uint_eq(topology->graph.links[links[0]].from_port, 3 + chunk % 2);
        shape_route(topology, 2, 5, 0, chunk, links);
        ck_assert_uint_eq(topology->graph.links[links[1]].to,
                          topology->graph.endpoints + 4 + (2 + chunk) % 3); // (source + chunk) mod spines
    }
    shape_free(topology);
}
END_TEST

START_TEST(islands_inside_a_node_are_told_apart) {
    struct topology *topology = shape_build(
        "cluster nodes=2 nics_per_node=1 node={graph nodes=3 links={from=0 to=1 bandwidth=9 latency=9}} nic_link=" LINK " fabric={switch}");
    ck_assert(topology_reachable(topology, 1, 4));
    ck_assert(!topology_reachable(topology, 1, 5));
    ck_assert(!topology_reachable(topology, 2, 0));
    ck_assert(!topology_reachable(topology, 2, 4));
    shape_free(topology);
}
END_TEST

START_TEST(a_fabric_may_have_free_places) {
    // 6 NICs on a fat tree with 16 places: edge s2, s3 (behind 2 node switches) full, s4 the last.
    struct topology *topology =
        shape_build("cluster nodes=2 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={fat-tree k=4 up_link=" LINK "}");
    uint32_t links[ROUTE_SIZE], first = topology->graph.endpoints;
    ck_assert_uint_eq(topology->graph.switches, 2 + 20);
    ck_assert_uint_eq(topology->graph.link_count, 2 * (6 + 6 + 2 * 16));
    ck_assert_uint_eq(shape_route(topology, 2, 3, 0, 0, links), 2);
    ck_assert_uint_eq(shape_route(topology, 0, 3, 0, 0, links), 4);
    ck_assert_uint_eq(shape_route(topology, 0, 5, 0, 0, links), 6);
    ck_assert_uint_eq(topology->graph.links[links[4]].to, first + 2 + 2);
    shape_free(topology);
}
END_TEST

Suite *test_cluster_suite(void);
Suite *test_cluster_suite(void) {
    Suite *suite = suite_create("cluster");
    TCase *tcase = tcase_create("cluster");
    tcase_add_loop_test(tcase, off_rail_traffic_climbs_the_spine_unless_pxn, 0, 2);
    tcase_add_test(tcase, pxn_goes_over_nvlink_to_the_right_rail);
    tcase_add_test(tcase, messages_inside_a_node_stay_inside);
    tcase_add_loop_test(tcase, shared_nics_are_reached_through_their_owner, 0, 4);
    tcase_add_test(tcase, nics_are_shared_as_evenly_as_can_be);
    tcase_add_test(tcase, chunks_are_striped_over_planes);
    tcase_add_test(tcase, shapes_and_policies_inside_keep_theirs);
    tcase_add_test(tcase, islands_inside_a_node_are_told_apart);
    tcase_add_test(tcase, a_fabric_may_have_free_places);
    suite_add_tcase(suite, tcase);
    return suite;
}
