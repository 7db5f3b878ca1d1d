// Loads of a uniform all-to-all, one unit a pair, and what spreads it: ties, doubled cables, parallel links.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "shapes.h"

// Units on every link when each endpoint sends one message of `chunks` chunks to each other, numbered in order of the peer.
static uint32_t *all_to_all(const struct topology *topology, uint32_t chunks) {
    uint32_t endpoints = topology->graph.endpoints, links[ROUTE_SIZE];
    uint32_t *load = allocate_zeroed(topology->graph.link_count, sizeof *load);
    for (uint32_t a = 0; a < endpoints; a++) {
        for (uint32_t b = 0; b < endpoints; b++) {
            for (uint32_t c = 0; c < chunks; c++) {
                uint32_t hops = shape_route(topology, a, b, (b + endpoints - a - 1) % endpoints, c, links);
                for (uint32_t i = 0; i < hops; i++) load[links[i]]++;
            }
        }
    }
    return load;
}

struct uniform {
    const char *line;
    uint32_t chunks, plus, minus; ///< load of every link of the odd (towards +) and even ports
};

static const struct uniform uniform[] = {
    // odd k: (k^2 - 1) / 8 either way, whatever the ties
    {"ring endpoints=9 link=" LINK, 1, (9 * 9 - 1) / 8, (9 * 9 - 1) / 8},
    {"ring endpoints=9 ties=positive link=" LINK, 1, 10, 10},
    // even k: k^2 / 8 by parity or split, (k^2 +- 2k) / 8 with ties positive
    {"ring endpoints=16 link=" LINK, 1, 16 * 16 / 8, 16 * 16 / 8},
    {"ring endpoints=16 ties=split link=" LINK, 2, 2 * 16 * 16 / 8, 2 * 16 * 16 / 8},
    {"ring endpoints=16 ties=positive link=" LINK, 1, (16 * 16 + 2 * 16) / 8, (16 * 16 - 2 * 16) / 8},
    // per dim as the ring, times the other dims
    {"torus dims=8,8 link=" LINK, 1, 8 * 8 * 8 / 8, 8 * 8 * 8 / 8},
    {"torus dims=8,8 ties=positive link=" LINK, 1, 8 * (64 + 16) / 8, 8 * (64 - 16) / 8},
    {"torus dims=5,5,5 link=" LINK, 1, 25 * (25 - 1) / 8, 25 * (25 - 1) / 8},
    // one way: k(k-1)/2
    {"ring endpoints=7 directions=one link=" LINK, 1, 7 * 6 / 2, 0},
    // a single cable of a dim of 2 carries half of all pairs of that dim per direction
    {"hypercube dimension=5 link=" LINK, 1, 32 / 2, 0},
    // two of them share it chunk by chunk
    {"torus dims=2,2 wrap2=double link=" LINK, 2, 2 * 2 / 2, 2 * 2 / 2},
};

START_TEST(uniform_traffic_loads_all_links_alike) {
    const struct uniform *want = &uniform[_i];
    struct topology *topology = shape_build(want->line);
    uint32_t *load = all_to_all(topology, want->chunks);
    for (uint32_t l = 0; l < topology->graph.link_count; l++) {
        bool plus = topology->graph.links[l].from_port % 2 == 1;
        ck_assert_msg(load[l] == (plus ? want->plus : want->minus), "%s: %u units on link %u", want->line, load[l], l);
    }
    free(load);
    shape_free(topology);
}
END_TEST

START_TEST(ties_go_by_their_rule) {
    static const struct {
        const char *ties;
        uint32_t from, chunk, port;
    } want[] = {
        {"parity", 0, 0, 1}, {"parity", 1, 0, 2}, {"parity", 1, 1, 2}, {"positive", 1, 0, 1},
        {"split", 0, 0, 1},  {"split", 0, 1, 2},  {"split", 1, 0, 2},  {"split", 1, 1, 1},
    };
    static const char *const lines[] = {"ring endpoints=6 ties=parity link=" LINK, "ring endpoints=6 ties=positive link=" LINK,
                                        "ring endpoints=6 ties=split link=" LINK};
    const char *line = lines[want[_i].ties[0] == 's' ? 2 : want[_i].ties[1] == 'o'];
    struct topology *topology = shape_build(line);
    uint32_t links[ROUTE_SIZE];
    for (uint32_t message = 0; message < 2; message++) {
        ck_assert_uint_eq(shape_route(topology, want[_i].from, want[_i].from + 3, message, want[_i].chunk, links), 3);
        for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(topology->graph.links[links[i]].from_port, want[_i].port);
    }
    ck_assert_uint_eq(topology->router.period, want[_i].ties[0] == 's' ? 2 : 1);
    ck_assert_int_eq(topology->router.selector != NULL, want[_i].ties[0] == 's');
    shape_free(topology);
}
END_TEST

