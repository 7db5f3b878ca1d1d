// Properties of routes on random shapes: they lead where they should, meet no node twice, take the fewest hops, and
// depend on message and chunk only through the selector and its period.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/chunk.h"
#include "shapes.h"

enum { LINE_SIZE = 512 };

static unsigned draw(struct random_stream *stream, unsigned low, unsigned high) {
    return low + (unsigned)random_below(stream, high - low + 1);
}

static const char *pick(struct random_stream *stream, const char *const *words, unsigned count) {
    return words[random_below(stream, count)];
}

static const char *const all_ties[] = {"parity", "positive", "split"};
static const char *const all_wrap2[] = {"single", "double"};
static const char *const all_ecmp[] = {"d-mod-k", "hash", "spray"};

static void random_dims(struct random_stream *stream, char *out, size_t size) {
    unsigned count = draw(stream, 1, 4), at = 0;
    for (unsigned i = 0; i < count; i++)
        at += (unsigned)snprintf(out + at, size - at, "%s%u", i ? "," : "", draw(stream, 1, count > 2 ? 4 : 7));
}

static void random_grid(struct random_stream *stream, char *out) {
    char dims[64];
    random_dims(stream, dims, sizeof dims);
    const char *ties = pick(stream, all_ties, 3), *wrap2 = pick(stream, all_wrap2, 2);
    switch (draw(stream, 0, 4)) {
    case 0: snprintf(out, LINE_SIZE, "ring endpoints=%u ties=%s wrap2=%s link=" LINK, draw(stream, 1, 20), ties, wrap2); break;
    case 1: snprintf(out, LINE_SIZE, "ring endpoints=%u directions=one link=" LINK, draw(stream, 1, 20)); break;
    case 2: snprintf(out, LINE_SIZE, "mesh dims=%s link=" LINK, dims); break;
    case 3: snprintf(out, LINE_SIZE, "hypercube dimension=%u link=" LINK, draw(stream, 0, 7)); break;
    default: snprintf(out, LINE_SIZE, "torus dims=%s ties=%s wrap2=%s link=" LINK, dims, ties, wrap2);
    }
}

static void random_tree(struct random_stream *stream, char *out) {
    const char *ecmp = pick(stream, all_ecmp, 3);
    unsigned seed = draw(stream, 0, 99);
    switch (draw(stream, 0, 3)) {
    case 0: snprintf(out, LINE_SIZE, "fat-tree k=%u ecmp=%s ecmp_seed=%u link=" LINK, 2 * draw(stream, 1, 4), ecmp, seed); break;
    case 1: snprintf(out, LINE_SIZE, "switch endpoints=%u link=" LINK, draw(stream, 1, 20)); break;
    case 2: snprintf(out, LINE_SIZE, "full endpoints=%u link=" LINK, draw(stream, 1, 20)); break;
    default:
        snprintf(out, LINE_SIZE,
                 "leaf-spine leaves=%u hosts_per_leaf=%u spines=%u cables_per_pair=%u ecmp=%s ecmp_seed=%u host_link=" LINK
                 " up_link=" LINK,
                 draw(stream, 1, 5), draw(stream, 1, 6), draw(stream, 1, 5), draw(stream, 1, 3), ecmp, seed);
    }
}

static void random_twisted(struct random_stream *stream, char *out) {
    unsigned k = draw(stream, 2, 4), twice = 2 * k;
    switch (draw(stream, 0, 3)) {
    case 0: snprintf(out, LINE_SIZE, "twisted-torus dims=%u,%u link=" LINK, k, twice); break;
    case 1: snprintf(out, LINE_SIZE, "twisted-torus dims=%u,%u,%u link=" LINK, k, k, twice); break;
    case 2: snprintf(out, LINE_SIZE, "twisted-torus dims=%u,%u,%u link=" LINK, twice, k, twice); break;
    default: snprintf(out, LINE_SIZE, "twisted-torus dims=%u,%u,%u link=" LINK, k, twice, k);
    }
}

static void random_web(struct random_stream *stream, char *out) {
    unsigned nodes = draw(stream, 2, 8), at = (unsigned)snprintf(out, LINE_SIZE, "graph nodes=%u links=", nodes);
    for (unsigned i = 0, links = draw(stream, 1, 8); i < links; i++) {
        unsigned from = draw(stream, 0, nodes - 1), to = (from + draw(stream, 1, nodes - 1)) % nodes;
        at += (unsigned)snprintf(out + at, LINE_SIZE - at, "%s{from=%u to=%u bandwidth=9 latency=9 duplex=%s}", i ? "," : "", from, to,
                                 draw(stream, 0, 3) ? "true" : "false");
    }
}

