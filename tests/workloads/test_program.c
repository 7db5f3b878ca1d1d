// Programs on a star of latency 5 at a byte a tick: n bytes from rank to rank take n + 10 ticks, a ring all-reduce of n
// bytes between two ranks 2 (n/2 + 10).
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "engine/network.h"
#include "workloads/program.h"

enum { RANKS = 4, MOST_NODES = 16 };

struct trial {
    struct network net;
    struct communicator *comm;
    struct program *program;
    struct node nodes[MOST_NODES];
    uint64_t nodes_repeat; ///< the nodes start again after so many; 0: never
    struct node_message messages[MOST_NODES];
    int64_t ends[RANKS];
    int64_t entered[RANKS][MOST_NODES], left[RANKS][MOST_NODES];
    struct rank_costs costs;
    struct error err;
};

static void give_node(void *context, uint64_t index, struct node *out) {
    struct trial *trial = context;
    *out = trial->nodes[trial->nodes_repeat ? index % trial->nodes_repeat : index];
}

static void see_entered(void *context, uint64_t index, uint32_t rank, int64_t now) {
    if (index < MOST_NODES) ((struct trial *)context)->entered[rank][index] = now;
}

static void see_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    if (index < MOST_NODES) ((struct trial *)context)->left[rank][index] = now;
}

static void see_done(void *context, uint32_t rank, int64_t now) { ((struct trial *)context)->ends[rank] = now; }

