#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scenario/json_position.h"
#include "scenario/json_scan.h"
#include "scenario/problems.h"

static const char sample[] = "{\n"
                             "  \"\\u006eame\": \"caf\u00e9 \\ud83d\\ude00\", \"x\": 1.5e-3,\n"
                             "  \"list\": [true, {\"a/b\": null, \"c~d\": -7}, [ ], \"\"],\n"
                             "\t\"\u00e9\": {\"key\": [1, 2, 300]}\n"
                             "}\n";

static void assert_position(const char *pointer, bool of_key, uint32_t line, uint32_t column) {
    struct text_position position = json_position(sample, pointer, of_key);
    ck_assert_msg(position.line == line && position.column == column, "%s is at %u:%u, not at %u:%u", pointer, position.line,
                  position.column, line, column);
}

START_TEST(pointers_have_positions) {
    assert_position("", false, 1, 1);
    assert_position("/name", false, 2, 16);
    assert_position("/name", true, 2, 3);
    assert_position("/x", true, 2, 37);
    assert_position("/x", false, 2, 42);
    assert_position("/list", false, 3, 11);
    assert_position("/list/0", false, 3, 12);
    assert_position("/list/1", false, 3, 18);
    assert_position("/list/1/a~1b", false, 3, 26);
    assert_position("/list/1/c~0d", true, 3, 32);
    assert_position("/list/1/c~0d", false, 3, 39);
    assert_position("/list/2", false, 3, 44);
    assert_position("/list/3", false, 3, 49);
    assert_position("/\u00e9/key/2", false, 4, 22);
}
END_TEST

START_TEST(absent_values_stand_where_their_parents_do) {
    assert_position("/nothing", false, 1, 1);
    assert_position("/list/4", false, 3, 11);
    assert_position("/list/2/0", false, 3, 44);
    assert_position("/list/x", false, 3, 11);
    assert_position("/list/1/e/f", false, 3, 18);
    assert_position("/x/y", false, 2, 42);
    assert_position("/list/1/none", true, 3, 18);
}
END_TEST

static bool accepts(const char *text, size_t length) {
    struct problems problems = {.count = 0};
    json_t *document = scenario_parse_json(text, length, &problems);
    bool ok = document != NULL;
    ck_assert_uint_eq(problems.count, ok ? 0 : 1);
    json_decref(document);
    problems_free(&problems);
    return ok;
}

/// jansson, and what we refuse beyond it: other bytes after the text, and deep nesting.
static bool jansson_accepts(const char *text, size_t length) {
    json_t *document = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    bool ok = document != NULL;
    json_decref(document);
    return ok;
}

/// Whatever happens to the text, our scanner and jansson agree on whether it is JSON.
START_TEST(mutations_agree_with_jansson) {
    static const char alphabet[] = "{}[]:,\"\\ \n\t0123456789.eE+-truefalsn/'u\x80\xc3\xa9\xff\x01";
    struct random_stream stream;
    random_seed(&stream, (uint64_t)_i + 1);
    uint32_t accepted = 0;
    for (int i = 0; i < 20000; i++) {
        char text[sizeof sample];
        size_t length = sizeof sample - 1;
        memcpy(text, sample, sizeof sample);
        for (uint64_t changes = 1 + random_below(&stream, 3); changes > 0; changes--) {
            size_t at = (size_t)random_below(&stream, length);
            if (random_below(&stream, 3))
                text[at] = alphabet[random_below(&stream, sizeof alphabet - 1)];
            else
                memmove(text + at, text + at + 1, length-- - at);
        }
        bool expected = jansson_accepts(text, length);
        ck_assert_msg(accepts(text, length) == expected, "jansson %s: %s", expected ? "accepts" : "refuses", text);
        accepted += expected;
    }
    ck_assert_uint_gt(accepted, 100);
}
END_TEST