static void random_cluster(struct random_stream *stream, char *out) {
    char node[LINE_SIZE / 4], fabric[LINE_SIZE / 4];
    unsigned nodes = draw(stream, 1, 4), devices = 4, leaves = 4;
    switch (draw(stream, 0, 3)) {
    case 0: snprintf(node, sizeof node, "switch endpoints=%u link=" LINK, devices); break;
    case 1: snprintf(node, sizeof node, "torus dims=2,2 wrap2=double link=" LINK); break;
    case 2: snprintf(node, sizeof node, "full endpoints=%u link=" LINK, devices); break;
    default: snprintf(node, sizeof node, "leaf-spine leaves=2 hosts_per_leaf=2 spines=2 ecmp=spray host_link=" LINK " up_link=" LINK);
    }
    const char *ecmp = pick(stream, all_ecmp, 3);
    unsigned nics = draw(stream, 1, devices);
    if (nics * nodes % leaves) leaves = nics;
    bool rails = draw(stream, 0, 1) && (leaves % nics == 0 || nics % leaves == 0);
    switch (draw(stream, 0, 2)) {
    case 0: snprintf(fabric, sizeof fabric, "switch"); break;
    case 1: snprintf(fabric, sizeof fabric, "fat-tree k=4 ecmp=%s rails=%s up_link=" LINK, ecmp, rails ? "true" : "false"); break;
    default:
        snprintf(fabric, sizeof fabric, "leaf-spine leaves=%u spines=%u ecmp=%s rails=%s up_link=" LINK, leaves, draw(stream, 1, 3), ecmp,
                 rails ? "true" : "false");
    }
    snprintf(out, LINE_SIZE, "cluster nodes=%u planes=%u nics_per_node=%u pxn=%s node={%s} fabric={%s} nic_link=" LINK, nodes,
             draw(stream, 1, 3), nics, draw(stream, 0, 1) ? "true" : "false", node, fabric);
}

// Minimal routing promises the fewest hops on every shape that this draws.
static void random_minimal(struct random_stream *stream, char *out) {
    switch (draw(stream, 0, 9)) {
    case 0:
    case 1:
    case 2:
    case 3: random_grid(stream, out); break;
    case 4:
    case 5: random_tree(stream, out); break;
    case 6: random_twisted(stream, out); break;
    default: random_web(stream, out);
    }
}

static void check_selector(const struct topology *topology, uint32_t a, uint32_t b, uint32_t message, uint64_t chunk) {
    const struct router *router = &topology->router;
    uint32_t links[ROUTE_SIZE], later[ROUTE_SIZE];
    if (!router->selector) {
        ck_assert_uint_eq(router->period, 1);
        ck_assert_uint_eq(topology->selector_limit, 1);
        return;
    }
    uint32_t selector = router->selector(router->state, a, b, message, chunk);
    ck_assert_uint_lt(selector, topology->selector_limit);
    ck_assert_uint_le(topology->selector_limit, 1 << 20);
    if (router->period == 0) return;
    ck_assert_uint_eq(router->selector(router->state, a, b, message, chunk + router->period), selector);
    uint32_t hops = shape_route(topology, a, b, message, chunk, links);
    ck_assert_uint_eq(shape_route(topology, a, b, message, chunk + router->period, later), hops);
    ck_assert_int_eq(memcmp(links, later, hops * sizeof *links), 0);
}

static void check_routes(struct random_stream *stream, const char *line, bool minimal) {
    struct topology *topology = shape_build(line);
    uint32_t endpoints = topology->graph.endpoints, links[ROUTE_SIZE];
    for (int i = 0; i < 12; i++) {
        uint32_t b = (uint32_t)random_below(stream, endpoints), *distance = shape_distances(&topology->graph, b);
        for (uint32_t j = 0; j < 20 && endpoints > 1; j++) {
            uint32_t a = (uint32_t)random_below(stream, endpoints), message = draw(stream, 0, 50);
            uint64_t chunk = random_below(stream, 1000);
            ck_assert_msg(topology_reachable(topology, a, b) == (distance[a] != UINT32_MAX), "%s: is %u reachable from %u?", line, b, a);
            if (a == b || distance[a] == UINT32_MAX) continue;
            uint32_t hops = shape_route(topology, a, b, message, chunk, links);
            ck_assert_msg(minimal ? hops == distance[a] : hops >= distance[a], "%s: %u hops from %u to %u, not %u", line, hops, a, b,
                          distance[a]);
            check_selector(topology, a, b, message, chunk);
        }
        free(distance);
    }
    shape_free(topology);
}

