// Exchanges with many others, folded and in full: nothing is posted for so long that links are done with one after the other
// (quotient_stream.c), such as follow themselves, or each other in rounds of two.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "properties/drawn.h"
#include "scenario/folded.h"

#define LINK "{'bandwidth': '45GB/s', 'latency': '500ns'}"

struct shape {
    char *text;
    uint32_t endpoints;
};

static struct shape draw_torus(struct random_stream *random, const char *links) {
    static const char *const ties[] = {"positive", "parity"};
    const uint32_t kind = draw(random, 0, 2);
    const uint32_t rows = kind ? draw(random, 7, 13) : draw(random, 2, 7), columns = draw(random, 8, 14), planes = kind ? 1 : 2;
    return (struct shape){
        text_format("{'type': 'torus', 'dims': [%u, %u, %u], %s, 'ties': '%s'}", rows, planes, columns, links, ties[draw(random, 0, 1)]),
        rows * planes * columns};
}

/// Every second cable of a ring is another: its endpoints are alike by twos, and chunks come faster or slower than they go on.
static struct shape draw_uneven_ring(struct random_stream *random, const char *link) {
    const uint32_t endpoints = 2 * draw(random, 20, 50), rate = draw(random, 15, 120), latency = draw(random, 40, 900);
    char *text = text_format("{'type': 'ring', 'endpoints': %u, %s, 'ties': 'parity'}, 'overrides': [", endpoints, link);
    for (uint32_t i = 0; i < endpoints; i++) {
        uint32_t from = i % 2 ? i - 1 : i, to = i % 2 ? i : i + 1;
        char *more = text_format("%s%s{'from': '%u', 'to': '%u', 'bandwidth': '%uGB/s', 'latency': '%uns'}", text, i ? ", " : "",
                                 i % 2 ? to : from, i % 2 ? from : to, rate, latency);
        free(text);
        text = more;
    }
    char *closed = text_format("%s]", text);
    free(text);
    return (struct shape){closed, endpoints};
}

/// Latencies of a few chunks, of many, and of less than one; dims of one kind and of two.
static struct shape draw_shape(struct random_stream *random) {
    static const char *const links[] = {
        "'link': " LINK,
        "'link': {'bandwidth': '45GB/s', 'latency': '50ns'}",
        "'link': {'bandwidth': '45GB/s', 'latency': '5us'}",
        "'links': [" LINK ", " LINK ", {'bandwidth': '9GB/s', 'latency': '300ns'}]",
        "'links': [{'bandwidth': '9GB/s', 'latency': '700ns'}, " LINK ", " LINK "]",
    };
    const char *link = links[draw(random, 0, 2)];
    uint32_t endpoints;
    switch (draw(random, 0, 7)) {
    case 0:
        endpoints = draw(random, 40, 100);
        return (struct shape){
            text_format("{'type': 'ring', 'endpoints': %u, %s, 'ties': '%s'}", endpoints, link, draw(random, 0, 1) ? "positive" : "parity"),
            endpoints};
    case 1:
        endpoints = draw(random, 20, 90);
        return (struct shape){text_format("{'type': 'switch', 'endpoints': %u, %s}", endpoints, link), endpoints};
    case 2: return (struct shape){text_format("{'type': 'hypercube', 'dimension': 6, %s}", link), 64};
    case 3:
    case 4: return draw_uneven_ring(random, link);
    default: return draw_torus(random, links[draw(random, 0, 4)]);
    }
}

static char *draw_exchange(struct random_stream *random, const struct shape *shape) {
    // with chunks of 4 KiB: one or two, of which the last is shorter
    static const uint32_t blocks[] = {0, 1, 4096, 4096, 4096, 4096, 2000, 6000};
    const char *order = shape->text[10] == 's' ? "rank" : "shift"; // a switch has no coordinates
    return text_format("{'type': 'collective', 'collective': 'all-to-all', 'order': '%s', 'schedule': 'all-at-once', 'size': '%uB'}", order,
                       blocks[draw(random, 0, 7)] * shape->endpoints);
}

START_TEST(random_exchanges) {
    struct random_stream random;
    random_seed(&random, (uint64_t)_i + 5000);
    const struct shape shape = draw_shape(&random);
    char *first = draw_exchange(&random, &shape), *second = draw_exchange(&random, &shape);
    const char *switching = draw(&random, 0, 1) ? "cut-through" : "store-and-forward";
    const char *network = "'topology': %s, 'chunk': '4KiB', 'switching': '%s'";
    char *both = text_format(network, shape.text, switching);
    uint32_t way = draw(&random, 0, 3);
    uint64_t uses = 0;
    if (way < 2)
        uses = representatives("{'network': {%s}, 'workload': %s}", both, first);
    else
        uses = representatives("{'network': {%s}, 'workload': {'type': '%s', 'of': [%s, %s]}}", both, way == 2 ? "sequence" : "parallel",
                               first, second);
    ck_assert_uint_gt(uses, 0);
    free(first);
    free(second);
    free(both);
    free(shape.text);
}
END_TEST

// What is posted together is kept as one list, up to 2048 of them; beyond, each message for itself.
START_TEST(more_exchanges_than_lists) {
    enum { EXCHANGES = 2100 };
    const char *exchange = ", {'type': 'collective', 'collective': 'all-to-all', 'schedule': 'all-at-once', 'size': '81B'}";
    const size_t length = strlen(exchange);
    char *all = allocate(EXCHANGES * length + 1);
    for (size_t i = 0; i < EXCHANGES; i++) memcpy(all + i * length, exchange, length + 1);
    ck_assert_uint_eq(representatives("{'network': {'topology': {'type': 'switch', 'endpoints': 9, 'link': " LINK "}}, 'workload':"
                                      " {'type': 'parallel', 'of': [%s]}}",
                                      all + 2),
                      1);
    free(all);
}
END_TEST

Suite *test_exchanges_suite(void);
Suite *test_exchanges_suite(void) {
    Suite *suite = suite_create("exchanges");
    TCase *tests = tcase_create("exchanges");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, random_exchanges, 0, 120);
    tcase_add_test(tests, more_exchanges_than_lists);
    suite_add_tcase(suite, tests);
    return suite;
}
