// Messages that are posted by themselves while the window engine visits their node, against the heap engine: deliveries, links, services.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/network.h"

enum { NODES = 5, MOST_SIZES = 5000 };

struct post {
    uint32_t from, to;
    int64_t bytes, at_ticks;
};

/// What came of all posts.
struct outcome {
    int64_t *delivered; ///< per post
    uint64_t services;  ///< a sum over all that the observer saw
    uint64_t count;
    struct link_totals links[2 * NODES];
};

struct poster {
    struct communicator *comm;
    const struct post *posts;
    struct outcome *outcome;
};

static void delivered(void *context, uint32_t post, int64_t now) { ((struct poster *)context)->outcome->delivered[post] = now; }

static void post(void *context, uint32_t index, int64_t now) {
    (void)now;
    const struct poster *poster = context;
    const struct post *p = &poster->posts[index];
    uint32_t minor = UINT32_MAX - index; // those of one instant in reverse
    communicator_send(poster->comm, p->from, p->to, p->bytes, 0, minor, (struct done_call){delivered, context}, index);
}

static void see_service(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    (void)message; // an engine's own number
    struct outcome *outcome = context;
    outcome->services += mix64(mix64(mix64(mix64((uint64_t)link + (uint64_t)joined) + (uint64_t)start) + (uint64_t)end) + (uint64_t)bytes);
    outcome->count++;
}

static bool run(struct network *net, const struct sim_config *config, const struct post *posts, uint32_t count,
                const struct engine_type *engine, struct outcome *outcome, struct error *err) {
    const struct sim_observer observer = {.context = outcome, .service = see_service};
    *outcome = (struct outcome){.delivered = allocate(count * sizeof *outcome->delivered)};
    memset(outcome->delivered, 0xff, count * sizeof *outcome->delivered);
    struct poster poster = {network_open(net, config, NULL), posts, outcome};
    if (posts[0].bytes % 2) sim_observe(communicator_sim(poster.comm), &observer);
    communicator_set_local(poster.comm, true);
    for (uint32_t i = 0; i < count; i++)
        communicator_timer(poster.comm, posts[i].from, posts[i].at_ticks, (struct done_call){post, &poster}, i);
    bool ok = communicator_run(poster.comm, engine, err);
    for (uint32_t l = 0; l < net->graph.link_count; l++) outcome->links[l] = sim_link_totals(communicator_sim(poster.comm), l);
    return ok;
}

/// A star, or a line, whose endpoints send on what others posted; links of two rates and latencies.
static void draw_network(struct random_stream *random, struct network *net) {
    bool line = random_below(random, 2);
    network_init(net, line ? NODES : NODES - 1, !line, NODES - 1);
    for (uint32_t e = 0; e < NODES - 1; e++) {
        const uint32_t ends[4] = {e, line ? 2 : 1, line ? e + 1 : NODES - 1, line ? 1 : e};
        network_cable(net, ends, (1 + (int64_t)random_below(random, 2)) * BYTE_A_TICK, 3 + (int64_t)random_below(random, 2) * 9);
    }
    network_finish(net);
}

static void check_equal(const struct outcome *a, const struct outcome *b, uint32_t count) {
    ck_assert_mem_eq(a->delivered, b->delivered, count * sizeof *a->delivered);
    ck_assert_uint_eq(a->services, b->services);
    ck_assert_uint_eq(a->count, b->count);
    for (int l = 0; l < 2 * NODES; l++) {
        ck_assert_uint_eq(a->links[l].bytes, b->links[l].bytes);
        ck_assert_uint_eq(a->links[l].chunks, b->links[l].chunks);
        ck_assert_int_eq(a->links[l].busy_ticks, b->links[l].busy_ticks);
        ck_assert_int_eq(a->links[l].peak_queue_bytes, b->links[l].peak_queue_bytes);
    }
}

