// Diameter, mean hops and bisection against exhaustive search: breadth-first distances, and every assignment of every
// node (switches too) to a side.
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "shapes.h"
#include "topo/cut.h"

static const char *const minimal_shapes[] = {
    "switch endpoints=1 link=" LINK,
    "switch endpoints=7 link=" LINK,
    "ring endpoints=1 link=" LINK,
    "ring endpoints=2 link=" LINK,
    "ring endpoints=2 wrap2=double link=" LINK,
    "ring endpoints=2 directions=one link=" LINK,
    "ring endpoints=7 link=" LINK,
    "ring endpoints=8 directions=one link=" LINK,
    "ring endpoints=9 directions=one link=" LINK,
    "torus dims=3,5 link=" LINK,
    "torus dims=2,2,2 wrap2=double link=" LINK,
    "torus dims=2,3 link=" LINK,
    "torus dims=3,2 wrap2=double link=" LINK,
    "torus dims=3,2,2 link=" LINK,
    "torus dims=2,2,3 wrap2=double link=" LINK,
    "torus dims=1,4,3 link=" LINK,
    "torus dims=3,1,5 link=" LINK,
    "torus dims=1,1 link=" LINK,
    "mesh dims=1,1 link=" LINK,
    "mesh dims=7 link=" LINK,
    "mesh dims=3,5 link=" LINK,
    "mesh dims=2,3,2 link=" LINK,
    "mesh dims=1,3,4 link=" LINK,
    "hypercube dimension=0 link=" LINK,
    "hypercube dimension=1 link=" LINK,
    "hypercube dimension=3 link=" LINK,
    "full endpoints=1 link=" LINK,
    "full endpoints=6 link=" LINK,
    "full endpoints=7 link=" LINK,
    "fat-tree k=2 link=" LINK,
    "leaf-spine leaves=1 hosts_per_leaf=5 spines=2 host_link=" LINK " up_link=" LINK,
    "leaf-spine leaves=2 hosts_per_leaf=5 spines=2 host_link=" LINK " up_link=" LINK,
    "leaf-spine leaves=3 hosts_per_leaf=3 spines=1 cables_per_pair=2 host_link=" LINK " up_link=" LINK,
    "leaf-spine leaves=3 hosts_per_leaf=3 spines=3 host_link=" LINK " up_link=" LINK,
    "leaf-spine leaves=3 hosts_per_leaf=4 spines=1 host_link=" LINK " up_link=" LINK,
    "leaf-spine leaves=5 hosts_per_leaf=1 spines=3 cables_per_pair=2 host_link=" LINK " up_link=" LINK,
    "twisted-torus dims=4,2 link=" LINK,
    "twisted-torus dims=2,2,4 link=" LINK,
    "cluster nodes=1 node={switch endpoints=5 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=4 node={switch endpoints=2 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=3 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=3 planes=2 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=4 node={ring endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=3 node={full endpoints=4 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=4 node={full endpoints=2 link=" LINK "} nic_link=" LINK " fabric={leaf-spine leaves=2 spines=2 up_link=" LINK "}",
};

