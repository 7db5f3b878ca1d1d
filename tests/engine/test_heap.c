#include <check.h>
#include <stdbool.h>

#include "base/random.h"
#include "engine/heap.h"

static bool in_order(struct heap_entry a, struct heap_entry b) { return a.time < b.time || (a.time == b.time && a.order < b.order); }

START_TEST(pops_by_time_then_order) {
    struct heap heap = {0};
    struct random_stream random;
    random_seed(&random, 1);
    for (uint64_t i = 0; i < 5000; i++) heap_push(&heap, (struct heap_entry){(int64_t)random_below(&random, 100), i, i});
    struct heap_entry last = heap_pop(&heap);
    while (heap.count > 0) {
        struct heap_entry next = heap_pop(&heap);
        ck_assert_msg(in_order(last, next), "(%lld, %llu) after (%lld, %llu)", (long long)next.time, (unsigned long long)next.order,
                      (long long)last.time, (unsigned long long)last.order);
        ck_assert_uint_eq(next.payload, next.order);
        last = next;
    }
    heap_free(&heap);
}
END_TEST

// Pops and pushes mixed: whatever is popped is the least of what is held.
START_TEST(holds_the_least_between_pushes) {
    struct heap heap = {0};
    struct random_stream random;
    random_seed(&random, 2);
    enum { TIMES = 64 };
    unsigned held[TIMES] = {0};
    for (uint64_t i = 0; i < 20000; i++) {
        if (heap.count == 0 || random_below(&random, 2)) {
            int64_t time = (int64_t)random_below(&random, TIMES);
            heap_push(&heap, (struct heap_entry){time, i, i});
            held[time]++;
        } else {
            int64_t least = 0;
            while (held[least] == 0) least++;
            int64_t time = heap_pop(&heap).time;
            ck_assert_int_eq(time, least);
            held[time]--;
        }
    }
    heap_free(&heap);
}
END_TEST

START_TEST(replace_is_pop_then_push) {
    struct heap one = {0}, two = {0};
    struct random_stream random;
    random_seed(&random, 3);
    for (uint64_t i = 0; i < 300; i++) {
        struct heap_entry entry = {(int64_t)random_below(&random, 50), i, i};
        heap_push(&one, entry);
        heap_push(&two, entry);
    }
    for (uint64_t i = 300; i < 3000; i++) {
        struct heap_entry entry = {(int64_t)(i / 20 + random_below(&random, 50)), i, i};
        struct heap_entry replaced = heap_replace(&one, entry), popped = heap_pop(&two);
        heap_push(&two, entry);
        ck_assert_uint_eq(replaced.payload, popped.payload);
    }
    heap_free(&one);
    heap_free(&two);
}
END_TEST

Suite *test_heap_suite(void) {
    Suite *suite = suite_create("heap");
    TCase *tests = tcase_create("heap");
    tcase_add_test(tests, pops_by_time_then_order);
    tcase_add_test(tests, holds_the_least_between_pushes);
    tcase_add_test(tests, replace_is_pop_then_push);
    suite_add_tcase(suite, tests);
    return suite;
}
