// Which parts of a network get windows of their own, and how long those are.
#include <check.h>
#include <stdlib.h>

#include "engine/domains.h"
#include "engine/network.h"

enum { LONGEST = 1000000 };

/// Nodes of two endpoints and a switch of their own, `inner` ticks away; `outer` ticks from a device to the fabric switch.
static void build_cluster(struct network *net, uint32_t nodes, int64_t inner, int64_t outer) {
    uint32_t endpoints = 2 * nodes, fabric = endpoints + nodes;
    network_init(net, endpoints, nodes + 1, endpoints);
    for (uint32_t e = 0; e < endpoints; e++) {
        network_cable(net, (uint32_t[]){e, 1, endpoints + e / 2, e % 2}, BYTE_A_TICK, inner);
        network_cable(net, (uint32_t[]){e, 2, fabric, e}, BYTE_A_TICK, outer);
    }
    network_finish(net);
}

static void find(struct network *net, struct domains *domains, int64_t longest) {
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    domains_find(domains, communicator_sim(network_open(net, &config, NULL)), longest);
    uint32_t nodes = graph_nodes(&net->graph);
    for (uint32_t p = 0; p < nodes; p++) ck_assert_uint_eq(domains->place_of[domains->node_at[p]], p);
    ck_assert_uint_eq(domains->items[0].first, 0);
    for (uint32_t d = 1; d < domains->count; d++) ck_assert_uint_eq(domains->items[d].first, domains->items[d - 1].end);
    ck_assert_uint_eq(domains->items[domains->count - 1].end, nodes);
}

static void check_one(struct network *net, int64_t window) {
    struct domains domains;
    find(net, &domains, LONGEST);
    ck_assert_uint_eq(domains.count, 1);
    ck_assert_int_eq(domains.window, window);
    ck_assert_int_eq(domains.items[0].window, window);
    for (uint32_t p = 0; p < graph_nodes(&net->graph); p++) ck_assert_uint_eq(domains.node_at[p], p);
    domains_free(&domains);
    network_free(net);
}

static void check_domain(const struct domains *domains, uint32_t index, int64_t window, const uint32_t *nodes, uint32_t count) {
    const struct domain *domain = &domains->items[index];
    ck_assert_int_eq(domain->window, window);
    ck_assert_uint_eq(domain->end - domain->first, count);
    for (uint32_t i = 0; i < count; i++) ck_assert_uint_eq(domains->node_at[domain->first + i], nodes[i]);
}

// Each node of the cluster is a domain, the fabric switch another.
START_TEST(a_cluster) {
    struct network net;
    struct domains domains;
    build_cluster(&net, 3, 10, 40);
    find(&net, &domains, LONGEST);
    ck_assert_uint_eq(domains.count, 4);
    ck_assert_int_eq(domains.window, 40);
    check_domain(&domains, 0, 40, (uint32_t[]){9}, 1);
    for (uint32_t node = 0; node < 3; node++) check_domain(&domains, 1 + node, 10, (uint32_t[]){2 * node, 2 * node + 1, 6 + node}, 3);
    domains_free(&domains);
    find(&net, &domains, 12); // no window is longer
    ck_assert_int_eq(domains.window, 12);
    check_domain(&domains, 0, 12, (uint32_t[]){9}, 1);
    domains_free(&domains);
    network_free(&net);
}
END_TEST

START_TEST(less_than_a_gap) {
    struct network net;
    build_cluster(&net, 3, 10, 39);
    check_one(&net, 10);
    build_cluster(&net, 3, 10, 10);
    check_one(&net, 10);
    build_cluster(&net, 3, 0, 0); // a tick each
    check_one(&net, 1);
}
END_TEST

// Short links that join all leave nothing to cut.
START_TEST(one_component) {
    struct network net;
    network_line(&net, 2, (int64_t[]){1000, 1000}, (int64_t[]){1, 1});
    check_one(&net, 1);
    network_init(&net, 3, 0, 0);
    network_cable(&net, (uint32_t[]){0, 1, 1, 1}, BYTE_A_TICK, 1);
    network_cable(&net, (uint32_t[]){1, 2, 2, 1}, BYTE_A_TICK, 1);
    network_cable(&net, (uint32_t[]){0, 2, 2, 2}, BYTE_A_TICK, 100);
    network_finish(&net);
    check_one(&net, 1);
}
END_TEST

// 0 -1- 1 -100- 2 -20- 3 -100- 4 -1- 5. A cut at 20 leaves windows of 20, 1 and 1 for 2, 2 and 2 nodes; one at 100 no
// shorter ones, and makes longer the window between them.
START_TEST(the_better_of_two_gaps) {
    struct network net;
    struct domains domains;
    const int64_t rates[] = {1000, 1000, 1000, 1000, 1000}, latencies[] = {1, 100, 20, 100, 1};
    network_line(&net, 5, rates, latencies);
    find(&net, &domains, LONGEST);
    ck_assert_uint_eq(domains.count, 3);
    ck_assert_int_eq(domains.window, 100);
    check_domain(&domains, 0, 1, (uint32_t[]){0, 1}, 2);
    check_domain(&domains, 1, 20, (uint32_t[]){2, 3}, 2);
    check_domain(&domains, 2, 1, (uint32_t[]){4, 5}, 2);
    domains_free(&domains);
    network_free(&net);
}
END_TEST

// 0 =1,500= 1 -50- 2: the long link beside the short one does not count, whatever its latency.
START_TEST(a_long_link_within) {
    struct network net;
    struct domains domains;
    network_init(&net, 3, 0, 0);
    network_cable(&net, (uint32_t[]){0, 1, 1, 1}, BYTE_A_TICK, 500);
    network_cable(&net, (uint32_t[]){0, 2, 1, 2}, BYTE_A_TICK, 1);
    network_cable(&net, (uint32_t[]){1, 3, 2, 1}, BYTE_A_TICK, 50);
    network_finish(&net);
    find(&net, &domains, LONGEST);
    ck_assert_uint_eq(domains.count, 2);
    ck_assert_int_eq(domains.window, 50);
    check_domain(&domains, 0, 50, (uint32_t[]){2}, 1);
    check_domain(&domains, 1, 1, (uint32_t[]){0, 1}, 2);
    domains_free(&domains);
    network_free(&net);
}
END_TEST

Suite *test_domains_suite(void) {
    Suite *suite = suite_create("domains");
    TCase *tests = tcase_create("domains");
    tcase_add_test(tests, a_cluster);
    tcase_add_test(tests, less_than_a_gap);
    tcase_add_test(tests, one_component);
    tcase_add_test(tests, the_better_of_two_gaps);
    tcase_add_test(tests, a_long_link_within);
    suite_add_tcase(suite, tests);
    return suite;
}
