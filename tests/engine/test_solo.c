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

static uint32_t draw(struct random_stream *random, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(random, most - least + 1);
}

/// A tree of switches with endpoints and a few more cables, between any nodes.
static void draw_network(struct random_stream *random, struct network *net) {
    enum { PORTS = 24 };
    static const int64_t rates[] = {250, 333, 500, 1000, 1000, 2000, 3000}; // a byte in 4, 3.003, 2, 1, 1, 1/2, 1/3 ticks
    uint32_t endpoints = draw(random, 2, 7), switches = draw(random, 1, 4), nodes = endpoints + switches, used[16] = {0};
    uint32_t same_rate = draw(random, 0, 1), least = draw(random, 1, 5), most = least + draw(random, 0, 1) * draw(random, 0, 30);
    network_init(net, endpoints, switches, PORTS);
    for (uint32_t i = 0, extra = draw(random, 0, 3); i < nodes - 1 + extra; i++) {
        uint32_t u = i < switches - 1 ? endpoints + 1 + i : i < nodes - 1 ? i - (switches - 1) : draw(random, 0, nodes - 1);
        uint32_t v = i < switches - 1 ? endpoints + draw(random, 0, i)
                     : i < nodes - 1  ? endpoints + draw(random, 0, switches - 1)
                                      : draw(random, 0, nodes - 1);
        if (u == v) continue;
        uint32_t u_port = used[u]++ + (u < endpoints), v_port = used[v]++ + (v < endpoints);
        network_cable(net, (uint32_t[]){u, u_port, v, v_port}, same_rate ? 1000 : rates[draw(random, 0, 6)], draw(random, least, most));
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
    tcase_add_loop_test(tests, random_networks, 0, 10);
    suite_add_tcase(suite, tests);
    return suite;
}
