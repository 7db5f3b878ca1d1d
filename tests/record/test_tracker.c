// The tracker catches what it is there for: algorithms changed so that a contribution is lost, doubled or misplaced.
#include <check.h>
#include <string.h>

#include "algos/logical.h"

enum { RANKS = 8 };

static const struct collective_args all_reduce = {.kind = ALL_REDUCE, .size = RANKS, .bytes = 80};
static const struct collective_args all_gather = {.kind = ALL_GATHER, .size = RANKS, .bytes = 80};
static const struct collective_args all_to_all = {.kind = ALL_TO_ALL, .size = RANKS, .bytes = 80};
static const struct collective_args broadcast = {.kind = BROADCAST, .size = RANKS, .bytes = 80};

/// Runs a changed algorithm, which must be found out; `text` is what is said about it.
static void expect_fault(const struct collective_args *args, const char *name,
                         void (*mutate)(uint32_t member, uint64_t k, struct step *step), const char *text) {
    struct logical run;
    logical_start(&run, args);
    run.mutate = mutate;
    bool good = logical_run(&run, algorithm_find(args->kind, name), args) && logical_finish(&run);
    ck_assert(!good);
    ck_assert_int_eq(run.error.kind, ERROR_INTERNAL);
    ck_assert_str_eq(run.error.text, text);
    logical_free(&run);
}

static struct operation *first_receive(struct step *step) {
    for (size_t i = 0; i < step->count; i++)
        if (!step->operations[i].is_send) return &step->operations[i];
    return NULL;
}

/// Step 2 of the ring: rank 3 receives block 3 - 2 - 2 = 7 and should add its own part to what ranks 0, 1 and 2 put in.
static void replace_instead_of_adding(uint32_t member, uint64_t k, struct step *step) {
    if (member == 3 && k == 2) first_receive(step)->combine = COMBINE_COPY;
}

START_TEST(lost_by_replacing) {
    expect_fault(&all_reduce, "ring", replace_instead_of_adding,
                 "all-reduce: rank 0 ends with block 7 (bytes 70 to 79) lacking a lost contribution: that of rank 3");
}
END_TEST

/// Step 1 of the binomial tree, at distance 2: rank 4 is to send to rank 6, who is to pass it on to rank 7.
static void forget_a_branch(uint32_t member, uint64_t k, struct step *step) {
    if (k == 1 && (member == 4 || member == 6)) step->count = 0;
}

START_TEST(lost_with_its_message) {
    expect_fault(&broadcast, "binomial", forget_a_branch, "broadcast: rank 6 sends rank 7 what it does not have: block 0 (bytes 0 to 9)");
}
END_TEST

/// The last step of the dissemination among 8, distance 4, leaves out rank 1.
static void forget_the_last(uint32_t member, uint64_t k, struct step *step) {
    if (k != 2) return;
    for (size_t i = 0; i < step->count; i++) {
        const struct operation *operation = &step->operations[i];
        bool touched = operation->is_send ? operation->peer == 1 : member == 1;
        if (!touched) continue;
        memmove(&step->operations[i], &step->operations[i + 1 + operation->joined],
                (step->count - i - 1 - operation->joined) * sizeof *operation);
        step->count -= 1 + operation->joined;
        i--;
    }
}

START_TEST(lost_without_any_bytes) {
    struct collective_args args = {.kind = BARRIER, .size = RANKS};
    expect_fault(&args, "dissemination", forget_the_last,
                 "barrier: rank 1 ends without block 2 (that of its rank, 0 bytes at 0): a lost contribution");
}
END_TEST

/// In the last exchange of recursive doubling, distance 4, everyone speaks with the partner of the one before, distance 2.
static void repeat_an_exchange(uint32_t member, uint64_t k, struct step *step) {
    for (size_t i = 0; k == 2 && i < step->count; i++) step->operations[i].peer = member ^ 2;
}

