// The peak of a link's queue is that of a plain list of what waits, however its chunks follow each other: all of one size or not, one by
// one or together, each when it can or with a tail that comes late.
#include <check.h>
#include <stdlib.h>

#include "base/random.h"
#include "engine/network.h"
#include "engine/service.h"

enum { CALLS = 150, MOST_TOGETHER = 70000 };

struct joined {
    int64_t *starts, *bytes;
    size_t count;
};

struct trial {
    struct network net;
    struct sim *sim;
    struct random_stream random;
    struct joined joined;
    int64_t peak;
};

static int64_t below(struct trial *trial, int64_t limit) { return (int64_t)random_below(&trial->random, (uint64_t)limit); }

static void note(struct trial *trial, int64_t start, int64_t ticks, int64_t bytes, size_t chunks) {
    struct joined *joined = &trial->joined;
    joined->starts = realloc(joined->starts, (joined->count + chunks) * sizeof *joined->starts);
    joined->bytes = realloc(joined->bytes, (joined->count + chunks) * sizeof *joined->bytes);
    for (size_t i = 0; i < chunks; i++) {
        joined->starts[joined->count] = start + (int64_t)i * ticks;
        joined->bytes[joined->count++] = bytes;
    }
}

static void check_peak(struct trial *trial) {
    int64_t waiting = 0;
    for (size_t i = 0; i < trial->joined.count; i++) waiting += trial->joined.starts[i] > trial->sim->now ? trial->joined.bytes[i] : 0;
    if (waiting > trial->peak) trial->peak = waiting;
    ck_assert_int_eq(sim_link_totals(trial->sim, 0).peak_queue_bytes, trial->peak);
}

/// A byte takes a tick.
static void join_one(struct trial *trial, int64_t bytes, int64_t late) {
    struct sim *sim = trial->sim;
    const struct chunk chunk = {.tail = sim->now + late, .size_class = sim_size_class(sim, bytes) & 0xfff};
    const struct service_kind kind = service_kind_of(sim, &sim->links[0], &chunk);
    ck_assert_int_ne(reserve_service(sim, 0, &chunk, sim->now, &kind).tail, NEVER_DEPARTS);
    note(trial, sim->links[0].free_at - bytes, bytes, bytes, 1);
}

static void join_many(struct trial *trial, int64_t bytes, size_t chunks) {
    struct sim *sim = trial->sim;
    const int64_t free_at = sim->links[0].free_at, start = free_at > sim->now ? free_at : sim->now;
    sim_reserve(sim, 0, sim_size_class(sim, bytes), &(struct waiting_run){start, bytes, bytes, chunks});
    note(trial, start, bytes, bytes, chunks);
}

static void begin(struct trial *trial, uint64_t seed) {
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    *trial = (struct trial){0};
    network_equal_line(&trial->net, 1, 1);
    trial->sim = sim_create(&trial->net.graph, &(struct router){0}, &config, &(struct sim_client){0});
    random_seed(&trial->random, seed);
}

static void end(struct trial *trial) {
    sim_free(trial->sim);
    network_free(&trial->net);
    free(trial->joined.starts);
    free(trial->joined.bytes);
}

/// _i: what there is besides single chunks of one size.
START_TEST(as_a_plain_list) {
    const bool sizes = _i & 1, together = _i & 2, late = _i & 4;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct trial trial;
        begin(&trial, seed);
        for (int i = 0; i < CALLS; i++) {
            const int64_t bytes = sizes && below(&trial, 4) == 0 ? below(&trial, 30) : 20;
            if (below(&trial, 3) > 0) trial.sim->now += below(&trial, 2 * bytes + 1);
            if (together && below(&trial, 5) == 0)
                join_many(&trial, bytes, 1 + (size_t)below(&trial, 6));
            else
                join_one(&trial, bytes, late && below(&trial, 5) == 0 ? below(&trial, 3 * bytes + 1) : 0);
            check_peak(&trial);
        }
        ck_assert_int_gt(trial.peak, 0);
        if (_i == 0) ck_assert(!trial.sim->links[0].uneven);
        end(&trial);
    }
}
END_TEST

// More than an even queue counts, at once or bit by bit.
START_TEST(very_long) {
    struct trial trial;
    begin(&trial, 1);
    join_many(&trial, 3, _i ? MOST_TOGETHER : UINT16_MAX);
    check_peak(&trial);
    ck_assert_int_eq(trial.sim->links[0].uneven, _i);
    for (int i = 0; i < CALLS; i++) {
        trial.sim->now += below(&trial, 5);
        join_one(&trial, 3, 0);
        check_peak(&trial);
    }
    ck_assert_int_ge(trial.peak, 3 * UINT16_MAX);
    end(&trial);
}
END_TEST

Suite *test_queueing_suite(void);
Suite *test_queueing_suite(void) {
    Suite *suite = suite_create("queueing");
    TCase *tests = tcase_create("queueing");
    tcase_add_loop_test(tests, as_a_plain_list, 0, 8);
    tcase_add_loop_test(tests, very_long, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
