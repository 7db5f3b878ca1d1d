// Every kind of row, read by a table made for the test.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/link_presets.h"
#include "scenario/reader.h"

struct item {
    uint64_t given;
    int64_t number;
};

struct round_shape {
    uint64_t given;
    int64_t radius;
};

struct everything {
    uint64_t given;
    int64_t integer, bytes, rate, time, absent;
    bool boolean;
    int choice;
    const char *text, *node;
    struct integers integers;
    struct item object;
    struct records list, variants, links, times, texts, nodes, sizes;
    struct variant variant;
    struct link_config link;
    struct matrix matrix, numbers;
};

static const struct field item_fields[] = {
    {.name = "number", .kind = FIELD_INTEGER, .offset = offsetof(struct item, number), .fallback = 7, .min = 1, .max = 9},
    {.name = NULL},
};

static const struct field round_fields[] = {
    {.name = "radius", .kind = FIELD_INTEGER, .offset = offsetof(struct round_shape, radius), .flags = FIELD_REQUIRED, .max = 100},
    {.name = NULL},
};

static bool check_round(const void *config, struct error *err) {
    const struct round_shape *shape = config;
    return shape->radius != 13 || error_at(err, "radius", "13 is not lucky");
}

static const struct variant_type plain_type = {.name = "plain"};
static const struct variant_type round_type = {
    .name = "round", .fields = round_fields, .config_size = sizeof(struct round_shape), .check = check_round};
static const struct variant_type *const shape_types[] = {&plain_type, &round_type, NULL};
static const struct family shapes = {"shape", shape_types};
static const char *const colours[] = {"red", "green", "blue", NULL};

#define ROW(key, field_kind, member) .name = key, .kind = field_kind, .offset = offsetof(struct everything, member)
static const struct field fields[] = {
    {ROW("integer", FIELD_INTEGER, integer), .fallback = 5, .min = -10, .max = 10},
    {ROW("boolean", FIELD_BOOLEAN, boolean), .fallback = true},
    {ROW("choice", FIELD_CHOICE, choice), .fallback = 1, .choices = colours},
    {ROW("text", FIELD_TEXT, text)},
    {ROW("node", FIELD_NODE, node)},
    {ROW("bytes", FIELD_BYTES, bytes), .fallback = 65536, .min = 1, .max = 1 << 30, .word = "whole"},
    {ROW("rate", FIELD_RATE, rate), .fallback = 1000},
    {ROW("time", FIELD_TIME, time), .fallback = 3},
    {ROW("absent", FIELD_TIME, absent), .fallback = -1},
    {ROW("integers", FIELD_INTEGERS, integers), .min = 1, .max = 100},
    {ROW("object", FIELD_OBJECT, object), .fields = item_fields},
    {ROW("list", FIELD_LIST, list), .fields = item_fields, .item_size = sizeof(struct item), .min = 1, .max = 3},
    {ROW("variant", FIELD_VARIANT, variant), .family = &shapes, .word = "plain"},
    {ROW("variants", FIELD_VARIANTS, variants), .family = &shapes},
    {ROW("link", FIELD_LINK, link)},
    {ROW("links", FIELD_LINKS, links)},
    {ROW("times", FIELD_TIMES, times)},
    {ROW("texts", FIELD_TEXTS, texts)},
    {ROW("nodes", FIELD_NODES, nodes)},
    {ROW("sizes", FIELD_SIZES, sizes)},
    {ROW("matrix", FIELD_MATRIX, matrix)},
    {ROW("numbers", FIELD_MATRIX, numbers), .max = 1000},
    {.name = NULL},
};

static struct arena arena;
static struct problems problems;

/// Reads `text` as a struct everything; what is wrong is in `problems`.
static struct everything read(const char *text) {
    struct everything out;
    memset(&out, 0, sizeof out);
    json_t *document = scenario_parse_json(text, strlen(text), &problems);
    ck_assert_msg(document != NULL, "%s", problems.count ? problems.items[0].text : "");
    struct reader reader = {
        .problems = &problems, .text = text, .directory = "tests/scenario", .arena = &arena, .ticks_per_s = TICKS_PER_S_FS};
    read_struct(&reader, fields, document, &out, false);
    free(reader.pointer);
    json_decref(document);
    return out;
}

static struct everything read_well(const char *text) {
    struct everything out = read(text);
    ck_assert_msg(problems.count == 0, "%s: %s", problems.items[0].pointer, problems.items[0].text);
    return out;
}

static void release(void) {
    arena_free(&arena);
    problems_free(&problems);
}

