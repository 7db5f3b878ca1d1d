#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/fixture.h"
#include "report/table.h"

struct table {
    struct run_result result;
    struct table_style style;
};

static void print(void *context, FILE *out) {
    struct table *table = context;
    json_t *scenario = fixture_scenario();
    report_table(&table->result, scenario, &table->style, out);
    json_decref(scenario);
}

/// Prints the table and frees its result.
static char *printed(struct table *table) {
    char *text = fixture_printed(print, table);
    run_result_free(&table->result);
    return text;
}

static const char header[] = "two by a switch\n"
                             "network   switch, endpoints 2, link 1GB/s 1us: 2 endpoints, 1 switches, 4 links\n"
                             "          chunk whole\n"
                             "mapping   linear: 2 ranks\n"
                             "workload  all-reduce, algorithm ring, size 1KB\n"
                             "\n"
                             "  collective  algorithm  ranks  size  times  time     algbw     busbw  at least  bound  efficiency\n";

START_TEST(a_complete_run) {
    struct table table = {.result = fixture_result()};
    table.result.loads[2].busy_ticks *= 2; // the hottest comes first; 2 us of 5 is four tenths of the bar
    char *text = printed(&table);
    ck_assert_int_eq(strncmp(text, header, strlen(header)), 0);
    ck_assert_str_eq(text + strlen(header),
                     "  all-reduce  ring           2  1 KB      1  5 us  200 MB/s  200 MB/s      1 us  link       20.0 %\n"
                     "\n"
                     "complete in 5 us: 4 messages, 4 chunks, 8 chunk-hops, 4 KB on links\n"
                     "no run of these messages is faster than 1 us (link bound)\n"
                     "digest 000000000000abcd0000000000001234\n"
                     "\n"
                     "hottest links (4 of 4 that carried something, 4 in all)\n"
                     "  link     port  bytes  chunks  busy  utilisation              peak queue\n"
                     "  s0 -> 0     0   1 KB       2  2 us       40.0 %  ####......         0 B\n"
                     "  0 -> s0     1   1 KB       2  1 us       20.0 %  ##........         0 B\n"
                     "  1 -> s0     1   1 KB       2  1 us       20.0 %  ##........         0 B\n"
                     "  s0 -> 1     1   1 KB       2  1 us       20.0 %  ##........         0 B\n");
    free(text);
}
END_TEST

START_TEST(a_stalled_run_claims_no_time) {
    struct table table = {.result = fixture_result()};
    table.result.status = RUN_STALLED;
    table.result.collectives[0].rank_end_ticks[1] = -1; // rank 1 never ended
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "  all-reduce  ring           2  1 KB      1     -      -      -      1 us  link            -\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nstalled at 5 us: 4 messages"));
    ck_assert_ptr_null(strstr(text, "complete"));
    free(text);
}
END_TEST

START_TEST(a_run_without_time_has_no_bandwidth) {
    struct table table = {.result = fixture_result()};
    table.result.makespan_ticks = table.result.collectives[0].end_ticks = 0;
    memset(table.result.collectives[0].rank_end_ticks, 0, 2 * sizeof(int64_t));
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "  all-reduce  ring           2  1 KB      1   0 s      -      -      1 us  link            -\n"));
    free(text);
}
END_TEST

START_TEST(users_names_are_shown) {
    struct table table = {.result = fixture_result()};
    table.result.node_names = allocate_zeroed(3, sizeof(char *));
    table.result.node_names[2] = strdup("spine");
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "  0 -> spine "));
    ck_assert_ptr_nonnull(strstr(text, "  spine -> 1 "));
    free(text);
}
END_TEST

START_TEST(links_can_be_listed) {
    struct table all = {fixture_result(), {.links_given = true, .links = {LINKS_ALL, 0}}};
    all.result.loads[3].chunks = 0;
    char *text = printed(&all);
    ck_assert_ptr_nonnull(strstr(text, "hottest links (3 of 3 that carried something, 4 in all)\n"));
    const char *listed = strstr(text, "all links, by node and port\n");
    ck_assert_ptr_nonnull(listed);
    ck_assert_ptr_nonnull(strstr(listed, "  s0 -> 1 "));
    free(text);
    struct table one = {fixture_result(), {.links_given = true, .links = {LINKS_TOP, 1}}};
    text = printed(&one);
    ck_assert_ptr_nonnull(strstr(text, "hottest links (1 of 4 that carried something, 4 in all)\n"));
    ck_assert_ptr_null(strstr(text, "by node and port"));
    free(text);
}
END_TEST

static void many_links(struct run_result *result) {
    struct link_result *many = allocate((LINKS_LISTED_MOST + 1) * sizeof *many);
    for (uint32_t l = 0; l <= LINKS_LISTED_MOST; l++)
        many[l] = (struct link_result){.from = 0, .to = 1, .port = l, .chunks = l % 2, .busy_ticks = l % 2};
    fixture_links(result, many, LINKS_LISTED_MOST + 1);
    free(many);
}

static void print_csv(void *context, FILE *out) { report_csv(context, CSV_RUN_LINKS, (struct link_selection){LINKS_ALL, 0}, out); }

static size_t lines_of(const char *text) {
    size_t lines = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++) lines++;
    return lines;
}

START_TEST(csv_lists_all_links_and_people_are_told_what_is_left_out) {
    struct table table = {.result = fixture_result(), .style = {.links_given = true, .links = {LINKS_ALL, 0}}};
    many_links(&table.result);
    char *csv = fixture_printed(print_csv, &table.result);
    ck_assert_uint_eq(lines_of(csv), 1 + LINKS_LISTED_MOST + 1);
    ck_assert_ptr_nonnull(strstr(csv, "\n0,1,100000,"));
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "  … the hottest; 99001 more are left out (--csv=links lists all)\n"));
    free(csv);
    free(text);
}
END_TEST

START_TEST(shortcuts_and_threads_are_told) {
    struct table table = {.result = fixture_result()};
    table.result.savings[SHORTCUT_SOLO] = (struct shortcut_saving){.uses = 4, .messages = 4, .chunk_hops = 8};
    table.result.savings[SHORTCUT_REPLAY] = (struct shortcut_saving){.uses = 1, .messages = 2, .chunk_hops = 6};
    table.result.threads = 2;
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "solo: 4 messages, and so 8 chunk-hops without simulating each\n"
                                       "replay: 1 collective, and so 2 messages and 6 chunk-hops without simulating each\n"
                                       "threads: 2, each simulated a part of the network\n"));
    free(text);
}
END_TEST

START_TEST(only_the_bar_is_coloured) {
    struct table table = {fixture_result(), {.color = true}};
    char *text = printed(&table);
    ck_assert_ptr_nonnull(strstr(text, "20.0 %  \033[34m##........\033[0m         0 B\n"));
    free(text);
}
END_TEST

Suite *test_table_suite(void);
Suite *test_table_suite(void) {
    Suite *suite = suite_create("table");
    TCase *all = tcase_create("table");
    tcase_add_test(all, a_complete_run);
    tcase_add_test(all, a_stalled_run_claims_no_time);
    tcase_add_test(all, a_run_without_time_has_no_bandwidth);
    tcase_add_test(all, users_names_are_shown);
    tcase_add_test(all, links_can_be_listed);
    tcase_add_test(all, csv_lists_all_links_and_people_are_told_what_is_left_out);
    tcase_add_test(all, shortcuts_and_threads_are_told);
    tcase_add_test(all, only_the_bar_is_coloured);
    suite_add_tcase(suite, all);
    return suite;
}