// Routes of these are not the fewest hops of all (rails, shared NICs, PXN, at most one global hop); cuts are as above.
static const char *const other_shapes[] = {
    "cluster nodes=4 node={full endpoints=2 link=" LINK "} nic_link=" LINK " fabric={leaf-spine leaves=2 spines=1 up_link=" LINK
    " rails=true}",
    "dragonfly p=1 a=2 h=1 link=" LINK,
    "dragonfly p=2 a=1 h=2 link=" LINK,
    "cluster nodes=4 nics_per_node=1 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=2 nics_per_node=2 planes=2 node={switch endpoints=5 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=3 nics_per_node=2 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}",
    "cluster nodes=2 pxn=true node={mesh dims=2,2 link=" LINK "} nic_link=" LINK " fabric={leaf-spine leaves=4 spines=2 up_link=" LINK
    " rails=true}",
    // a pair and a clique of 4: the best cut halves no node but takes one clique, and all of a node but one of a pair
    "cluster nodes=3 node={graph nodes=6 links={from=0 to=1 bandwidth=9 latency=9},{from=1 to=2 bandwidth=9 latency=9},"
    "{from=2 to=3 bandwidth=9 latency=9},{from=2 to=4 bandwidth=9 latency=9},{from=2 to=5 bandwidth=9 latency=9},"
    "{from=3 to=4 bandwidth=9 latency=9},{from=3 to=5 bandwidth=9 latency=9},{from=4 to=5 bandwidth=9 latency=9}} nic_link=" LINK
    " fabric={switch}",
    // between rails (4 cables inside, 2 up) rather than between nodes (2 on each of 4 leaves)
    "cluster nodes=4 node={mesh dims=4 link=" LINK "} nic_link=" LINK " fabric={leaf-spine leaves=4 spines=1 up_link=" LINK " rails=true}",
    "cluster nodes=3 pxn=true node={switch endpoints=2 link=" LINK "} nic_link=" LINK " fabric={switch}",
};

// Fewest directed links across over all 2^nodes assignments that halve the endpoints.
static uint64_t narrowest(const struct graph *graph) {
    uint32_t nodes = graph_nodes(graph);
    uint64_t best = UINT64_MAX, endpoint_bits = (UINT64_C(1) << graph->endpoints) - 1;
    ck_assert_uint_le(nodes, 21);
    for (uint64_t ones = 0; ones < UINT64_C(1) << nodes; ones++) {
        if ((uint32_t)__builtin_popcountll(ones & endpoint_bits) != graph->endpoints - graph->endpoints / 2) continue;
        uint64_t crossing = 0;
        for (uint32_t l = 0; l < graph->link_count; l++) crossing += (ones >> graph->links[l].from ^ ones >> graph->links[l].to) & 1;
        if (crossing < best) best = crossing;
    }
    return best;
}

static void check_bisection(const struct topology *topology, const struct topology_metrics *got) {
    ck_assert(got->bisection.known);
    ck_assert_uint_eq(got->bisection.cables, (narrowest(&topology->graph) + 1) / 2);
    shape_check_cut(topology, &got->bisection);
}

