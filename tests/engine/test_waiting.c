// Messages that wait at their source as lists, on the window engine, against the heap engine, which knows no such lists.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/network.h"
#include "engine/sim_state.h"

enum { SEEDS = 200, MOST_RANKS = 24, COLLECTIVES = 3 };

static uint32_t draw(struct random_stream *random, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(random, (uint64_t)most - least + 1);
}

static void draw_network(struct network *net, struct random_stream *random) {
    uint32_t endpoints = draw(random, 9, MOST_RANKS);
    if (draw(random, 0, 1)) {
        network_star(net, endpoints, draw(random, 1, 50));
        return;
    }
    network_init(net, endpoints, 0, 0); // a ring with chords
    for (uint32_t e = 0; e < endpoints; e++)
        network_cable(net, (uint32_t[]){e, 2, (e + 1) % endpoints, 1}, BYTE_A_TICK * (1 + e % 3), 1 + draw(random, 0, 40));
    for (uint32_t e = 0; e < endpoints / 2; e++) network_cable(net, (uint32_t[]){e, 3, e + endpoints / 2, 3}, BYTE_A_TICK, 7);
    network_finish(net);
}

/// What ranks do: collectives of which some post many messages at once, some of them late, and single messages among them.
struct job {
    struct {
        const struct algorithm *algorithm;
        struct collective_args args;
        int64_t delays[MOST_RANKS];
    } collectives[COLLECTIVES];
    uint32_t count, singles;
    struct rank_costs costs;
};

static void draw_job(struct job *job, struct random_stream *random, uint32_t ranks) {
    static const struct {
        enum collective_kind kind;
        const char *name;
    } known[] = {{ALL_TO_ALL, "direct"}, {ALL_TO_ALL, "direct"}, {REDUCE_SCATTER, "direct"}, {ALL_GATHER, "direct"}, {ALL_REDUCE, "ring"}};
    *job = (struct job){.count = draw(random, 1, COLLECTIVES), .singles = draw(random, 0, 3)};
    if (draw(random, 0, 3) == 0) job->costs.launch_overhead_ticks = draw(random, 1, 100);
    for (uint32_t c = 0; c < job->count; c++) {
        uint32_t which = draw(random, 0, sizeof known / sizeof *known - 1);
        int64_t bytes = (int64_t)ranks * draw(random, 0, 20) + (draw(random, 0, 2) ? 0 : 3);
        job->collectives[c].algorithm = algorithm_find(known[which].kind, known[which].name);
        job->collectives[c].args = (struct collective_args){.kind = known[which].kind,
                                                            .size = ranks,
                                                            .bytes = bytes,
                                                            .schedule = draw(random, 0, 3) ? SCHEDULE_ALL_AT_ONCE : SCHEDULE_STEPS};
        bool late = draw(random, 0, 1);
        for (uint32_t r = 0; r < ranks; r++) job->collectives[c].delays[r] = late && draw(random, 0, 1) ? draw(random, 0, 300) : 0;
    }
}

static void ended(void *context, uint32_t member, int64_t now) { *((int64_t *)context + member) = now; }
static void ignore(void *context, uint32_t cookie, int64_t now) { (void)context, (void)cookie, (void)now; }

struct account {
    struct digest digest;
    struct sim_totals totals;
    int64_t ends[COLLECTIVES][MOST_RANKS];
    struct link_totals *links;
    struct error err;
    bool complete;
};

static void run(struct network *net, struct job *job, const struct sim_config *config, const struct engine_type *engine,
                struct account *out) {
    struct communicator *comm = network_open(net, config, &job->costs);
    uint32_t ranks = net->graph.endpoints;
    *out = (struct account){.links = allocate_zeroed(net->graph.link_count, sizeof *out->links)};
    for (uint32_t i = 0; i < job->singles; i++) communicator_send(comm, i, ranks - 1 - i, 5, i, 0, (struct done_call){ignore, NULL}, 0);
    for (uint32_t c = 0; c < job->count; c++) {
        const struct collective_request request = {job->collectives[c].algorithm, job->collectives[c].args, .order = c,
                                                   .done = {ended, out->ends[c]}};
        uint32_t id = communicator_open(comm, &request);
        for (uint32_t r = 0; r < ranks; r++) communicator_start(comm, id, r, job->collectives[c].delays[r]);
    }
    communicator_set_local(comm, true);
    out->complete = communicator_run(comm, engine, &out->err);
    out->digest = communicator_digest(comm);
    out->totals = sim_totals(communicator_sim(comm));
    for (uint32_t l = 0; l < net->graph.link_count; l++) out->links[l] = sim_link_totals(communicator_sim(comm), l);
}

static int64_t check_equal(struct network *net, struct job *job, const struct sim_config *config) {
    struct account heap, window;
    run(net, job, config, &heap_engine, &heap);
    run(net, job, config, &window_engine, &window);
    ck_assert_int_eq(heap.complete, window.complete);
    ck_assert(heap.complete || (heap.err.kind == ERROR_LIMIT && window.err.kind == ERROR_LIMIT));
    ck_assert_mem_eq(heap.ends, window.ends, sizeof heap.ends);
    ck_assert_mem_eq(heap.links, window.links, net->graph.link_count * sizeof *heap.links);
    ck_assert(heap.digest.low == window.digest.low && heap.digest.high == window.digest.high);
    ck_assert_uint_eq(heap.totals.messages, window.totals.messages);
    ck_assert_uint_eq(heap.totals.chunks, window.totals.chunks);
    ck_assert_uint_eq(heap.totals.chunk_hops, window.totals.chunk_hops);
    ck_assert_int_eq(heap.totals.end_ticks, window.totals.end_ticks);
    free(heap.links);
    free(window.links);
    const struct sim *sim = communicator_sim(net->comm);
    ck_assert(!window.complete || (sim->waiting_bytes == 0 && sim->unrecorded == 0));
    return heap.totals.end_ticks;
}

