#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "record/result.h"

/// Links that have loads of their own.
static struct run_result result_of(struct carried_load *loads, uint32_t count) {
    return (struct run_result){.loads = loads, .link_count = count, .load_count = count};
}

// Of equal ones the first; those without chunks are none.
START_TEST(hottest_links_in_order) {
    static const uint32_t wanted[] = {4, 1, 3, 6, 0};
    struct carried_load loads[] = {{.busy_ticks = 1, .chunks = 1}, {.busy_ticks = 5, .chunks = 1}, {.busy_ticks = 9},
                                   {.busy_ticks = 5, .chunks = 1}, {.busy_ticks = 7, .chunks = 1}, {0},
                                   {.busy_ticks = 5, .chunks = 1}};
    struct run_result result = result_of(loads, 7);
    for (uint32_t count = 0; count <= 8; count++) {
        uint32_t links[8], found = hottest_links(&result, count, links);
        ck_assert_uint_eq(found, count < 5 ? count : 5);
        for (uint32_t i = 0; i < found; i++) ck_assert_uint_eq(links[i], wanted[i]);
    }
}
END_TEST

// Each is hotter than all before it: where all that were kept made room for each, this would take many minutes.
START_TEST(many_of_many_links) {
    enum { LINKS = 2000000, KEPT = 1000000 };
    struct carried_load *loads = allocate_zeroed(LINKS, sizeof *loads);
    uint32_t *links = allocate(KEPT * sizeof *links);
    for (uint32_t l = 0; l < LINKS; l++) loads[l] = (struct carried_load){.busy_ticks = 1 + l, .chunks = 1};
    struct run_result result = result_of(loads, LINKS);
    ck_assert_uint_eq(hottest_links(&result, KEPT, links), KEPT);
    for (uint32_t i = 0; i < KEPT; i++) ck_assert_uint_eq(links[i], LINKS - 1 - i);
    free(links);
    free(loads);
}
END_TEST

Suite *test_result_suite(void);
Suite *test_result_suite(void) {
    Suite *suite = suite_create("result");
    TCase *tests = tcase_create("result");
    tcase_add_test(tests, hottest_links_in_order);
    tcase_add_test(tests, many_of_many_links);
    suite_add_tcase(suite, tests);
    return suite;
}
