// What each link does in random traffic on random networks: _i is the seed.
#include <check.h>
#include <string.h>

#include "base/units.h"
#include "engine/network.h"
#include "properties/drawn.h"

enum { SEEDS = 200, MOST_LINKS = 128, MOST_MESSAGES = 60 };

/// A tree of endpoints and switches with a few cables more.
static void draw_network(struct random_stream *random, struct network *net) {
    uint32_t endpoints = draw(random, 2, 7), switches = draw(random, 0, 3), nodes = endpoints + switches, ports[10] = {0};
    network_init(net, endpoints, switches, 12);
    for (uint32_t v = 0; v < endpoints; v++) ports[v] = 1;
    for (uint32_t i = 1; i < nodes + 3; i++) {
        uint32_t v = i < nodes ? i : draw(random, 1, nodes - 1), u = draw(random, 0, v - 1);
        network_cable(net, (uint32_t[]){u, ports[u]++, v, ports[v]++}, draw(random, 1, 3000), draw(random, 1, 50));
    }
    network_finish(net);
}

static uint32_t draw_traffic(struct random_stream *random, const struct network *net, struct sent *messages) {
    uint32_t count = draw(random, 1, MOST_MESSAGES), endpoints = net->graph.endpoints;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = draw(random, 0, endpoints - 1), to = (from + draw(random, 1, endpoints - 1)) % endpoints;
        messages[i] = (struct sent){from, to, draw(random, 0, 400), draw(random, 0, 1) ? 0 : draw(random, 1, 500), 0};
    }
    return count;
}

struct watched {
    const struct network *net;
    struct link_totals totals[MOST_LINKS];
    int64_t joined[MOST_LINKS], end[MOST_LINKS];
};

// One chunk at a time, in order of joining, for as long as its bytes take.
static void served(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    (void)message;
    struct watched *watched = context;
    int64_t service = 0;
    ck_assert(transfer_ticks(bytes, watched->net->graph.links[link].bandwidth_bytes_per_s, 1000, &service));
    ck_assert_int_eq(end - start, service);
    ck_assert_int_ge(start, joined);
    ck_assert_int_ge(start, watched->end[link]);
    ck_assert_int_ge(joined, watched->joined[link]);
    watched->joined[link] = joined, watched->end[link] = end;
    watched->totals[link].bytes += (uint64_t)bytes;
    watched->totals[link].chunks++;
    watched->totals[link].busy_ticks += service;
}

START_TEST(one_chunk_at_a_time) {
    struct random_stream random;
    struct network net;
    struct sent messages[MOST_MESSAGES];
    struct watched watched = {.net = &net};
    const struct sim_observer observer = {&watched, served};
    random_seed(&random, (uint64_t)_i);
    draw_network(&random, &net);
    ck_assert_uint_le(net.graph.link_count, MOST_LINKS);
    uint32_t count = draw_traffic(&random, &net, messages);
    const struct sim_config config = network_config(draw(&random, 0, 60), (enum switching)(_i % 2), (enum injection)(_i / 2 % 2));
    net.observer = &observer;
    network_run(&net, &config, messages, count);
    for (uint32_t l = 0; l < net.graph.link_count; l++) {
        struct link_totals totals = sim_link_totals(communicator_sim(net.comm), l);
        ck_assert_uint_eq(totals.bytes, watched.totals[l].bytes);
        ck_assert_uint_eq(totals.chunks, watched.totals[l].chunks);
        ck_assert_int_eq(totals.busy_ticks, watched.totals[l].busy_ticks);
        ck_assert_int_le(totals.peak_queue_bytes, (int64_t)totals.bytes);
    }
    for (uint32_t i = 0; i < count; i++) ck_assert_int_ge(messages[i].delivered_ticks, messages[i].at_ticks);
    network_free(&net);
}
END_TEST

// Watched or not, limits far away or none: the same deliveries.
START_TEST(watching_changes_nothing) {
    struct random_stream random;
    struct network net;
    struct sent messages[MOST_MESSAGES], again[MOST_MESSAGES];
    struct watched watched = {.net = &net};
    const struct sim_observer observer = {&watched, served};
    random_seed(&random, 1000 + (uint64_t)_i);
    draw_network(&random, &net);
    uint32_t count = draw_traffic(&random, &net, messages);
    struct sim_config config = network_config(draw(&random, 1, 9), (enum switching)(_i % 2), (enum injection)(_i / 2 % 2));
    memcpy(again, messages, sizeof again);
    network_run(&net, &config, messages, count);
    net.observer = &observer;
    config.max_events = UINT64_MAX, config.until_ticks = INT64_MAX - 1, config.max_memory = UINT64_MAX;
    network_run(&net, &config, again, count);
    for (uint32_t i = 0; i < count; i++) ck_assert_int_eq(messages[i].delivered_ticks, again[i].delivered_ticks);
    network_free(&net);
}
END_TEST

Suite *test_services_suite(void) {
    Suite *suite = suite_create("services");
    TCase *tests = tcase_create("services");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, one_chunk_at_a_time, 0, SEEDS);
    tcase_add_loop_test(tests, watching_changes_nothing, 0, SEEDS);
    suite_add_tcase(suite, tests);
    return suite;
}
