#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "report/fixture.h"
#include "report/json.h"
#include "report/version.h"

struct document {
    struct run_result result;
    struct link_selection links;
};

static void print(void *context, FILE *out) {
    struct document *document = context;
    json_t *scenario = json_loads("{\"seed\": 7, \"name\": \"x\"}", 0, NULL);
    report_json(&document->result, scenario, document->links, out);
    json_decref(scenario);
}

static char *printed(struct document *document) {
    char *text = fixture_printed(print, document);
    run_result_free(&document->result);
    return text;
}

START_TEST(the_fixed_members) {
    struct document document = {.result = fixture_result()};
    char *text = printed(&document);
    static const char expected[] =
        "{\n"
        "  \"schema_version\": 1,\n"
        "  \"tool\": {\n"
        "    \"name\": \"weft\",\n"
        "    \"version\": \"" WEFT_VERSION "\"\n"
        "  },\n"
        "  \"status\": \"complete\",\n"
        "  \"seed\": 7,\n"
        "  \"scenario\": {\"seed\": 7, \"name\": \"x\"},\n"
        "  \"makespan\": {\n"
        "    \"ticks\": 5000000000,\n"
        "    \"seconds\": 5e-06\n"
        "  },\n"
        "  \"collectives\": [\n"
        "    {\"collective\": \"all-reduce\", \"algorithm\": \"ring\", \"ranks\": 2, \"bytes\": 1000, "
        "\"start\": {\"ticks\": 0, \"seconds\": 0}, \"end\": {\"ticks\": 5000000000, \"seconds\": 5e-06}, "
        "\"algbw\": 200000000, \"busbw\": 200000000, \"rank_end_ticks\": [5000000000, 5000000000], "
        "\"lower_bound\": {\"seconds\": 1e-06, \"kind\": \"link\"}, \"efficiency\": 0.2}\n"
        "  ],\n"
        "  \"totals\": {\n"
        "    \"messages\": 4,\n"
        "    \"chunks\": 4,\n"
        "    \"chunk_hops\": 8,\n"
        "    \"bytes_on_links\": 4000,\n"
        "    \"digest\": \"000000000000abcd0000000000001234\"\n"
        "  },\n"
        "  \"proof\": \"off\",\n"
        "  \"bytes_sent_per_rank\": {\n"
        "    \"min\": 0,\n"
        "    \"max\": 0\n"
        "  },\n"
        "  \"links\": [\n"
        "    {\"from\": \"0\", \"to\": \"s0\", \"port\": 1, \"bytes\": 1000, \"chunks\": 2, \"busy_ticks\": 1000000000, "
        "\"utilization\": 0.2, \"peak_queue_bytes\": 0},\n"
        "    {\"from\": \"1\", \"to\": \"s0\", \"port\": 1, \"bytes\": 1000, \"chunks\": 2, \"busy_ticks\": 1000000000, "
        "\"utilization\": 0.2, \"peak_queue_bytes\": 0},\n"
        "    {\"from\": \"s0\", \"to\": \"0\", \"port\": 0, \"bytes\": 1000, \"chunks\": 2, \"busy_ticks\": 1000000000, "
        "\"utilization\": 0.2, \"peak_queue_bytes\": 0},\n"
        "    {\"from\": \"s0\", \"to\": \"1\", \"port\": 1, \"bytes\": 1000, \"chunks\": 2, \"busy_ticks\": 1000000000, "
        "\"utilization\": 0.2, \"peak_queue_bytes\": 0}\n"
        "  ]\n"
        "}\n";
    size_t same = 0; // Check's own messages are too short for both texts
    while (text[same] && text[same] == expected[same]) same++;
    ck_assert_msg(text[same] == expected[same], "differs from byte %zu on: %.60s", same, text + same);
    free(text);
}
END_TEST

static json_t *parsed(struct document *document) {
    char *text = printed(document);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(json != NULL, "%s", error.text);
    free(text);
    return json;
}

