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
    result.links = allocate((size_t)nodes * dim_count * 2 * sizeof *result.links);
    for (uint32_t d = dim_count; d-- > 0; stride *= dims[d]) {
        for (uint32_t v = 0; v < nodes; v++) {
            uint32_t at = v / stride % dims[d], base = v - at * stride;
            uint32_t up = (at + 1) % dims[d], down = (at + dims[d] - 1) % dims[d];
            if (wraps || up > at)
                result.links[result.link_count++] =
                    (struct link_result){.from = v, .to = base + up * stride, .port = 1 + 2 * d, .busy_ticks = 50};
            if (wraps || down < at)
                result.links[result.link_count++] = (struct link_result){.from = v, .to = base + down * stride, .port = 2 + 2 * d};
        }
    }
    return result;
}

static void print(void *context, FILE *out) { report_svg(context, out); }

static char *drawn(struct run_result *result, uint32_t dim_count, const uint32_t *dims) {
    struct heat_map map = {"a < b & c", "two lines", result, dim_count, dims};
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
    result.links[0].busy_ticks = 100;
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
    suite_add_tcase(suite, all);
    return suite;
}
