// Every algorithm, for p = 1 to 33 and many sizes, through the contribution tracker.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "algos/logical.h"

enum { MOST_RANKS = 33, MOST_BYTES = 300 };

static struct collective_args args_of(enum collective_kind kind, uint32_t size, int64_t bytes) {
    return (struct collective_args){.kind = kind, .size = size, .bytes = bytes};
}

static void prove(const struct algorithm *algorithm, const struct collective_args *args) {
    struct logical run;
    logical_start(&run, args);
    bool good = logical_run(&run, algorithm, args) && logical_finish(&run);
    ck_assert_msg(good, "%s/%s, p = %u, n = %lld, root %u, pieces %u, group %u: %s", collective_names[algorithm->kind], algorithm->name,
                  args->size, (long long)args->bytes, args->root, args->pieces, args->group_size, run.error.text);
    if (args->size == 1)
        ck_assert_msg(run.steps == 0 && run.messages == 0, "%s/%s of one rank does something", collective_names[algorithm->kind],
                      algorithm->name);
    logical_free(&run);
}

static bool has_option(const struct algorithm *algorithm, const char *name) {
    for (size_t i = 0; algorithm->options && algorithm->options[i]; i++)
        if (strcmp(algorithm->options[i], name) == 0) return true;
    return false;
}

/// The sizes for p ranks: around nothing, around one byte a block, and two larger ones.
static size_t sizes_for(uint32_t p, int64_t *sizes) {
    const int64_t all[] = {0, 1, p - 1, p, p + 1, 3 * (int64_t)p + 2, 97, MOST_BYTES};
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] <= MOST_BYTES) sizes[count++] = all[i];
    return count;
}

/// All sizes for these few numbers of ranks; each is odd, even, a power of two or above one in its own way.
static bool takes_all_sizes(uint32_t p) { return p == 2 || p == 3 || p == 6 || p == 8; }

/// Matrix sizes that differ for every pair, with zeros among them and an all-zero row and column.
static int64_t *matrix_for(uint32_t p, int64_t bytes) {
    int64_t *matrix = malloc((size_t)p * p * sizeof *matrix);
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < p; j++) {
            bool silent = i == p / 2 || j == p / 2 || (i + 2 * j) % 5 == 0;
            matrix[(size_t)i * p + j] = silent ? 0 : 1 + (bytes * (i + 1) + 7 * (int64_t)j) % 50;
        }
    return matrix;
}

/// Arguments with which an algorithm that needs something of the shape has it: nodes of the largest proper divisor, dims a x b.
static struct collective_args willing(const struct algorithm *algorithm, uint32_t p, int64_t bytes) {
    struct collective_args args = args_of(algorithm->kind, p, bytes);
    uint32_t divisor = p;
    while (divisor > 1 && (divisor == p || p % divisor)) divisor--;
    args.group_size = divisor;
    args.dim_count = 2;
    args.dims[0] = p / divisor;
    args.dims[1] = divisor;
    args.to = p - 1;
    if (strcmp(algorithm->name, "chain") == 0) args.pieces = 5;
    return args;
}

START_TEST(every_algorithm) {
    const struct algorithm *algorithm = algorithms[_i];
    for (uint32_t p = 1; p <= MOST_RANKS; p++) {
        int64_t sizes[MOST_BYTES + 1];
        size_t count = sizes_for(p, sizes);
        for (int64_t n = 0; n <= MOST_BYTES && takes_all_sizes(p); n++) sizes[n] = n, count = MOST_BYTES + 1;
        for (size_t i = 0; i < count; i++) {
            struct error err = {0};
            struct collective_args args = willing(algorithm, p, sizes[i]);
            int64_t *matrix = has_option(algorithm, "matrix") ? matrix_for(p, sizes[i]) : NULL;
            args.matrix = matrix;
            bool refuses = algorithm->accepts && !algorithm->accepts(&args, &err);
            if (!refuses)
                prove(algorithm, &args);
            else
                ck_assert_msg(strcmp(algorithm->name, "pairwise") == 0 && (p & (p - 1)), "%s refuses p = %u", algorithm->name, p);
            free(matrix);
        }
    }
}
END_TEST

