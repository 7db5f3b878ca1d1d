// Steps, messages and bytes of every algorithm against closed forms.
#include <check.h>
#include <string.h>

#include "algos/log2.h"
#include "algos/logical.h"

/// What was posted, over all ranks.
struct cost {
    uint64_t steps, messages;
    int64_t most_bytes, least_bytes, all_bytes; ///< sent by one rank, and by all
};

static struct cost cost_of(const char *name, const struct collective_args *args) {
    struct logical run;
    logical_start(&run, args);
    const struct algorithm *algorithm = algorithm_find(args->kind, name);
    ck_assert_msg(algorithm != NULL, "no %s", name);
    ck_assert_msg(logical_run(&run, algorithm, args), "%s", run.error.text);
    struct cost cost = {.steps = run.steps, .messages = run.messages, .least_bytes = INT64_MAX};
    for (uint32_t r = 0; r < args->size; r++) {
        int64_t bytes = run.bytes_sent[r];
        if (bytes > cost.most_bytes) cost.most_bytes = bytes;
        if (bytes < cost.least_bytes) cost.least_bytes = bytes;
        cost.all_bytes += bytes;
    }
    logical_free(&run);
    return cost;
}

static struct collective_args args_of(enum collective_kind kind, uint32_t size, int64_t bytes) {
    return (struct collective_args){.kind = kind, .size = size, .bytes = bytes, .to = size - 1};
}

static struct cost all_reduce(const char *name, uint32_t p, int64_t n) {
    struct collective_args args = args_of(ALL_REDUCE, p, n);
    return cost_of(name, &args);
}

/// Every rank sends the same.
static void expect_even(struct cost cost, uint64_t steps, int64_t bytes) {
    ck_assert_uint_eq(cost.steps, steps);
    ck_assert_int_eq(cost.most_bytes, bytes);
    ck_assert_int_eq(cost.least_bytes, bytes);
}

/// golden/lecture.json, 4.3-bytes-ring, 4.3-bytes-rd, 4.3-bytes-naive: p = 8, in units of n 1.75, 3, and 7 at the root and 1.
START_TEST(lecture_bytes) {
    const int64_t n = 8000;
    expect_even(all_reduce("ring", 8, n), 14, n * 7 / 4);
    expect_even(all_reduce("rabenseifner", 8, n), 6, n * 7 / 4);
    expect_even(all_reduce("recursive-doubling", 8, n), 3, 3 * n);
    struct cost naive = all_reduce("naive", 8, n);
    ck_assert_int_eq(naive.most_bytes, 7 * n);
    ck_assert_int_eq(naive.least_bytes, n);
}
END_TEST

/// n divisible by p and by the slices. q is the largest power of two not above p.
START_TEST(all_reduces) {
    uint32_t p = (uint32_t)_i, q = UINT32_C(1) << log2_floor(p);
    int64_t n = 64 * (int64_t)p, ring = 2 * (p - 1) * n / p;
    uint64_t fold = p == q ? 0 : 2, levels = log2_floor(p), ceiling = log2_ceil(p);
    expect_even(all_reduce("ring", p, n), 2 * (uint64_t)(p - 1), ring);
    expect_even(all_reduce("bidirectional-ring", p, n), 2 * (uint64_t)(p - 1), ring);
    expect_even(all_reduce("pipelined-ring", p, n), 2 * (uint64_t)(p - 1), ring);
    expect_even(all_reduce("one-shot", p, n), p > 1, (p - 1) * n);
    expect_even(all_reduce("two-shot", p, n), p > 1 ? 2 : 0, ring);
    struct cost doubling = all_reduce("recursive-doubling", p, n), halving = all_reduce("rabenseifner", p, n);
    ck_assert_uint_eq(doubling.steps, levels + fold);
    ck_assert_uint_eq(halving.steps, 2 * levels + fold);
    ck_assert_int_eq(doubling.all_bytes, (int64_t)(q * levels + 2 * (p - q)) * n);
    ck_assert_int_eq(halving.all_bytes, 2 * (q - 1) * n + 2 * (p - q) * n);
    struct cost tree = all_reduce("tree", p, n), naive = all_reduce("naive", p, n), two_trees = all_reduce("double-tree", p, n);
    ck_assert_uint_eq(tree.steps, 2 * ceiling);
    ck_assert_int_eq(tree.all_bytes, 2 * (p - 1) * n);
    ck_assert_uint_eq(naive.steps, p > 1 ? 2 : 0);
    ck_assert_int_eq(naive.most_bytes, (p - 1) * n);
    ck_assert_uint_eq(two_trees.steps, p > 1 ? 8 + 2 * levels - 1 : 0);
    ck_assert_int_eq(two_trees.all_bytes, 2 * (p - 1) * n);
    if (p > 2) ck_assert_int_le(two_trees.most_bytes, 2 * n);
}
END_TEST

