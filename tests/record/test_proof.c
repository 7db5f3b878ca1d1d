// The proof of collectives that run on a simulated network, ranks going on freely or step by step, some of them late.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "record/proof.h"
#include "topo/shapes.h"

enum { MOST_RANKS = 12, TOGETHER = 3 };

/// Several collectives of one algorithm at the same time, each rank starting each when it likes.
struct trial {
    const struct algorithm *algorithm;
    struct collective_args args;
    bool step_sync;
};

static void count_down(void *context, uint32_t member, int64_t now) {
    (void)member, (void)now;
    --*(uint32_t *)context;
}

static bool run(const struct trial *trial, struct error *err) {
    char line[80];
    uint32_t place[MOST_RANKS], ids[TOGETHER], left = TOGETHER * trial->args.size;
    snprintf(line, sizeof line, "switch endpoints=%d link=1000000000/1000", MOST_RANKS);
    struct topology *topology = shape_build(line);
    for (uint32_t r = 0; r < MOST_RANKS; r++) place[r] = (r * 5 + 2) % MOST_RANKS;
    const struct sim_config config = {.ticks_per_s = 1000000000000, .chunk_bytes = 8};
    const struct rank_costs costs = {.send_overhead_ticks = 3};
    struct communicator *comm = communicator_create(&topology->graph, &topology->router, &config, place, MOST_RANKS, &costs);
    struct proof *proof = proof_create(false);
    const struct rank_observer observer = proof_observer(proof);
    communicator_observe(comm, &observer);
    struct random_stream random;
    random_seed(&random, 7);
    for (uint32_t i = 0; i < TOGETHER; i++) {
        ids[i] = communicator_open(comm, &(struct collective_request){.algorithm = trial->algorithm,
                                                                      .args = trial->args,
                                                                      .order = i * algorithm_machines(trial->algorithm, &trial->args),
                                                                      .step_sync = trial->step_sync,
                                                                      .done = {count_down, &left}});
        for (uint32_t r = 0; r < trial->args.size; r++) communicator_start(comm, ids[i], r, (int64_t)random_below(&random, 100000));
    }
    bool good = communicator_run(comm, &heap_engine, err);
    if (good) ck_assert_uint_eq(left, 0);
    for (uint32_t i = 0; good && i < TOGETHER; i++) communicator_close(comm, ids[i]);
    good = good && proof_finish(proof, err);
    communicator_free(comm);
    proof_free(proof);
    shape_free(topology);
    return good;
}

static struct collective_args willing(const struct algorithm *algorithm, uint32_t p, int64_t bytes) {
    struct collective_args args = {.kind = algorithm->kind, .size = p, .bytes = bytes, .to = p - 1, .pieces = 3};
    args.group_size = p % 2 == 0 ? p / 2 : p;
    args.dim_count = 2, args.dims[0] = p / args.group_size, args.dims[1] = args.group_size;
    return args;
}

START_TEST(every_algorithm_on_a_switch) {
    int64_t matrix[MOST_RANKS * MOST_RANKS];
    for (int i = 0; i < MOST_RANKS * MOST_RANKS; i++) matrix[i] = i % 7 * 3;
    for (size_t i = 0; algorithms[i]; i++) {
        if (algorithms[i]->in_network) continue;
        for (uint32_t p = 1; p <= MOST_RANKS; p++) {
            struct error err = {0};
            struct trial trial = {algorithms[i], willing(algorithms[i], p, (p * 37) % 101), p % 2};
            trial.args.matrix = strcmp(algorithms[i]->name, "matrix") == 0 ? matrix : NULL;
            if (algorithms[i]->accepts && !algorithms[i]->accepts(&trial.args, &err)) continue;
            ck_assert_msg(run(&trial, &err), "%s/%s, p = %u: %s", collective_names[algorithms[i]->kind], algorithms[i]->name, p, err.text);
        }
    }
}
END_TEST

/// The ring, but rank 2 replaces where it should add.
static void forgetful_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    algorithm_find(ALL_REDUCE, "ring")->step(args, view, machine, k, out);
    for (size_t i = 0; view->rank == 2 && i < out->count; i++) out->operations[i].combine = COMBINE_COPY;
}

START_TEST(a_fault_on_the_network) {
    struct algorithm forgetful = *algorithm_find(ALL_REDUCE, "ring");
    forgetful.step = forgetful_step;
    struct trial trial = {&forgetful, {.kind = ALL_REDUCE, .size = 4, .bytes = 40}, false};
    struct error err = {0};
    ck_assert(!run(&trial, &err));
    ck_assert_int_eq(err.kind, ERROR_INTERNAL);
    ck_assert_str_eq(err.text, "all-reduce: rank 0 ends with block 0 (bytes 0 to 9) lacking a lost contribution: that of rank 2");
}
END_TEST

/// Rank 0 sends one message that nobody awaits; the collective itself is sound.
static void wasteful_step(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    algorithm_find(ALL_REDUCE, "ring")->step(args, view, machine, k, out);
    if (view->rank != 0 || k != 0) return;
    step_send(out, view, 3, whole_vector(args->bytes));
    step_last(out)->piece = 9;
}

START_TEST(a_message_nobody_receives) {
    struct algorithm wasteful = *algorithm_find(ALL_REDUCE, "ring");
    wasteful.step = wasteful_step;
    struct trial trial = {&wasteful, {.kind = ALL_REDUCE, .size = 4, .bytes = 40}, true};
    struct error err = {0};
    ck_assert(!run(&trial, &err));
    ck_assert_str_eq(err.text, "a collective ended with messages that no rank received: 1");
}
END_TEST

Suite *test_proof_suite(void) {
    Suite *suite = suite_create("proof");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, every_algorithm_on_a_switch);
    tcase_add_test(all, a_fault_on_the_network);
    tcase_add_test(all, a_message_nobody_receives);
    suite_add_tcase(suite, all);
    return suite;
}
