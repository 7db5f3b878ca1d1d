#include <check.h>
#include <stdint.h>

#include "base/pages.h"

enum { LINE = 64 };

// From a few items to several huge pages: what was written stays, and every block begins on a cache line.
START_TEST(growing_keeps_what_is_there) {
    uint64_t *items = NULL;
    size_t capacity = 0, grown = 0;
    for (size_t i = 0; i < 1500000; i++) {
        size_t before = capacity;
        PAGES_RESERVE(items, capacity, i + 1);
        grown += capacity != before;
        items[i] = i * i;
    }
    ck_assert_uint_gt(grown, 10);
    ck_assert_uint_eq((uintptr_t)items % LINE, 0);
    size_t kept = 0; // an assertion an item would take longer than all else
    while (kept < 1500000 && items[kept] == kept * kept) kept++;
    ck_assert_uint_eq(kept, 1500000);
    pages_free(items);
}
END_TEST

START_TEST(any_size) {
    static const size_t sizes[] = {0, 1, 64, 4096, (2u << 20) - 65, (2u << 20) - 64, (2u << 20) - 63, 2u << 20, 5000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = pages_allocate(sizes[i]);
        ck_assert_uint_eq((uintptr_t)block % LINE, 0);
        for (size_t b = 0; b < sizes[i]; b += 1000) block[b] = 1;
        if (sizes[i] > 0) block[sizes[i] - 1] = 1;
        pages_free(block);
    }
    pages_free(NULL);
    for (size_t bytes = 1000; bytes < 8000000; bytes *= 20) {
        char *block = pages_allocate_zeroed(bytes);
        size_t set = 0;
        for (size_t b = 0; b < bytes; b++) set += block[b] != 0;
        ck_assert_uint_eq(set, 0);
        pages_free(block);
    }
}
END_TEST

START_TEST(pieces_do_not_overlap) {
    struct page_pool pool = {0};
    uint64_t *pieces[200];
    for (uint64_t i = 0; i < 200; i++) {
        size_t words = (i + 1) * 1000;
        pieces[i] = page_pool_take(&pool, words * sizeof **pieces);
        for (size_t w = 0; w < words; w++) pieces[i][w] = i;
    }
    for (uint64_t i = 0; i < 200; i++) {
        size_t words = (i + 1) * 1000, kept = 0;
        while (kept < words && pieces[i][kept] == i) kept++;
        ck_assert_msg(kept == words, "piece %llu", (unsigned long long)i);
    }
    page_pool_free(&pool);
}
END_TEST

Suite *test_pages_suite(void);
Suite *test_pages_suite(void) {
    Suite *suite = suite_create("pages");
    TCase *tests = tcase_create("pages");
    tcase_add_test(tests, growing_keeps_what_is_there);
    tcase_add_test(tests, any_size);
    tcase_add_test(tests, pieces_do_not_overlap);
    suite_add_tcase(suite, tests);
    return suite;
}