START_TEST(defaults) {
    struct everything out = read_well("{}");
    ck_assert_uint_eq(out.given, 0);
    ck_assert_int_eq(out.integer, 5);
    ck_assert(out.boolean);
    ck_assert_int_eq(out.choice, 1);
    ck_assert_ptr_null(out.text);
    ck_assert_int_eq(out.bytes, 65536);
    ck_assert_int_eq(out.rate, 1000);
    ck_assert_int_eq(out.time, 3);
    ck_assert_int_eq(out.absent, -1);
    ck_assert_int_eq(out.object.number, 7);
    ck_assert_ptr_eq(out.variant.type, &plain_type);
    ck_assert_uint_eq(out.list.count, 0);
}
END_TEST

START_TEST(scalars) {
    struct everything out = read_well("{\"integer\": -10, \"boolean\": false, \"choice\": \"blue\", \"text\": \"caf\u00e9\", \"node\": 6,"
                                      " \"bytes\": \"1KiB\", \"rate\": \"400Gbps\", \"time\": \"1.5fs\"}");
    ck_assert_int_eq(out.integer, -10);
    ck_assert(!out.boolean);
    ck_assert_int_eq(out.choice, 2);
    ck_assert_str_eq(out.text, "caf\u00e9");
    ck_assert_str_eq(out.node, "6");
    ck_assert_int_eq(out.bytes, 1024);
    ck_assert_int_eq(out.rate, 50000000000);
    ck_assert_int_eq(out.time, 2); // rounded up
    ck_assert(field_given(fields, &out, "time"));
    ck_assert(!field_given(fields, &out, "absent"));
    ck_assert_uint_eq(out.given, 0xff);
}
END_TEST

START_TEST(words_and_names) {
    struct everything out = read_well("{\"bytes\": \"whole\", \"node\": \"s3\", \"variant\": \"plain\"}");
    ck_assert_int_eq(out.bytes, 0);
    ck_assert_str_eq(out.node, "s3");
    ck_assert_ptr_eq(out.variant.type, &plain_type);
}
END_TEST

START_TEST(lists) {
    struct everything out =
        read_well("{\"integers\": [1, 100], \"list\": [{}, {\"number\": 9}], \"texts\": [\"a\", \"b\"], \"sizes\": [\"1KB\", \"0B\"],"
                  " \"times\": {\"3\": \"5ms\", \"0\": \"1fs\"}, \"object\": {\"number\": 2}}");
    ck_assert_uint_eq(out.integers.count, 2);
    ck_assert_int_eq(out.integers.values[1], 100);
    const struct item *items = out.list.items;
    ck_assert_uint_eq(out.list.count, 2);
    ck_assert_int_eq(items[0].number, 7);
    ck_assert_int_eq(items[1].number, 9);
    ck_assert_uint_eq(items[1].given, 1);
    ck_assert_str_eq(((const char **)out.texts.items)[1], "b");
    ck_assert_int_eq(((int64_t *)out.sizes.items)[0], 1000);
    const struct rank_time *times = out.times.items;
    ck_assert_int_eq(times[0].rank, 3);
    ck_assert_int_eq(times[0].ticks, 5000000000000);
    ck_assert_int_eq(times[1].rank, 0);
    ck_assert_int_eq(out.object.number, 2);
}
END_TEST

START_TEST(variants) {
    struct everything out =
        read_well("{\"variant\": {\"type\": \"round\", \"radius\": 4}, \"variants\": [\"plain\", {\"radius\": 5, \"type\": \"round\"}]}");
    ck_assert_ptr_eq(out.variant.type, &round_type);
    ck_assert_int_eq(((struct round_shape *)out.variant.config)->radius, 4);
    const struct variant *list = out.variants.items;
    ck_assert_ptr_eq(list[0].type, &plain_type);
    ck_assert_int_eq(((struct round_shape *)list[1].config)->radius, 5);
}
END_TEST

START_TEST(links) {
    struct everything out = read_well("{\"link\": {\"bandwidth\": \"45GB/s\", \"alpha\": \"1.000000000000001us\"},"
                                      " \"links\": [\"nvlink4\", {\"bandwidth\": \"1GB/s\", \"latency\": \"0ns\"}]}");
    ck_assert_int_eq(out.link.bandwidth_bytes_per_s, 45000000000);
    ck_assert_int_eq(out.link.latency_ticks, 500000001); // ceil((10^9 + 1) / 2)
    ck_assert(out.link.from_alpha);
    ck_assert_ptr_null(out.link.preset);
    const struct link_config *list = out.links.items;
    ck_assert_str_eq(list[0].preset, "nvlink4");
    ck_assert_int_eq(list[0].bandwidth_bytes_per_s, 450000000000); // 18 links of 25 GB/s
    ck_assert_int_eq(list[0].latency_ticks, 300000000);            // half of the 0.6 us of a step over NVLink
    ck_assert(!list[0].from_alpha);
    ck_assert_int_eq(list[1].latency_ticks, 0);
}
END_TEST

