// Translations of endpoints, where they take nodes, and whether links, ports and routes go with them.
#include <check.h>
#include <stdlib.h>

#include "engine/quotient.h"

/// `endpoint` translated by `by`.
static uint32_t translated(const struct translations *group, uint32_t endpoint, uint32_t by) {
    uint32_t sum = 0, stride = 1;
    for (uint32_t i = group->count; i-- > 0; stride *= group->radix[i]) {
        uint32_t radix = group->radix[i], at = endpoint % radix + by % radix;
        endpoint /= radix, by /= radix;
        sum += (at >= radix ? at - radix : at) * stride;
    }
    return sum;
}

START_TEST(translations_add_up) {
    const struct translations group = {.count = 3, .radix = {4, 3, 6}, .step = {2, 3, 1}};
    ck_assert_uint_eq(translations_order(&group), 2 * 1 * 6);
    for (uint32_t e = 0; e < 72; e++) {
        uint32_t offset = translations_offset(&group, e), representative = translations_representative(&group, e);
        ck_assert_uint_eq(translated(&group, representative, offset), e);
        ck_assert_uint_eq(translations_subtract(&group, e, offset), representative);
        ck_assert_uint_lt(representative / 18, 2);
        ck_assert_uint_eq(representative % 6, 0);
        for (uint32_t by = 0; by < 72; by++) ck_assert_uint_eq(translations_subtract(&group, translated(&group, e, by), by), e);
    }
}
END_TEST

// Against the definition, coordinate by coordinate; the first four switches move with the first coordinate, in pairs.
START_TEST(nodes_shift) {
    struct graph graph;
    const struct translations group = {.count = 3, .radix = {2, 3, 4}, .step = {1, 1, 1}, .moving_switches = 4};
    const uint32_t strides[] = {12, 4, 1};
    graph_init(&graph, 24, 5);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t by = 1; by < group.radix[c]; by++) {
            uint32_t *images = quotient_shift_nodes(&graph, &group, c, by);
            for (uint32_t v = 0; v < 24; v++) {
                uint32_t at = v / strides[c] % group.radix[c];
                ck_assert_uint_eq(images[v], v - at * strides[c] + (at + by) % group.radix[c] * strides[c]);
            }
            for (uint32_t s = 0; s < 4; s++) ck_assert_uint_eq(images[24 + s], 24 + (c == 0 ? (s + 2) % 4 : s));
            ck_assert_uint_eq(images[28], 28);
            free(images);
        }
    graph_free(&graph);
}
END_TEST

/// Whether the endpoints of a switch of so many ports can be shifted by one, endpoint e standing at port ports[e].
static bool star_shifts(uint32_t port_count, const uint32_t *ports, int64_t last_latency) {
    struct graph graph;
    struct error err = {0};
    const struct translations group = {.count = 1, .radix = {4}, .step = {4}};
    graph_init(&graph, 4, 1);
    graph.switch_ports[0] = port_count;
    for (uint32_t e = 0; e < 4; e++)
        graph_add_cable(&graph, e, 1, 4, ports[e],
                        &(struct link_info){.bandwidth_bytes_per_s = 1, .latency_ticks = e == 3 ? last_latency : 5});
    ck_assert(graph_finish(&graph, &err));
    uint32_t *images = quotient_shift_nodes(&graph, &group, 0, 1);
    bool ports_move = false;
    struct quotient_shift shift = {images, true};
    quotient_links_shift(&graph, &group, &shift, 1, &ports_move);
    ck_assert(!ports_move);
    free(images);
    graph_free(&graph);
    return shift.holds;
}

// A switch's ports must go round as the endpoints do: the tie rule counts from port to port, modulo their number.
START_TEST(ports_go_round_together) {
    ck_assert(star_shifts(4, (uint32_t[]){0, 1, 2, 3}, 5));
    ck_assert(!star_shifts(4, (uint32_t[]){0, 1, 2, 3}, 6));
    ck_assert(star_shifts(8, (uint32_t[]){0, 2, 4, 6}, 5));
    ck_assert(!star_shifts(8, (uint32_t[]){0, 1, 2, 3}, 5));
    ck_assert(!star_shifts(8, (uint32_t[]){0, 2, 5, 7}, 5));
}
END_TEST

static uint32_t always_plus(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)state, (void)destination, (void)selector;
    return 2 * node;
}

static uint32_t never_over_zero(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)state, (void)selector;
    return 2 * node + (destination < node);
}

START_TEST(routes_shift_or_not) {
    struct graph graph;
    struct error err = {0};
    const struct translations group = {.count = 1, .radix = {5}, .step = {5}};
    graph_init(&graph, 5, 0);
    for (uint32_t e = 0; e < 5; e++)
        graph_add_cable(&graph, e, 1, (e + 1) % 5, 2, &(struct link_info){.bandwidth_bytes_per_s = 1, .latency_ticks = 1});
    ck_assert(graph_finish(&graph, &err));
    const struct router fair = {.next_link = always_plus}, unfair = {.next_link = never_over_zero};
    uint32_t changed = 0, *images = quotient_shift_nodes(&graph, &group, 0, 1);
    for (uint32_t from = 0; from < 5; from++)
        for (uint32_t to = 0; to < 5; to++) {
            struct quotient_probe probe = {from, to, 0, always_plus(NULL, from, to, 0)};
            if (from == to) continue;
            ck_assert(quotient_route_shifts(&graph, &fair, images, &probe));
            probe.link = never_over_zero(NULL, from, to, 0);
            changed += !quotient_route_shifts(&graph, &unfair, images, &probe);
        }
    ck_assert_uint_eq(changed, 8); // from or to endpoint 4, which becomes 0
    free(images);
    graph_free(&graph);
}
END_TEST

Suite *test_quotient_suite(void);
Suite *test_quotient_suite(void) {
    Suite *suite = suite_create("quotient");
    TCase *tests = tcase_create("quotient");
    tcase_add_test(tests, translations_add_up);
    tcase_add_test(tests, nodes_shift);
    tcase_add_test(tests, ports_go_round_together);
    tcase_add_test(tests, routes_shift_or_not);
    suite_add_tcase(suite, tests);
    return suite;
}
