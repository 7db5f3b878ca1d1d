#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

struct change {
    const char *before, *assignment, *after;
};

static const struct change changes[] = {
    {"{}", "network.chunk=64KiB", "{\"network\": {\"chunk\": \"64KiB\"}}"},
    {"{\"a\": 1}", "a=2", "{\"a\": 2}"},
    {"{\"a\": {\"b\": 1, \"c\": 2}}", "a.b=true", "{\"a\": {\"b\": true, \"c\": 2}}"},
    {"{}", "a=[4, 4]", "{\"a\": [4, 4]}"},
    {"{}", "a=[4, 4", "{\"a\": \"[4, 4\"}"}, // no JSON: a string
    {"{}", "a=\"16\"", "{\"a\": \"16\"}"},
    {"{}", "a={\"x\": null}", "{\"a\": {\"x\": null}}"},
    {"{}", "a={\"x\": 1, \"x\": 2}", "{\"a\": \"{\\\"x\\\": 1, \\\"x\\\": 2}\"}"},
    {"{}", "a=", "{\"a\": \"\"}"},
    {"{}", "a=b=c", "{\"a\": \"b=c\"}"},
    {"{\"a\": \"snake\"}", "a=random", "{\"a\": \"random\"}"},
    {"{\"m\": [{\"size\": 1}, {}]}", "m.1.size=1MB", "{\"m\": [{\"size\": 1}, {\"size\": \"1MB\"}]}"},
    {"{\"m\": [1, 2]}", "m.0=9", "{\"m\": [9, 2]}"},
    {"{\"m\": [1, 2]}", "m.2=9", "{\"m\": [1, 2, 9]}"},
    {"{\"m\": []}", "m.0.x=9", "{\"m\": [{\"x\": 9}]}"},
    {"{}", "\u00e9.b=\u00e9", "{\"\u00e9\": {\"b\": \"\u00e9\"}}"},
};

START_TEST(values_are_set) {
    struct error err = {0};
    json_t *document = json_loads(changes[_i].before, 0, NULL);
    ck_assert_msg(scenario_set(document, changes[_i].assignment, &err), "%s", err.text);
    char *printed = json_dumps(document, 0);
    ck_assert_str_eq(printed, changes[_i].after);
    free(printed);
    json_decref(document);
}
END_TEST

struct refusal {
    const char *before, *assignment, *says;
};

static const struct refusal refusals[] = {
    {"{}", "network.chunk", "\"network.chunk\" has no \"=\"; write network.chunk=64KiB"},
    {"{}", "", "has no \"=\""},
    {"{}", "=3", "a key is empty"},
    {"{}", "a..b=3", "a key is empty"},
    {"{}", "a.=3", "a key is empty"},
    {"[]", "0=3", "the scenario is no object"},
    {"{\"mapping\": \"random\"}", "mapping.seed=3", "\"mapping\" is a string, which holds no keys"},
    {"{\"a\": 3}", "a.b=3", "\"a\" is a number, which holds no keys"},
    {"{\"m\": [1, 2]}", "m.3=9", "\"3\" is no place in a list of 2; elements are numbered from 0"},
    {"{\"m\": [1, 2]}", "m.x=9", "\"x\" is no place in a list of 2"},
    {"{\"m\": [1, 2]}", "m.-1=9", "\"-1\" is no place in a list of 2"},
    {"{\"m\": [1, 2]}", "m.99999999999999999999=9", "is no place in a list of 2"},
    {"{}", "a=\xff", "the value is not UTF-8"},
    {"{}", "\xff=1", "is not UTF-8"},
    {"{}", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=1", "more than 32 keys"},
};

START_TEST(mistakes_are_refused) {
    struct error err = {0};
    json_t *document = json_loads(refusals[_i].before, 0, NULL);
    ck_assert(!scenario_set(document, refusals[_i].assignment, &err));
    ck_assert_int_eq(err.kind, ERROR_INPUT);
    ck_assert_msg(strstr(err.text, refusals[_i].says), "%s", err.text);
    json_decref(document);
}
END_TEST

START_TEST(files_are_read_whole) {
    char path[] = "/tmp/weft-read-text-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    for (int i = 0; i < 100000; i++) fprintf(file, "%07d\n", i);
    fputc('\0', file);
    fclose(file);
    struct error err = {0};
    size_t length;
    char *text = read_text(path, &length, &err);
    ck_assert_msg(text != NULL, "%s", err.text);
    ck_assert_uint_eq(length, 800001);
    ck_assert_str_eq(text + 8 * 99999, "0099999\n");
    free(text);
    remove(path);
}
END_TEST

START_TEST(unreadable_files_are_named) {
    size_t length;
    struct error none = {0}, directory = {0};
    ck_assert_ptr_null(read_text("no/such/file.json", &length, &none));
    ck_assert_str_eq(none.text, "cannot open no/such/file.json: No such file or directory");
    ck_assert_int_eq(none.kind, ERROR_INPUT);
    ck_assert_ptr_null(read_text("tests", &length, &directory));
    ck_assert_str_eq(directory.text, "cannot read tests: it is a directory");
}
END_TEST

Suite *test_set_suite(void) {
    Suite *suite = suite_create("set");
    TCase *tests = tcase_create("set");
    tcase_add_loop_test(tests, values_are_set, 0, sizeof changes / sizeof *changes);
    tcase_add_loop_test(tests, mistakes_are_refused, 0, sizeof refusals / sizeof *refusals);
    tcase_add_test(tests, files_are_read_whole);
    tcase_add_test(tests, unreadable_files_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}
