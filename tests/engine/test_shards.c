// Several simulations of one network against one of the whole: every delivery and every link, on random networks.
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/network.h"
#include "engine/shards.h"

enum { MESSAGES = 300, SHARDS_MOST = 7 };

/// In the order of time.
struct script {
    uint32_t source, destination;
    int64_t bytes, at_ticks;
};

/// One simulation: the whole, or a shard, of which the script's sources are those of its part.
struct run {
    struct sim *sim;
    const struct script *script;
    uint32_t count;           ///< of messages in it
    bool streams;             ///< a timer for each source, which goes from message to message; else one for each message
    uint32_t *last;           ///< of streams: per source the message posted last, or UINT32_MAX
    int64_t *delivered_ticks; ///< per message of the script; shared
    uint32_t most_id;
    const struct engine_type *engine;
    pthread_t thread;
    struct error err;
    bool ran;
};

static void delivered(void *context, const struct message *message, int64_t now) {
    struct run *run = context;
    uint32_t id = sim_message_id(run->sim, message);
    if (id > run->most_id) run->most_id = id;
    run->delivered_ticks[message->user[0]] = now;
}

static void post_one(struct run *run, uint32_t index, int64_t now) {
    const struct script *script = &run->script[index];
    ck_assert_int_eq(now, script->at_ticks);
    sim_post(run->sim, script->source, script->destination, script->bytes, 0, index)->user[0] = index;
}

/// `cookie`: the message, or of a stream its first.
static int64_t post(void *context, uint32_t cookie, int64_t now) {
    struct run *run = context;
    const struct script *script = run->script;
    if (!run->streams) {
        post_one(run, cookie, now);
        return NOT_AGAIN;
    }
    uint32_t source = script[cookie].source, index = run->last[source] == UINT32_MAX ? cookie : run->last[source] + 1;
    while (script[index].source != source) index++;
    post_one(run, index, now);
    run->last[source] = index++;
    while (index < run->count && script[index].source != source) index++;
    return index < run->count ? script[index].at_ticks : NOT_AGAIN;
}

static uint32_t below(struct random_stream *random, uint32_t most) { return (uint32_t)random_below(random, most); }

/// A ring with chords; latencies of 1 to 40 ticks, 1 to 3 bytes a tick.
static void draw_network(struct random_stream *random, struct network *net) {
    uint32_t nodes = 2 + below(random, 12), ports[16];
    network_init(net, nodes, 0, 0);
    for (uint32_t v = 0; v < nodes; v++) ports[v] = 1;
    for (uint32_t i = 0; i < nodes + below(random, 8); i++) {
        uint32_t u = i < nodes ? i : below(random, nodes), v = i < nodes ? (i + 1) % nodes : below(random, nodes);
        if (u == v) continue;
        network_cable(net, (uint32_t[]){u, ports[u]++, v, ports[v]++}, (1 + below(random, 3)) * BYTE_A_TICK, 1 + below(random, 40));
    }
    network_finish(net);
}

static int by_time(const void *left, const void *right) {
    const struct script *a = left, *b = right;
    return a->at_ticks < b->at_ticks ? -1 : a->at_ticks > b->at_ticks;
}

static void draw_script(struct random_stream *random, uint32_t endpoints, struct script *script) {
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t source = below(random, endpoints);
        script[i] =
            (struct script){source, (source + 1 + below(random, endpoints - 1)) % endpoints, below(random, 300), below(random, 900)};
    }
    qsort(script, MESSAGES, sizeof *script, by_time);
}

static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)selector;
    const struct network *net = state;
    return net->next[node * net->graph.endpoints + destination];
}

static void open_run(struct run *run, const struct network *net, const struct sim_config *config) {
    const struct router router = {.state = net, .next_link = next_link, .period = 1};
    const struct sim_client client = {.context = run, .local = true, .delivered = delivered, .timer = post};
    run->sim = sim_create(&net->graph, &router, config, &client);
}

static void *run_shard(void *context) {
    struct run *run = context;
    run->ran = sim_run(run->sim, run->engine, &run->err);
    return NULL;
}

