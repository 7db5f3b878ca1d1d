#include <check.h>

#include "engine/network.h"
#include "engine/partition.h"

/// How many nodes each part has.
static void count_nodes(const struct graph *graph, const struct partition *partition, uint32_t *counts) {
    for (uint32_t p = 0; p < partition->parts; p++) counts[p] = 0;
    for (uint32_t v = 0; v < graph_nodes(graph); v++) {
        ck_assert_uint_lt(partition->part_of[v], partition->parts);
        counts[partition->part_of[v]]++;
    }
}

// A line is cut between neighbours, into pieces that differ by at most two nodes.
START_TEST(a_line) {
    struct network net;
    network_equal_line(&net, 99, 7);
    for (uint32_t parts = 1; parts <= 9; parts++) {
        struct partition partition;
        uint32_t counts[PARTS_MOST];
        partition_make(&net.graph, parts, &partition);
        ck_assert_uint_eq(partition.parts, parts);
        ck_assert_uint_eq(partition.links_between, 2 * (parts - 1));
        ck_assert_int_eq(partition.lookahead, parts > 1 ? 7 : INT64_MAX);
        count_nodes(&net.graph, &partition, counts);
        for (uint32_t p = 0; p < parts; p++) {
            ck_assert_uint_ge(counts[p], 100 / parts - 2);
            ck_assert_uint_le(counts[p], 100 / parts + 2);
        }
        partition_free(&partition);
    }
    network_free(&net);
}
END_TEST

// More parts than nodes: one node each.
START_TEST(more_parts_than_nodes) {
    struct network net;
    struct partition partition;
    network_equal_line(&net, 2, 1);
    partition_make(&net.graph, 7, &partition);
    ck_assert_uint_eq(partition.parts, 3);
    partition_free(&partition);
    network_free(&net);
}
END_TEST

/// Four switches with two endpoints each, a short way off, around a fifth.
static void four_groups(struct network *net, int64_t near, int64_t far) {
    network_init(net, 8, 5, 4);
    for (uint32_t e = 0; e < 8; e++) network_cable(net, (uint32_t[]){e, 1, 8 + e / 2, e % 2}, BYTE_A_TICK, near);
    for (uint32_t s = 0; s < 4; s++) network_cable(net, (uint32_t[]){8 + s, 2, 12, s}, BYTE_A_TICK, far);
    network_finish(net);
}

// What short links join stays together, if that leaves enough blocks: the window is that of the long links.
START_TEST(short_links_are_not_cut) {
    struct network net;
    struct partition partition;
    four_groups(&net, 10, 100);
    for (uint32_t parts = 2; parts <= 4; parts++) {
        partition_make(&net.graph, parts, &partition);
        ck_assert_uint_eq(partition.parts, parts);
        ck_assert_int_eq(partition.lookahead, 100);
        for (uint32_t e = 0; e < 8; e++) ck_assert_uint_eq(partition.part_of[e], partition.part_of[8 + e / 2]);
        partition_free(&partition);
    }
    partition_make(&net.graph, 8, &partition);
    ck_assert_uint_gt(partition.parts, 5);
    ck_assert_int_eq(partition.lookahead, 10);
    partition_free(&partition);
    network_free(&net);
}
END_TEST

// A switch goes with its endpoints where latencies are about the same, too.
START_TEST(a_switch_is_where_its_endpoints_are) {
    struct network net;
    struct partition partition;
    four_groups(&net, 10, 20);
    partition_make(&net.graph, 2, &partition);
    ck_assert_uint_eq(partition.parts, 2);
    for (uint32_t e = 0; e < 8; e++) {
        ck_assert_uint_eq(partition.part_of[e], e / 4);
        ck_assert_uint_eq(partition.part_of[8 + e / 2], e / 4);
    }
    partition_free(&partition);
    network_free(&net);
}
END_TEST

Suite *test_partition_suite(void);
Suite *test_partition_suite(void) {
    Suite *suite = suite_create("partition");
    TCase *tests = tcase_create("partition");
    tcase_add_test(tests, a_line);
    tcase_add_test(tests, more_parts_than_nodes);
    tcase_add_test(tests, short_links_are_not_cut);
    tcase_add_test(tests, a_switch_is_where_its_endpoints_are);
    suite_add_tcase(suite, tests);
    return suite;
}
