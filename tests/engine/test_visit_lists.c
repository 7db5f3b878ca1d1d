// What a visit to a node collects: chunks that it makes, and what is delivered.
#include <check.h>
#include <stdlib.h>

#include "engine/arrivals.h"
#include "engine/made_chunks.h"

enum { CHUNKS = 3 * MADE_A_BLOCK + 1 };

static void fill(struct made_chunks *made, const struct chunk **at, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) at[i] = made_chunks_keep(made, &(struct chunk){.message = i});
    for (uint32_t i = 0; i < count; i++) ck_assert_uint_eq(at[i]->message, i);
}

// Also with more than a block of them, and after a visit that made more.
START_TEST(chunks_stay_where_they_are) {
    struct made_chunks made = {0};
    const struct chunk *first[CHUNKS], *again[CHUNKS];
    made_chunks_drop(&made);
    fill(&made, first, CHUNKS);
    ck_assert_uint_eq(made.block_count, 4);
    made_chunks_drop(&made);
    fill(&made, again, 1);
    made_chunks_drop(&made);
    fill(&made, again, CHUNKS);
    for (uint32_t i = 0; i < CHUNKS; i++) ck_assert_ptr_eq(again[i], first[i]);
    ck_assert_uint_eq(made.block_count, 4);
    made_chunks_free(&made);
}
END_TEST

START_TEST(arrivals_are_in_order_of_time) {
    static const int64_t times[] = {5, 3, 5, 9, 3, 1}, sorted[] = {1, 3, 3, 5, 5, 9};
    static const uint32_t messages[] = {5, 1, 4, 0, 2, 3}; // those of one time as they came
    struct arrivals arrivals = {0};
    for (uint32_t m = 0; m < 6; m++) arrivals_add(&arrivals, times[m], m, 1);
    const struct arrival *arrival = arrivals_closed(&arrivals);
    ck_assert_uint_eq(arrivals.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_int_eq(arrival[i].time, sorted[i]);
        ck_assert_uint_eq(arrival[i].message, messages[i]);
    }
    ck_assert_int_eq(arrival[6].time, INT64_MAX);
    free(arrivals.items);
}
END_TEST

Suite *test_visit_lists_suite(void) {
    Suite *suite = suite_create("visit_lists");
    TCase *tests = tcase_create("visit_lists");
    tcase_add_test(tests, chunks_stay_where_they_are);
    tcase_add_test(tests, arrivals_are_in_order_of_time);
    suite_add_tcase(suite, tests);
    return suite;
}