/// Sets the timers of those messages of the script whose sources are of part `s`.
static void set_timers(struct run *run, const struct shards *shards, uint32_t s, uint32_t endpoints) {
    run->last = allocate(endpoints * sizeof *run->last);
    memset(run->last, 0xff, endpoints * sizeof *run->last);
    uint8_t *begun = allocate_zeroed(endpoints, 1);
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t source = run->script[i].source;
        if (shards_of_node(shards, source) != s || (run->streams && begun[source])) continue;
        sim_timer(run->sim, source, run->script[i].at_ticks, i);
        begun[source] = 1;
    }
    free(begun);
}

/// Runs a script of `count` messages in several shards; the caller frees their simulations, then the shards.
static struct shards *run_shards(struct run *runs, uint32_t wanted, const struct network *net, const struct sim_config *config,
                                 const struct script *script, uint32_t count, uint64_t least_hops) {
    struct shards *shards = shards_create(&net->graph, wanted, least_hops);
    ck_assert_ptr_nonnull(shards);
    for (uint32_t s = 0; s < shards_count(shards); s++) {
        runs[s].script = script, runs[s].count = count;
        runs[s].streams = wanted % 2 == 0;
        runs[s].engine = &window_engine;
        open_run(&runs[s], net, config);
        shards_join(shards, s, runs[s].sim);
        set_timers(&runs[s], shards, s, net->graph.endpoints);
    }
    for (uint32_t s = 0; s < shards_count(shards); s++) ck_assert_int_eq(pthread_create(&runs[s].thread, NULL, run_shard, &runs[s]), 0);
    for (uint32_t s = 0; s < shards_count(shards); s++) pthread_join(runs[s].thread, NULL);
    return shards;
}

static void free_shards(struct run *runs, struct shards *shards) {
    for (uint32_t s = 0; s < shards_count(shards); s++) {
        sim_free(runs[s].sim);
        free(runs[s].last);
    }
    shards_free(shards);
}

static void same_links(const struct network *net, const struct sim *alone, const struct shards *shards) {
    for (uint32_t l = 0; l < net->graph.link_count; l++) {
        struct link_totals a = sim_link_totals(alone, l), b = shards_link_totals(shards, l);
        ck_assert_uint_eq(a.bytes, b.bytes);
        ck_assert_uint_eq(a.chunks, b.chunks);
        ck_assert_int_eq(a.busy_ticks, b.busy_ticks);
        ck_assert_int_eq(a.peak_queue_bytes, b.peak_queue_bytes);
    }
}

START_TEST(as_one_simulation) {
    struct random_stream random;
    struct network net;
    struct script script[MESSAGES];
    int64_t once[MESSAGES], again[MESSAGES];
    random_seed(&random, (uint64_t)_i);
    draw_network(&random, &net);
    draw_script(&random, net.graph.endpoints, script);
    struct sim_config config = network_config(below(&random, 3) * 20, _i % 2 ? CUT_THROUGH : STORE_AND_FORWARD, INJECT_FIFO);
    if (_i % 5 == 0) config.until_ticks = 700;
    struct run alone = {.script = script, .delivered_ticks = once, .engine = &heap_engine};
    open_run(&alone, &net, &config);
    for (uint32_t i = 0; i < MESSAGES; i++) sim_timer(alone.sim, script[i].source, script[i].at_ticks, i), once[i] = -1;
    run_shard(&alone);
    for (uint32_t wanted = 2; wanted <= SHARDS_MOST; wanted++) {
        struct run runs[SHARDS_MOST];
        memset(runs, 0, sizeof runs);
        for (uint32_t s = 0; s < SHARDS_MOST; s++) runs[s].delivered_ticks = again;
        for (uint32_t i = 0; i < MESSAGES; i++) again[i] = -1;
        struct shards *shards = run_shards(runs, wanted, &net, &config, script, MESSAGES, 0);
        for (uint32_t s = 0; s < shards_count(shards); s++) {
            ck_assert_int_eq(runs[s].ran, alone.ran);
            ck_assert_str_eq(runs[s].err.text, alone.err.text);
        }
        for (uint32_t i = 0; i < MESSAGES; i++) ck_assert_int_eq(once[i], again[i]);
        same_links(&net, alone.sim, shards);
        ck_assert_uint_eq(sim_totals(alone.sim).messages, shards_totals(shards).messages);
        ck_assert_uint_eq(sim_totals(alone.sim).chunk_hops, shards_totals(shards).chunk_hops);
        ck_assert_int_eq(sim_totals(alone.sim).end_ticks, shards_totals(shards).end_ticks);
        free_shards(runs, shards);
    }
    sim_free(alone.sim);
    network_free(&net);
}
END_TEST

