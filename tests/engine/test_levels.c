// The window engine on networks of mixed latencies, against the heap engine: every delivery, every figure of every link,
// the digest; stopped in the middle as well.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/network.h"

enum { SEEDS = 400, MOST_MESSAGES = 800 };

static uint32_t draw(struct random_stream *random, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(random, (uint64_t)most - least + 1);
}

// ---- a network: a random tree and some links more, each direction with a latency of its own

static const int64_t latencies[][6] = {
    {0, 1, 3, 4, 5, 16},          // factors just below and above the gap, one tick
    {50, 50, 50, 50, 2500, 2500}, // NVLink and InfiniBand
    {1, 7, 60, 500, 4000, 30000}, // many levels
    {1, 1, 1000, 1000, 1000, 1000},
    {100, 399, 400, 401, 1600, 1601},
    {20, 20, 20, 20, 20, 20},
};

static void add_link(struct network *net, struct random_stream *random, const int64_t *pool, const uint32_t ends[4]) {
    int64_t latency = pool[draw(random, 0, 5)];
    for (int back = 0; back < 2; back++) {
        struct link_info link = {
            .from = ends[back ? 2 : 0], .from_port = ends[back ? 3 : 1], .to = ends[back ? 0 : 2], .to_port = ends[back ? 1 : 3]};
        link.bandwidth_bytes_per_s = draw(random, 1, 4) * BYTE_A_TICK;
        link.latency_ticks = draw(random, 0, 3) ? latency : pool[draw(random, 0, 5)];
        graph_add_link(&net->graph, link);
    }
}

static void draw_network(struct network *net, struct random_stream *random) {
    uint32_t endpoints = draw(random, 2, 24), switches = draw(random, 0, 8), nodes = endpoints + switches;
    const int64_t *pool = latencies[draw(random, 0, sizeof latencies / sizeof *latencies - 1)];
    network_init(net, endpoints, switches, 0);
    uint32_t *order = allocate(nodes * sizeof *order), *ports = allocate_zeroed(nodes, sizeof *ports);
    for (uint32_t v = 0; v < nodes; v++) order[v] = v;
    random_shuffle(random, order, nodes);
    uint32_t links = nodes - 1 + draw(random, 0, nodes);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t u = i + 1 < nodes ? order[i + 1] : draw(random, 0, nodes - 1);
        uint32_t v = i + 1 < nodes ? order[draw(random, 0, i)] : draw(random, 0, nodes - 1);
        if (u == v) continue;
        uint32_t ends[] = {u, ports[u]++ + (u < endpoints), v, ports[v]++ + (v < endpoints)};
        add_link(net, random, pool, ends);
    }
    for (uint32_t s = 0; s < switches; s++) net->graph.switch_ports[s] = ports[endpoints + s];
    free(order);
    free(ports);
    network_finish(net);
}

// ---- traffic: messages at times, and answers to them some time after

struct traffic {
    struct network *net;
    struct sent messages[MOST_MESSAGES];
    uint32_t count, first_answer; ///< message i + first_answer is sent when i is delivered, `at_ticks` later
};

static void draw_traffic(struct traffic *traffic, struct random_stream *random) {
    uint32_t endpoints = traffic->net->graph.endpoints, span = (uint32_t[]){20, 200, 2000, 20000}[draw(random, 0, 3)];
    uint32_t most_bytes = (uint32_t[]){2, 20, 200}[draw(random, 0, 2)];
    traffic->first_answer = draw(random, 1, MOST_MESSAGES / 2);
    traffic->count = traffic->first_answer + draw(random, 0, traffic->first_answer);
    for (uint32_t i = 0; i < traffic->count; i++) {
        uint32_t from = i < traffic->first_answer ? draw(random, 0, endpoints - 1) : traffic->messages[i - traffic->first_answer].to;
        uint32_t to = (from + draw(random, 1, endpoints - 1)) % endpoints;
        int64_t at = draw(random, 0, 2) ? draw(random, 0, span) : 0;
        traffic->messages[i] = (struct sent){from, to, draw(random, 0, 4) ? draw(random, 1, most_bytes) : 0, at, -1};
    }
}

static void answer(void *context, uint32_t message, int64_t now);

static void send(void *context, uint32_t message, int64_t now) {
    (void)now;
    struct traffic *traffic = context;
    const struct sent *m = &traffic->messages[message];
    communicator_send(traffic->net->comm, m->from, m->to, m->bytes, 0, message, (struct done_call){answer, traffic}, message);
}

static void send_later(struct traffic *traffic, uint32_t message, int64_t now) {
    const struct sent *m = &traffic->messages[message];
    if (m->at_ticks == 0)
        send(traffic, message, now);
    else
        communicator_timer(traffic->net->comm, m->from, now + m->at_ticks, (struct done_call){send, traffic}, message);
}

static void answer(void *context, uint32_t message, int64_t now) {
    struct traffic *traffic = context;
    ck_assert_int_eq(traffic->messages[message].delivered_ticks, -1);
    traffic->messages[message].delivered_ticks = now;
    uint32_t next = message + traffic->first_answer;
    if (message < traffic->first_answer && next < traffic->count) send_later(traffic, next, now);
}

// ---- a run, and what came of it

struct account {
    bool complete;
    struct digest digest;
    struct sim_totals totals;
    int64_t delivered[MOST_MESSAGES];
    struct link_totals *links;
};

