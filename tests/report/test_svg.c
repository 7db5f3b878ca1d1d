#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/fixture.h"
#include "report/svg.h"

/// A grid of the given dims as the shapes number it (model.md): port 1 + 2 dim towards +1, 2 + 2 dim towards -1.
static struct run_result grid(uint32_t dim_count, const uint32_t *dims, bool wraps) {
    struct run_result result = {.makespan_ticks = 100, .ticks_per_s = 1000};
    uint32_t nodes = 1, stride = 1;
    for (uint32_t d = 0; d < dim_count; d++) nodes *= dims[d];
    result.endpoints = nodes;
    struct link_result *links = allocate((size_t)nodes * dim_count * 2 * sizeof *links);
    uint32_t count_links = 0;
    for (uint32_t d = dim_count; d-- > 0; stride *= dims[d]) {
        for (uint32_t v = 0; v < nodes; v++) {
            uint32_t at = v / stride % dims[d], base = v - at * stride;
            uint32_t up = (at + 1) % dims[d], down = (at + dims[d] - 1) % dims[d];
            if (wraps || up > at)
                links[count_links++] = (struct link_result){.from = v, .to = base + up * stride, .port = 1 + 2 * d, .busy_ticks = 50};
            if (wraps || down < at) links[count_links++] = (struct link_result){.from = v, .to = base + down * stride, .port = 2 + 2 * d};
        }
    }
    fixture_links(&result, links, count_links);
    free(links);
    return result;
}

static void print(void *context, FILE *out) { report_svg(context, out); }

static char *drawn(struct run_result *result, uint32_t dim_count, const uint32_t *dims) {
    struct heat_map map = {
        .title = "a < b & c", .subtitle = "two lines", .result = result, .dim_count = dim_count, .dims = dims, .most = 1};
    char *text = fixture_printed(print, &map);
    run_result_free(result);
    return text;
}

static size_t count(const char *text, const char *word) {
    size_t found = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) found++;
    return found;
}

START_TEST(a_torus_shows_its_wraps) {
    const uint32_t dims[] = {4, 4};
    struct run_result result = grid(2, dims, true);
    ck_assert_uint_eq(result.link_count, 64);
    char *text = drawn(&result, 2, dims);
    ck_assert_uint_eq(count(text, "<path "), 64 + 16); // one wrap cable a row and a column: 16 links in two strokes
    ck_assert_uint_eq(count(text, "<circle "), 16);
    ck_assert_uint_eq(count(text, "<g"), count(text, "</g>"));
    ck_assert_ptr_nonnull(strstr(text, "<title>3 to 0 (port 3): busy 50.0 %"));
    ck_assert_ptr_nonnull(strstr(text, "<title>endpoint 6 (1, 2)</title>"));
    ck_assert_ptr_nonnull(strstr(text, ">a &lt; b &amp; c</text>"));
    free(text);
}
END_TEST

START_TEST(a_mesh_has_none) {
    const uint32_t dims[] = {4, 4};
    struct run_result result = grid(2, dims, false);
    ck_assert_uint_eq(result.link_count, 48);
    char *text = drawn(&result, 2, dims);
    ck_assert_uint_eq(count(text, "<path "), 48);
    free(text);
}
END_TEST

START_TEST(a_dimension_of_two) {
    const uint32_t dims[] = {2};
    struct run_result single = grid(1, dims, false), doubled = grid(1, dims, true);
    char *text = drawn(&single, 1, dims);
    ck_assert_uint_eq(count(text, "<path "), 2);
    free(text);
    text = drawn(&doubled, 1, dims); // the second cable leads around: two strokes each way
    ck_assert_uint_eq(count(text, "<path "), 2 + 4);
    free(text);
}
END_TEST

START_TEST(three_dimensions_are_slices) {
    const uint32_t dims[] = {3, 3, 3};
    struct run_result result = grid(3, dims, true);
    char *text = drawn(&result, 3, dims);
    // of the 54 links of each of the two inner dimensions 18 wrap (one cable a line of three, 9 lines); the outer
    // dimension's 54 are short strokes
    ck_assert_uint_eq(count(text, "<path "), 3 * 54 + 2 * 18);
    ck_assert_uint_eq(count(text, ", *, *)</text>"), 3);
    free(text);
}
END_TEST

