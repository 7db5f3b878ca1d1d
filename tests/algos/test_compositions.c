// What collectives are together, and which algorithms refuse what.
#include <check.h>
#include <string.h>

#include "algos/logical.h"

/// Runs two algorithms one after the other on the same vectors and proves what `kind` promises.
static void prove_pair(enum collective_kind kind, const struct algorithm *first, const struct algorithm *second, uint32_t p) {
    struct collective_args args = {.kind = kind, .size = p, .bytes = 100, .root = p / 3, .pieces = 3};
    struct logical run;
    logical_start(&run, &args);
    args.kind = first->kind;
    bool good = logical_run(&run, first, &args);
    args.kind = second->kind;
    good = good && logical_run(&run, second, &args) && logical_finish(&run);
    ck_assert_msg(good, "%s, then %s, p = %u: %s", first->name, second->name, p, run.error.text);
    logical_free(&run);
}

static void prove_pairs(enum collective_kind whole, enum collective_kind one, enum collective_kind other) {
    int pairs = 0;
    for (size_t i = 0; algorithms[i]; i++)
        for (size_t j = 0; algorithms[j]; j++) {
            if (algorithms[i]->kind != one || algorithms[j]->kind != other) continue;
            for (uint32_t p = 1; p <= 13; p++) prove_pair(whole, algorithms[i], algorithms[j], p);
            pairs++;
        }
    ck_assert_int_gt(pairs, 0);
}

/// golden/lecture.json, 4.2-twice: all-reduce is reduce-scatter, then all-gather. The others by the same token.
START_TEST(two_make_one) {
    prove_pairs(ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER);
    prove_pairs(ALL_REDUCE, REDUCE, BROADCAST);
    prove_pairs(REDUCE, REDUCE_SCATTER, GATHER);
    prove_pairs(BROADCAST, SCATTER, ALL_GATHER);
    prove_pairs(ALL_GATHER, GATHER, BROADCAST);
}
END_TEST

/// Whose data, and which of its slots, is in slot `from` of a rank's result.
static uint32_t moved(const struct logical *run, uint32_t rank, uint32_t slot, uint32_t *from_slot) {
    int64_t marks = VECTOR_MARKS / run->args.size, origin = tracker_origin(run->tracker, rank, VECTOR_RESULT, marks * slot);
    *from_slot = (uint32_t)(origin % VECTOR_MARKS / marks);
    return (uint32_t)(origin / VECTOR_MARKS);
}

/// golden/lecture.json, 4.2-twice: all-to-all done twice is the identity.
START_TEST(all_to_all_twice) {
    for (size_t i = 0; algorithms[i]; i++) {
        if (algorithms[i]->kind != ALL_TO_ALL || strcmp(algorithms[i]->name, "matrix") == 0) continue;
        struct collective_args args = {.kind = ALL_TO_ALL, .size = 8, .bytes = 100, .group_size = 4};
        struct logical run;
        logical_start(&run, &args);
        ck_assert(logical_run(&run, algorithms[i], &args));
        for (uint32_t r = 0; r < args.size; r++)
            for (uint32_t slot = 0; slot < args.size; slot++) {
                uint32_t once_slot, twice_slot, once = moved(&run, r, slot, &once_slot), twice = moved(&run, once, once_slot, &twice_slot);
                ck_assert(twice == r && twice_slot == slot);
                ck_assert(r == slot || once != r);
            }
        logical_free(&run);
    }
}
END_TEST

static void expect_refusal(enum collective_kind kind, const char *name, const struct collective_args *args, const char *where,
                           const char *text) {
    struct error err = {0};
    const struct algorithm *algorithm = algorithm_find(kind, name);
    ck_assert(algorithm && algorithm->accepts && !algorithm->accepts(args, &err));
    ck_assert_int_eq(err.kind, ERROR_INPUT);
    ck_assert_str_eq(err.where, where);
    ck_assert_str_eq(err.text, text);
}

