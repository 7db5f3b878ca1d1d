#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/describe.h"
#include "report/fixture.h"
#include "report/output.h"

static void expect(const char *json, const char *const *skip, const char *expected) {
    char line[64];
    json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
    ck_assert_ptr_nonnull(value);
    ck_assert_str_eq(describe_json(value, skip, line, sizeof line), expected);
    json_decref(value);
}

START_TEST(objects_read_as_a_line) {
    static const char *const skip[] = {"b", NULL};
    expect("{\"dims\": [4, 4], \"type\": \"torus\", \"n\": 1, \"none\": null, \"empty\": []}", NULL, "torus, dims 4x4, n 1");
    expect("{\"type\": \"x\", \"link\": {\"bandwidth\": \"1GB/s\", \"latency\": \"1us\"}}", NULL, "x, link 1GB/s 1us");
    expect("{\"type\": \"c\", \"node\": {\"type\": \"switch\", \"endpoints\": 8}}", NULL, "c, node (switch, endpoints 8)");
    expect("{\"type\": \"collective\", \"collective\": \"barrier\", \"sync\": \"free\"}", NULL, "barrier, sync free");
    expect("{\"type\": \"messages\", \"messages\": [{}, {}]}", NULL, "2 messages");
    expect("{\"type\": \"graph\", \"nodes\": [{\"name\": \"x\"}]}", NULL, "graph, nodes 1");
    expect("{\"a\": 1, \"b\": 2, \"c\": true}", skip, "a 1, c yes");
    expect("\"nvlink4\"", NULL, "nvlink4");
}
END_TEST

START_TEST(long_lines_are_cut) {
    char line[32];
    json_t *value = json_pack("{s:s}", "key", "a value that is longer than the line may be");
    describe_json(value, NULL, line, sizeof line);
    ck_assert_uint_lt(strlen(line), sizeof line);
    ck_assert_ptr_nonnull(strstr(line, "…"));
    json_decref(value);
}
END_TEST

static void print_columns(void *context, FILE *out) {
    static const char *const titles[] = {"<name", "n", "<last", NULL};
    struct columns columns;
    (void)context;
    columns_start(&columns, titles);
    columns_add(&columns, "%s", "é");
    columns_add(&columns, "%d", 12345);
    columns_add(&columns, "%s", "\033[34m#\033[0m");
    columns_add(&columns, "%s", "longer");
    columns_add(&columns, "%d", 1);
    columns_add(&columns, "%s", "x");
    columns_finish(&columns, out);
}

START_TEST(columns_align_what_is_shown) {
    char *text = fixture_printed(print_columns, NULL);
    ck_assert_str_eq(text, "  name        n  last\n"
                           "  é       12345  \033[34m#\033[0m\n"
                           "  longer      1  x\n");
    free(text);
}
END_TEST

START_TEST(a_failed_write_says_why) {
    struct error err = {0};
    FILE *full = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(full);
    ck_assert(!output_write(fileno(full), "standard output", "x", 1, &err));
    ck_assert_int_eq(err.kind, ERROR_OUTPUT);
    ck_assert_str_eq(err.text, "cannot write to standard output: No space left on device");
    fclose(full);
    err = (struct error){0};
    ck_assert(!output_save("/no/such/folder/x.svg", "x", 1, &err));
    ck_assert_str_eq(err.text, "cannot write to /no/such/folder/x.svg: No such file or directory");
}
END_TEST

Suite *test_describe_suite(void);
Suite *test_describe_suite(void) {
    Suite *suite = suite_create("describe");
    TCase *all = tcase_create("describe");
    tcase_add_test(all, objects_read_as_a_line);
    tcase_add_test(all, long_lines_are_cut);
    tcase_add_test(all, columns_align_what_is_shown);
    tcase_add_test(all, a_failed_write_says_why);
    suite_add_tcase(suite, all);
    return suite;
}