START_TEST(doubled_by_meeting_again) {
    expect_fault(&all_reduce, "recursive-doubling", repeat_an_exchange,
                 "all-reduce: rank 0 adds to block 0 (bytes 0 to 9), from rank 2, a doubled contribution: that of ranks 0, 1, 2, 3");
}
END_TEST

/// The all-gather of the ring adds instead of replacing: step 7 brings the sum of block 7 to rank 0, which has its own part.
static void add_instead_of_replacing(uint32_t member, uint64_t k, struct step *step) {
    (void)member;
    if (k == 7) first_receive(step)->combine = COMBINE_ADD;
}

START_TEST(doubled_by_adding) {
    expect_fault(&all_reduce, "ring", add_instead_of_replacing,
                 "all-reduce: rank 0 adds to block 7 (bytes 70 to 79), from rank 7, a doubled contribution: that of rank 0");
}
END_TEST

static void add_gathered(uint32_t member, uint64_t k, struct step *step) {
    if (member == 5 && k == 2) first_receive(step)->combine = COMBINE_ADD;
}

START_TEST(doubled_where_nothing_adds_up) {
    expect_fault(&all_gather, "ring", add_gathered,
                 "all-gather: rank 5 adds what rank 4 sends, a doubled contribution: nothing adds up here");
}
END_TEST

/// Rank 3 does not post to the switches, or does so twice.
static void leave_out_the_switches(uint32_t member, uint64_t k, struct step *step) {
    (void)k;
    if (member == 3) step->count = 0;
}

static void post_twice_to_the_switches(uint32_t member, uint64_t k, struct step *step) {
    (void)k;
    if (member != 3) return;
    struct view view = view_all(3, RANKS);
    struct operation send = step->operations[0];
    step_send(step, &view, 3, send.span);
    step_last(step)->in_network = true;
    step_last(step)->piece = 1;
}

START_TEST(faults_at_the_switches) {
    expect_fault(&all_reduce, "in-network", leave_out_the_switches,
                 "all-reduce: rank 0 ends with block 0 (bytes 0 to 9) lacking a lost contribution: that of rank 3");
    struct logical run;
    logical_start(&run, &all_reduce);
    run.mutate = post_twice_to_the_switches;
    struct error err = {0};
    ck_assert(!logical_run(&run, algorithm_find(ALL_REDUCE, "in-network"), &all_reduce) && !tracker_finish(run.tracker, &err));
    ck_assert_str_eq(err.text,
                     "all-reduce: the switches add to block 0 (bytes 0 to 9), from rank 3, a doubled contribution: that of rank 3");
    logical_free(&run);
}
END_TEST

/// Step 2 of the ring all-gather: rank 5 puts the block it receives, 5 - 1 - 2 = 2, one further.
static void put_one_further(uint32_t member, uint64_t k, struct step *step) {
    if (member == 5 && k == 2) first_receive(step)->span = span_block(whole_vector(80), RANKS, 3);
}

START_TEST(misplaced_by_the_receiver) {
    expect_fault(
        &all_gather, "ring", put_one_further,
        "all-gather: rank 5 has block 2 (that of its rank, bytes 20 to 29), from rank 4, where block 3 (that of its rank, bytes 30 to 39) "
        "belongs: a misplaced contribution");
}
END_TEST

/// Step 2 of the direct all-to-all: rank 1 sends to rank 1 + 3 the block for rank 5.
static void send_another(uint32_t member, uint64_t k, struct step *step) {
    if (member == 1 && k == 2) step->operations[0].span.mark += VECTOR_MARKS / RANKS;
}

START_TEST(misplaced_by_the_sender) {
    expect_fault(
        &all_to_all, "direct", send_another,
        "all-to-all: rank 4 ends with rank 1's block for rank 5 where rank 1's block for rank 4 belongs: a misplaced contribution");
}
END_TEST

