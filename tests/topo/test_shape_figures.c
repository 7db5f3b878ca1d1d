// Size, diameter, mean hops and bisection of known shapes, each figure beside its closed form or its count.
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "shapes.h"

struct figures {
    const char *line;
    uint32_t endpoints, switches;
    uint64_t cables;
    uint32_t diameter;
    double mean_hops;
    uint64_t bisection; ///< UINT64_MAX: not known
};

#define UNKNOWN UINT64_MAX
#define SUPERPOD                                                               \
    "cluster nodes=128 node={switch endpoints=8 link=" LINK "} nic_link=" LINK \
    " fabric={leaf-spine leaves=32 spines=16 cables_per_pair=2 up_link=" LINK " rails=true}"

// Sums of hops from one endpoint, by distance; means are over the N - 1 others.
static const struct figures table[] = {
    {"switch endpoints=8 link=" LINK, 8, 1, 8, 2, 2, 8 / 2},
    {"ring endpoints=4 link=" LINK, 4, 0, 4, 4 / 2, (1 + 2 + 1) / 3.0, 2},
    {"ring endpoints=9 link=" LINK, 9, 0, 9, 9 / 2, 2 * (1 + 2 + 3 + 4) / 8.0, 2},
    {"ring endpoints=9 directions=one link=" LINK, 9, 0, 5 /* 9 halves, rounded up */, 9 - 1, 36 / 8.0, 1 /* two halves */},
    // torus: floor(k^2/4) per dim and endpoint, times the product of the other dims
    {"torus dims=2,2 link=" LINK, 4, 0, 4, 1 + 1, (1 * 2 + 1 * 2) / 3.0, 2},
    {"torus dims=2,2 wrap2=double link=" LINK, 4, 0, 8, 1 + 1, (1 * 2 + 1 * 2) / 3.0, 4},
    {"torus dims=4,2 link=" LINK, 8, 0, 8 + 4, 2 + 1, (4 * 2 + 1 * 4) / 7.0, 2 * 2 /* across 4; across 2: 1 * 4 */},
    {"torus dims=3,3 link=" LINK, 9, 0, 9 + 9, 1 + 1, (2 * 3 + 2 * 3) / 8.0, 2 * (3 + 1)},
    {"torus dims=4,4 link=" LINK, 16, 0, 16 + 16, 2 + 2, (4 * 4 + 4 * 4) / 15.0, 2 * 4},
    {"torus dims=5,4 link=" LINK, 20, 0, 20 + 20, 2 + 2, (6 * 4 + 4 * 5) / 19.0, 2 * (4 + 1) /* across 5, then 4: 8 + 2; across 4: 10 */},
    {"torus dims=3,3,3 link=" LINK, 27, 0, 3 * 27, 3, 3 * 2 * 9 / 26.0, 2 * (9 + 3 + 1)},
    {"torus dims=4,4,4 link=" LINK, 64, 0, 3 * 64, 6, 3 * 4 * 16 / 63.0, 2 * 16},
    {"torus dims=16,16,16 link=" LINK, 4096, 0, 3 * 4096, 24, 3.0 * 64 * 256 / 4095, 2 * 256},
    {"torus dims=4,1 link=" LINK, 4, 0, 4, 2, 4 / 3.0, 2},
    {"mesh dims=4,4 link=" LINK, 16, 0, 2 * 3 * 4, 3 + 3, 2 * 20 * 16 / 240.0 /* k(k^2-1)/3 = 20 */, 4},
    {"mesh dims=3,3,3 link=" LINK, 27, 0, 3 * 2 * 9, 6, 3 * 8 * 81 / 702.0 /* k(k^2-1)/3 = 8 */, 9 + 3 + 1},
    {"hypercube dimension=4 link=" LINK, 16, 0, 16 * 4 / 2, 4, 4 * 8 / 15.0, 16 / 2},
    {"full endpoints=5 link=" LINK, 5, 0, 5 * 4 / 2, 1, 1, 2 * 3},
    // fat tree: h-1 others at 2 hops, h^2-h at 4, the rest at 6; k^3/8
    {"fat-tree k=4 link=" LINK, 16, 20, 3 * 16, 6, (1 * 2 + 2 * 4 + 12 * 6) / 15.0, 8},
    {"fat-tree k=8 link=" LINK, 128, 80, 3 * 128, 6, (3 * 2 + 12 * 4 + 112 * 6) / 127.0, 64},
    {"leaf-spine leaves=4 hosts_per_leaf=4 spines=4 host_link=" LINK " up_link=" LINK, 16, 8, 16 + 4 * 4, 4, (3 * 2 + 12 * 4) / 15.0,
     2 * 4},
    {"leaf-spine leaves=4 hosts_per_leaf=4 spines=2 host_link=" LINK " up_link=" LINK, 16, 6, 16 + 4 * 2, 4, (3 * 2 + 12 * 4) / 15.0,
     2 * 2},
    // 9 groups; one other on the router at 2, 6 in the group at 3, 64 beyond at 3 + 3/4 + 3/4
    {"dragonfly p=2 a=4 h=2 link=" LINK, 72, 36, 72 + 9 * 6 + 9 * 8 / 2, 5, (1 * 2 + 6 * 3 + 64 * 4.5) / 71, UNKNOWN},
    // 7 in the node and 31 on the leaf at 2 hops, the rest at 4; half of the leaves' up cables
    {SUPERPOD, 1024, 128 + 32 + 16, 1024 + 1024 + 32 * 16 * 2, 4, (38 * 2 + 985 * 4) / 1023.0, 16 * 32},
    // K x 2K: 4 at 1 hop, the rest of 8 at 2; found by hand
    {"twisted-torus dims=2,4 link=" LINK, 8, 0, 16, 2, (4 * 1 + 3 * 2) / 7.0, 8},
};