START_TEST(a_doubled_dim_goes_by_message_chunk_and_coordinate) {
    // Whatever `ties` says: + when message number + chunk number + coordinate is even.
    struct topology *topology = shape_build("torus dims=3,2 wrap2=double ties=positive link=" LINK);
    uint32_t links[ROUTE_SIZE];
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t at = i & 1, message = i >> 1 & 1, chunk = i >> 2;
        ck_assert_uint_eq(shape_route(topology, at, 1 - at, message, chunk, links), 1);
        ck_assert_uint_eq(topology->graph.links[links[0]].from_port, (message + chunk + at) % 2 ? 4 : 3);
    }
    shape_free(topology);
}
END_TEST

START_TEST(messages_take_parallel_links_in_turn) {
    struct topology *topology = shape_build("graph nodes=2 links={from=0 to=1 bandwidth=9 latency=9},{from=0 to=1 bandwidth=9 latency=9},"
                                            "{from=1 to=0 bandwidth=9 latency=9},{from=0 to=1 bandwidth=9 latency=9 duplex=false}");
    uint32_t links[ROUTE_SIZE], forth[4] = {0}, back[3] = {0};
    for (uint32_t message = 0; message < 12; message++) {
        shape_route(topology, 0, 1, message, message / 2, links);
        ck_assert_uint_eq(topology->graph.links[links[0]].from_port, 1 + message % 4);
        forth[message % 4]++;
        shape_route(topology, 1, 0, message, 0, links);
        ck_assert_uint_eq(topology->graph.links[links[0]].from_port, 1 + message % 3);
        back[message % 3]++;
    }
    for (uint32_t i = 0; i < 4; i++) ck_assert_uint_eq(forth[i], 3);
    for (uint32_t i = 0; i < 3; i++) ck_assert_uint_eq(back[i], 4);
    shape_free(topology);
}
END_TEST

START_TEST(graphs_prefer_the_lowest_numbered_neighbour) {
    // Two ways of 2 hops from 0 to 3, listed with the higher neighbour first.
    struct topology *topology = shape_build("graph nodes=4 links={from=0 to=2 bandwidth=9 latency=9},{from=2 to=3 bandwidth=9 latency=9},"
                                            "{from=0 to=1 bandwidth=9 latency=9},{from=1 to=3 bandwidth=9 latency=9}");
    uint32_t links[ROUTE_SIZE];
    for (uint32_t message = 0; message < 2; message++) {
        ck_assert_uint_eq(shape_route(topology, 0, 3, message, 0, links), 2);
        ck_assert_uint_eq(topology->graph.links[links[0]].to, 1);
        ck_assert_uint_eq(shape_route(topology, 3, 0, message, 0, links), 2);
        ck_assert_uint_eq(topology->graph.links[links[0]].to, 1);
    }
    shape_free(topology);
}
END_TEST

START_TEST(d_mod_k_goes_up_by_the_destination) {
    struct topology *topology = shape_build("fat-tree k=6 link=" LINK);
    uint32_t links[ROUTE_SIZE], half = 3, endpoints = topology->graph.endpoints;
    for (uint32_t pair = 0; pair < endpoints * endpoints; pair++) {
        uint32_t b = pair % endpoints, hops = shape_route(topology, pair / endpoints, b, 0, 0, links);
        if (hops >= 4) ck_assert_uint_eq(topology->graph.links[links[1]].from_port, half + b % half);
        if (hops == 6) ck_assert_uint_eq(topology->graph.links[links[2]].from_port, half + b / half % half);
    }
    shape_free(topology);
    topology = shape_build("leaf-spine leaves=3 hosts_per_leaf=7 spines=2 cables_per_pair=3 host_link=" LINK " up_link=" LINK);
    endpoints = topology->graph.endpoints;
    for (uint32_t pair = 0; pair < endpoints * endpoints; pair++) {
        uint32_t b = pair % endpoints, hops = shape_route(topology, pair / endpoints, b, 0, 0, links), cable = b / 2 % 3;
        if (hops == 2 || hops == 0) continue;
        ck_assert_uint_eq(topology->graph.links[links[1]].from_port, 7 + b % 2 * 3 + cable);
        ck_assert_uint_eq(topology->graph.links[links[2]].from_port, b / 7 * 3 + cable); // the same cable coming down
    }
    shape_free(topology);
}
END_TEST

// Most and least units on the links that go up from a level of switches (from_port >= first_up).
static void up_loads(const struct topology *topology, const uint32_t *load, uint32_t switches, uint32_t first_up, uint32_t *most,
                     uint32_t *least) {
    *most = 0, *least = UINT32_MAX;
    for (uint32_t l = 0; l < topology->graph.link_count; l++) {
        const struct link_info *link = &topology->graph.links[l];
        if (link->from < topology->graph.endpoints || link->from >= topology->graph.endpoints + switches || link->from_port < first_up)
            continue;
        if (load[l] > *most) *most = load[l];
        if (load[l] < *least) *least = load[l];
    }
}