/// Two blocks of different rounds of Bruck's method change places.
static void swap_slots(uint32_t member, uint64_t k, struct step *step) {
    if (member != 6 || k != 0) return;
    struct operation *receive = first_receive(step);
    struct span other = receive[1].span;
    receive[1].span.mark = receive[0].span.mark;
    receive[0].span.mark = other.mark;
}

START_TEST(misplaced_on_the_way) {
    expect_fault(
        &all_to_all, "bruck", swap_slots,
        "all-to-all: rank 0 ends with rank 5's block for rank 6 where rank 5's block for rank 0 belongs: a misplaced contribution");
}
END_TEST

/// A receive of fewer bytes than are sent.
static void expect_less(uint32_t member, uint64_t k, struct step *step) {
    if (member == 2 && k == 3) first_receive(step)->span.bytes = 9;
}

START_TEST(bytes_that_differ) {
    expect_fault(&all_reduce, "ring", expect_less, "all-reduce: rank 2 expects 9 bytes from rank 1, who sends 10");
    const struct operation receive[] = {{.joined = 1, .span = {.bytes = 7}}, {.span = {.bytes = 5}}};
    ck_assert_int_eq(tracker_bytes_differ(receive, 12), 0);
    ck_assert_int_eq(tracker_bytes_differ(receive, 10), -2);
}
END_TEST

static void send_to_nobody(uint32_t member, uint64_t k, struct step *step) {
    if (member == 2 && k == 3) step->count = 1;
}

START_TEST(a_message_left_over) {
    ck_assert(algorithm_find(ALL_REDUCE, "ring"));
    expect_fault(&all_reduce, "ring", send_to_nobody, "nobody receives a message from 1 to 2");
}
END_TEST

static void lose_rank_300(uint32_t member, uint64_t k, struct step *step) {
    if (member == 300 && k == 5) first_receive(step)->combine = COMBINE_COPY;
}

/// Above 256 ranks sums of keys show the fault, and exact sets name it.
START_TEST(sums_of_keys) {
    struct collective_args args = {.kind = ALL_REDUCE, .size = 400, .bytes = 4000};
    struct logical run;
    logical_start(&run, &args);
    ck_assert(logical_run(&run, algorithm_find(ALL_REDUCE, "ring"), &args) && logical_finish(&run));
    logical_free(&run);
    expect_fault(
        &args, "ring", lose_rank_300,
        "all-reduce: rank 0 ends with block 293 (bytes 2930 to 2939) lacking a lost contribution: that of some rank, or one is doubled");
    logical_start(&run, &args);
    tracker_free(run.tracker);
    run.tracker = tracker_create(&args, true);
    run.mutate = lose_rank_300;
    ck_assert(logical_run(&run, algorithm_find(ALL_REDUCE, "ring"), &args) && !logical_finish(&run));
    ck_assert_str_eq(run.error.text,
                     "all-reduce: rank 0 ends with block 293 (bytes 2930 to 2939) lacking a lost contribution: that of rank 300");
    logical_free(&run);
}
END_TEST

Suite *test_tracker_suite(void) {
    Suite *suite = suite_create("tracker");
    TCase *faults = tcase_create("faults");
    tcase_add_test(faults, lost_by_replacing);
    tcase_add_test(faults, lost_with_its_message);
    tcase_add_test(faults, lost_without_any_bytes);
    tcase_add_test(faults, doubled_by_meeting_again);
    tcase_add_test(faults, doubled_by_adding);
    tcase_add_test(faults, doubled_where_nothing_adds_up);
    tcase_add_test(faults, faults_at_the_switches);
    tcase_add_test(faults, misplaced_by_the_receiver);
    tcase_add_test(faults, misplaced_by_the_sender);
    tcase_add_test(faults, misplaced_on_the_way);
    tcase_add_test(faults, bytes_that_differ);
    tcase_add_test(faults, a_message_left_over);
    tcase_add_test(faults, sums_of_keys);
    suite_add_tcase(suite, faults);
    return suite;
}
