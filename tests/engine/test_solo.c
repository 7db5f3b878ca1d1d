// Messages that are one event because nobody else uses their links (engine/solo.h): all comes out as chunk by chunk on the
// heap engine.
#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/network.h"

enum { NETWORKS = 400, MOST_PARCELS = 40, NONE = -1 };

/// A message, posted at a time or when another has been delivered to its sender.
struct parcel {
    uint32_t from, to;
    int64_t bytes, at_ticks;
    int after;
    int64_t delivered_ticks;
};

struct traffic {
    struct communicator *comm;
    struct parcel *parcels;
    int count;
};

static void post(struct traffic *traffic, uint32_t index);

static void delivered(void *context, uint32_t index, int64_t now) {
    struct traffic *traffic = context;
    traffic->parcels[index].delivered_ticks = now;
    for (int i = 0; i < traffic->count; i++)
        if (traffic->parcels[i].after == (int)index) post(traffic, (uint32_t)i);
}

static void post(struct traffic *traffic, uint32_t index) {
    const struct parcel *p = &traffic->parcels[index];
    communicator_send(traffic->comm, p->from, p->to, p->bytes, 0, index, (struct done_call){delivered, traffic}, index);
}

static void due(void *context, uint32_t index, int64_t now) {
    (void)now;
    post(context, index);
}

static bool run_on(struct network *net, const struct engine_type *engine, const struct sim_config *config, struct parcel *parcels,
                   int count) {
    struct error err = {0};
    struct traffic traffic = {network_open(net, config, NULL), parcels, count};
    sim_set_local(communicator_sim(net->comm), true);
    for (int i = 0; i < count; i++) {
        parcels[i].delivered_ticks = NONE;
        if (parcels[i].after != NONE) continue;
        if (parcels[i].at_ticks == 0)
            post(&traffic, (uint32_t)i);
        else
            communicator_timer(net->comm, parcels[i].from, parcels[i].at_ticks, (struct done_call){due, &traffic}, (uint32_t)i);
    }
    bool ok = communicator_run(net->comm, engine, &err);
    ck_assert_msg(ok || err.kind == ERROR_LIMIT, "%s", err.text);
    return ok;
}

struct outcome {
    int64_t delivered[MOST_PARCELS];
    struct link_totals *links;
    struct sim_totals totals;
};

static void take_outcome(const struct network *net, const struct parcel *parcels, int count, struct outcome *out) {
    const struct sim *sim = communicator_sim(net->comm);
    out->links = allocate(net->graph.link_count * sizeof *out->links);
    for (uint32_t l = 0; l < net->graph.link_count; l++) out->links[l] = sim_link_totals(sim, l);
    for (int i = 0; i < count; i++) out->delivered[i] = parcels[i].delivered_ticks;
    out->totals = sim_totals(sim);
}

/// Runs on the heap engine and with solo messages: all must be equal. Returns how many were solo.
static uint64_t compare(struct network *net, struct sim_config config, struct parcel *parcels, int count, uint64_t seed) {
    struct outcome heap, solo;
    bool done = run_on(net, &heap_engine, &config, parcels, count);
    take_outcome(net, parcels, count, &heap);
    config.solo = true;
    ck_assert_int_eq(run_on(net, &window_engine, &config, parcels, count), done);
    take_outcome(net, parcels, count, &solo);
    for (int i = 0; i < count; i++)
        ck_assert_msg(heap.delivered[i] == solo.delivered[i], "seed %d message %d: %lld, not %lld", (int)seed, i,
                      (long long)solo.delivered[i], (long long)heap.delivered[i]);
    for (uint32_t l = 0; l < net->graph.link_count; l++) {
        const struct link_totals *a = &heap.links[l], *b = &solo.links[l];
        ck_assert_msg(a->bytes == b->bytes && a->chunks == b->chunks && a->busy_ticks == b->busy_ticks,
                      "seed %d link %u: %llu chunks, not %llu", (int)seed, l, (unsigned long long)b->chunks, (unsigned long long)a->chunks);
        ck_assert_msg(a->peak_queue_bytes == b->peak_queue_bytes, "seed %d link %u: peak %lld, not %lld", (int)seed, l,
                      (long long)b->peak_queue_bytes, (long long)a->peak_queue_bytes);
    }
    ck_assert_uint_eq(heap.totals.chunk_hops, solo.totals.chunk_hops);
    ck_assert_int_eq(heap.totals.end_ticks, solo.totals.end_ticks);
    free(heap.links);
    free(solo.links);
    return sim_solo_saving(communicator_sim(net->comm)).messages;
}