/// With two trees a rank sends at most half the vector up in each and to two children in one of them, 2n in all; the
/// plain tree's root sends log2(p) n on the way down.
START_TEST(trees_share_the_load) {
    ck_assert_int_eq(all_reduce("tree", 16, 1600).most_bytes, 4 * 1600);
    ck_assert_int_eq(all_reduce("double-tree", 16, 1600).most_bytes, 2 * 1600);
}
END_TEST

START_TEST(halves) {
    uint32_t p = (uint32_t)_i, q = UINT32_C(1) << log2_floor(p);
    int64_t n = 64 * (int64_t)p, share = n / p * (p - 1);
    uint64_t fold = p == q ? 0 : 2;
    struct collective_args scatters = args_of(REDUCE_SCATTER, p, n), gathers = args_of(ALL_GATHER, p, n);
    expect_even(cost_of("ring", &scatters), p - 1, share);
    expect_even(cost_of("ring", &gathers), p - 1, share);
    expect_even(cost_of("direct", &scatters), p > 1, share);
    expect_even(cost_of("direct", &gathers), p > 1, share);
    expect_even(cost_of("bruck", &gathers), log2_ceil(p), share);
    struct cost halving = cost_of("recursive-halving", &scatters), doubling = cost_of("recursive-doubling", &gathers);
    ck_assert_uint_eq(halving.steps, log2_floor(p) + fold);
    ck_assert_uint_eq(doubling.steps, log2_floor(p) + fold);
    if (fold == 0) {
        expect_even(halving, log2_floor(p), share);
        expect_even(doubling, log2_floor(p), share);
    }
}
END_TEST

START_TEST(rooted) {
    uint32_t p = (uint32_t)_i;
    int64_t n = 60 * (int64_t)p;
    uint64_t ceiling = log2_ceil(p);
    struct collective_args args = args_of(BROADCAST, p, n);
    args.pieces = 6;
    struct cost binomial = cost_of("binomial", &args), chain = cost_of("chain", &args), pipelined = cost_of("pipelined-binomial", &args);
    struct cost scattered = cost_of("scatter-allgather", &args), naive = cost_of("naive", &args);
    ck_assert_uint_eq(binomial.steps, ceiling);
    ck_assert_int_eq(binomial.most_bytes, (int64_t)ceiling * n);
    ck_assert_uint_eq(chain.steps, p > 1 ? p - 2 + 6 : 0);
    ck_assert_uint_eq(chain.messages, 6 * (uint64_t)(p - 1));
    ck_assert_int_eq(chain.most_bytes, p > 1 ? n : 0);
    ck_assert_uint_eq(pipelined.steps, p > 1 ? ceiling + 6 - 1 : 0);
    ck_assert_int_eq(pipelined.all_bytes, (p - 1) * n);
    ck_assert_uint_eq(scattered.steps, p > 1 ? p : 0);
    ck_assert_int_eq(scattered.most_bytes, 2 * (p - 1) * n / p);
    ck_assert_uint_eq(naive.steps, p > 1);
    ck_assert_int_eq(naive.most_bytes, (p - 1) * n);
    args.kind = REDUCE;
    ck_assert_uint_eq(cost_of("binomial", &args).steps, ceiling);
    ck_assert_int_eq(cost_of("binomial", &args).all_bytes, (p - 1) * n);
    args.kind = SCATTER;
    ck_assert_uint_eq(cost_of("binomial", &args).steps, ceiling);
    ck_assert_int_eq(cost_of("binomial", &args).most_bytes, (p - 1) * n / p);
    args.kind = GATHER;
    ck_assert_uint_eq(cost_of("binomial", &args).steps, ceiling);
    ck_assert_int_eq(cost_of("binomial", &args).all_bytes,
                     cost_of("binomial", &(struct collective_args){.kind = SCATTER, .size = p, .bytes = n}).all_bytes);
}
END_TEST

