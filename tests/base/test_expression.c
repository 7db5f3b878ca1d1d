#include <check.h>
#include <string.h>

#include "base/expression.h"

static const char *const variables[] = {"p", "r", "k", NULL};
static const int64_t values[] = {8, 3, 2};

static int64_t value_of(const char *text, const char **mistake) {
    struct arena arena = {0};
    struct error err = {0};
    const struct expression_names names = {.variables = variables};
    const struct expression *parsed = expression_parse(&arena, text, &names, &err);
    ck_assert_msg(parsed != NULL, "%s", err.text);
    *mistake = NULL;
    int64_t value = expression_value(parsed, values, mistake);
    arena_free(&arena);
    return value;
}

static const struct {
    const char *text;
    int64_t value;
} meanings[] = {
    {"7", 7},
    {"r", 3},
    {" ( r - 1 - k )%p ", 0},
    {"(r-7) % p", 4}, // -4 mod 8
    {"-7 / 2", -4},   // rounded down
    {"7 / -2", -4},
    {"-7 % -2", -1},
    {"7 % -2", -1},
    {"1 + 2 * 3", 7},
    {"10 - 3 - 2", 5},
    {"2 * 3 % 4", 2},
    {"1 << 2 + 1", 8}, // sums are tighter than shifts
    {"-1 >> 1", -1},
    {"r & 1 == 1", 1},    // bits are tighter than comparisons, unlike in C
    {"6 | 1 ^ 3 & 2", 7}, // 6 | (1 ^ (3 & 2))
    {"r ^ p >> 1", 7},
    {"1 || 0 && 0", 1},
    {"!r + 1", 1},
    {"- - 3", 3},
    {"5 > 4 && 4 >= 4 && 3 < 4 && 4 <= 4 && 1 != 2", 1},
    {"r < 2 ? 10 : r < 4 ? 20 : 30", 20},
    {"r == 3 || 1 / 0", 1}, // what is not needed is not evaluated
    {"r != 3 && 1 / 0", 0},
    {"r ? k : 1 / 0", 2},
    {"log2(p) + log2(7)", 5},
    {"min(r, k) * 10 + max(r, k)", 23},
    {"9223372036854775807", INT64_MAX},
};

START_TEST(every_operator) {
    const char *mistake;
    ck_assert_int_eq(value_of(meanings[_i].text, &mistake), meanings[_i].value);
    ck_assert_ptr_null(mistake);
}
END_TEST

static const struct {
    const char *text, *mistake;
} without_value[] = {
    {"p / (r - 3)", "divides by 0"},
    {"p % (r - 3)", "divides by 0"},
    {"9223372036854775807 + 1", "above 2^63"},
    {"-9223372036854775807 - 2", "above 2^63"},
    {"(-9223372036854775807 - 1) / -1", "above 2^63"},
    {"4611686018427387904 * 2", "above 2^63"},
    {"4 << 62", "above 2^63"},
    {"1 << 63", "shifts"},
    {"1 >> -1", "shifts"},
    {"log2(0)", "log2"},
};

START_TEST(no_value) {
    const char *mistake;
    ck_assert_int_eq(value_of(without_value[_i].text, &mistake), 0);
    ck_assert_ptr_nonnull(mistake);
    ck_assert_msg(strstr(mistake, without_value[_i].mistake) != NULL, "%s", mistake);
}
END_TEST

static const struct {
    const char *text, *error;
} refused[] = {
    {"", "character 1: expected a number, a name or \"(\""},
    {"1 +", "character 4: expected a number"},
    {"(1", "character 3: expected \")\""},
    {"1 2", "character 3: expected an operator or the end"},
    {"x", "character 1: an unknown name; known here: p, r, k, log2"},
    {"rank", "an unknown name"},
    {"1 < 2 < 3", "do not chain"},
    {"min(1)", "character 6: expected \",\""},
    {"log2 p", "expected \"(\""},
    {"0..1", "character 2: expected an operator or the end"},
    {"r = 3", "character 3: expected an operator or the end"},
    {"((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))", "nested too deeply"},
    {"9223372036854775808", "above 2^63"},
};

START_TEST(not_an_expression) {
    struct arena arena = {0};
    struct error err = {0};
    const struct expression_names names = {.variables = variables};
    ck_assert_ptr_null(expression_parse(&arena, refused[_i].text, &names, &err));
    ck_assert_int_eq(err.kind, ERROR_INPUT);
    ck_assert_msg(strstr(err.text, refused[_i].error) != NULL, "%s", err.text);
    arena_free(&arena);
}
END_TEST

START_TEST(long_sums_are_refused) {
    char text[2002];
    memset(text, '+', sizeof text);
    for (size_t i = 0; i < sizeof text; i += 2) text[i] = '1';
    text[sizeof text - 1] = '\0';
    struct arena arena = {0};
    struct error err = {0};
    const struct expression_names names = {.variables = variables};
    ck_assert_ptr_null(expression_parse(&arena, text, &names, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "longer than 1000 characters"));
    arena_free(&arena);
}
END_TEST

START_TEST(ranges_and_definitions) {
    struct arena arena = {0};
    struct error err = {0};
    const char *mistake = NULL;
    const struct expression_names plain = {.variables = variables};
    const struct expression_definition half = {"half", expression_parse(&arena, "p / 2", &plain, &err)};
    const struct expression_names names = {variables, &half, 1};
    struct expression_range range;
    ck_assert(expression_parse_range(&arena, "half .. 2*half-1", &names, &range, &err));
    ck_assert_int_eq(expression_value(range.first, values, &mistake), 4);
    ck_assert_int_eq(expression_value(range.last, values, &mistake), 7);
    ck_assert(expression_parse_range(&arena, "r", &names, &range, &err));
    ck_assert_ptr_eq(range.first, range.last);
    ck_assert(!expression_parse_range(&arena, "0..", &names, &range, &err));
    arena_free(&arena);
}
END_TEST

Suite *test_expression_suite(void);
Suite *test_expression_suite(void) {
    Suite *suite = suite_create("expression");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, every_operator, 0, sizeof meanings / sizeof *meanings);
    tcase_add_loop_test(all, no_value, 0, sizeof without_value / sizeof *without_value);
    tcase_add_loop_test(all, not_an_expression, 0, sizeof refused / sizeof *refused);
    tcase_add_test(all, long_sums_are_refused);
    tcase_add_test(all, ranges_and_definitions);
    suite_add_tcase(suite, all);
    return suite;
}