// All traffic goes one way: the ids that the receiving shard frees come back to the one that posts.
START_TEST(ids_come_back) {
    enum { COUNT = 200000 };
    struct network net;
    network_equal_line(&net, 1, 10);
    struct script *script = allocate(COUNT * sizeof *script);
    int64_t *times = allocate(COUNT * sizeof *times);
    for (uint32_t i = 0; i < COUNT; i++) script[i] = (struct script){0, 1, 1, i};
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct run runs[2] = {{.delivered_ticks = times}, {.delivered_ticks = times}};
    struct shards *shards = run_shards(runs, 2, &net, &config, script, COUNT, 0);
    for (uint32_t i = 0; i < COUNT; i++) ck_assert_int_eq(times[i], i + 1 + 10);
    ck_assert_uint_lt(runs[1].most_id, COUNT / 4);
    free_shards(runs, shards);
    free(script);
    free(times);
    network_free(&net);
}
END_TEST

// Limits count what all shards do.
START_TEST(limits_are_of_all) {
    struct network net;
    struct script script[MESSAGES];
    int64_t times[MESSAGES];
    network_equal_line(&net, 3, 5);
    for (uint32_t i = 0; i < MESSAGES; i++) script[i] = (struct script){i % 2 ? 3 : 0, i % 2 ? 0 : 3, 1, 50 * i};
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    config.max_events = 600;
    struct run runs[4];
    memset(runs, 0, sizeof runs);
    for (uint32_t s = 0; s < 4; s++) runs[s].delivered_ticks = times;
    struct shards *shards = run_shards(runs, 4, &net, &config, script, MESSAGES, 0);
    for (uint32_t s = 0; s < 4; s++) {
        ck_assert(!runs[s].ran);
        ck_assert_int_eq(runs[s].err.kind, ERROR_LIMIT);
        ck_assert_str_eq(runs[s].err.text, "stopped after 600 chunk-hops (--max-events)");
    }
    ck_assert_uint_eq(shards_totals(shards).chunk_hops, 600);
    free_shards(runs, shards);
    network_free(&net);
}
END_TEST

// One message every 50 ticks, windows of 5 ticks: no shard has ten chunks a window.
START_TEST(too_little_to_meet_for) {
    struct network net;
    struct script script[MESSAGES];
    int64_t times[MESSAGES];
    network_equal_line(&net, 3, 5);
    for (uint32_t i = 0; i < MESSAGES; i++) script[i] = (struct script){i % 2 ? 3 : 0, i % 2 ? 0 : 3, 1, 50 * i};
    struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    for (uint64_t least = 0; least <= 10; least += 10) {
        struct run runs[4];
        memset(runs, 0, sizeof runs);
        for (uint32_t s = 0; s < 4; s++) runs[s].delivered_ticks = times;
        struct shards *shards = run_shards(runs, 4, &net, &config, script, MESSAGES, least);
        ck_assert_int_eq(shards_gave_up(shards), least > 0);
        for (uint32_t s = 0; s < 4; s++) ck_assert_int_eq(runs[s].ran, least == 0);
        free_shards(runs, shards);
    }
    network_free(&net);
}
END_TEST

Suite *test_shards_suite(void);
Suite *test_shards_suite(void) {
    Suite *suite = suite_create("shards");
    TCase *tests = tcase_create("shards");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, as_one_simulation, 0, 60);
    tcase_add_test(tests, ids_come_back);
    tcase_add_test(tests, limits_are_of_all);
    tcase_add_test(tests, too_little_to_meet_for);
    suite_add_tcase(suite, tests);
    return suite;
}