START_TEST(formulas_agree_with_breadth_first_search) {
    struct topology *topology = shape_build(minimal_shapes[_i]);
    uint32_t endpoints = topology->graph.endpoints, longest = 0;
    uint64_t total = 0;
    for (uint32_t b = 0; b < endpoints; b++) {
        uint32_t *distance = shape_distances(&topology->graph, b);
        for (uint32_t a = 0; a < endpoints; a++) {
            total += distance[a];
            if (distance[a] > longest) longest = distance[a];
        }
        free(distance);
    }
    struct topology_metrics got;
    topology_measure(topology, &got);
    double mean = endpoints > 1 ? (double)total / (endpoints * (endpoints - 1.0)) : 0;
    ck_assert(got.hops_known);
    ck_assert_uint_eq(got.diameter, longest);
    ck_assert_msg(fabs(got.mean_hops - mean) < 1e-12, "%s: mean %.9f, not %.9f", minimal_shapes[_i], got.mean_hops, mean);
    check_bisection(topology, &got);
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

START_TEST(formulas_agree_with_walked_routes) {
    struct topology *topology = shape_build(other_shapes[_i]);
    uint32_t endpoints = topology->graph.endpoints, longest = 0, links[ROUTE_SIZE];
    uint64_t total = 0;
    for (uint32_t a = 0; a < endpoints; a++) {
        for (uint32_t b = 0; b < endpoints; b++) {
            uint32_t hops = shape_route(topology, a, b, 0, 0, links);
            total += hops;
            if (hops > longest) longest = hops;
        }
    }
    struct topology_metrics got;
    topology_measure(topology, &got);
    ck_assert_uint_eq(got.diameter, longest);
    ck_assert(fabs(got.mean_hops - (double)total / (endpoints * (endpoints - 1.0))) < 1e-12);
    check_bisection(topology, &got);
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

// Random endpoints, switches and links, some of them directed.
static void random_graph(struct random_stream *stream, struct graph *graph) {
    graph_init(graph, 2 + (uint32_t)random_below(stream, 7), (uint32_t)random_below(stream, 5));
    uint32_t nodes = graph_nodes(graph), links = nodes + (uint32_t)random_below(stream, 2 * nodes);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t u = (uint32_t)random_below(stream, nodes), v = (uint32_t)random_below(stream, nodes);
        struct link_info link = {.from = u, .to = v, .from_port = i, .to_port = i, .bandwidth_bytes_per_s = 1, .latency_ticks = 1};
        if (u == v) continue;
        if (random_below(stream, 4))
            graph_add_cable(graph, u, i, v, i, &link);
        else
            graph_add_link(graph, link);
    }
    struct error err = {0};
    ck_assert(graph_finish(graph, &err));
}

START_TEST(searched_cuts_are_the_narrowest) {
    struct random_stream stream;
    random_seed(&stream, 20240601);
    for (int i = 0; i < 200; i++) {
        struct graph graph;
        random_graph(&stream, &graph);
        struct bisection cut;
        cut_search(&graph, &cut);
        ck_assert(cut.known);
        ck_assert_uint_eq(cut_links(&graph, cut.side), narrowest(&graph));
        ck_assert_uint_eq(cut.cables, (narrowest(&graph) + 1) / 2);
        free(cut.side);
        graph_free(&graph);
    }
}
END_TEST

START_TEST(larger_formulas_agree_with_minimum_cuts) {
    // Too many nodes for every assignment: all halvings of the endpoints, switches by a minimum cut (checked above).
    static const char *const lines[] = {
        "fat-tree k=4 link=" LINK,
        "leaf-spine leaves=3 hosts_per_leaf=5 spines=2 cables_per_pair=2 host_link=" LINK " up_link=" LINK,
        "leaf-spine leaves=5 hosts_per_leaf=3 spines=4 host_link=" LINK " up_link=" LINK,
        "cluster nodes=5 planes=2 node={switch endpoints=3 link=" LINK "} nic_link=" LINK " fabric={switch}",
        "cluster nodes=4 node={switch endpoints=4 link=" LINK "} nic_link=" LINK " fabric={leaf-spine leaves=8 spines=2 up_link=" LINK
        " rails=true}",
        "torus dims=4,5 link=" LINK,
        "torus dims=3,3,2 link=" LINK,
        "mesh dims=4,5 link=" LINK,
    };
    struct topology *topology = shape_build(lines[_i]);
    struct bisection formula = {0}, searched;
    topology->type->bisect(topology, &formula);
    cut_search(&topology->graph, &searched);
    ck_assert(formula.known && searched.known);
    ck_assert_uint_eq(formula.cables, searched.cables);
    shape_check_cut(topology, &formula);
    free(formula.side);
    free(searched.side);
    shape_free(topology);
}
END_TEST

Suite *test_shape_search_suite(void);
Suite *test_shape_search_suite(void) {
    Suite *suite = suite_create("shape_search");
    TCase *tcase = tcase_create("search");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, formulas_agree_with_breadth_first_search, 0, sizeof minimal_shapes / sizeof *minimal_shapes);
    tcase_add_loop_test(tcase, formulas_agree_with_walked_routes, 0, sizeof other_shapes / sizeof *other_shapes);
    tcase_add_test(tcase, searched_cuts_are_the_narrowest);
    tcase_add_loop_test(tcase, larger_formulas_agree_with_minimum_cuts, 0, 8);
    suite_add_tcase(suite, tcase);
    return suite;
}
