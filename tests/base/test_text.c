#include <check.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

START_TEST(distances) {
    ck_assert_uint_eq(text_distance("ring", "ring"), 0);
    ck_assert_uint_eq(text_distance("ring", "rnig"), 1); // neighbours swapped
    ck_assert_uint_eq(text_distance("ring", "rig"), 1);
    ck_assert_uint_eq(text_distance("bandwith", "bandwidth"), 1);
    ck_assert_uint_eq(text_distance("All_Reduce", "all-reduce"), 0);
    ck_assert_uint_eq(text_distance("kitten", "sitting"), 3);
    ck_assert_uint_eq(text_distance("", "abc"), 3);
    char endless[200];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ck_assert_uint_eq(text_distance(endless, "a"), SIZE_MAX);
}
END_TEST

START_TEST(nearest_choice) {
    static const char *const choices[] = {"linear", "random", "snake", "stride", NULL};
    ck_assert_str_eq(text_nearest("snak", choices), "snake");
    ck_assert_str_eq(text_nearest("randm", choices), "random");
    ck_assert_str_eq(text_nearest("Stride", choices), "stride");
    ck_assert_ptr_null(text_nearest("zigzag", choices));
    ck_assert_ptr_null(text_nearest("", choices));
}
END_TEST

START_TEST(suggestions) {
    static const char *const choices[] = {"linear", "random", "snake", NULL};
    char meant[TEXT_MEANT_SIZE], list[32], small[12];
    ck_assert_str_eq(text_meant("snek", choices, meant), " (did you mean \"snake\"?)");
    ck_assert_str_eq(text_meant("zigzag", choices, meant), "");
    ck_assert_str_eq(text_join(choices, list, sizeof list), "linear, random, snake");
    ck_assert_str_eq(text_join(choices, small, sizeof small), "linear, ran"); // cut, and ended
    ck_assert_str_eq(text_join(choices + 3, list, sizeof list), "");
}
END_TEST

START_TEST(quotes) {
    char out[TEXT_QUOTE_SIZE], endless[1000];
    ck_assert_str_eq(text_quote("a\"b\\c\n", out), "\"a\\\"b\\\\c\\u000a\"");
    ck_assert_str_eq(text_quote("µs", out), "\"µs\"");
    for (size_t i = 0; i + 2 < sizeof endless; i += 2) memcpy(endless + i, "µ", 3);
    ck_assert_uint_eq(strlen(text_quote(endless, out)), 48 * 2 + strlen("\"…\""));
    memset(endless, 1, sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ck_assert_uint_eq(strlen(text_quote(endless, out)), 48 * 6 + strlen("\"…\""));
}
END_TEST

Suite *test_text_suite(void) {
    Suite *suite = suite_create("text");
    TCase *tests = tcase_create("text");
    tcase_add_test(tests, distances);
    tcase_add_test(tests, nearest_choice);
    tcase_add_test(tests, suggestions);
    tcase_add_test(tests, quotes);
    suite_add_tcase(suite, tests);
    return suite;
}