START_TEST(refusals) {
    struct collective_args args = {.size = 6};
    expect_refusal(ALL_REDUCE, "torus", &args, "algorithm",
                   "torus needs a torus, mesh, ring or hypercube with a rank on every endpoint; ring runs on any shape");
    expect_refusal(ALL_REDUCE, "torus-rotated", &args, "algorithm",
                   "torus-rotated needs a torus, mesh, ring or hypercube with a rank on every endpoint; ring runs on any shape");
    expect_refusal(ALL_REDUCE, "hierarchical", &args, "algorithm",
                   "hierarchical needs nodes of several ranks (a cluster, all its endpoints); ring runs on any shape");
    expect_refusal(ALL_TO_ALL, "two-level", &args, "algorithm",
                   "two-level needs nodes of several ranks (a cluster, all its endpoints); direct runs on any shape");
    expect_refusal(ALL_TO_ALL, "pairwise", &args, "algorithm", "pairwise needs a power of two, not 6 ranks; direct takes any number");
    expect_refusal(ALL_TO_ALL, "matrix", &args, "matrix", "matrix needs the bytes of every pair; direct sends equal blocks");
    expect_refusal(BROADCAST, "chain", &args, "pieces",
                   "chain needs pieces, the number of parts in which the vector is passed on; binomial needs none");
    args.group_size = 4;
    expect_refusal(ALL_REDUCE, "hierarchical", &args, "algorithm",
                   "hierarchical needs a multiple of the 4 ranks of a node, not 6 ranks; ring takes any number");
    expect_refusal(ALL_TO_ALL, "two-level", &args, "algorithm",
                   "two-level needs a multiple of the 4 ranks of a node, not 6 ranks; direct takes any number");
    args.order = ORDER_SHIFT;
    args.dim_count = 2, args.dims[0] = 2, args.dims[1] = 4;
    expect_refusal(ALL_TO_ALL, "direct", &args, "order",
                   "shift needs a torus, mesh, ring or hypercube with a rank on every endpoint; rank runs on any shape");
}
END_TEST

/// Algorithms that need a shape cannot be levels of the hierarchical one.
START_TEST(refused_levels) {
    struct collective_args args = {.kind = ALL_REDUCE, .size = 8, .group_size = 4, .dim_count = 1, .dims = {8}};
    args.inner = algorithm_find(ALL_REDUCE, "hierarchical");
    expect_refusal(ALL_REDUCE, "hierarchical", &args, "inner",
                   "hierarchical needs nodes of several ranks (a cluster, all its endpoints); ring runs on any shape");
    args.inner = algorithm_find(ALL_REDUCE, "in-network");
    expect_refusal(ALL_REDUCE, "hierarchical", &args, "inner",
                   "in-network works on all ranks of a collective, not on those of a node; ring can be a level");
    args.inner = NULL;
    args.outer = algorithm_find(ALL_REDUCE, "torus");
    expect_refusal(ALL_REDUCE, "hierarchical", &args, "outer",
                   "torus needs a torus, mesh, ring or hypercube with a rank on every endpoint; ring runs on any shape");
}
END_TEST

START_TEST(names) {
    for (int kind = 0; kind < COLLECTIVE_KINDS; kind++) {
        const struct algorithm *algorithm = algorithm_default((enum collective_kind)kind);
        ck_assert(algorithm && (int)algorithm->kind == kind);
        ck_assert_ptr_nonnull(collective_names[kind]);
    }
    ck_assert_ptr_null(collective_names[COLLECTIVE_KINDS]);
    ck_assert_ptr_null(algorithm_find(ALL_REDUCE, "binomial"));
    for (size_t i = 0; algorithms[i]; i++) {
        ck_assert_ptr_eq(algorithm_find(algorithms[i]->kind, algorithms[i]->name), algorithms[i]);
        ck_assert_ptr_nonnull(algorithms[i]->summary);
    }
}
END_TEST

Suite *test_compositions_suite(void) {
    Suite *suite = suite_create("compositions");
    TCase *all = tcase_create("all");
    tcase_add_test(all, two_make_one);
    tcase_add_test(all, all_to_all_twice);
    tcase_add_test(all, refusals);
    tcase_add_test(all, refused_levels);
    tcase_add_test(all, names);
    suite_add_tcase(suite, all);
    return suite;
}