START_TEST(routes_take_the_fewest_hops) {
    struct random_stream stream;
    random_seed(&stream, 1000 + (uint64_t)_i);
    for (int i = 0; i < 60; i++) {
        char line[LINE_SIZE];
        random_minimal(&stream, line);
        check_routes(&stream, line, true);
    }
}
END_TEST

// A cluster's messages stay inside a node, and leave by the NIC they should, even where another way is shorter.
START_TEST(clusters_meet_no_node_twice) {
    struct random_stream stream;
    random_seed(&stream, 2000 + (uint64_t)_i);
    for (int i = 0; i < 60; i++) {
        char line[LINE_SIZE];
        random_cluster(&stream, line);
        check_routes(&stream, line, false);
    }
}
END_TEST

START_TEST(dragonflies_cross_one_global_cable_at_most) {
    enum { P = 2, A = 3, H = 2 };
    struct topology *topology = shape_build("dragonfly p=2 a=3 h=2 link=" LINK);
    uint32_t endpoints = topology->graph.endpoints, links[ROUTE_SIZE];
    for (uint32_t a = 0; a < endpoints; a++) {
        for (uint32_t b = 0; b < endpoints; b++) {
            uint32_t hops = shape_route(topology, a, b, 0, 0, links), global = 0;
            for (uint32_t i = 0; i < hops; i++) {
                const struct link_info *link = &topology->graph.links[links[i]];
                global += link->from >= endpoints && link->from_port >= P + A - 1;
            }
            ck_assert_uint_eq(global, a / (P * A) != b / (P * A));
            ck_assert_uint_le(hops, global ? 5 : 3);
        }
    }
    shape_free(topology);
}
END_TEST

START_TEST(rings_go_the_short_way) {
    struct topology *topology = shape_build("ring endpoints=5 link=" LINK);
    uint32_t links[ROUTE_SIZE];
    ck_assert_uint_eq(shape_route(topology, 3, 0, 0, 0, links), 2);
    ck_assert_uint_eq(topology->graph.links[links[0]].to, 4);
    ck_assert_uint_eq(shape_route(topology, 0, 3, 0, 0, links), 2);
    ck_assert_uint_eq(topology->graph.links[links[0]].to, 4);
    shape_free(topology);
    topology = shape_build("torus dims=5,5 link=" LINK);
    uint32_t sum = 0;
    for (uint32_t pair = 0; pair < 25 * 25; pair++) sum += shape_route(topology, pair / 25, pair % 25, 0, 0, links);
    ck_assert_uint_eq(sum, 25 * 2 * 5 * (5 * 5 / 4)); // per endpoint, two dims: floor(k^2/4) times the other dim = 1500
    shape_free(topology);
}
END_TEST

START_TEST(the_last_dim_comes_first) {
    struct topology *topology = shape_build("torus dims=4,5,6 link=" LINK);
    uint32_t links[ROUTE_SIZE], hops = shape_route(topology, 0, 1 * 30 + 4 * 6 + 2, 0, 0, links);
    static const uint32_t nodes[] = {1, 2, 4 * 6 + 2,
                                     30 + 4 * 6 + 2}; // + + in the last dim, - round the wrap in the middle, + in the first
    ck_assert_uint_eq(hops, 4);
    for (uint32_t i = 0; i < hops; i++) ck_assert_uint_eq(topology->graph.links[links[i]].to, nodes[i]);
    shape_free(topology);
}
END_TEST

START_TEST(a_dim_of_1_changes_nothing) {
    struct topology *ring = shape_build("ring endpoints=4 link=" LINK);
    struct topology *torus = shape_build("torus dims=4,1 link=" LINK);
    ck_assert_uint_eq(torus->graph.link_count, ring->graph.link_count);
    ck_assert_int_eq(memcmp(torus->graph.links, ring->graph.links, ring->graph.link_count * sizeof *ring->graph.links), 0);
    uint32_t of_ring[ROUTE_SIZE], of_torus[ROUTE_SIZE];
    for (uint32_t pair = 0; pair < 16; pair++) {
        uint32_t hops = shape_route(ring, pair / 4, pair % 4, 0, 0, of_ring);
        ck_assert_uint_eq(shape_route(torus, pair / 4, pair % 4, 0, 0, of_torus), hops);
        ck_assert_int_eq(memcmp(of_ring, of_torus, hops * sizeof *of_ring), 0);
    }
    topology_free(ring);
    shape_free(torus);
}
END_TEST

