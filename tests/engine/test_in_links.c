// The order of the links that come in at each node, which nodes have so many that they are grouped, and where FIFOs keep chunks.
#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/due_groups.h"
#include "engine/service.h"

static const struct link_info like = {.bandwidth_bytes_per_s = 1, .latency_ticks = 1};

/// `endpoints` at one switch, at its ports from the last to the first. Returns their order.
static uint32_t *index_star(uint32_t endpoints, struct graph *graph, struct in_links *in) {
    struct error err = {0};
    graph_init(graph, endpoints, 1);
    for (uint32_t e = 0; e < endpoints; e++) graph_add_cable(graph, e, 5, endpoints, endpoints - 1 - e, &like);
    ck_assert(graph_finish(graph, &err));
    uint32_t *order = allocate(graph->link_count * sizeof *order);
    in_links_index(in, graph, order);
    return order;
}

static void check_order(const struct graph *graph, const struct in_links *in, const uint32_t *order) {
    uint32_t nodes = graph_nodes(graph);
    ck_assert_uint_eq(in->first[0], 0);
    ck_assert_uint_eq(in->first[nodes], graph->link_count);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = in->first[v]; p < in->first[v + 1]; p++) {
            const struct in_link *link = &in->items[p];
            ck_assert_uint_eq(graph->links[order[p]].to, v);
            ck_assert_uint_eq(graph->links[order[p]].to_port, link->in_port);
            ck_assert(in_link_is_empty(link));
            if (p > in->first[v]) ck_assert_uint_lt(in->items[p - 1].in_port, link->in_port);
        }
}

START_TEST(by_node_then_port) {
    struct graph graph;
    struct in_links in;
    struct due_groups groups;
    uint32_t *order = index_star(7, &graph, &in);
    check_order(&graph, &in, order);
    ck_assert_uint_eq(in.first[7], 7); // one comes in at each endpoint, then seven at the switch
    ck_assert_uint_eq(graph.links[order[7]].from, 6);
    due_groups_init(&groups, &in, &graph);
    ck_assert(!in_links_are_many(&in, 7));
    ck_assert_ptr_null(groups.least);
    free(order);
    in_links_free(&in);
    graph_free(&graph);
}
END_TEST

START_TEST(many_have_groups) {
    struct graph graph;
    struct in_links in;
    struct due_groups groups;
    uint32_t *order = index_star(MANY_LINKS, &graph, &in);
    check_order(&graph, &in, order);
    due_groups_init(&groups, &in, &graph);
    ck_assert(in_links_are_many(&in, MANY_LINKS));
    ck_assert(!in_links_are_many(&in, 0));
    for (uint32_t g = 0; g <= graph.link_count / LINKS_A_GROUP; g++) ck_assert_int_eq(groups.least[g], INT64_MAX);
    in.items[LINKS_A_GROUP + 3].first.join = 5;
    due_groups_lower(&groups, LINKS_A_GROUP + 3, 5);
    ck_assert_int_eq(groups.least[1], 5);
    in.items[LINKS_A_GROUP + 3].first.join = 9;
    due_groups_renew(&groups, 1);
    ck_assert_int_eq(groups.least[1], 9);
    due_groups_free(&groups);
    free(order);
    in_links_free(&in);
    graph_free(&graph);
}
END_TEST

static void stay_asleep(struct sim *sim, uint32_t link, int64_t join) { (void)sim, (void)link, (void)join; }

/// A sim whose only link has its far end.
struct one_link {
    struct sim sim;
    struct link_state state;
    struct in_link in;
};

static void start(struct one_link *one) {
    *one = (struct one_link){0};
    in_link_start(&one->in);
    one->sim.links = &one->state, one->sim.in.items = &one->in;
}

static void put(struct one_link *one, int64_t join) {
    append(&one->sim, 0, &(struct chunk){.join = join, .message = (uint32_t)join}, stay_asleep);
}

static void check_next(struct one_link *one, int64_t join) {
    ck_assert_int_eq(one->in.first.join, join);
    ck_assert_int_eq(in_link_oldest(&one->in)->message, join);
    in_link_drop(&one->in);
}

START_TEST(one_chunk_needs_no_ring) {
    struct one_link one;
    start(&one);
    for (int64_t join = 1; join < 10; join++) {
        put(&one, join);
        check_next(&one, join);
        ck_assert(in_link_is_empty(&one.in));
    }
    ck_assert_uint_eq(one.in.room, 0);
    ck_assert_uint_eq(one.sim.ring_bytes, 0);
}
END_TEST

/// The first in place, others in the ring; when it has gone, the place stays free until none is on its way.
START_TEST(first_in_first_out) {
    struct one_link one;
    start(&one);
    int64_t put_next = 1, take_next = 1;
    for (int64_t most = 1; most < 20; most++) {
        while (put_next < take_next + most) put(&one, put_next++);
        ck_assert_int_eq(in_link_count(&one.in), most);
        for (int k = 0; k < most / 2; k++) check_next(&one, take_next++);
        put(&one, put_next++);
        if (most % 3 == 0)
            while (take_next < put_next) check_next(&one, take_next++);
    }
    while (take_next < put_next) check_next(&one, take_next++);
    ck_assert(in_link_is_empty(&one.in));
    page_pool_free(&one.sim.rings);
}
END_TEST

START_TEST(small_rings_go_round) {
    struct one_link one;
    struct in_link other = {0};
    start(&one);
    in_link_start(&other);
    put(&one, 1), put(&one, 2);
    struct chunk *ring = one.in.ring;
    give_small_ring(&one.sim, &one.in); // not empty
    ck_assert_ptr_eq(one.in.ring, ring);
    check_next(&one, 1), check_next(&one, 2);
    give_small_ring(&one.sim, &one.in);
    ck_assert_uint_eq(one.in.room, 0);
    reserve_ring(&one.sim, &other, 1);
    ck_assert_ptr_eq(other.ring, ring);
    put(&one, 3), put(&one, 4), put(&one, 5), put(&one, 6);
    ck_assert_uint_gt(one.in.room, SMALLEST_RING);
    for (int64_t join = 3; join < 7; join++) check_next(&one, join);
    ring = one.in.ring;
    give_small_ring(&one.sim, &one.in); // a larger one stays
    ck_assert_ptr_eq(one.in.ring, ring);
    page_pool_free(&one.sim.rings);
}
END_TEST

Suite *test_in_links_suite(void) {
    Suite *suite = suite_create("in_links");
    TCase *tests = tcase_create("in_links");
    tcase_add_test(tests, by_node_then_port);
    tcase_add_test(tests, many_have_groups);
    tcase_add_test(tests, one_chunk_needs_no_ring);
    tcase_add_test(tests, first_in_first_out);
    tcase_add_test(tests, small_rings_go_round);
    suite_add_tcase(suite, tests);
    return suite;
}