START_TEST(exchanges) {
    uint32_t p = (uint32_t)_i;
    int64_t block = 16, n = block * p;
    struct collective_args args = args_of(ALL_TO_ALL, p, n);
    expect_even(cost_of("direct", &args), p - 1, block * (p - 1));
    int64_t travelling = 0; // block by block, a hop for each bit of its distance
    for (uint32_t d = 1; d < p; d++) travelling += __builtin_popcount(d) * block;
    expect_even(cost_of("bruck", &args), log2_ceil(p), travelling);
    if ((p & (p - 1)) == 0) expect_even(cost_of("pairwise", &args), p - 1, block * (p - 1));
    args.schedule = SCHEDULE_ALL_AT_ONCE;
    expect_even(cost_of("direct", &args), p > 1, block * (p - 1));
    for (uint32_t g = 1; g <= p; g++) {
        if (p % g) continue;
        uint32_t nodes = p / g;
        args.group_size = g;
        args.schedule = SCHEDULE_STEPS;
        expect_even(cost_of("two-level", &args), g - 1 + nodes - 1, block * (nodes * (g - 1) + g * (nodes - 1)));
        ck_assert_uint_eq(cost_of("two-level", &args).messages, (uint64_t)p * (g - 1 + nodes - 1));
        args.schedule = SCHEDULE_ALL_AT_ONCE;
        ck_assert_uint_eq(cost_of("two-level", &args).steps, (uint64_t)(g > 1) + (nodes > 1));
    }
    struct collective_args barrier = {.kind = BARRIER, .size = p};
    expect_even(cost_of("dissemination", &barrier), log2_ceil(p), 0);
    struct collective_args send = {.kind = SEND, .size = p, .bytes = 5, .to = p - 1};
    ck_assert_uint_eq(cost_of("direct", &send).messages, p > 1);
    ck_assert_int_eq(cost_of("direct", &send).all_bytes, p > 1 ? 5 : 0);
}
END_TEST

/// One dimension after the other: the ring's bytes in fewer steps, whatever the dims.
START_TEST(torus) {
    const uint32_t shapes[][3] = {{4, 4, 1}, {2, 3, 4}, {1, 1, 7}, {2, 2, 2}, {5, 1, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint32_t *k = shapes[i];
        uint32_t p = k[0] * k[1] * k[2];
        struct collective_args args = args_of(ALL_REDUCE, p, 60 * (int64_t)p);
        args.dim_count = 3;
        memcpy(args.dims, k, 3 * sizeof *k);
        uint64_t steps = 2 * (uint64_t)(k[0] + k[1] + k[2] - 3);
        int64_t bytes = 2 * (p - 1) * args.bytes / p;
        expect_even(cost_of("torus", &args), steps, bytes);
        expect_even(cost_of("torus-rotated", &args), steps, bytes);
    }
}
END_TEST

/// Inside the node 2(g-1)/g n, between nodes 2(N-1)/N of n/g.
START_TEST(hierarchical) {
    for (uint32_t g = 1; g <= 8; g++)
        for (uint32_t nodes = 1; nodes <= 5; nodes++) {
            struct collective_args args = args_of(ALL_REDUCE, g * nodes, 10 * (int64_t)g * nodes);
            args.group_size = g;
            int64_t n = args.bytes;
            expect_even(cost_of("hierarchical", &args), 2 * (uint64_t)(g - 1) + 2 * (uint64_t)(nodes - 1),
                        2 * (g - 1) * n / g + 2 * (nodes - 1) * (n / g) / nodes);
            args.inner = algorithm_find(ALL_REDUCE, "two-shot");
            args.outer = algorithm_find(ALL_REDUCE, "bidirectional-ring");
            ck_assert_uint_eq(cost_of("hierarchical", &args).steps, (g > 1 ? 2 : 0) + 2 * (uint64_t)(nodes - 1));
            args.inner = algorithm_find(ALL_REDUCE, "tree");
            ck_assert_uint_eq(cost_of("hierarchical", &args).steps, 2 * (uint64_t)log2_ceil(g) + 2 * (uint64_t)(nodes - 1));
            args.inner = algorithm_find(ALL_REDUCE, "one-shot");
            ck_assert_uint_eq(cost_of("hierarchical", &args).steps, (g > 1) + 2 * (uint64_t)(nodes - 1));
        }
}
END_TEST

/// golden/cases.json, "uneven": ring all-reduce of 10 B on 4 ranks and of 3 B on 8, 60 and 42 bytes in all.
START_TEST(uneven) {
    ck_assert_int_eq(all_reduce("ring", 4, 10).all_bytes, 60);
    ck_assert_int_eq(all_reduce("ring", 8, 3).all_bytes, 42);
}
END_TEST

Suite *test_costs_suite(void) {
    Suite *suite = suite_create("costs");
    TCase *forms = tcase_create("closed forms");
    tcase_add_test(forms, lecture_bytes);
    tcase_add_test(forms, uneven);
    tcase_add_loop_test(forms, all_reduces, 1, 34);
    tcase_add_test(forms, trees_share_the_load);
    tcase_add_loop_test(forms, halves, 1, 34);
    tcase_add_loop_test(forms, rooted, 1, 34);
    tcase_add_loop_test(forms, exchanges, 1, 34);
    tcase_add_test(forms, torus);
    tcase_add_test(forms, hierarchical);
    suite_add_tcase(suite, forms);
    return suite;
}