/// Any root, and any sender and receiver.
START_TEST(every_root) {
    const struct algorithm *algorithm = algorithms[_i];
    bool rooted = algorithm->kind == BROADCAST || algorithm->kind == REDUCE || algorithm->kind == SCATTER || algorithm->kind == GATHER;
    if (!rooted && algorithm->kind != SEND) return;
    for (uint32_t p = 1; p <= MOST_RANKS; p += p < 17 ? 1 : 5) {
        for (uint32_t root = 0; root < p; root++) {
            struct collective_args args = willing(algorithm, p, 100);
            args.root = args.from = root;
            args.to = (root * 3 + 1) % p;
            prove(algorithm, &args);
        }
    }
}
END_TEST

/// More pieces than bytes, one, and many.
START_TEST(every_number_of_pieces) {
    const struct algorithm *algorithm = algorithms[_i];
    if (!has_option(algorithm, "pieces")) return;
    for (uint32_t p = 1; p <= 20; p++) {
        for (uint32_t pieces = 1; pieces <= 40; pieces += pieces < 5 ? 1 : 7) {
            struct collective_args args = willing(algorithm, p, 23);
            args.pieces = pieces;
            prove(algorithm, &args);
        }
    }
}
END_TEST

/// Every way to write up to 36 ranks as a x b x c, which says it also for two dims and one.
START_TEST(every_torus) {
    const struct algorithm *algorithm = algorithms[_i];
    if (strcmp(algorithm->name, "torus") != 0 && strcmp(algorithm->name, "torus-rotated") != 0 && !has_option(algorithm, "order")) return;
    for (uint32_t a = 1; a <= 6; a++)
        for (uint32_t b = 1; a * b <= 36; b++)
            for (uint32_t c = 1; a * b * c <= 36; c++) {
                struct collective_args args = args_of(algorithm->kind, a * b * c, 300);
                int64_t *matrix = has_option(algorithm, "matrix") ? matrix_for(args.size, 300) : NULL;
                args.matrix = matrix;
                args.dim_count = 3;
                args.dims[0] = a, args.dims[1] = b, args.dims[2] = c;
                args.order = ORDER_SHIFT;
                prove(algorithm, &args);
                args.schedule = SCHEDULE_ALL_AT_ONCE;
                if (algorithm->kind == ALL_TO_ALL) prove(algorithm, &args);
                free(matrix);
            }
}
END_TEST

/// Every size of node that divides the ranks.
START_TEST(every_group) {
    const struct algorithm *algorithm = algorithms[_i];
    if (strcmp(algorithm->name, "hierarchical") != 0 && strcmp(algorithm->name, "two-level") != 0) return;
    for (uint32_t p = 1; p <= 36; p++)
        for (uint32_t g = 1; g <= p; g++) {
            if (p % g) continue;
            struct collective_args args = args_of(algorithm->kind, p, 131);
            args.group_size = g;
            prove(algorithm, &args);
            args.schedule = SCHEDULE_ALL_AT_ONCE;
            prove(algorithm, &args);
        }
}
END_TEST

/// Any all-reduce inside the nodes and between them, where it needs no shape of its own.
START_TEST(every_pair_of_levels) {
    const struct algorithm *inner = algorithms[_i], *hierarchical = algorithm_find(ALL_REDUCE, "hierarchical");
    for (size_t o = 0; algorithms[o]; o++) {
        const uint32_t shapes[][2] = {{2, 2}, {2, 3}, {3, 2}, {4, 4}, {5, 3}, {1, 4}, {6, 1}, {8, 3}};
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            struct error err = {0};
            struct collective_args args = args_of(ALL_REDUCE, shapes[i][0] * shapes[i][1], 77);
            args.group_size = shapes[i][0];
            args.inner = inner;
            args.outer = algorithms[o];
            if (inner->kind != ALL_REDUCE || algorithms[o]->kind != ALL_REDUCE || !hierarchical->accepts(&args, &err)) continue;
            prove(hierarchical, &args);
        }
    }
}
END_TEST

static int algorithm_count(void) {
    int count = 0;
    while (algorithms[count]) count++;
    return count;
}

Suite *test_algorithms_suite(void) {
    Suite *suite = suite_create("algorithms");
    TCase *each = tcase_create("each");
    int count = algorithm_count();
    tcase_set_timeout(each, 60);
    tcase_add_loop_test(each, every_algorithm, 0, count);
    tcase_add_loop_test(each, every_root, 0, count);
    tcase_add_loop_test(each, every_number_of_pieces, 0, count);
    tcase_add_loop_test(each, every_torus, 0, count);
    tcase_add_loop_test(each, every_group, 0, count);
    tcase_add_loop_test(each, every_pair_of_levels, 0, count);
    suite_add_tcase(suite, each);
    return suite;
}