START_TEST(trees_spread_uniform_traffic_evenly) {
    static const struct {
        const char *ecmp;
        uint32_t most, least;
    } want[] = {{"d-mod-k", 12, 12}, {"spray", 12, 12}};
    char line[128];
    snprintf(line, sizeof line, "leaf-spine leaves=4 hosts_per_leaf=4 spines=4 ecmp=%s host_link=" LINK " up_link=" LINK, want[_i].ecmp);
    struct topology *topology = shape_build(line);
    uint32_t *load = all_to_all(topology, 1), most, least;
    up_loads(topology, load, 4, 4, &most, &least); // 4 hosts x 12 hosts elsewhere over 4 spines
    ck_assert_uint_eq(most, want[_i].most);
    ck_assert_uint_eq(least, want[_i].least);
    free(load);
    shape_free(topology);
}
END_TEST

START_TEST(hashed_flows_collide_and_sprayed_chunks_do_not) {
    struct topology *topologies[] = {
        shape_build("leaf-spine leaves=2 hosts_per_leaf=8 spines=8 ecmp=hash host_link=" LINK " up_link=" LINK),
        shape_build("leaf-spine leaves=2 hosts_per_leaf=8 spines=8 ecmp=hash ecmp_seed=2 host_link=" LINK " up_link=" LINK),
        shape_build("leaf-spine leaves=2 hosts_per_leaf=8 spines=8 ecmp=spray host_link=" LINK " up_link=" LINK),
    };
    uint32_t load[3][8] = {{0}}, links[ROUTE_SIZE], most[3] = {0}, differ = 0;
    for (uint32_t t = 0; t < 3; t++) {
        for (uint32_t chunk = 0; chunk < 8; chunk++)
            for (uint32_t host = 0; host < 8; host++) {
                shape_route(topologies[t], host, 8 + host, 0, chunk, links);
                load[t][topologies[t]->graph.links[links[1]].from_port - 8]++;
            }
        for (uint32_t spine = 0; spine < 8; spine++)
            if (load[t][spine] > most[t]) most[t] = load[t][spine];
    }
    // A flow keeps its way, so loads are multiples of 8 chunks; 8 flows on 8 ways without a collision have odds of 1 to 415.
    ck_assert_uint_eq(load[0][0] % 8, 0);
    ck_assert_uint_ge(most[0], 16);
    ck_assert_uint_eq(most[2], 8);
    for (uint32_t spine = 0; spine < 8; spine++) differ += load[0][spine] != load[1][spine];
    ck_assert_uint_gt(differ, 0);
    topology_free(topologies[0]);
    topology_free(topologies[1]);
    shape_free(topologies[2]);
}
END_TEST

START_TEST(a_hash_is_salted_by_the_switch) {
    // Of the flows that one edge switch sends up by its port 2, the aggregation switch must not take one way only.
    struct topology *topology = shape_build("fat-tree k=8 ecmp=hash link=" LINK);
    uint32_t links[ROUTE_SIZE], cores[16] = {0}, used = 0;
    for (uint32_t host = 0; host < 4; host++) {
        for (uint32_t to = 16; to < 128; to++) {
            shape_route(topology, host, to, 0, 0, links);
            cores[(topology->graph.links[links[1]].from_port - 4) * 4 + topology->graph.links[links[2]].from_port - 4]++;
        }
    }
    for (uint32_t i = 0; i < 16; i++) used += cores[i] > 0;
    ck_assert_uint_eq(used, 16); // 448 flows, 28 a way on average
    for (uint32_t i = 0; i < 16; i++) ck_assert_uint_le(cores[i], 56);
    shape_free(topology);
}
END_TEST

Suite *test_shape_loads_suite(void);
Suite *test_shape_loads_suite(void) {
    Suite *suite = suite_create("shape_loads");
    TCase *tcase = tcase_create("loads");
    tcase_add_loop_test(tcase, uniform_traffic_loads_all_links_alike, 0, sizeof uniform / sizeof *uniform);
    tcase_add_loop_test(tcase, ties_go_by_their_rule, 0, 8);
    tcase_add_test(tcase, a_doubled_dim_goes_by_message_chunk_and_coordinate);
    tcase_add_test(tcase, messages_take_parallel_links_in_turn);
    tcase_add_test(tcase, graphs_prefer_the_lowest_numbered_neighbour);
    tcase_add_test(tcase, d_mod_k_goes_up_by_the_destination);
    tcase_add_loop_test(tcase, trees_spread_uniform_traffic_evenly, 0, 2);
    tcase_add_test(tcase, hashed_flows_collide_and_sprayed_chunks_do_not);
    tcase_add_test(tcase, a_hash_is_salted_by_the_switch);
    suite_add_tcase(suite, tcase);
    return suite;
}