START_TEST(colours_are_the_ends_of_the_scale) {
    const uint32_t dims[] = {2};
    struct run_result result = grid(1, dims, false);
    result.loads[0].busy_ticks = 100;
    char *text = drawn(&result, 1, dims);
    ck_assert_ptr_nonnull(strstr(text, "<g stroke=\"#200a3c\" stroke-width=\"5.5\"><title>0 to 1")); // always busy: darkest
    ck_assert_ptr_nonnull(strstr(text, "<g stroke=\"#e4e7ee\" stroke-width=\"2.5\"><title>1 to 0")); // idle: lightest
    free(text);
}
END_TEST

START_TEST(switches_stand_above) {
    struct run_result result = fixture_result();
    char *text = drawn(&result, 0, NULL);
    ck_assert_uint_eq(count(text, "<path "), 4);
    ck_assert_uint_eq(count(text, "class=\"s\"/>"), 1);
    ck_assert_ptr_nonnull(strstr(text, "<title>endpoint 1: rank 1</title>"));
    free(text);
}
END_TEST

/// Two nodes of two endpoints, a switch in each (s0, s1), NICs to a fabric switch (s2): eight cables.
static struct run_result cluster(void) {
    static const uint32_t cables[][2] = {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {0, 6}, {1, 6}, {2, 6}, {3, 6}};
    enum { CABLES = sizeof cables / sizeof *cables };
    struct run_result result = {.makespan_ticks = 100, .ticks_per_s = 1000, .endpoints = 4, .switches = 3};
    struct link_result links[2 * CABLES];
    for (int i = 0; i < CABLES; i++) {
        links[2 * i] = (struct link_result){.from = cables[i][0], .to = cables[i][1]};
        links[2 * i + 1] = (struct link_result){.from = cables[i][1], .to = cables[i][0]};
    }
    links[8].bytes = links[8].chunks = 1000; // 0 to s2
    links[8].peak_queue_bytes = 500;
    links[0].bytes = links[0].chunks = 250; // 0 to s0
    fixture_links(&result, links, 2 * CABLES);
    return result;
}

static char *drawn_cluster(uint32_t group_size, enum heat heat) {
    struct run_result result = cluster();
    struct heat_map map = {.title = "t", .subtitle = "s", .result = &result, .group_size = group_size, .heat = heat};
    map.most = heat_most(&result, heat);
    char *text = fixture_printed(print, &map);
    run_result_free(&result);
    return text;
}

/// The vertical position of what follows `title`'s shape: of the last y="…" or cy="…" before it.
static double height_of(const char *text, const char *title) {
    const char *end = strstr(text, title), *at = NULL;
    ck_assert_ptr_nonnull(end);
    for (const char *c = text; c < end; c++)
        if (!strncmp(c, " y=\"", 4) || !strncmp(c, "cy=\"", 4)) at = c;
    ck_assert_ptr_nonnull(at);
    return strtod(at + 4, NULL);
}

START_TEST(a_cluster_has_its_fabric_above) {
    char *text = drawn_cluster(2, HEAT_UTILIZATION);
    ck_assert_uint_eq(count(text, ">node 0<") + count(text, ">node 1<"), 2);
    ck_assert_uint_eq(count(text, "class=\"b\"/>"), 2);
    double fabric = height_of(text, "<title>switch s2"), endpoint = height_of(text, "<title>endpoint 3"),
           inside = height_of(text, "<title>switch s1");
    ck_assert(fabric < endpoint && endpoint < inside);
    free(text);
    text = drawn_cluster(0, HEAT_UTILIZATION); // without groups all switches are one row
    ck_assert_uint_eq(count(text, "class=\"b\"/>"), 0);
    ck_assert(height_of(text, "<title>switch s2") == height_of(text, "<title>switch s1"));
    free(text);
}
END_TEST