static void run(struct traffic *traffic, const struct sim_config *config, const struct engine_type *engine, struct account *out) {
    struct communicator *comm = network_open(traffic->net, config, NULL);
    communicator_set_local(comm, true);
    for (uint32_t i = 0; i < traffic->count; i++) traffic->messages[i].delivered_ticks = -1;
    for (uint32_t i = 0; i < traffic->first_answer; i++) send_later(traffic, i, 0);
    struct error err = {0};
    memset(out, 0, sizeof *out);
    out->complete = communicator_run(comm, engine, &err);
    ck_assert_msg(out->complete || err.kind == ERROR_LIMIT, "%s", err.text);
    out->digest = communicator_digest(comm);
    out->totals = sim_totals(communicator_sim(comm));
    uint32_t links = traffic->net->graph.link_count;
    out->links = allocate_zeroed(links, sizeof *out->links);
    for (uint32_t l = 0; l < links; l++) out->links[l] = sim_link_totals(communicator_sim(comm), l);
    for (uint32_t i = 0; i < traffic->count; i++) out->delivered[i] = traffic->messages[i].delivered_ticks;
}

static int64_t check_equal(struct traffic *traffic, const struct sim_config *config) {
    struct account heap, window;
    run(traffic, config, &heap_engine, &heap);
    run(traffic, config, &window_engine, &window);
    ck_assert_int_eq(heap.complete, window.complete);
    for (uint32_t i = 0; i < traffic->count; i++)
        ck_assert_msg(heap.delivered[i] == window.delivered[i], "message %u: %lld on the heap engine, %lld on the window engine", i,
                      (long long)heap.delivered[i], (long long)window.delivered[i]);
    for (uint32_t l = 0; l < traffic->net->graph.link_count; l++) {
        ck_assert_uint_eq(heap.links[l].bytes, window.links[l].bytes);
        ck_assert_uint_eq(heap.links[l].chunks, window.links[l].chunks);
        ck_assert_int_eq(heap.links[l].busy_ticks, window.links[l].busy_ticks);
        ck_assert_int_eq(heap.links[l].peak_queue_bytes, window.links[l].peak_queue_bytes);
    }
    ck_assert(heap.digest.low == window.digest.low && heap.digest.high == window.digest.high);
    ck_assert_uint_eq(heap.totals.messages, window.totals.messages);
    ck_assert_uint_eq(heap.totals.chunk_hops, window.totals.chunk_hops);
    ck_assert_int_eq(heap.totals.end_ticks, window.totals.end_ticks);
    free(heap.links);
    free(window.links);
    return heap.totals.end_ticks;
}

START_TEST(as_the_heap_engine) {
    struct random_stream random;
    struct network net;
    struct traffic traffic = {.net = &net};
    random_seed(&random, (uint64_t)_i);
    draw_network(&net, &random);
    draw_traffic(&traffic, &random);
    struct sim_config config =
        network_config(draw(&random, 0, 1) ? 16 : 0, draw(&random, 0, 1) ? STORE_AND_FORWARD : CUT_THROUGH, INJECT_FIFO);
    int64_t end = check_equal(&traffic, &config);
    if (end > 1) {
        config.until_ticks = 1 + (int64_t)random_below(&random, (uint64_t)end);
        check_equal(&traffic, &config);
    }
    network_free(&net);
}
END_TEST

// Domains of one node between domains of more than a group of the tree of times, links of all kinds; late starts.
START_TEST(many_domains) {
    enum { NODES = 40, EACH = 9 };
    struct random_stream random;
    struct network net;
    struct traffic traffic = {.net = &net};
    random_seed(&random, 1000 + (uint64_t)_i);
    network_init(&net, NODES * EACH, NODES + 1, NODES * EACH);
    for (uint32_t e = 0; e < NODES * EACH; e++) {
        uint32_t node = e / EACH;
        network_cable(&net, (uint32_t[]){e, 1, NODES * EACH + node, e % EACH}, BYTE_A_TICK, 1 + node % 3);
        network_cable(&net, (uint32_t[]){e, 2, NODES * EACH + NODES, e}, BYTE_A_TICK, 90 + e % 7);
    }
    network_finish(&net);
    draw_traffic(&traffic, &random);
    const struct sim_config config = network_config(7, CUT_THROUGH, INJECT_FIFO);
    check_equal(&traffic, &config);
    network_free(&net);
}
END_TEST

static void ignore(void *context, uint32_t cookie, int64_t now) { (void)context, (void)cookie, (void)now; }

// A timer beyond the end of time is an error, not forgotten.
START_TEST(beyond_the_end_of_time) {
    struct network net;
    network_equal_line(&net, 1, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct communicator *comm = network_open(&net, &config, NULL);
    communicator_set_local(comm, true);
    communicator_timer(comm, 0, INT64_MAX, (struct done_call){ignore, NULL}, 0);
    struct error err = {0};
    ck_assert(!communicator_run(comm, &window_engine, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    ck_assert_ptr_nonnull(strstr(err.text, "the clock overflows"));
    network_free(&net);
}
END_TEST

Suite *test_levels_suite(void) {
    Suite *suite = suite_create("levels");
    TCase *tests = tcase_create("levels");
    tcase_add_loop_test(tests, as_the_heap_engine, 0, SEEDS);
    tcase_add_loop_test(tests, many_domains, 0, 5);
    tcase_add_test(tests, beyond_the_end_of_time);
    suite_add_tcase(suite, tests);
    return suite;
}
