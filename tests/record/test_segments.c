// Segments against an array with one entry a mark, under random changes.
#include <check.h>
#include <stdlib.h>

#include "base/random.h"
#include "record/segments.h"

enum { MARKS = 200, CHANGES = 3000, WORDS = 2 };

struct model {
    int64_t origin[MARKS]; ///< -1: nothing
    uint64_t set[MARKS];
};

static struct segment random_range(struct random_stream *random, int64_t most) {
    int64_t mark = (int64_t)random_below(random, MARKS), marks = 1 + (int64_t)random_below(random, (uint64_t)most);
    return (struct segment){mark, mark + marks > MARKS ? MARKS - mark : marks, 0};
}

/// Writes two pieces whose origins and sets are often those of what lies beside them.
static void change(struct segments *list, struct model *model, struct random_stream *random, struct run *middle, struct run *scratch) {
    struct segment range = random_range(random, 12);
    int64_t first = (int64_t)random_below(random, (uint64_t)range.marks + 1);
    middle->count = 0;
    for (int part = 0; part < 2; part++) {
        struct segment piece = {part ? range.mark + first : range.mark, part ? range.marks - first : first, 0};
        uint64_t set[WORDS] = {random_below(random, 2), 7};
        piece.origin = piece.mark + (int64_t)random_below(random, 2) * MARKS;
        if (piece.marks > 0) run_push(middle, piece, set);
        for (int64_t i = 0; i < piece.marks; i++) {
            model->origin[piece.mark + i] = piece.origin + i;
            model->set[piece.mark + i] = set[0];
        }
    }
    segments_write(list, range.mark, range.marks, middle, scratch);
}

static void compare(const struct segments *list, const struct model *model, struct random_stream *random, struct run *out) {
    struct segment range = random_range(random, MARKS);
    int64_t expected = 0, found, at = 1000;
    while (expected < range.marks && model->origin[range.mark + expected] >= 0) expected++;
    out->count = 0;
    found = segments_read(list, range.mark, range.marks, at, out);
    ck_assert_int_eq(found, expected);
    for (size_t i = 0; i < out->count; i++) {
        struct segment segment = out->items[i];
        ck_assert_int_eq(segment.mark, at);
        for (int64_t j = 0; j < segment.marks; j++, at++) {
            ck_assert_int_eq(segment.origin + j, model->origin[range.mark + at - 1000]);
            ck_assert_uint_eq(run_set(out, i)[0], model->set[range.mark + at - 1000]);
        }
    }
    ck_assert_int_eq(at, 1000 + expected);
}

START_TEST(as_an_array) {
    struct random_stream random;
    struct segments list = {.run = {.words = WORDS}};
    struct run middle = {.words = WORDS}, scratch = {.words = WORDS}, out = {.words = WORDS};
    struct model model;
    random_seed(&random, (uint64_t)_i);
    for (int i = 0; i < MARKS; i++) model.origin[i] = -1;
    for (int i = 0; i < CHANGES; i++) {
        change(&list, &model, &random, &middle, &scratch);
        compare(&list, &model, &random, &out);
    }
    run_free(&middle);
    run_free(&scratch);
    run_free(&out);
    segments_free(&list);
}
END_TEST

/// A vector written block by block, in any order, is one segment again.
START_TEST(neighbours_become_one) {
    struct segments list = {0};
    struct run middle = {0}, scratch = {0};
    const int64_t order[] = {3, 0, 2, 4, 1};
    for (int i = 0; i < 5; i++) {
        middle.count = 0;
        run_push(&middle, (struct segment){order[i] * 10, 10, order[i] * 10}, NULL);
        segments_write(&list, order[i] * 10, 10, &middle, &scratch);
    }
    ck_assert_uint_eq(list.run.count, 1);
    run_free(&middle);
    run_free(&scratch);
    segments_free(&list);
}
END_TEST

Suite *test_segments_suite(void) {
    Suite *suite = suite_create("segments");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, as_an_array, 0, 5);
    tcase_add_test(all, neighbours_become_one);
    suite_add_tcase(suite, all);
    return suite;
}
