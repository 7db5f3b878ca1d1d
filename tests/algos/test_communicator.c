// The communicator on a switch of latency 5 at a byte a tick: n bytes from rank to rank take n + 10 ticks.
#include <check.h>
#include <stdio.h>

#include "base/units.h"
#include "engine/network.h"

enum { RANKS = 4, L = 10 };

/// In each step every rank sends all bytes to the next and adds what comes from the one before.
static uint64_t two_steps(const struct collective_args *args, uint32_t machine) {
    (void)args, (void)machine;
    return 2;
}

static void pass_on(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine;
    step_phase(out, "passing", k, 2);
    step_send(out, view, (view->rank + 1) % view->size, whole_vector(args->bytes));
    step_receive(out, view, (view->rank + view->size - 1) % view->size, whole_vector(args->bytes), COMBINE_ADD);
}

static const struct algorithm passing = {.kind = ALL_REDUCE, .name = "passing", .steps = two_steps, .step = pass_on};

/// As passing, but rank 1 never sends, and rank 0 waits for 2 and 3 too.
static void pass_on_deaf(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine, (void)k;
    if (view->rank != 1) step_send(out, view, (view->rank + 1) % view->size, whole_vector(args->bytes));
    if (view->rank == 0)
        for (uint32_t from = 1; from < view->size; from++) step_receive(out, view, from, whole_vector(args->bytes), COMBINE_ADD);
    if (view->rank == 2) step_receive(out, view, 1, whole_vector(args->bytes), COMBINE_COPY);
}

static const struct algorithm deaf = {.kind = ALL_REDUCE, .name = "deaf", .steps = two_steps, .step = pass_on_deaf};

/// Rank 0 sends to all others, in order.
static uint64_t one_step(const struct collective_args *args, uint32_t machine) {
    (void)args, (void)machine;
    return 1;
}

static void send_all(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine, (void)k;
    for (uint32_t to = 1; view->rank == 0 && to < view->size; to++) step_send(out, view, to, whole_vector(args->bytes));
    if (view->rank > 0) step_receive(out, view, 0, whole_vector(args->bytes), COMBINE_COPY);
}

static const struct algorithm telling = {.kind = BROADCAST, .name = "telling", .steps = one_step, .step = send_all};

/// A rank sends to itself.
static void send_self(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine, (void)k;
    step_send(out, view, view->rank, whole_vector(args->bytes));
    step_receive(out, view, view->rank, whole_vector(args->bytes), COMBINE_COPY);
}

static const struct algorithm selfish = {.kind = ALL_TO_ALL, .name = "selfish", .steps = two_steps, .step = send_self};

/// Twice, each rank exchanges with its neighbour: 0 with 1, 2 with 3.
static void exchange(const struct collective_args *args, const struct view *view, uint32_t machine, uint64_t k, struct step *out) {
    (void)machine, (void)k;
    step_send(out, view, view->rank ^ 1, whole_vector(args->bytes));
    step_receive(out, view, view->rank ^ 1, whole_vector(args->bytes), COMBINE_ADD);
}

static const struct algorithm pairwise = {.kind = ALL_REDUCE, .name = "pairwise", .steps = two_steps, .step = exchange};

/// One collective on a new communicator, and when each member was done.
struct trial {
    struct network net;
    struct communicator *comm;
    struct collective_request request;
    uint32_t id;
    int64_t ends[RANKS];
    struct error err;
};

static void member_done(void *context, uint32_t member, int64_t now) { ((struct trial *)context)->ends[member] = now; }