START_TEST(colours_of_bytes_and_queues) {
    char *text = drawn_cluster(2, HEAT_BYTES);
    ck_assert_ptr_nonnull(strstr(text, "<g stroke=\"#200a3c\" stroke-width=\"5.5\"><title>0 to s2")); // the most: darkest
    // a quarter of the way over five steps is 1.25: 250,212,126 + 0.25 (-10,-64,-42) = 247.5,196,115.5
    ck_assert_ptr_nonnull(strstr(text, "<g stroke=\"#f8c474\" stroke-width=\"3.2\"><title>0 to s0"));
    ck_assert_ptr_nonnull(strstr(text, ">bytes a link carried;</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">1 KB</text>"));
    ck_assert_ptr_nonnull(strstr(text, ">500 B</text>"));
    free(text);
    text = drawn_cluster(2, HEAT_QUEUE);
    ck_assert_ptr_nonnull(strstr(text, ">500 B</text>"));
    ck_assert_ptr_nonnull(strstr(text, "<g stroke=\"#e4e7ee\" stroke-width=\"2.5\"><title>0 to s0"));
    free(text);
}
END_TEST

START_TEST(hot_links_lie_on_top) {
    char *text = drawn_cluster(2, HEAT_BYTES);
    const char *hottest = strstr(text, "<title>0 to s2"), *second = strstr(text, "<title>0 to s0"), *cold = strstr(text, "<title>s2 to 3");
    ck_assert(cold < second && second < hottest);
    free(text);
}
END_TEST

START_TEST(linked_switches_stand_in_a_circle) {
    struct run_result result = fixture_result();
    result.endpoints = 1, result.switches = 2, result.ranks = 1; // the second endpoint becomes a switch: 1 and 2 are linked
    char *text = drawn(&result, 0, NULL);
    ck_assert_uint_eq(count(text, "class=\"s\"/>"), 2);
    ck_assert_uint_eq(count(text, "nan"), 0);
    free(text);
}
END_TEST

static void print_two(void *context, FILE *out) {
    struct svg_panel panels[2] = {svg_panel_draw(context), svg_panel_draw(context)};
    svg_page_print(panels, 2, HEAT_UTILIZATION, 1, out);
    free(panels[0].text);
    free(panels[1].text);
}

START_TEST(panels_share_a_scale) {
    struct run_result result = fixture_result();
    struct heat_map map = {.title = "t", .subtitle = "s", .result = &result, .most = 1};
    struct svg_panel panel = svg_panel_draw(&map);
    char *text = fixture_printed(print_two, &map), second[64];
    ck_assert_uint_eq(count(text, "url(#scale)"), 1);
    ck_assert_uint_eq(count(text, "<svg "), 1);
    snprintf(second, sizeof second, "<g transform=\"translate(%.1f 0.0)\">", panel.width + 16);
    ck_assert_ptr_nonnull(strstr(text, second));
    ck_assert_uint_eq(count(text, "<title>endpoint 1: rank 1</title>"), 2);
    free(panel.text);
    free(text);
    run_result_free(&result);
}
END_TEST

Suite *test_svg_suite(void);
Suite *test_svg_suite(void) {
    Suite *suite = suite_create("svg");
    TCase *all = tcase_create("svg");
    tcase_add_test(all, a_torus_shows_its_wraps);
    tcase_add_test(all, a_mesh_has_none);
    tcase_add_test(all, a_dimension_of_two);
    tcase_add_test(all, three_dimensions_are_slices);
    tcase_add_test(all, colours_are_the_ends_of_the_scale);
    tcase_add_test(all, switches_stand_above);
    tcase_add_test(all, a_cluster_has_its_fabric_above);
    tcase_add_test(all, colours_of_bytes_and_queues);
    tcase_add_test(all, hot_links_lie_on_top);
    tcase_add_test(all, linked_switches_stand_in_a_circle);
    tcase_add_test(all, panels_share_a_scale);
    suite_add_tcase(suite, all);
    return suite;
}
