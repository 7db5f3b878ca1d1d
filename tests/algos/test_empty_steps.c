// What an algorithm says of a rank's empty steps is what its steps are, and a communicator that passes over them does what
// one does that walks through all.
#include <check.h>
#include <string.h>

#include "base/random.h"
#include "engine/network.h"

enum { MOST_RANKS = 40, RUN_RANKS = 12, SIDE_BY_SIDE = 2 };

static bool is_empty(const struct algorithm *algorithm, const struct collective_args *args, const struct view *view, uint32_t machine,
                     uint64_t k) {
    static struct step step;
    step_clear(&step);
    algorithm->step(args, view, machine, k, &step);
    return step.count == 0;
}

/// Compares next_step with a search, for every rank and step; where not `exact`, it may be early.
static void search_all(const struct algorithm *algorithm, const struct collective_args *args, bool exact) {
    for (uint32_t machine = 0; machine < algorithm_machines(algorithm, args); machine++) {
        uint64_t steps = algorithm->steps(args, machine);
        for (uint32_t rank = 0; rank < args->size; rank++) {
            const struct view view = view_all(rank, args->size);
            uint64_t first = steps;
            for (uint64_t k = steps; k-- > 0;) {
                if (!is_empty(algorithm, args, &view, machine, k)) first = k;
                uint64_t next = algorithm->next_step(args, &view, machine, k);
                ck_assert_msg(next >= k && next <= first && (!exact || next == first),
                              "%s/%s, p = %u, root %u, pieces %u, group %u: rank %u is busy in step %llu of %llu from %llu on, not in %llu",
                              collective_names[algorithm->kind], algorithm->name, args->size, args->root, args->pieces, args->group_size,
                              rank, (unsigned long long)first, (unsigned long long)steps, (unsigned long long)k, (unsigned long long)next);
            }
        }
    }
}

START_TEST(next_step_is_found_by_search) {
    const struct algorithm *algorithm = algorithms[_i];
    if (!algorithm->next_step || algorithm->kind == ALL_REDUCE) return;
    const uint32_t pieces[] = {1, 2, 5, 60};
    for (uint32_t p = 1; p <= MOST_RANKS; p++)
        for (uint32_t root = 0; root < p; root += 1 + p / 5)
            for (size_t i = 0; i < (algorithm->options ? sizeof pieces / sizeof *pieces : 1); i++) {
                struct collective_args args = {.kind = algorithm->kind, .size = p, .bytes = 100, .root = root, .pieces = pieces[i]};
                search_all(algorithm, &args, true);
            }
}
END_TEST

/// Exact where the levels are: a ring has no empty step.
START_TEST(next_step_of_an_all_reduce) {
    const struct algorithm *tree = algorithm_find(ALL_REDUCE, "tree"), *ring = algorithm_find(ALL_REDUCE, "ring");
    const struct algorithm *hierarchical = algorithm_find(ALL_REDUCE, "hierarchical");
    for (uint32_t p = 1; p <= MOST_RANKS; p++) {
        struct collective_args args = {.kind = ALL_REDUCE, .size = p, .bytes = 100};
        search_all(tree, &args, true);
        for (uint32_t g = 1; g <= p; g++) {
            if (p % g) continue;
            args.group_size = g;
            for (int levels = 0; levels < 4; levels++) {
                args.inner = levels & 1 ? tree : ring, args.outer = levels & 2 ? tree : ring;
                search_all(hierarchical, &args, true);
            }
        }
    }
}
END_TEST

/// Whatever the levels are, hierarchical never says too late.
START_TEST(next_step_of_levels) {
    const struct algorithm *inner = algorithms[_i], *hierarchical = algorithm_find(ALL_REDUCE, "hierarchical");
    const uint32_t shapes[][2] = {{2, 3}, {3, 2}, {4, 4}, {5, 3}, {1, 6}, {6, 1}, {7, 5}};
    for (size_t o = 0; algorithms[o]; o++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            struct error err = {0};
            struct collective_args args = {.kind = ALL_REDUCE, .size = shapes[i][0] * shapes[i][1], .bytes = 77};
            args.group_size = shapes[i][0], args.inner = inner, args.outer = algorithms[o];
            if (inner->kind != ALL_REDUCE || algorithms[o]->kind != ALL_REDUCE || !hierarchical->accepts(&args, &err)) continue;
            search_all(hierarchical, &args, false);
        }
}
END_TEST

// ---- runs

/// Two collectives side by side on the same ranks; each rank computes for a while when it has ended one.
struct trial {
    struct network net;
    struct communicator *comm;
    struct ending {
        struct trial *trial;
        int64_t ended[RUN_RANKS], computed[RUN_RANKS];
    } endings[SIDE_BY_SIDE];
    uint64_t told; ///< steps
};

static void computed(void *context, uint32_t member, int64_t now) { ((struct ending *)context)->computed[member] = now; }

static void ended(void *context, uint32_t member, int64_t now) {
    struct ending *ending = context;
    ending->ended[member] = now;
    int64_t ticks = 3 + 4 * (ending - ending->trial->endings);
    communicator_compute(ending->trial->comm, member, ticks, (struct done_call){computed, ending}, member);
}

