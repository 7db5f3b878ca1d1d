// Steps that an algorithm calls alike post the same messages.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/posted.h"

static void post(const struct plan *plan, uint32_t machine, uint64_t k, struct posted *out) {
    struct step_walk walk = step_walk_begin(plan, machine);
    walk.step = k;
    posted_clear(out);
    posted_add_step(out, &walk);
    step_walk_end(&walk);
}

/// Returns how many steps were alike the one before.
static uint64_t check_machine(const struct plan *plan, uint32_t machine) {
    const struct algorithm *algorithm = plan->algorithm;
    struct posted one = {0}, other = {0};
    uint64_t steps = algorithm->steps(&plan->args, machine), alike = 0;
    for (uint64_t k = 0; k < steps; k++) {
        uint64_t until = algorithm->alike_until(&plan->args, machine, k);
        ck_assert_uint_gt(until, k);
        ck_assert_uint_le(until, steps);
        post(plan, machine, k, &one);
        for (uint64_t next = k + 1; next < until; next++, alike++) {
            post(plan, machine, next, &other);
            ck_assert_uint_eq(one.count, other.count);
            for (size_t i = 0; i < one.count; i++)
                ck_assert(one.messages[i].from == other.messages[i].from && one.messages[i].to == other.messages[i].to &&
                          one.messages[i].bytes == other.messages[i].bytes);
        }
    }
    posted_free(&one);
    posted_free(&other);
    return alike;
}

static size_t algorithm_count(void) {
    size_t count = 0;
    while (algorithms[count]) count++;
    return count;
}

START_TEST(alike_steps_post_the_same) {
    static const int64_t sizes[] = {0, 1, 48, 96, 97, 5040};
    const struct algorithm *algorithm = algorithms[_i];
    if (!algorithm->alike_until) return;
    uint64_t alike = 0;
    for (uint32_t p = 1; p <= 9; p++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const struct plan plan = {.kind = PLAN_COLLECTIVE,
                                      .repeat = 1,
                                      .algorithm = algorithm,
                                      .args = {.kind = algorithm->kind, .size = p, .bytes = sizes[i]}};
            for (uint32_t machine = plan_machines(&plan); machine-- > 0;) alike += check_machine(&plan, machine);
        }
    ck_assert_uint_gt(alike, 0);
}
END_TEST

Suite *test_alike_steps_suite(void);
Suite *test_alike_steps_suite(void) {
    Suite *suite = suite_create("alike_steps");
    TCase *tests = tcase_create("alike_steps");
    tcase_add_loop_test(tests, alike_steps_post_the_same, 0, (int)algorithm_count());
    suite_add_tcase(suite, tests);
    return suite;
}
