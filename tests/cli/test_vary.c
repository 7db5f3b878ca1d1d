#include <check.h>
#include <string.h>

#include "cli/vary.h"

/// Parses up to two axes; `second` may be NULL.
static bool parse(const char *first, const char *second, struct vary *out, struct error *err) {
    struct texts texts = {0};
    texts_add(&texts, "%s", first);
    if (second) texts_add(&texts, "%s", second);
    *err = (struct error){0};
    bool good = vary_parse(&texts, out, err);
    texts_free(&texts);
    return good;
}

START_TEST(values_of_an_axis) {
    static const char *const rows[][2] = {
        {"mapping=snake,linear", "snake linear"},
        {"mapping=[0,1],snake", "[0,1] snake"},
        {"network.topology.link={\"bandwidth\": \"1GB/s\", \"latency\": \"1us\"},x", "{\"bandwidth\": \"1GB/s\", \"latency\": \"1us\"} x"},
        {"workload.size=1KB..1MB:x10", "1KB 10KB 100KB 1MB"},
        {"workload.size=1KiB..9KiB:x2", "1KiB 2KiB 4KiB 8KiB"}, // the end need not be met
        {"ranks=2..5", "2 3 4 5"},
        {"ranks=0..10:+4", "0 4 8"},
        {"costs.send_overhead=0us..1us:+500ns", "0s 500ns 1us"},
        {"network.topology.link.bandwidth=1GB/s..4GB/s:x2", "1GB/s 2GB/s 4GB/s"},
        {"workload.size=9223372036854775807B..9223372036854775807B:x2", "9223372036854775807B"}, // 2^63-1: no overflow
        {"ranks=9223372036854775806..9223372036854775807", "9223372036854775806 9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vary vary;
        struct error err;
        char joined[256] = "";
        ck_assert_msg(parse(rows[i][0], NULL, &vary, &err), "%s", err.text);
        for (size_t v = 0; v < vary.axes[0].count; v++) {
            if (v) strcat(joined, " ");
            strcat(joined, vary.axes[0].values[v].text);
        }
        ck_assert_str_eq(joined, rows[i][1]);
        vary_free(&vary);
    }
}
END_TEST

START_TEST(mistakes_are_named) {
    static const char how[] = " (ranges are written 1KB..1GB:x4, 1..8 or 0us..10us:+2us)";
    static const char *const rows[][2] = {
        {"mapping", "--vary: \"mapping\" is not KEY=VALUE,VALUE… (for example mapping=snake,linear)"},
        {"=snake", "--vary: \"=snake\" is not KEY=VALUE,VALUE… (for example mapping=snake,linear)"},
        {"mapping=snake,", "--vary mapping: a value is empty"},
        {"mapping=random:0", "--vary: \"random:0\": the number of seeds must be between 1 and 10000"},
        {"mapping=random:x", "--vary: \"random:x\": the number of seeds must be between 1 and 10000"},
        {"ranks=5..2", "--vary: \"5..2\": its end lies before its start"},
        {"ranks=1..8:x1", "--vary: \"1..8:x1\": the factor must be 2 or more, the first value above 0"},
        {"ranks=0..8:x2", "--vary: \"0..8:x2\": the factor must be 2 or more, the first value above 0"},
        {"ranks=1..8:2", "--vary: \"1..8:2\": the step is no xN or +STEP"},
        {"workload.size=1KB..1MB", "--vary: \"1KB..1MB\": a range of quantities needs a step"},
        {"workload.size=1KB..1us:x2", "--vary: \"1KB..1us:x2\": its ends are no numbers of one unit"},
        {"ranks=1..100000", "--vary: \"1..100000\": more than 10000 values"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vary vary;
        struct error err;
        ck_assert(!parse(rows[i][0], NULL, &vary, &err));
        ck_assert(!strncmp(err.text, rows[i][1], strlen(rows[i][1])));
        const char *rest = err.text + strlen(rows[i][1]);
        ck_assert(!*rest || !strcmp(rest, how));
        vary_free(&vary);
    }
}
END_TEST

START_TEST(a_key_is_varied_once) {
    struct vary vary;
    struct error err;
    ck_assert(!parse("mapping=snake", "mapping=linear", &vary, &err));
    ck_assert_str_eq(err.text, "--vary: mapping is varied twice; list its values in one: --vary mapping=A,B");
    vary_free(&vary);
}
END_TEST

START_TEST(the_last_axis_varies_fastest) {
    struct vary vary;
    struct error err;
    ck_assert(parse("mapping=snake,random:3", "network.chunk=64KiB,whole", &vary, &err));
    ck_assert_uint_eq(vary_points(&vary), 4);
    static const char *const expected[4][2] = {{"snake", "64KiB"}, {"snake", "whole"}, {"random:3", "64KiB"}, {"random:3", "whole"}};
    for (size_t p = 0; p < 4; p++) {
        for (size_t a = 0; a < 2; a++) ck_assert_str_eq(vary_value_at(&vary, p, a)->text, expected[p][a]);
        ck_assert_uint_eq(vary_runs(&vary, p), p < 2 ? 1 : 3);
    }
    struct texts assignments = {0};
    ck_assert_int_eq(vary_assign(&vary, 3, 1, &assignments), 2);
    ck_assert_str_eq(assignments.items[0], "mapping={\"type\": \"random\", \"seed\": 2}");
    ck_assert_str_eq(assignments.items[1], "network.chunk=whole");
    ck_assert_int_eq(vary_assign(&vary, 0, 0, &assignments), 0);
    ck_assert_str_eq(assignments.items[2], "mapping=snake");
    texts_free(&assignments);
    vary_free(&vary);
}
END_TEST

START_TEST(too_many_points_are_refused) {
    struct vary vary;
    struct error err;
    ck_assert(!parse("ranks=1..1000", "seed=1..1000", &vary, &err));
    ck_assert_str_eq(err.text, "--vary: more than 100000 points");
    vary_free(&vary);
}
END_TEST

Suite *test_vary_suite(void);
Suite *test_vary_suite(void) {
    Suite *suite = suite_create("vary");
    TCase *all = tcase_create("vary");
    tcase_add_test(all, values_of_an_axis);
    tcase_add_test(all, mistakes_are_named);
    tcase_add_test(all, a_key_is_varied_once);
    tcase_add_test(all, the_last_axis_varies_fastest);
    tcase_add_test(all, too_many_points_are_refused);
    suite_add_tcase(suite, all);
    return suite;
}