static void count_step(void *context, uint32_t collective, uint32_t member, uint32_t machine, uint64_t k, const struct step *step,
                       int64_t now) {
    (void)collective, (void)member, (void)machine, (void)k, (void)step, (void)now;
    ((struct trial *)context)->told++;
}

struct setting {
    const struct algorithm *algorithm;
    struct collective_args args;
    struct rank_costs costs;
    bool local, observed;
    uint64_t late; ///< seed of who starts late; 0: nobody does
};

static void run(struct trial *trial, const struct setting *setting, bool walks) {
    struct algorithm plain = *setting->algorithm;
    plain.next_step = NULL;
    *trial = (struct trial){0};
    network_star(&trial->net, RUN_RANKS, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    trial->comm = network_open(&trial->net, &config, &setting->costs);
    const struct rank_observer observer = {.context = trial, .step_started = count_step};
    if (setting->observed) communicator_observe(trial->comm, &observer);
    struct collective_request request = {.algorithm = walks ? &plain : setting->algorithm, .args = setting->args};
    uint32_t ids[SIDE_BY_SIDE];
    for (uint32_t i = 0; i < SIDE_BY_SIDE; i++) {
        trial->endings[i].trial = trial;
        request.done = (struct done_call){ended, &trial->endings[i]};
        request.order = 8 * (SIDE_BY_SIDE - i);
        request.args.root = (setting->args.root + 5 * i) % RUN_RANKS;
        ids[i] = communicator_open(trial->comm, &request);
    }
    struct random_stream random;
    random_seed(&random, setting->late);
    for (uint32_t i = 0; i < SIDE_BY_SIDE; i++)
        for (uint32_t rank = 0; rank < RUN_RANKS; rank++)
            communicator_start(trial->comm, ids[i], rank, setting->late ? (int64_t)random_below(&random, 3) * 20 : 0);
    communicator_set_local(trial->comm, setting->local);
    struct error err = {0};
    ck_assert_msg(communicator_run(trial->comm, &heap_engine, &err), "%s", err.text);
}

static void compare_runs(const struct setting *setting) {
    struct trial walked, skipped;
    run(&walked, setting, true);
    run(&skipped, setting, false);
    const struct digest one = communicator_digest(walked.comm), other = communicator_digest(skipped.comm);
    ck_assert(one.low == other.low && one.high == other.high);
    ck_assert_int_eq(communicator_end_ticks(walked.comm), communicator_end_ticks(skipped.comm));
    ck_assert_uint_eq(walked.told, skipped.told);
    for (uint32_t i = 0; i < SIDE_BY_SIDE; i++)
        for (uint32_t rank = 0; rank < RUN_RANKS; rank++) {
            ck_assert_int_eq(walked.endings[i].ended[rank], skipped.endings[i].ended[rank]);
            ck_assert_int_eq(walked.endings[i].computed[rank], skipped.endings[i].computed[rank]);
        }
    network_free(&walked.net);
    network_free(&skipped.net);
}

START_TEST(runs_are_the_same) {
    const struct rank_costs costs[] = {{0}, {3, 0, 0, 0}, {2, 7, 0, 0}, {0, 0, BYTE_A_TICK, 0}, {1, 1, 3 * BYTE_A_TICK, 0}};
    struct setting setting = {.algorithm = algorithms[_i]};
    if (!setting.algorithm->next_step) return;
    bool levels = strcmp(setting.algorithm->name, "hierarchical") == 0;
    for (size_t c = 0; c < sizeof costs / sizeof *costs; c++)
        for (uint32_t flags = 0; flags < 4; flags++)
            for (uint32_t variant = 0; variant < 12; variant++) {
                setting.args = (struct collective_args){.kind = setting.algorithm->kind, .size = RUN_RANKS};
                setting.args.bytes = variant % 3 ? 10 * variant : 0;
                setting.args.root = variant % RUN_RANKS;
                setting.args.pieces = 1 + variant % 4;
                setting.args.group_size = 3;
                if (levels) setting.args.inner = algorithm_find(ALL_REDUCE, "tree");
                setting.costs = costs[c];
                setting.local = flags & 1, setting.observed = flags & 2;
                setting.late = variant / 2;
                compare_runs(&setting);
            }
}
END_TEST

/// Rank 0 sends to rank 1 in step `pieces` of eight, and nothing else is done.
static uint64_t eight_steps(const struct collective_args *args, uint32_t machine) {
    (void)args, (void)machine;
    return 8;
}

static void send_late(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    if (k != args->pieces || view->rank > 1) return;
    if (view->rank == 0) step_send(out, view, 1, whole_vector(args->bytes));
    if (view->rank == 1) step_receive(out, view, 0, whole_vector(args->bytes), COMBINE_COPY);
}

static uint64_t sends_next(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k) {
    (void)machine;
    return k <= args->pieces && view->rank <= 1 ? args->pieces : 8;
}

static const struct algorithm delayed = {
    .kind = BROADCAST, .name = "delayed", .steps = eight_steps, .step = send_late, .next_step = sends_next};

// A rank's processor takes up what its two machines send in the order of steps, 3 ticks each, as if all steps were walked through:
// step 2 of the second collective before step 5 of the first.
START_TEST(turns_keep_their_order) {
    for (int local = 0; local <= 1; local++) {
        struct trial trial = {0};
        network_star(&trial.net, RUN_RANKS, 5);
        const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
        trial.comm = network_open(&trial.net, &config, &(struct rank_costs){.send_overhead_ticks = 3});
        for (uint32_t i = 0; i < SIDE_BY_SIDE; i++) {
            trial.endings[i].trial = &trial;
            const struct collective_request request = {.algorithm = &delayed,
                                                       .args = {.kind = BROADCAST, .size = 2, .bytes = 1, .pieces = i ? 2 : 5},
                                                       .order = i,
                                                       .done = {ended, &trial.endings[i]}};
            uint32_t id = communicator_open(trial.comm, &request);
            for (uint32_t rank = 0; rank < 2; rank++) communicator_start(trial.comm, id, rank, 0);
        }
        communicator_set_local(trial.comm, local);
        struct error err = {0};
        ck_assert(communicator_run(trial.comm, &heap_engine, &err));
        ck_assert_int_eq(trial.endings[1].ended[1], 3 + 1 + 10);
        ck_assert_int_eq(trial.endings[0].ended[1], 6 + 1 + 10);
        network_free(&trial.net);
    }
}
END_TEST

static uint64_t asked;

static void ask(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    asked++;
    algorithm_find(BROADCAST, "chain")->step(args, view, machine, k, out);
}

// A rank of a chain looks at its k + 1 busy steps and at one empty one before and after, not at all p - 2 + k.
START_TEST(empty_steps_are_passed_over) {
    enum { P = 300, PIECES = 4 };
    struct algorithm chain = *algorithm_find(BROADCAST, "chain");
    chain.step = ask;
    struct network net;
    network_star(&net, P, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct communicator *comm = network_open(&net, &config, NULL);
    const struct collective_request request = {.algorithm = &chain, .args = {.kind = BROADCAST, .size = P, .bytes = 40, .pieces = PIECES}};
    uint32_t id = communicator_open(comm, &request);
    for (uint32_t rank = 0; rank < P; rank++) communicator_start(comm, id, rank, 0);
    communicator_set_local(comm, true);
    struct error err = {0};
    asked = 0;
    ck_assert(communicator_run(comm, &heap_engine, &err));
    ck_assert_int_eq(communicator_end_ticks(comm), (P - 1) * (10 + 10) + (PIECES - 1) * 10);
    ck_assert_uint_le(asked, P * (PIECES + 3));
    network_free(&net);
}
END_TEST

static uint64_t idle_steps(const struct collective_args *args, uint32_t machine) {
    (void)args, (void)machine;
    return UINT64_C(1) << 20;
}

static void idle(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)args, (void)view, (void)machine, (void)k, (void)out;
    asked++;
}

static bool no_further(void *context, int64_t now, uint64_t chunk_hops) {
    (void)context, (void)now, (void)chunk_hops;
    return false;
}

// Who interrupts a long way of empty steps need not wait for other ranks to go it.
START_TEST(empty_steps_are_interrupted) {
    const struct algorithm idling = {.kind = BARRIER, .name = "idle", .steps = idle_steps, .step = idle};
    const struct engine_type *engine = _i ? &window_engine : &heap_engine;
    struct network net;
    network_star(&net, RUN_RANKS, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    struct communicator *comm = network_open(&net, &config, NULL);
    communicator_on_progress(comm, no_further, NULL);
    const struct collective_request request = {.algorithm = &idling, .args = {.kind = BARRIER, .size = RUN_RANKS}};
    uint32_t id = communicator_open(comm, &request);
    for (uint32_t rank = 0; rank < RUN_RANKS; rank++) communicator_start(comm, id, rank, 0);
    communicator_set_local(comm, true);
    struct error err = {0};
    asked = 0;
    ck_assert(!communicator_run(comm, engine, &err));
    ck_assert(sim_interrupted(communicator_sim(comm)));
    ck_assert_uint_le(asked, UINT64_C(1) << 20);
    network_free(&net);
}
END_TEST

Suite *test_empty_steps_suite(void) {
    Suite *suite = suite_create("empty_steps");
    TCase *each = tcase_create("each");
    int count = 0;
    while (algorithms[count]) count++;
    tcase_set_timeout(each, 60);
    tcase_add_loop_test(each, next_step_is_found_by_search, 0, count);
    tcase_add_test(each, next_step_of_an_all_reduce);
    tcase_add_loop_test(each, next_step_of_levels, 0, count);
    tcase_add_loop_test(each, runs_are_the_same, 0, count);
    tcase_add_test(each, turns_keep_their_order);
    tcase_add_loop_test(each, empty_steps_are_interrupted, 0, 2);
    tcase_add_test(each, empty_steps_are_passed_over);
    suite_add_tcase(suite, each);
    return suite;
}