START_TEST(nodes) {
    struct everything count = read_well("{\"nodes\": 3}");
    ck_assert_uint_eq(count.nodes.count, 3);
    ck_assert_ptr_null(((struct node_config *)count.nodes.items)[2].name);
    struct everything named = read_well("{\"nodes\": [{\"name\": \"gpu0\"}, {\"name\": \"tor\", \"kind\": \"switch\"}]}");
    const struct node_config *list = named.nodes.items;
    ck_assert_uint_eq(named.nodes.count, 2);
    ck_assert_str_eq(list[0].name, "gpu0");
    ck_assert(!list[0].is_switch);
    ck_assert(list[1].is_switch);
}
END_TEST

static void assert_matrix(const struct matrix *matrix) {
    static const int64_t expected[] = {0, 1000, 2048, 3, 0, 5000000};
    ck_assert_uint_eq(matrix->rows, 2);
    ck_assert_uint_eq(matrix->columns, 3);
    for (size_t i = 0; i < 6; i++) ck_assert_int_eq(matrix->values[i], expected[i]);
}

START_TEST(matrices) {
    struct everything inlined = read_well("{\"matrix\": [[\"0B\", \"1KB\", \"2KiB\"], [\"3B\", \"0B\", \"5MB\"]]}");
    assert_matrix(&inlined.matrix);
    ck_assert_ptr_null(inlined.matrix.file);
    struct everything from_file = read_well("{\"matrix\": \"matrix.csv\"}");
    assert_matrix(&from_file.matrix);
    ck_assert_str_eq(from_file.matrix.file, "matrix.csv");
    struct everything numbers[] = {read_well("{\"numbers\": [[0, 10], [1000, 7]]}"), read_well("{\"numbers\": \"numbers.csv\"}")};
    for (int i = 0; i < 2; i++) {
        static const int64_t expected[] = {0, 10, 1000, 7};
        ck_assert_uint_eq(numbers[i].numbers.columns, 2);
        ck_assert_mem_eq(numbers[i].numbers.values, expected, sizeof expected);
    }
}
END_TEST

struct wrong {
    const char *text, *pointer, *says;
    uint32_t column;
};