START_TEST(a_stalled_run_says_why) {
    struct document document = {.result = fixture_result()};
    document.result.status = RUN_STALLED;
    error_set(&document.result.error, ERROR_SIMULATION, "rank 1 waits for \"rank 0\"");
    document.result.collectives[0].rank_end_ticks[1] = -1;
    json_t *json = parsed(&document);
    json_t *collective = json_array_get(json_object_get(json, "collectives"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(json, "status")), "stalled");
    ck_assert_str_eq(json_string_value(json_object_get(json, "error")), "rank 1 waits for \"rank 0\"");
    ck_assert(json_is_null(json_object_get(json, "makespan")));
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "stopped_at"), "ticks")), 5000000000);
    ck_assert(json_is_null(json_object_get(collective, "end")));
    ck_assert(json_is_null(json_object_get(collective, "algbw")));
    ck_assert(json_is_null(json_object_get(collective, "busbw")));
    ck_assert(json_is_null(json_object_get(collective, "efficiency")));
    ck_assert(json_is_null(json_array_get(json_object_get(collective, "rank_end_ticks"), 1)));
    json_decref(json);
}
END_TEST

START_TEST(no_time_gives_null_figures) {
    struct document document = {.result = fixture_result()};
    document.result.makespan_ticks = document.result.collectives[0].end_ticks = 0;
    json_t *json = parsed(&document);
    json_t *collective = json_array_get(json_object_get(json, "collectives"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "makespan"), "ticks")), 0);
    ck_assert(json_is_null(json_object_get(collective, "algbw")));
    ck_assert(json_is_null(json_object_get(collective, "efficiency")));
    ck_assert(json_number_value(json_object_get(json_array_get(json_object_get(json, "links"), 0), "utilization")) == 0);
    json_decref(json);
}
END_TEST

START_TEST(users_names_stand_beside_numbers) {
    struct document document = {.result = fixture_result()};
    document.result.node_names = allocate_zeroed(3, sizeof(char *));
    document.result.node_names[2] = strdup("spine");
    json_t *json = parsed(&document);
    json_t *link = json_array_get(json_object_get(json, "links"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(link, "to")), "s0");
    ck_assert_str_eq(json_string_value(json_object_get(link, "to_name")), "spine");
    ck_assert_ptr_null(json_object_get(link, "from_name"));
    json_decref(json);
}
END_TEST

/// How many links the document lists for a selection, when link 3 carried nothing and link 2 is the hottest.
static size_t listed(struct link_selection selection) {
    struct document document = {fixture_result(), selection};
    document.result.loads[3] = (struct carried_load){0};
    document.result.loads[2].busy_ticks++;
    json_t *json = parsed(&document);
    json_t *links = json_object_get(json, "links");
    size_t count = json_array_size(links);
    ck_assert_ptr_null(json_object_get(json, "links_omitted"));
    if (count == 1) ck_assert_str_eq(json_string_value(json_object_get(json_array_get(links, 0), "from")), "s0");
    json_decref(json);
    return count;
}

START_TEST(links_are_selected) {
    ck_assert_uint_eq(listed((struct link_selection){LINKS_USED, 0}), 3);
    ck_assert_uint_eq(listed((struct link_selection){LINKS_ALL, 0}), 4);
    ck_assert_uint_eq(listed((struct link_selection){LINKS_TOP, 1}), 1);
    ck_assert_uint_eq(listed((struct link_selection){LINKS_TOP, 99}), 3);
}
END_TEST

START_TEST(long_lists_keep_the_hottest) {
    struct document document = {.result = fixture_result()};
    struct run_result *result = &document.result;
    struct link_result *many = allocate((LINKS_LISTED_MOST + 1) * sizeof *many);
    for (uint32_t l = 0; l <= LINKS_LISTED_MOST; l++)
        many[l] = (struct link_result){.from = 0, .to = 1, .port = l, .chunks = 1, .busy_ticks = l % 7919};
    fixture_links(result, many, LINKS_LISTED_MOST + 1);
    free(many);
    json_t *json = parsed(&document);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "links")), 1000);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "links_omitted")), LINKS_LISTED_MOST + 1 - 1000);
    json_t *links = json_object_get(json, "links"), *link;
    size_t index;
    int64_t before = -1;
    json_array_foreach(links, index, link) { // sorted by port; 13 full cycles of 7919: the hottest 77 of each
        int64_t port = json_integer_value(json_object_get(link, "port"));
        ck_assert_int_gt(port, before);
        ck_assert_int_ge(port % 7919, 7919 - 1000 / 12 - 1);
        before = port;
    }
    json_decref(json);
}
END_TEST