static void trial_open(struct trial *trial, const struct algorithm *algorithm, uint32_t size, int64_t bytes,
                       const struct rank_costs *costs) {
    *trial = (struct trial){.request = {.algorithm = algorithm, .args = {.kind = algorithm->kind, .size = size, .bytes = bytes}}};
    network_star(&trial->net, RANKS, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    trial->comm = network_open(&trial->net, &config, costs);
    for (int i = 0; i < RANKS; i++) trial->ends[i] = -1;
}

static bool trial_run(struct trial *trial, const int64_t *delays) {
    trial->request.done = (struct done_call){member_done, trial};
    trial->id = communicator_open(trial->comm, &trial->request);
    for (uint32_t i = 0; i < trial->request.args.size; i++) communicator_start(trial->comm, trial->id, i, delays ? delays[i] : 0);
    return communicator_run(trial->comm, &heap_engine, &trial->err);
}

static void check_ends(struct trial *trial, const int64_t *ends, uint32_t count) {
    ck_assert_msg(trial->err.kind == ERROR_NONE, "%s", trial->err.text);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(trial->ends[i] == ends[i], "rank %u ends at %lld, not %lld", i, (long long)trial->ends[i], (long long)ends[i]);
    network_free(&trial->net);
}

START_TEST(steps_follow_each_other) {
    for (int sync = 0; sync <= 1; sync++) {
        struct trial trial;
        trial_open(&trial, &passing, 3, 20, NULL);
        trial.request.step_sync = sync;
        trial_run(&trial, NULL);
        check_ends(&trial, (int64_t[]){2 * (20 + L), 2 * (20 + L), 2 * (20 + L)}, 3);
    }
}
END_TEST

// Rank 1 comes at 100. What rank 0 sent it is there (early, by two steps), so it is done at once; its two messages leave one
// after the other and reach rank 2 at 120 and 130; rank 2 goes on at 120 and its second message is at rank 0 at 140.
START_TEST(a_late_rank_is_waited_for) {
    struct trial trial;
    trial_open(&trial, &passing, 3, 10, NULL);
    trial_run(&trial, (int64_t[]){0, 100, 0});
    check_ends(&trial, (int64_t[]){140, 100, 130}, 3);
}
END_TEST

// With step sync nobody begins the second step before 120, and all end when it has ended for all.
START_TEST(a_late_rank_holds_up_every_step) {
    struct trial trial;
    trial_open(&trial, &passing, 3, 10, NULL);
    trial.request.step_sync = true;
    trial_run(&trial, (int64_t[]){0, 100, 0});
    check_ends(&trial, (int64_t[]){140, 140, 140}, 3);
}
END_TEST

// A rank does not wait for its sends, unless sync is step.
START_TEST(the_root_does_not_wait) {
    for (int sync = 0; sync <= 1; sync++) {
        struct trial trial;
        trial_open(&trial, &telling, 4, 10, NULL);
        trial.request.step_sync = sync;
        trial_run(&trial, NULL);
        int64_t last = 30 + L;
        check_ends(&trial, sync ? (int64_t[]){last, last, last, last} : (int64_t[]){0, 10 + L, 20 + L, 30 + L}, 4);
    }
}
END_TEST

// Steps end, for all and for each, when they have for the ranks that run here.
START_TEST(only_hosted_ranks_run) {
    static const uint8_t hosted[RANKS] = {0, 0, 1, 1};
    for (int sync = 0; sync <= 1; sync++) {
        struct trial trial;
        trial_open(&trial, &pairwise, 4, 10, NULL);
        trial.request.step_sync = sync;
        trial.request.done = (struct done_call){member_done, &trial};
        communicator_set_hosted(trial.comm, hosted);
        ck_assert_uint_eq(communicator_hosted(trial.comm, (uint32_t[]){3, 0}, 2), 1);
        trial.id = communicator_open(trial.comm, &trial.request);
        for (uint32_t i = 0; i < RANKS; i++)
            if (communicator_hosts(trial.comm, i)) communicator_start(trial.comm, trial.id, i, 0);
        communicator_run(trial.comm, NULL, &trial.err);
        check_ends(&trial, (int64_t[]){-1, -1, 2 * (10 + L), 2 * (10 + L)}, 4);
    }
}
END_TEST

START_TEST(one_rank_is_done_at_once) {
    struct trial trial;
    trial_open(&trial, &telling, 1, 10, NULL);
    trial_run(&trial, NULL);
    ck_assert_uint_eq(sim_totals(communicator_sim(trial.comm)).messages, 0);
    check_ends(&trial, (int64_t[]){0}, 1);
}
END_TEST

// A message to oneself uses no link, takes no number and is not in the digest.
START_TEST(to_oneself) {
    struct trial trial;
    trial_open(&trial, &selfish, 2, 10, NULL);
    trial_run(&trial, (int64_t[]){0, 7});
    ck_assert_uint_eq(sim_totals(communicator_sim(trial.comm)).messages, 0);
    ck_assert_int_eq(communicator_bytes_sent(trial.comm)[0], 0);
    struct digest digest = communicator_digest(trial.comm);
    ck_assert(digest.low == 0 && digest.high == 0);
    ck_assert_int_eq(communicator_end_ticks(trial.comm), 7);
    check_ends(&trial, (int64_t[]){0, 7}, 2);
}
END_TEST

// send_overhead 3: the root posts at 3, 6 and 9 and is done then; the messages of 1 byte do not meet.
START_TEST(sends_cost_the_processor) {
    struct trial trial;
    trial_open(&trial, &telling, 4, 1, &(struct rank_costs){.send_overhead_ticks = 3});
    trial_run(&trial, NULL);
    check_ends(&trial, (int64_t[]){9, 3 + 1 + L, 6 + 1 + L, 9 + 1 + L}, 4);
}
END_TEST

START_TEST(launching_costs_the_processor) {
    struct trial trial;
    trial_open(&trial, &passing, 2, 10, &(struct rank_costs){.launch_overhead_ticks = 7});
    trial_run(&trial, NULL);
    check_ends(&trial, (int64_t[]){7 + 2 * (10 + L), 7 + 2 * (10 + L)}, 2);
}
END_TEST

// 10 bytes added at 2 bytes a tick: 5 ticks a step. What is copied costs nothing.
START_TEST(reductions_cost_the_processor) {
    struct trial trial;
    const struct rank_costs costs = {.reduce_bytes_per_s = 2 * BYTE_A_TICK};
    trial_open(&trial, &passing, 2, 10, &costs);
    trial_run(&trial, NULL);
    check_ends(&trial, (int64_t[]){2 * (10 + L + 5), 2 * (10 + L + 5)}, 2);
    trial_open(&trial, &telling, 2, 10, &costs);
    trial_run(&trial, NULL);
    check_ends(&trial, (int64_t[]){0, 10 + L}, 2);
}
END_TEST

// All of them: launched at 7, and in each step a send of 3, the message and 5 of adding.
START_TEST(costs_add_up) {
    struct trial trial;
    trial_open(&trial, &passing, 2, 10, &(struct rank_costs){3, 7, 2 * BYTE_A_TICK, 0});
    trial_run(&trial, NULL);
    int64_t end = 7 + 2 * (3 + 10 + L + 5);
    check_ends(&trial, (int64_t[]){end, end}, 2);
}
END_TEST

static void note(void *context, uint32_t cookie, int64_t now) { ((int64_t *)context)[cookie] = now; }

// A rank is one processor: what it is asked runs in order of request, beside other ranks'.
START_TEST(a_rank_is_one_processor) {
    struct trial trial;
    trial_open(&trial, &passing, 2, 10, NULL);
    int64_t done[4] = {0};
    communicator_compute(trial.comm, 0, 50, (struct done_call){note, done}, 0);
    communicator_compute(trial.comm, 0, 20, (struct done_call){note, done}, 1);
    communicator_compute(trial.comm, 1, 30, (struct done_call){note, done}, 2);
    communicator_timer(trial.comm, 1, 45, (struct done_call){note, done}, 3);
    ck_assert(communicator_run(trial.comm, &heap_engine, &trial.err));
    ck_assert_int_eq(done[0], 50);
    ck_assert_int_eq(done[1], 70);
    ck_assert_int_eq(done[2], 30);
    ck_assert_int_eq(done[3], 45);
    ck_assert_int_eq(communicator_end_ticks(trial.comm), 70);
    network_free(&trial.net);
}
END_TEST

// Two collectives side by side launch one after the other on each rank.
START_TEST(launches_queue_up) {
    struct trial trial;
    trial_open(&trial, &telling, 2, 0, &(struct rank_costs){.launch_overhead_ticks = 7});
    int64_t first[2] = {0}, second[2] = {0};
    trial.request.done = (struct done_call){note, first};
    uint32_t a = communicator_open(trial.comm, &trial.request);
    trial.request.done = (struct done_call){note, second};
    trial.request.order = 1;
    uint32_t b = communicator_open(trial.comm, &trial.request);
    for (uint32_t r = 0; r < 2; r++) communicator_start(trial.comm, a, r, 0);
    for (uint32_t r = 0; r < 2; r++) communicator_start(trial.comm, b, r, 0);
    ck_assert(communicator_run(trial.comm, &heap_engine, &trial.err));
    ck_assert_int_eq(first[0], 7);
    ck_assert_int_eq(first[1], 7 + L);
    ck_assert_int_eq(second[0], 14);
    ck_assert_int_eq(second[1], 14 + L);
    network_free(&trial.net);
}
END_TEST

// Members 0 and 1 of the group are ranks 3 and 1.
START_TEST(a_sub_group) {
    struct trial trial;
    trial_open(&trial, &telling, 2, 10, NULL);
    const uint32_t ranks[] = {3, 1};
    trial.request.ranks = ranks;
    trial_run(&trial, NULL);
    ck_assert_uint_eq(network_link_totals(&trial.net, 3, RANKS).bytes, 10);
    ck_assert_uint_eq(network_link_totals(&trial.net, RANKS, 1).bytes, 10);
    ck_assert_int_eq(communicator_bytes_sent(trial.comm)[3], 10);
    struct digest digest = communicator_digest(trial.comm), expected = {0};
    digest_add_at(&expected, digest_instant(10 + L), 1, 3, 10);
    ck_assert(digest.low == expected.low && digest.high == expected.high);
    check_ends(&trial, (int64_t[]){0, 10 + L}, 2);
}
END_TEST

// Collectives of one instant post in the order of their numbers, whichever was started first.
START_TEST(collectives_post_by_number) {
    struct trial trial;
    trial_open(&trial, &telling, 2, 10, NULL);
    int64_t late[2] = {0}, early[2] = {0};
    trial.request.done = (struct done_call){note, late};
    trial.request.order = 5;
    uint32_t a = communicator_open(trial.comm, &trial.request);
    trial.request.done = (struct done_call){note, early};
    trial.request.order = 4;
    uint32_t b = communicator_open(trial.comm, &trial.request);
    for (uint32_t r = 0; r < 2; r++) communicator_start(trial.comm, a, r, 0), communicator_start(trial.comm, b, r, 0);
    ck_assert(communicator_run(trial.comm, &heap_engine, &trial.err));
    ck_assert_int_eq(early[1], 10 + L);
    ck_assert_int_eq(late[1], 20 + L);
    network_free(&trial.net);
}
END_TEST

struct relay {
    struct trial *trial;
    uint32_t id, left, ended;
};

static void begin_again(void *context, uint32_t member, int64_t now) {
    (void)member, (void)now;
    struct relay *relay = context;
    if (++relay->ended < 2) return;
    communicator_close(relay->trial->comm, relay->id);
    if (relay->left-- == 0) return;
    relay->ended = 0;
    relay->id = communicator_open(relay->trial->comm, &relay->trial->request);
    for (uint32_t r = 0; r < 2; r++) communicator_start(relay->trial->comm, relay->id, r, 0);
}

// Closed collectives give back their memory and ids: a thousand in a row need no more than a few.
START_TEST(ids_are_used_again) {
    struct trial trial;
    trial_open(&trial, &passing, 2, 10, NULL);
    struct relay relay = {.trial = &trial, .left = 1000, .ended = 1};
    trial.request.done = (struct done_call){begin_again, &relay};
    relay.id = communicator_open(trial.comm, &trial.request);
    begin_again(&relay, 0, 0); // closes the first, which nobody has started, and opens the next
    ck_assert(communicator_run(trial.comm, &heap_engine, &trial.err));
    ck_assert_uint_le(relay.id, 3);
    ck_assert_int_eq(communicator_end_ticks(trial.comm), 1000 * 2 * (10 + L));
    network_free(&trial.net);
}
END_TEST

// The stall: who waits in which step, for whom and since when. Messages of 0 bytes are there at 10.
START_TEST(a_stall_says_who_waits) {
    struct trial trial;
    trial_open(&trial, &deaf, 4, 0, NULL);
    trial.request.unmatched = true;
    ck_assert(!trial_run(&trial, NULL));
    ck_assert(communicator_stalled(trial.comm));
    ck_assert_int_eq(trial.err.kind, ERROR_SIMULATION);
    ck_assert_str_eq(trial.err.text, "nothing is left to happen: rank 0 all-reduce/deaf step 1/2 waits for rank 1, 2 since 0 s; "
                                     "rank 2 all-reduce/deaf step 1/2 waits for rank 1 since 0 s");
    network_free(&trial.net);
}
END_TEST

START_TEST(a_stall_names_the_phase_and_ranks_of_a_group) {
    struct trial trial;
    trial_open(&trial, &passing, 2, 0, NULL);
    const uint32_t ranks[] = {3, 1};
    trial.request.ranks = ranks;
    trial.id = communicator_open(trial.comm, &trial.request);
    communicator_start(trial.comm, trial.id, 0, 5); // the other never starts
    ck_assert(!communicator_run(trial.comm, &heap_engine, &trial.err));
    char since[QUANTITY_SIZE], expected[200];
    snprintf(expected, sizeof expected, "nothing is left to happen: rank 3 all-reduce/passing passing step 1/2 waits for rank 1 since %s",
             format_time(5, 1000, since));
    ck_assert_str_eq(trial.err.text, expected);
    network_free(&trial.net);
}
END_TEST

START_TEST(a_stall_at_a_barrier) {
    struct trial trial;
    trial_open(&trial, &telling, 3, 0, NULL);
    trial.request.step_sync = true;
    trial.id = communicator_open(trial.comm, &trial.request);
    communicator_start(trial.comm, trial.id, 0, 0);
    ck_assert(!communicator_run(trial.comm, &heap_engine, &trial.err));
    ck_assert_str_eq(trial.err.text,
                     "nothing is left to happen: rank 0 broadcast/telling has ended step 1 and waits for the others since 0 s");
    network_free(&trial.net);
}
END_TEST

Suite *test_communicator_suite(void) {
    Suite *suite = suite_create("communicator");
    TCase *steps = tcase_create("steps");
    tcase_add_test(steps, steps_follow_each_other);
    tcase_add_test(steps, a_late_rank_is_waited_for);
    tcase_add_test(steps, a_late_rank_holds_up_every_step);
    tcase_add_test(steps, the_root_does_not_wait);
    tcase_add_test(steps, only_hosted_ranks_run);
    tcase_add_test(steps, one_rank_is_done_at_once);
    tcase_add_test(steps, to_oneself);
    tcase_add_test(steps, a_sub_group);
    tcase_add_test(steps, collectives_post_by_number);
    tcase_add_test(steps, ids_are_used_again);
    suite_add_tcase(suite, steps);
    TCase *costs = tcase_create("costs");
    tcase_add_test(costs, sends_cost_the_processor);
    tcase_add_test(costs, launching_costs_the_processor);
    tcase_add_test(costs, reductions_cost_the_processor);
    tcase_add_test(costs, costs_add_up);
    tcase_add_test(costs, a_rank_is_one_processor);
    tcase_add_test(costs, launches_queue_up);
    suite_add_tcase(suite, costs);
    TCase *stalls = tcase_create("stalls");
    tcase_add_test(stalls, a_stall_says_who_waits);
    tcase_add_test(stalls, a_stall_names_the_phase_and_ranks_of_a_group);
    tcase_add_test(stalls, a_stall_at_a_barrier);
    suite_add_tcase(suite, stalls);
    return suite;
}