static const struct wrong wrongs[] = {
    {"{\"integer\": 11}", "/integer", "11 is too large; the most is 10", 13},
    {"{\"integer\": \"5\"}", "/integer", "expected an integer, found \"5\"", 13},
    {"{\"boolean\": 1}", "/boolean", "expected true or false, found 1", 13},
    {"{\"choice\": \"bleu\"}", "/choice", "unknown choice \"bleu\"; known: red, green, blue (did you mean \"blue\"?)", 12},
    {"{\"choice\": []}", "/choice", "expected one of red, green, blue, found a list", 12},
    {"{\"text\": null}", "/text", "expected a string, found null", 10},
    {"{\"node\": \"\"}", "/node", "expected a node: a number from 0 on, or a name, found \"\"", 10},
    {"{\"bytes\": \"2GiB\"}", "/bytes", "2GiB is too large; the most is 1GiB", 11},
    {"{\"bytes\": \"wole\"}", "/bytes", "\"wole\" is neither a size such as \"64KiB\" nor \"whole\" (did you mean \"whole\"?)", 11},
    {"{\"time\": 5}", "/time", "\"5\" has no unit; a time is a number and one of fs, ps, ns, us, ms, s", 10},
    {"{\"integers\": [1, 0]}", "/integers/1", "0 is not allowed; 1 to 100 are", 18},
    {"{\"integers\": 3}", "/integers", "expected a list of integers, found 3", 14},
    {"{\"list\": []}", "/list", "a list of 0; at least 1 are needed", 10},
    {"{\"list\": [{}, {}, {}, {}]}", "/list", "a list of 4; at most 3 are allowed", 10},
    {"{\"list\": [{\"numbre\": 3}]}", "/list/0/numbre", "unknown key \"numbre\" (did you mean \"number\"?)", 12},
    {"{\"list\": [3]}", "/list/0", "expected an object, found 3", 11},
    {"{\"object\": {\"x\": 3}}", "/object/x", "unknown key \"x\"; known here: number", 13},
    {"{\"variant\": {\"type\": \"round\"}}", "/variant", "the key \"radius\" is missing", 13},
    {"{\"variant\": \"round\"}", "/variant", "the key \"radius\" is missing", 13},
    {"{\"variant\": {\"type\": \"round\", \"radius\": 13}}", "/variant/radius", "13 is not lucky", 41},
    {"{\"variant\": {}}", "/variant", "the key \"type\" is missing; a shape is one of plain, round", 13},
    {"{\"variant\": {\"type\": \"rond\"}}", "/variant/type", "unknown shape \"rond\"; known: plain, round (did you mean \"round\"?)", 22},
    {"{\"variant\": []}", "/variant", "expected an object with a \"type\", found a list", 13},
    {"{\"variant\": {\"type\": \"plain\", \"radius\": 3}}", "/variant/radius", "unknown key \"radius\"; known here: type", 31},
    {"{\"link\": \"nvlink44\"}", "/link", "(did you mean \"nvlink4\"?)", 10},
    {"{\"link\": {\"bandwidth\": \"1GB/s\"}}", "/link", "the key \"latency\" is missing (or \"alpha\", of a path through one switch)", 10},
    {"{\"times\": {\"1.5\": \"1us\"}}", "/times/1.5", "the key \"1.5\" is no rank; ranks are numbered from 0", 12},
    {"{\"times\": {\"99999999999\": \"1us\"}}", "/times/99999999999", "no rank", 12},
    {"{\"nodes\": 0}", "/nodes", "0 is too small; the least is 1", 11},
    {"{\"nodes\": 1000000000000}", "/nodes", "too large", 11},
    {"{\"nodes\": [{\"kind\": \"router\", \"name\": \"a\"}]}", "/nodes/0/kind", "unknown kind \"router\"; known: endpoint, switch", 21},
    {"{\"nodes\": \"three\"}", "/nodes", "expected a number of nodes, or a list of them, found \"three\"", 11},
    {"{\"matrix\": [[\"1B\"], [\"1B\", \"2B\"]]}", "/matrix/1", "row 1 has 2 entries, the first has 1", 21},
    {"{\"matrix\": [[\"1B\"], 3]}", "/matrix/1", "expected a list of sizes, found 3", 21},
    {"{\"matrix\": [[\"1B\", \"x\"]]}", "/matrix/0/1", "does not begin with a decimal number", 20},
    {"{\"matrix\": \"none.csv\"}", "/matrix", "cannot open tests/scenario/none.csv: No such file or directory", 12},
    {"{\"matrix\": \"bad.csv\"}", "/matrix", "bad.csv, line 3, column 2: \"7\" has no unit", 12},
    {"{\"numbers\": [[1, 1001]]}", "/numbers/0/1", "1001 is too large; the most is 1000", 18},
    {"{\"numbers\": [[\"1B\"]]}", "/numbers/0/0", "expected an integer", 15},
    {"{\"numbers\": \"bad-numbers.csv\"}", "/numbers",
     "bad-numbers.csv, line 2, column 1: expected an integer in [0, 1000], found \"1001\"", 13},
    {"{\"matrix\": true}", "/matrix", "expected a list of rows of sizes, or the name of a CSV file, found true", 12},
};

START_TEST(refusals) {
    const struct wrong *wrong = &wrongs[_i];
    read(wrong->text);
    ck_assert_msg(problems.count == 1, "%s: %zu problems", wrong->text, problems.count);
    ck_assert_str_eq(problems.items[0].pointer, wrong->pointer);
    ck_assert_msg(strstr(problems.items[0].text, wrong->says), "%s: %s", wrong->text, problems.items[0].text);
    ck_assert_uint_eq(problems.items[0].line, 1);
    ck_assert_msg(problems.items[0].column == wrong->column, "%s: column %u", wrong->text, problems.items[0].column);
}
END_TEST

START_TEST(presets_are_sound) {
    for (const struct link_preset *preset = link_presets; preset->name; preset++) {
        struct error err = {0};
        int64_t value;
        ck_assert_msg(parse_rate(preset->bandwidth, &value, &err), "%s: %s", preset->name, err.text);
        ck_assert_msg(parse_time(preset->latency, TICKS_PER_S_FS, &value, &err), "%s: %s", preset->name, err.text);
        ck_assert_ptr_nonnull(strstr(preset->source, "bandwidth: "));
        ck_assert_ptr_nonnull(strstr(preset->source, "latency: "));
        ck_assert_ptr_eq(link_preset_find(preset->name), preset);
    }
    ck_assert_ptr_null(link_preset_find("nvlink"));
}
END_TEST

Suite *test_reader_suite(void) {
    Suite *suite = suite_create("reader");
    TCase *tests = tcase_create("reader");
    tcase_add_checked_fixture(tests, NULL, release);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, scalars);
    tcase_add_test(tests, words_and_names);
    tcase_add_test(tests, lists);
    tcase_add_test(tests, variants);
    tcase_add_test(tests, links);
    tcase_add_test(tests, nodes);
    tcase_add_test(tests, matrices);
    tcase_add_loop_test(tests, refusals, 0, sizeof wrongs / sizeof *wrongs);
    tcase_add_test(tests, presets_are_sound);
    suite_add_tcase(suite, tests);
    return suite;
}