START_TEST(known_shapes_have_their_figures) {
    const struct figures *want = &table[_i];
    struct topology *topology = shape_build(want->line);
    struct topology_metrics got;
    topology_measure(topology, &got);
    ck_assert_uint_eq(got.endpoints, want->endpoints);
    ck_assert_uint_eq(got.switches, want->switches);
    ck_assert_uint_eq(got.cables, want->cables);
    ck_assert_uint_eq(got.links, topology->graph.link_count);
    ck_assert(got.hops_known);
    ck_assert_uint_eq(got.diameter, want->diameter);
    ck_assert_msg(fabs(got.mean_hops - want->mean_hops) < 1e-9, "%s: mean hops %.9f, not %.9f", want->line, got.mean_hops, want->mean_hops);
    ck_assert_int_eq(got.bisection.known, want->bisection != UNKNOWN);
    if (got.bisection.known) {
        ck_assert_uint_eq(got.bisection.cables, want->bisection);
        shape_check_cut(topology, &got.bisection);
    }
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

START_TEST(the_printed_means_agree) {
    // As stated elsewhere to five decimals: guards the table above against a common slip in both forms.
    static const struct {
        const char *line;
        double mean_hops;
    } stated[] = {
        {"torus dims=16,16,16 link=" LINK, 12.00293},
        {"mesh dims=3,3,3 link=" LINK, 2.76923},
        {"fat-tree k=8 link=" LINK, 5.71654},
        {"dragonfly p=2 a=4 h=2 link=" LINK, 4.33803},
        {SUPERPOD, 3.9257},
    };
    struct topology *topology = shape_build(stated[_i].line);
    struct topology_metrics got;
    topology_measure(topology, &got);
    ck_assert(fabs(got.mean_hops - stated[_i].mean_hops) < 5e-5);
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

START_TEST(a_cut_sums_the_rates_of_its_links) {
    // 4 x 2: 4 cables of 10 B/s cross between coordinates 1|2 and 3|0 of the first dim; one of them is slowed one way.
    struct topology *topology = shape_build("torus dims=4,2 link=10/1");
    struct error err = {0};
    ck_assert(topology_override(topology, "2", "4", 3, -1, &err));
    struct topology_metrics got;
    topology_measure(topology, &got);
    ck_assert_uint_eq(got.bisection.side[2], 0);
    ck_assert_uint_eq(got.bisection.side[4], 1);
    ck_assert_double_eq(got.cut_bytes_per_s[0], 4 * 10 - 7);
    ck_assert_double_eq(got.cut_bytes_per_s[1], 4 * 10);
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

START_TEST(a_million_endpoints_build_at_once) {
    struct topology *topology = shape_build("torus dims=100,100,100 link=" LINK);
    struct topology_metrics got;
    topology_measure(topology, &got);
    ck_assert_uint_eq(got.links, 6000000);
    ck_assert_uint_eq(got.diameter, 150);
    ck_assert_uint_eq(got.bisection.cables, 2 * 100 * 100);
    uint32_t links[ROUTE_SIZE];
    ck_assert_uint_eq(topology_route(topology, 0, 505050, 0, 0, links, ROUTE_SIZE), 150);
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

Suite *test_shape_figures_suite(void);
Suite *test_shape_figures_suite(void) {
    Suite *suite = suite_create("shape_figures");
    TCase *tcase = tcase_create("figures");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, known_shapes_have_their_figures, 0, sizeof table / sizeof *table);
    tcase_add_loop_test(tcase, the_printed_means_agree, 0, 5);
    tcase_add_test(tcase, a_cut_sums_the_rates_of_its_links);
    tcase_add_test(tcase, a_million_endpoints_build_at_once);
    suite_add_tcase(suite, tcase);
    return suite;
}