static void compare(struct network *net, const struct sim_config *config, const struct post *posts, uint32_t count) {
    struct outcome outcomes[2];
    for (int e = 0; e < 2; e++) {
        struct error err = {0};
        ck_assert_msg(run(net, config, posts, count, e ? &window_engine : &heap_engine, &outcomes[e], &err), "%s", err.text);
    }
    check_equal(&outcomes[0], &outcomes[1], count);
    free(outcomes[0].delivered);
    free(outcomes[1].delivered);
}

static void draw_post(struct random_stream *random, struct post *post, uint32_t endpoints, uint32_t sizes, uint32_t span) {
    uint32_t from = (uint32_t)random_below(random, endpoints);
    *post = (struct post){from, (from + 1 + (uint32_t)random_below(random, endpoints - 1)) % endpoints,
                          (int64_t)random_below(random, sizes), (int64_t)random_below(random, span)};
}

// _i is the seed: few sizes or some, messages of one chunk or of up to three, links that are busy or mostly not.
START_TEST(as_the_heap_engine) {
    enum { POSTS = 400 };
    struct random_stream random;
    struct network net;
    struct post posts[POSTS];
    random_seed(&random, (uint64_t)_i);
    draw_network(&random, &net);
    uint32_t sizes = _i % 3 ? 40 : 3, span = POSTS * (_i % 4 ? 20 : 1);
    const struct sim_config config =
        network_config(_i % 5 ? 0 : 15, random_below(&random, 2) ? CUT_THROUGH : STORE_AND_FORWARD, INJECT_FIFO);
    for (int i = 0; i < POSTS; i++) draw_post(&random, &posts[i], net.graph.endpoints, sizes, span);
    compare(&net, &config, posts, POSTS);
    network_free(&net);
}
END_TEST

// More sizes than the table of them holds.
START_TEST(of_many_sizes) {
    struct random_stream random;
    struct network net;
    struct post *posts = allocate(MOST_SIZES * sizeof *posts);
    random_seed(&random, 5);
    network_star(&net, NODES - 1, 3);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    for (uint32_t i = 0; i < MOST_SIZES; i++) {
        draw_post(&random, &posts[i], NODES - 1, 1, 1000);
        posts[i].bytes = i * 7919 % MOST_SIZES;
        posts[i].at_ticks += 1000 * i;
    }
    compare(&net, &config, posts, MOST_SIZES);
    free(posts);
    network_free(&net);
}
END_TEST

// The second finds its link busy until so late that its last byte would come after the end of time.
START_TEST(beyond_the_end_of_time) {
    struct network net;
    network_equal_line(&net, 1, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    const int64_t late = INT64_MAX - 1 - 5 - 50;
    for (int64_t bytes = 40; bytes <= 41; bytes++) {
        const struct post posts[] = {{0, 1, 10, late}, {0, 1, bytes, late + 3}};
        struct error errs[2] = {{0}, {0}};
        for (int e = 0; e < 2; e++) {
            struct outcome outcome;
            ck_assert_int_eq(run(&net, &config, posts, 2, e ? &window_engine : &heap_engine, &outcome, &errs[e]), bytes == 40);
            ck_assert_int_eq(outcome.delivered[1], bytes == 40 ? INT64_MAX - 1 : -1);
            free(outcome.delivered);
        }
        ck_assert_str_eq(errs[0].text, errs[1].text);
        if (bytes > 40) ck_assert_ptr_nonnull(strstr(errs[1].text, "a chunk of the message of 41 bytes"));
    }
    network_free(&net);
}
END_TEST

Suite *test_posts_suite(void);
Suite *test_posts_suite(void) {
    Suite *suite = suite_create("posts");
    TCase *tests = tcase_create("posts");
    tcase_add_loop_test(tests, as_the_heap_engine, 0, 60);
    tcase_add_test(tests, of_many_sizes);
    tcase_add_test(tests, beyond_the_end_of_time);
    suite_add_tcase(suite, tests);
    return suite;
}