static const int64_t rates[3] = {1000, 500, 250}, latencies[3] = {5, 7, 11}; // a byte takes 1, 2, 4 ticks

/// 0 -> 3 over the three cables in an order; _i: order, switching.
static struct network orders_of_cables(int i) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *order = orders[i / 2];
    struct network net;
    network_line(&net, 3, (int64_t[]){rates[order[0]], rates[order[1]], rates[order[2]]},
                 (int64_t[]){latencies[order[0]], latencies[order[1]], latencies[order[2]]});
    return net;
}

// 8 chunks of 5 bytes, posted at 3: all latencies and 20 ticks a chunk of the slowest cable; a chunk of each faster one more where
// nothing cuts through. On a cable slower than those before it, all but the first wait until the chunk before has gone.
START_TEST(idle_path) {
    struct network net = orders_of_cables(_i);
    bool cut_through = _i % 2 == 0;
    struct parcel parcel = {.from = 0, .to = 3, .bytes = 40, .at_ticks = 3, .after = NONE};
    struct sim_config config = network_config(5, cut_through ? CUT_THROUGH : STORE_AND_FORWARD, INJECT_FIFO);
    ck_assert_uint_eq(compare(&net, config, &parcel, 1, 0), 1);
    ck_assert_int_eq(parcel.delivered_ticks, 3 + (5 + 7 + 11) + 8 * 20 + (cut_through ? 0 : 5 + 10));
    const struct sim_saving saving = sim_solo_saving(communicator_sim(net.comm));
    ck_assert_uint_eq(saving.chunk_hops, 24);
    int64_t before = 0;
    for (uint32_t hop = 0; hop < 3; hop++) {
        struct link_totals totals = network_link_totals(&net, hop, hop + 1);
        int64_t service = totals.busy_ticks / 8, behind = before && service > before ? 7 - 7 * before / service : 0;
        if (hop == 0) behind = 7;                        // all are there at once
        if (cut_through && before > service) behind = 1; // for its own tail
        ck_assert_int_eq(totals.peak_queue_bytes, 5 * behind);
        if (service > before) before = service;
    }
    network_free(&net);
}
END_TEST

// 5, 5 and 2 bytes at 1, 4 and 2 ticks a byte. Heads join the second cable at 5, 10, 15 and it is free at 25, 45, 53; its heads leave at
// 5, 25, 45. The third gets them at 16, 36, 56 with their tails at 36, 56, 64.
START_TEST(shorter_last_chunk) {
    struct network net;
    network_line(&net, 3, (int64_t[]){1000, 250, 500}, (int64_t[]){5, 11, 7});
    struct parcel parcel = {.from = 0, .to = 3, .bytes = 12, .after = NONE};
    struct sim_config config = network_config(5, CUT_THROUGH, INJECT_FIFO);
    config.solo = true;
    ck_assert(run_on(&net, &window_engine, &config, &parcel, 1));
    ck_assert_uint_eq(sim_solo_saving(communicator_sim(net.comm)).messages, 0); // not worth it below four chunks
    parcel.bytes = 22;                                                          // two chunks of 5 more: 40 ticks on the slowest cable
    ck_assert(run_on(&net, &window_engine, &config, &parcel, 1));
    ck_assert_uint_eq(sim_solo_saving(communicator_sim(net.comm)).messages, 1);
    ck_assert_int_eq(parcel.delivered_ticks, 64 + 40 + 7);
    network_free(&net);
}
END_TEST