static void trial_run(struct trial *trial, uint64_t count, uint32_t window) {
    network_star(&trial->net, RANKS, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    trial->comm = network_open(&trial->net, &config, &trial->costs);
    const struct program_config program = {
        .comm = trial->comm,
        .source = {.context = trial, .node = give_node},
        .count = count,
        .window = window,
        .watch = {.context = trial, .entered = see_entered, .left = see_left},
        .rank_done = {see_done, trial},
    };
    memset(trial->ends, 0xff, sizeof trial->ends);
    memset(trial->entered, 0xff, sizeof trial->entered);
    memset(trial->left, 0xff, sizeof trial->left);
    trial->program = program_create(&program);
    for (uint32_t r = 0; r < RANKS; r++) program_start(trial->program, r);
    ck_assert_msg(communicator_run(trial->comm, &heap_engine, &trial->err), "%s", trial->err.text);
}

static void trial_free(struct trial *trial) {
    program_free(trial->program);
    network_free(&trial->net);
}

static struct node compute(int64_t ticks, uint32_t after) {
    return (struct node){.kind = NODE_COMPUTE, .ranks = {.count = RANKS}, .ticks = ticks, .after = {after}};
}

/// A ring all-reduce in teams of two.
static struct node all_reduce(int64_t bytes, uint32_t after) {
    return (struct node){.kind = NODE_COLLECTIVE,
                         .ranks = {.count = RANKS, .team = 2},
                         .after = {after},
                         .algorithm = algorithm_find(ALL_REDUCE, "ring"),
                         .args = {.kind = ALL_REDUCE, .size = 2, .bytes = bytes}};
}

static void check_account(const struct trial *trial, uint32_t rank, const struct program_account *expected) {
    struct program_account account = program_account(trial->program, rank);
    ck_assert_int_eq(account.start, expected->start);
    ck_assert_int_eq(account.end, expected->end);
    ck_assert_int_eq(account.compute, expected->compute);
    ck_assert_int_eq(account.communication, expected->communication);
    ck_assert_int_eq(account.exposed, expected->exposed);
    ck_assert_int_eq(account.waiting, expected->waiting);
}

// 10 ms of compute beside a 6 ms all-reduce, at 100 ticks a ms: 10 ms, none exposed.
START_TEST(compute_beside_an_all_reduce) {
    struct trial trial = {.nodes = {compute(1000, 0), all_reduce(580, 0)}};
    trial_run(&trial, 2, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        ck_assert_int_eq(trial.ends[r], 1000);
        check_account(&trial, r, &(struct program_account){0, 1000, 1000, 600, 0, 0});
    }
    trial_free(&trial);
}
END_TEST

// After it: 16 ms, 6 of them exposed.
START_TEST(compute_after_an_all_reduce) {
    struct trial trial = {.nodes = {all_reduce(580, 0), compute(1000, 1)}};
    trial_run(&trial, 2, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        ck_assert_int_eq(trial.ends[r], 1600);
        check_account(&trial, r, &(struct program_account){0, 1600, 1000, 600, 600, 0});
    }
    trial_free(&trial);
}
END_TEST

// 200 ticks of compute hide a third of it.
START_TEST(communication_longer_than_compute) {
    struct trial trial = {.nodes = {compute(200, 0), all_reduce(580, 0), compute(50, 1)}};
    trial_run(&trial, 3, 0);
    check_account(&trial, 3, &(struct program_account){0, 650, 250, 600, 400, 0});
    trial_free(&trial);
}
END_TEST

// Two all-reduces at once share the links, but their time counts once: four times 290 without a gap, and 10.
START_TEST(communication_counts_once) {
    struct trial trial = {.nodes = {all_reduce(580, 0), all_reduce(580, 0)}};
    trial_run(&trial, 2, 0);
    check_account(&trial, 0, &(struct program_account){0, 1170, 0, 1170, 1170, 0});
    trial_free(&trial);
}
END_TEST

// One processor: computes run one after the other, the launch of a collective too, and is no compute.
START_TEST(one_processor) {
    struct trial trial = {.nodes = {compute(100, 0), all_reduce(580, 0), compute(300, 0)}};
    trial.nodes[1].launch_ticks = 40;
    trial_run(&trial, 3, 0);
    ck_assert_int_eq(trial.left[0][0], 100);
    ck_assert_int_eq(trial.left[0][2], 440);
    ck_assert_int_eq(trial.left[0][1], 740);
    // in the collective from 0 to 740; computing from 0 to 100 and from 140 to 440
    check_account(&trial, 0, &(struct program_account){0, 740, 400, 740, 340, 0});
    trial_free(&trial);
}
END_TEST

// Times by member; ranks 1 and 3 take part in the second node only.
START_TEST(some_ranks_and_unequal_times) {
    static const int64_t ticks[] = {10, 20};
    struct trial trial = {.nodes = {compute(0, 0), compute(7, 1)}};
    trial.nodes[0].ranks = (struct rank_set){.first = 0, .count = 2, .stride = 2};
    trial.nodes[0].member_ticks = ticks;
    trial_run(&trial, 2, 0);
    ck_assert_int_eq(trial.ends[0], 17);
    ck_assert_int_eq(trial.ends[1], 7);
    ck_assert_int_eq(trial.ends[2], 27);
    ck_assert_int_eq(trial.ends[3], 7);
    ck_assert_int_eq(trial.entered[1][0], -1);
    trial_free(&trial);
}
END_TEST

// 0 -> 1 of 30 bytes is there at 40, before rank 1 gets to it; 0 -> 2 of 50, behind it on the same link, at 90. A sender
// does not wait, and a receiver waits for all that is sent to it.
START_TEST(messages) {
    struct trial trial = {.nodes = {compute(0, 0), {.kind = NODE_MESSAGES, .after = {1}, .message_count = 3}, compute(5, 1)},
                          .messages = {{0, 1, 30}, {0, 2, 50}, {3, 3, 9}}};
    static const int64_t late[] = {0, 70, 0, 0};
    trial.nodes[0].member_ticks = late;
    trial.nodes[1].messages = trial.messages;
    trial_run(&trial, 3, 0);
    ck_assert_int_eq(trial.ends[0], 5);
    ck_assert_int_eq(trial.ends[1], 75);
    ck_assert_int_eq(trial.ends[2], 95);
    ck_assert_int_eq(trial.ends[3], 5);
    check_account(&trial, 2, &(struct program_account){0, 95, 5, 90, 90, 90});
    check_account(&trial, 1, &(struct program_account){0, 75, 75, 0, 0, 0});
    trial_free(&trial);
}
END_TEST

// Layers without end in sight: 100,000 times compute and all-reduce, in a window of 2.
START_TEST(many_nodes) {
    struct trial trial = {.nodes = {compute(3, 1), all_reduce(4, 1)}, .nodes_repeat = 2};
    trial_run(&trial, 200000, 2);
    for (uint32_t r = 0; r < RANKS; r++) ck_assert_int_eq(trial.ends[r], 100000 * (3 + 2 * (2 + 10)));
    trial_free(&trial);
}
END_TEST

struct growing {
    struct trial *trial;
    int extended;
};

/// Adds a node when rank 0 has left the last, three times; then there is no more.
static void extend_when_left(void *context, uint64_t index, uint32_t rank, int64_t now) {
    struct growing *growing = context;
    (void)now;
    if (rank != 0) return;
    growing->extended++;
    program_extend(growing->trial->program, index + 1 + (growing->extended < 4), growing->extended < 4);
}

START_TEST(extended_as_it_runs) {
    struct trial trial = {.nodes = {compute(10, 1)}, .nodes_repeat = 1};
    struct growing growing = {&trial, 0};
    network_star(&trial.net, RANKS, 5);
    const struct sim_config config = network_config(0, CUT_THROUGH, INJECT_FIFO);
    trial.comm = network_open(&trial.net, &config, &trial.costs);
    const struct program_config program = {.comm = trial.comm,
                                           .source = {.context = &trial, .node = give_node},
                                           .open = true,
                                           .watch = {.context = &growing, .left = extend_when_left},
                                           .rank_done = {see_done, &trial}};
    trial.program = program_create(&program);
    for (uint32_t r = 0; r < RANKS; r++) program_start(trial.program, r);
    program_extend(trial.program, 1, true);
    ck_assert(communicator_run(trial.comm, &heap_engine, &trial.err));
    for (uint32_t r = 0; r < RANKS; r++) ck_assert_int_eq(trial.ends[r], 40);
    trial_free(&trial);
}
END_TEST

Suite *test_program_suite(void);
Suite *test_program_suite(void) {
    Suite *suite = suite_create("program");
    TCase *tcase = tcase_create("program");
    tcase_add_test(tcase, compute_beside_an_all_reduce);
    tcase_add_test(tcase, compute_after_an_all_reduce);
    tcase_add_test(tcase, communication_longer_than_compute);
    tcase_add_test(tcase, communication_counts_once);
    tcase_add_test(tcase, one_processor);
    tcase_add_test(tcase, some_ranks_and_unequal_times);
    tcase_add_test(tcase, messages);
    tcase_add_test(tcase, many_nodes);
    tcase_add_test(tcase, extended_as_it_runs);
    suite_add_tcase(suite, tcase);
    return suite;
}