START_TEST(many_ranks_are_not_listed) {
    struct document document = {.result = fixture_result()};
    struct collective_result *collective = &document.result.collectives[0];
    collective->args.size = 4097;
    free(collective->rank_end_ticks);
    collective->rank_end_ticks = allocate_zeroed(4097, sizeof(int64_t));
    json_t *json = parsed(&document);
    ck_assert_ptr_null(json_object_get(json_array_get(json_object_get(json, "collectives"), 0), "rank_end_ticks"));
    json_decref(json);
}
END_TEST

START_TEST(doubles_are_the_shortest_that_read_back) {
    static const struct {
        double number;
        const char *text;
    } rows[] = {
        {0, "0"},
        {1, "1"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {23732997527.8, "23732997527.8"},
        {1e15, "1000000000000000"},
        {1e21, "1e+21"},
        {2.5e-7, "2.5e-07"},
        {-0.5, "-0.5"},
        {0.1 + 0.2, "0.30000000000000004"},
    };
    char text[DOUBLE_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_str_eq(format_double(rows[i].number, text), rows[i].text);
        ck_assert(strtod(text, NULL) == rows[i].number);
    }
}
END_TEST

/// By trying one digit after the other.
static void check_shortest(double number) {
    char shortest[DOUBLE_SIZE], text[DOUBLE_SIZE], shown[DOUBLE_SIZE];
    int digits = 0;
    do snprintf(shortest, DOUBLE_SIZE, "%.*e", digits, number);
    while (strtod(shortest, NULL) != number && ++digits < 17);
    format_double(number, text);
    ck_assert(strtod(text, NULL) == number);
    size_t shown_digits = 0, zeros = 0;
    for (const char *c = text; *c && *c != 'e'; c++) { // zeros at both ends only say where the point is
        if (*c < '0' || *c > '9' || (*c == '0' && shown_digits == 0)) continue;
        shown_digits++;
        zeros = *c == '0' ? zeros + 1 : 0;
    }
    snprintf(shown, DOUBLE_SIZE, "%.*e", (int)(shown_digits - zeros) - 1, number);
    ck_assert_str_eq(shown, shortest);
}

START_TEST(random_doubles_are_the_shortest_too) {
    struct random_stream random;
    random_seed(&random, 1);
    for (int i = 0; i < 20000; i++) {
        uint64_t whole = 1 + random_below(&random, UINT64_C(1) << random_below(&random, 62)), under = 1 + random_below(&random, 1000000007);
        check_shortest((double)whole / (double)under);
        check_shortest((double)whole / 1e6);
        check_shortest((double)whole * 1e-30);
    }
}
END_TEST

START_TEST(large_numbers_keep_all_digits) {
    char text[UINT128_SIZE];
    ck_assert_str_eq(format_uint128(0, text), "0");
    ck_assert_str_eq(format_uint128(~(unsigned __int128)0, text), "340282366920938463463374607431768211455"); // 2^128 - 1
}
END_TEST

static void print_odd_text(void *context, FILE *out) {
    struct json_writer json = {.out = out};
    put_open(&json, NULL, '{');
    put_text(&json, "a\"b", context);
    put_double(&json, "nan", (double)NAN);
    put_close(&json, '}');
}

START_TEST(texts_are_escaped) {
    char odd[] = "tab\t \"quoted\" back\\slash\nnew \xc3\xa9";
    char *text = fixture_printed(print_odd_text, odd);
    ck_assert_str_eq(text, "{\"a\\\"b\": \"tab\\u0009 \\\"quoted\\\" back\\\\slash\\nnew \xc3\xa9\", \"nan\": null}\n");
    free(text);
}
END_TEST

Suite *test_json_report_suite(void);
Suite *test_json_report_suite(void) {
    Suite *suite = suite_create("json_report");
    TCase *all = tcase_create("json_report");
    tcase_add_test(all, the_fixed_members);
    tcase_add_test(all, a_stalled_run_says_why);
    tcase_add_test(all, no_time_gives_null_figures);
    tcase_add_test(all, users_names_stand_beside_numbers);
    tcase_add_test(all, links_are_selected);
    tcase_add_test(all, long_lists_keep_the_hottest);
    tcase_add_test(all, many_ranks_are_not_listed);
    tcase_add_test(all, doubles_are_the_shortest_that_read_back);
    tcase_add_test(all, random_doubles_are_the_shortest_too);
    tcase_add_test(all, large_numbers_keep_all_digits);
    tcase_add_test(all, texts_are_escaped);
    suite_add_tcase(suite, all);
    return suite;
}