START_TEST(islands_are_told_apart) {
    struct topology *topology = shape_build("graph nodes=4 links={from=0 to=1 bandwidth=9 latency=9},{from=2 to=3 bandwidth=9 latency=9},"
                                            "{from=1 to=2 bandwidth=9 latency=9 duplex=false}");
    ck_assert(topology_reachable(topology, 0, 3)); // over the one-way link
    ck_assert(!topology_reachable(topology, 3, 0));
    ck_assert(topology_reachable(topology, 3, 3));
    struct topology_metrics got;
    topology_measure(topology, &got);
    ck_assert(!got.hops_known);
    free(got.bisection.side);
    shape_free(topology);
}
END_TEST

// A router asked for many chunks at one node says what it says for each.
START_TEST(many_next_links_are_those_of_each) {
    static const char *const lines[] = {"torus dims=5,4,2 link=" LINK,
                                        "torus dims=4,6 link=" LINK " ties=split",
                                        "torus dims=2,2,3 link=" LINK " wrap2=double",
                                        "ring endpoints=7 link=" LINK,
                                        "torus dims=8,1,4 link=" LINK " ties=positive",
                                        "hypercube dimension=4 link=" LINK,
                                        "cluster nodes=3 node={switch endpoints=4 link=" LINK "} fabric={switch} nic_link=" LINK,
                                        "cluster nodes=3 planes=2 nics_per_node=2 node={full endpoints=4 link=" LINK
                                        "} fabric={switch} nic_link=" LINK};
    struct topology *topology = shape_build(lines[_i]);
    const struct router *router = &topology->router;
    ck_assert_ptr_nonnull(router->next_links);
    uint32_t endpoints = topology->graph.endpoints, limit = topology->selector_limit > 1 ? topology->selector_limit : 1;
    const size_t most = (size_t)endpoints * endpoints * limit;
    struct chunk *chunks = allocate(most * sizeof *chunks);
    struct chunk **list = allocate(most * sizeof *list);
    uint32_t *at = allocate(most * sizeof *at);
    size_t count = 0;
    for (uint32_t node = 0; node < endpoints; node++) {
        for (uint32_t k = 0; k < endpoints * limit; k++) {
            if (k / limit == node) continue;
            chunks[count] = (struct chunk){.destination = k / limit, .selector = k % limit & 0xfffff, .out = node};
            list[count] = &chunks[count], at[count] = node;
            count++;
        }
    }
    router->next_links(router->state, list, count);
    for (size_t k = 0; k < count; k++)
        ck_assert_uint_eq(chunks[k].out, router->next_link(router->state, at[k], chunks[k].destination, chunks[k].selector));
    free(chunks);
    free(list);
    free(at);
    shape_free(topology);
}
END_TEST

// Nor does it matter that coordinates of so many endpoints are worked out, not looked up.
START_TEST(next_links_of_many_endpoints) {
    static const char *const lines[] = {"torus dims=64,32,33 link=" LINK, "ring endpoints=70001 link=" LINK,
                                        "torus dims=2,300,1,120 link=" LINK " ties=split wrap2=double", "torus dims=300,256,1 link=" LINK};
    struct topology *topology = shape_build(lines[_i]);
    const struct router *router = &topology->router;
    struct random_stream stream;
    random_seed(&stream, 7 + (uint64_t)_i);
    for (int k = 0; k < 20000; k++) {
        uint32_t node = draw(&stream, 0, topology->graph.endpoints - 1), destination = draw(&stream, 0, topology->graph.endpoints - 1);
        if (node == destination) continue;
        struct chunk chunk = {.destination = destination, .selector = draw(&stream, 0, 3) & 3, .out = node}, *one = &chunk;
        router->next_links(router->state, &one, 1);
        ck_assert_uint_eq(chunk.out, router->next_link(router->state, node, destination, chunk.selector));
    }
    shape_free(topology);
}
END_TEST

Suite *test_shape_routes_suite(void);
Suite *test_shape_routes_suite(void) {
    Suite *suite = suite_create("shape_routes");
    TCase *tcase = tcase_create("routes");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, routes_take_the_fewest_hops, 0, 10);
    tcase_add_loop_test(tcase, clusters_meet_no_node_twice, 0, 5);
    tcase_add_test(tcase, dragonflies_cross_one_global_cable_at_most);
    tcase_add_test(tcase, rings_go_the_short_way);
    tcase_add_test(tcase, the_last_dim_comes_first);
    tcase_add_test(tcase, a_dim_of_1_changes_nothing);
    tcase_add_test(tcase, islands_are_told_apart);
    tcase_add_loop_test(tcase, many_next_links_are_those_of_each, 0, 8);
    tcase_add_loop_test(tcase, next_links_of_many_endpoints, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}