// Another message joins each link of the path at each instant, before, meanwhile and after; _i: order of cables, switching.
START_TEST(another_on_each_link) {
    struct network net = orders_of_cables(_i);
    struct sim_config config = network_config(5, _i % 2 ? STORE_AND_FORWARD : CUT_THROUGH, INJECT_FIFO);
    static const int64_t sizes[] = {0, 1, 5, 23};
    for (uint32_t link = 0; link < 3; link++)
        for (uint32_t last = link; last < 3; last++)
            for (int64_t at = 0; at < 260; at++) {
                struct parcel parcels[2] = {{.from = 0, .to = 3, .bytes = 38, .at_ticks = 3, .after = NONE},
                                            {.from = link, .to = last + 1, .bytes = sizes[at % 4], .at_ticks = at, .after = NONE}};
                compare(&net, config, parcels, 2, (uint64_t)at);
            }
    network_free(&net);
}
END_TEST

// Three from one sender, one after the other, on the same path: the links are promised to all. Then one crosses the last link.
START_TEST(one_after_the_other) {
    struct network net;
    network_equal_line(&net, 3, 6);
    struct sim_config config = network_config(5, _i % 2 ? STORE_AND_FORWARD : CUT_THROUGH, INJECT_FIFO);
    struct parcel parcels[4] = {{.to = 3, .bytes = 40, .after = NONE},
                                {.to = 3, .bytes = 35, .after = NONE},
                                {.to = 3, .bytes = 40, .at_ticks = 90, .after = NONE},
                                {.from = 2, .to = 3, .bytes = 7, .after = NONE}};
    ck_assert_uint_eq(compare(&net, config, parcels, 3, 0), 3);
    for (int64_t at = 0; at < 200; at++) {
        parcels[3].at_ticks = at;
        compare(&net, config, parcels, 4, (uint64_t)at);
    }
    network_free(&net);
}
END_TEST

// The last tail comes at the last instant of the clock, or one later: then it is not solo and the clock overflows.
START_TEST(end_of_the_clock) {
    struct network net;
    network_equal_line(&net, 2, 6);
    struct sim_config config = network_config(5, CUT_THROUGH, INJECT_FIFO);
    struct parcel parcel = {.to = 2, .bytes = 40, .at_ticks = INT64_MAX - 1 - (6 + 6 + 40), .after = NONE};
    ck_assert_uint_eq(compare(&net, config, &parcel, 1, 0), 1);
    ck_assert_int_eq(parcel.delivered_ticks, INT64_MAX - 1);
    parcel.at_ticks++;
    struct error err = {0};
    config.solo = true;
    network_open(&net, &config, NULL);
    communicator_set_local(net.comm, true);
    struct traffic traffic = {net.comm, &parcel, 1};
    communicator_timer(net.comm, 0, parcel.at_ticks, (struct done_call){due, &traffic}, 0);
    ck_assert(!communicator_run(net.comm, &window_engine, &err));
    ck_assert_int_eq(err.kind, ERROR_SIMULATION);
    network_free(&net);
}
END_TEST

static uint32_t draw(struct random_stream *random, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(random, most - least + 1);
}

/// The ends of cable i: first a tree of the switches, then each endpoint at a switch, then between any nodes.
static void draw_ends(struct random_stream *random, uint32_t i, uint32_t endpoints, uint32_t switches, uint32_t ends[2]) {
    uint32_t nodes = endpoints + switches;
    if (i < switches - 1) {
        ends[0] = endpoints + 1 + i, ends[1] = endpoints + draw(random, 0, i);
    } else if (i < nodes - 1) {
        ends[0] = i - (switches - 1), ends[1] = endpoints + draw(random, 0, switches - 1);
    } else {
        ends[0] = draw(random, 0, nodes - 1);
        ends[1] = (ends[0] + draw(random, 1, nodes - 1)) % nodes;
    }
}