START_TEST(as_the_heap_engine) {
    struct random_stream random;
    struct network net;
    struct job job;
    random_seed(&random, 500 + (uint64_t)_i);
    draw_network(&net, &random);
    draw_job(&job, &random, net.graph.endpoints);
    int64_t chunk = (int64_t[]){0, 0, 1, 4, 5, 16}[draw(&random, 0, 5)];
    struct sim_config config = network_config(chunk, draw(&random, 0, 1) ? STORE_AND_FORWARD : CUT_THROUGH, INJECT_FIFO);
    int64_t end = check_equal(&net, &job, &config);
    if (end > 1) {
        config.until_ticks = 1 + (int64_t)random_below(&random, (uint64_t)end);
        check_equal(&net, &job, &config);
    }
    network_free(&net);
}
END_TEST

static void exchange_at_once(struct job *job, uint32_t ranks, int64_t bytes) {
    *job = (struct job){.count = 1};
    job->collectives[0].algorithm = algorithm_find(ALL_TO_ALL, "direct");
    job->collectives[0].args =
        (struct collective_args){.kind = ALL_TO_ALL, .size = ranks, .bytes = bytes * ranks, .schedule = SCHEDULE_ALL_AT_ONCE};
}

// Of the messages of an exchange over a switch each rank has one or two under way; the others have no record and no chunk.
START_TEST(what_waits_takes_little_memory) {
    enum { RANKS = MOST_RANKS };
    struct network net;
    struct job job;
    struct account account;
    network_star(&net, RANKS, 2);
    exchange_at_once(&job, RANKS, 8);
    struct sim_config config = network_config(0, STORE_AND_FORWARD, INJECT_FIFO);
    run(&net, &job, &config, &window_engine, &account);
    ck_assert(account.complete);
    ck_assert_uint_eq(account.totals.messages, RANKS * (RANKS - 1));
    ck_assert_uint_le(communicator_sim(net.comm)->message_count, 3 * RANKS);
    ck_assert_uint_le(communicator_sim(net.comm)->ring_bytes, 2 * RANKS * 4 * sizeof(struct chunk));
    free(account.links);
    config.max_memory = 2000;
    run(&net, &job, &config, &window_engine, &account);
    ck_assert(!account.complete && account.err.kind == ERROR_LIMIT);
    ck_assert_ptr_nonnull(strstr(account.err.text, "--max-memory"));
    free(account.links);
    network_free(&net);
}
END_TEST

// The clock overflows at the same message of a list as where they are served one by one.
START_TEST(the_message_that_overflows_is_named) {
    enum { RANKS = 12 };
    struct network net;
    struct job job;
    struct account heap, window;
    network_init(&net, RANKS, 1, RANKS);
    for (uint32_t e = 0; e < RANKS; e++) network_cable(&net, (uint32_t[]){e, 1, RANKS, e}, BYTE_A_TICK / 2, 3);
    network_finish(&net);
    exchange_at_once(&job, RANKS, INT64_MAX / RANKS);
    const struct sim_config config = network_config(0, STORE_AND_FORWARD, INJECT_FIFO);
    run(&net, &job, &config, &heap_engine, &heap);
    run(&net, &job, &config, &window_engine, &window);
    ck_assert(!heap.complete && !window.complete);
    ck_assert_str_eq(heap.err.text, window.err.text);
    free(heap.links);
    free(window.links);
    network_free(&net);
}
END_TEST

// Targets of one instant are numbered in 32 bits: a list that would go beyond has to be posted one by one.
START_TEST(an_instant_has_no_more_targets_than_can_be_numbered) {
    struct network net;
    struct message_target *targets;
    const struct message_batch batch = {.source = 0, .count = 8, .bytes = 8};
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    network_star(&net, 9, 1);
    struct sim *sim = sim_create(&net.graph, &(struct router){0}, &config, &(struct sim_client){0});
    sim->keeps_waiting = true; // as the window engine does
    ck_assert_ptr_nonnull(sim_post_many(sim, &batch, &targets));
    ck_assert_uint_eq(sim->target_count, batch.count);
    sim->target_count = UINT32_MAX - batch.count + 1;
    ck_assert_ptr_null(sim_post_many(sim, &batch, &targets));
    ck_assert_uint_eq(sim->post_count, 1);
    sim_free(sim);
    network_free(&net);
}
END_TEST

Suite *test_waiting_suite(void) {
    Suite *suite = suite_create("waiting");
    TCase *tests = tcase_create("waiting");
    tcase_add_loop_test(tests, as_the_heap_engine, 0, SEEDS);
    tcase_add_test(tests, what_waits_takes_little_memory);
    tcase_add_test(tests, the_message_that_overflows_is_named);
    tcase_add_test(tests, an_instant_has_no_more_targets_than_can_be_numbered);
    suite_add_tcase(suite, tests);
    return suite;
}
