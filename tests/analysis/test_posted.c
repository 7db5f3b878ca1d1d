// A walk over steps that passes over idle ranks finds the messages of one that looks at all ranks.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/posted.h"

enum { MOST_RANKS = 40 };

static int compare(const void *one, const void *other) {
    const struct posted_message *a = one, *b = other;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static void sort(struct posted *posted) {
    if (posted->count > 0) qsort(posted->messages, posted->count, sizeof *posted->messages, compare);
}

static void compare_walks(const struct plan *plan) {
    struct algorithm all = *plan->algorithm;
    all.next_step = NULL;
    struct plan plain = *plan;
    plain.algorithm = &all;
    for (uint32_t machine = 0; machine < plan_machines(plan); machine++) {
        struct step_walk some = step_walk_begin(plan, machine), every = step_walk_begin(&plain, machine);
        struct posted found = {0}, expected = {0};
        ck_assert_uint_eq(some.steps, every.steps);
        for (uint64_t k = 0; k <= some.steps; k++) {
            posted_clear(&found), posted_clear(&expected);
            posted_add_step(&found, &some);
            posted_add_step(&expected, &every);
            sort(&found), sort(&expected);
            ck_assert_uint_eq(found.count, expected.count);
            for (size_t i = 0; i < found.count; i++) ck_assert_int_eq(compare(&found.messages[i], &expected.messages[i]), 0);
        }
        posted_free(&found), posted_free(&expected);
        step_walk_end(&some), step_walk_end(&every);
    }
}

START_TEST(walks_find_the_same) {
    struct plan plan = {.kind = PLAN_COLLECTIVE, .repeat = 1, .algorithm = algorithms[_i]};
    if (!plan.algorithm->next_step) return;
    const struct algorithm *tree = algorithm_find(ALL_REDUCE, "tree");
    for (uint32_t p = 1; p <= MOST_RANKS; p++)
        for (uint32_t g = 1; g <= p; g++) {
            if (p % g) continue;
            plan.args = (struct collective_args){.kind = plan.algorithm->kind, .size = p, .bytes = 100, .root = p / g - 1};
            plan.args.pieces = 3 * g, plan.args.group_size = g;
            plan.args.inner = g % 2 ? tree : NULL, plan.args.outer = g % 3 ? NULL : tree;
            compare_walks(&plan);
        }
}
END_TEST

Suite *test_posted_suite(void) {
    Suite *suite = suite_create("posted");
    TCase *walks = tcase_create("walks");
    int count = 0;
    while (algorithms[count]) count++;
    tcase_add_loop_test(walks, walks_find_the_same, 0, count);
    suite_add_tcase(suite, walks);
    return suite;
}
