#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/completion.h"
#include "cli/manual.h"
#include "report/fixture.h"

static void print_text(void *context, FILE *out) { roff_text(context, out); }

static void print_page(void *context, FILE *out) {
    struct error err = {0};
    ck_assert(manual_print(context, out, &err));
}

static void print_help(void *context, FILE *out) { completion_help(context, "[:'", out); }

static void shows(void (*print)(void *context, FILE *out), const char *given, const char *expected) {
    char text[64];
    char *printed = fixture_printed(print, strcpy(text, given));
    ck_assert_str_eq(printed, expected);
    free(printed);
}

START_TEST(what_means_something_to_roff_is_escaped) {
    shows(print_text, ".a\n'b .c", "\\&.a\n\\&'b .c");
    shows(print_text, "--x\\y", "\\-\\-x\\ey");
    shows(print_text, "a…b×", "a\\[u2026]b\\[u00D7]"); // U+2026, U+00D7
}
END_TEST

START_TEST(help_is_cut_and_quoted_for_shells) {
    shows(print_help, "bytes (default: all)", "bytes");
    shows(print_help, "one; or two", "one");
    shows(print_help, "a rank's [time]: now", "a rank\\'s \\[time]\\: now");
}
END_TEST

START_TEST(pages) {
    char *names = fixture_printed(print_page, NULL), *rest = names;
    size_t count = 0;
    for (char *name; (name = strtok_r(rest, "\n", &rest)); count++) {
        char *page = fixture_printed(print_page, name);
        ck_assert_msg(!strncmp(page, ".TH WEFT", 8) && strstr(page, "\n.SH NAME\nweft"), "%s", name);
        free(page);
    }
    ck_assert_uint_gt(count, 6);
    struct error err = {0};
    ck_assert(!manual_print("weft.7", stdout, &err));
    ck_assert_str_eq(err.text, "there is no manual page \"weft.7\"");
    free(names);
}
END_TEST

START_TEST(the_scenario_page_has_keys_and_types) {
    char *page = fixture_printed(print_page, "weft-scenario.5");
    ck_assert_ptr_nonnull(strstr(page, "\\fBnetwork.switching\\fR (one of cut\\-through, store\\-and\\-forward)\n"));
    ck_assert_ptr_nonnull(strstr(page, "\\fBworkload\\fR (an object with a type, or the type's name; required)\n"));
    ck_assert_ptr_nonnull(strstr(page, ".SS fat\\-tree\n"));
    free(page);
}
END_TEST

Suite *test_manual_suite(void);
Suite *test_manual_suite(void) {
    Suite *suite = suite_create("manual");
    TCase *all = tcase_create("manual");
    tcase_add_test(all, what_means_something_to_roff_is_escaped);
    tcase_add_test(all, help_is_cut_and_quoted_for_shells);
    tcase_add_test(all, pages);
    tcase_add_test(all, the_scenario_page_has_keys_and_types);
    suite_add_tcase(suite, all);
    return suite;
}