START_TEST(prefixes_are_no_json) {
    size_t end = strlen(sample) - 2; // before the last brace
    for (size_t length = 0; length <= end; length++) ck_assert(!accepts(sample, length));
    ck_assert(accepts(sample, end + 1));
}
END_TEST

START_TEST(nesting_has_a_limit) {
    char text[2 * (JSON_MOST_NESTED + 1) + 1];
    for (int depth = JSON_MOST_NESTED; depth <= JSON_MOST_NESTED + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        ck_assert_int_eq(accepts(text, 2 * (size_t)depth), depth == JSON_MOST_NESTED);
    }
}
END_TEST

START_TEST(strings_are_decoded) {
    static const char text[] = "\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\n\\\"\\/\"";
    struct json_scan scan = json_scan_start(text, sizeof text - 1);
    struct json_string out = {.bytes = NULL};
    ck_assert(json_scan_string(&scan, &out));
    ck_assert_str_eq(out.bytes, "A\u00e9\u20ac\U0001f600\n\"/");
    ck_assert_uint_eq(scan.at, sizeof text - 1);
    free(out.bytes);
}
END_TEST

static void add(struct problems *problems, uint32_t line, uint32_t column, const char *format, ...) {
    va_list args;
    va_start(args, format);
    problems_add_at(problems, (struct text_position){line, column}, "/a", format, args);
    va_end(args);
}

START_TEST(problems_are_sorted_and_bounded) {
    struct problems problems = {.count = 0};
    add(&problems, 3, 1, "third");
    add(&problems, 1, 9, "first");
    add(&problems, 1, 10, "second");
    add(&problems, 3, 1, "fourth");
    for (int i = 0; i < 200; i++) add(&problems, 4, 1, "more");
    ck_assert_str_eq(problems.items[0].text, "first");
    ck_assert_str_eq(problems.items[1].text, "second");
    ck_assert_str_eq(problems.items[2].text, "third");
    ck_assert_str_eq(problems.items[3].text, "fourth");
    ck_assert_uint_eq(problems.count, 100);
    ck_assert_uint_eq(problems.omitted, 104);
    problems_free(&problems);
}
END_TEST

START_TEST(problems_without_a_text_have_no_position) {
    struct problems problems = {.count = 0};
    struct error error = {0};
    error_at(&error, "dims/0", "is wrong");
    problems_add_error(&problems, NULL, "/network/topology", &error);
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    problems_print(&problems, NULL, out);
    fclose(out);
    ck_assert_str_eq(printed, "command line: /network/topology/dims/0: is wrong\n");
    free(printed);
    problems_free(&problems);
}
END_TEST

START_TEST(long_pointers_are_cut) {
    struct problems problems = {.count = 0};
    char pointer[1024];
    pointer[0] = '/';
    for (size_t i = 1; i + 2 < sizeof pointer; i += 2) memcpy(pointer + i, "\u00e9", 3);
    problems_add(&problems, sample, pointer, "x");
    ck_assert_uint_eq(strlen(problems.items[0].pointer), 255);
    ck_assert_uint_eq(problems.items[0].line, 1);
    problems_add(&problems, sample, "/a\nb", "x");
    ck_assert_str_eq(problems.items[1].pointer, "/a?b");
    problems_free(&problems);
}
END_TEST

Suite *test_json_suite(void) {
    Suite *suite = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, pointers_have_positions);
    tcase_add_test(tests, absent_values_stand_where_their_parents_do);
    tcase_add_loop_test(tests, mutations_agree_with_jansson, 0, 4);
    tcase_add_test(tests, prefixes_are_no_json);
    tcase_add_test(tests, nesting_has_a_limit);
    tcase_add_test(tests, strings_are_decoded);
    tcase_add_test(tests, problems_are_sorted_and_bounded);
    tcase_add_test(tests, problems_without_a_text_have_no_position);
    tcase_add_test(tests, long_pointers_are_cut);
    suite_add_tcase(suite, tests);
    return suite;
}