/// Equal or different rates; equal, different or very different latencies, for windows at two levels.
static void draw_network(struct random_stream *random, struct network *net) {
    enum { PORTS = 24 };
    static const int64_t drawn_rates[] = {250, 333, 500, 1000, 1000, 2000, 3000}; // a byte in 4, 3.003, 2, 1, 1, 1/2, 1/3 ticks
    uint32_t endpoints = draw(random, 2, 7), switches = draw(random, 1, 4), cables = endpoints + switches - 1 + draw(random, 0, 3);
    uint32_t used[16] = {0}, same_rate = draw(random, 0, 1), least = draw(random, 1, 5), most = least + draw(random, 0, 2) * 8;
    bool far = draw(random, 0, 2) == 0;
    network_init(net, endpoints, switches, PORTS);
    for (uint32_t i = 0; i < cables; i++) {
        uint32_t ends[2], ports[2];
        draw_ends(random, i, endpoints, switches, ends);
        for (int side = 0; side < 2; side++) ports[side] = used[ends[side]]++ + (ends[side] < endpoints);
        int64_t rate = drawn_rates[draw(random, 0, 6)], latency = draw(random, least, most);
        if (far && draw(random, 0, 2) == 0) latency *= 20;
        network_cable(net, (uint32_t[]){ends[0], ports[0], ends[1], ports[1]}, same_rate ? BYTE_A_TICK : rate, latency);
    }
    network_finish(net);
}

static int draw_parcels(struct random_stream *random, uint32_t endpoints, struct parcel *parcels) {
    int count = (int)draw(random, 1, MOST_PARCELS);
    uint32_t latest = draw(random, 0, 1) ? draw(random, 0, 40) : draw(random, 0, 2000), most_bytes = draw(random, 10, 150);
    for (int i = 0; i < count; i++) {
        struct parcel *p = &parcels[i];
        *p = (struct parcel){.from = draw(random, 0, endpoints - 1), .at_ticks = draw(random, 0, latest), .after = NONE};
        p->bytes = draw(random, 0, 9) ? draw(random, 0, most_bytes) : 0;
        if (i > 0 && draw(random, 0, 2) == 0) {
            p->after = (int)draw(random, 0, (uint32_t)i - 1);
            p->from = parcels[p->after].to;
        }
        p->to = (p->from + draw(random, 1, endpoints - 1)) % endpoints;
    }
    return count;
}

/// Seeds _i * NETWORKS …
START_TEST(random_networks) {
    uint64_t solo = 0;
    for (uint64_t seed = (uint64_t)_i * NETWORKS; seed < (uint64_t)(_i + 1) * NETWORKS; seed++) {
        struct random_stream random;
        struct network net;
        struct parcel parcels[MOST_PARCELS];
        random_seed(&random, seed);
        draw_network(&random, &net);
        struct sim_config config = network_config(draw(&random, 1, 9), draw(&random, 0, 1) ? CUT_THROUGH : STORE_AND_FORWARD, INJECT_FIFO);
        if (draw(&random, 0, 3) == 0) config.until_ticks = draw(&random, 1, 300);
        int count = draw_parcels(&random, net.graph.endpoints, parcels);
        solo += compare(&net, config, parcels, count, seed);
        network_free(&net);
    }
    ck_assert_uint_gt(solo, NETWORKS / 4);
}
END_TEST

Suite *test_solo_suite(void) {
    Suite *suite = suite_create("solo");
    TCase *tests = tcase_create("solo");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, idle_path, 0, 12);
    tcase_add_test(tests, shorter_last_chunk);
    tcase_add_loop_test(tests, another_on_each_link, 0, 12);
    tcase_add_loop_test(tests, one_after_the_other, 0, 2);
    tcase_add_test(tests, end_of_the_clock);
    tcase_add_loop_test(tests, random_networks, 0, 10);
    suite_add_tcase(suite, tests);
    return suite;
}
