// Which algorithm is the fastest at which size: against the closed forms of eight NVLink GPUs on a switch.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/crossover.h"
#include "cli/vary_all.h"

static char scenario[] = "{\"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": 8, \"link\": {\"bandwidth\": \"450GB/s\", "
                         "\"alpha\": \"2us\"}}, \"chunk\": \"whole\"}, \"workload\": {\"type\": \"collective\", \"collective\": "
                         "\"all-reduce\", \"size\": \"1KB\"}}";

static const struct options quiet = {.quiet = true, .no_progress = true, .jobs = 2};

/// A comparison that ran, with its crossovers.
struct comparing {
    struct source source;
    struct vary vary;
    struct compare_plan plan;
    struct crossover_study study;
};

static void compare(struct comparing *out, const char *first, const char *second) {
    struct texts texts = {0};
    struct error err = {0};
    struct compare_progress progress = {0};
    *out = (struct comparing){.source = {.text = scenario, .length = strlen(scenario)}};
    texts_add(&texts, "%s", first);
    texts_add(&texts, "%s", second);
    ck_assert_msg(vary_parse(&texts, &out->vary, &err), "%s", err.text);
    ck_assert(vary_expand_all(&out->vary, &out->source, stderr));
    compare_plan_make(&out->plan, &quiet, &out->source, &out->vary);
    ck_assert(compare_execute(&out->plan, &progress, &err));
    ck_assert(crossover_axes(&out->vary, &out->study));
    ck_assert(crossover_find(&out->plan, &out->study, &progress, &err));
    ck_assert_uint_eq(progress.finished, progress.jobs);
    texts_free(&texts);
}

static void comparing_free(struct comparing *comparing) {
    free(comparing->study.items);
    compare_plan_free(&comparing->plan);
    vary_free(&comparing->vary);
}

static const char *name_of(const struct comparing *comparing, size_t algorithm) {
    return comparing->vary.axes[comparing->study.algorithm_axis].values[algorithm].text;
}

static void assert_crossover(const struct comparing *comparing, size_t number, const char *before, const char *after, int64_t bytes) {
    const struct crossover *crossover = &comparing->study.items[number];
    ck_assert_str_eq(name_of(comparing, crossover->before), before);
    ck_assert_str_eq(name_of(comparing, crossover->after), after);
    ck_assert_int_le(crossover->low_bytes, bytes);
    ck_assert_int_ge(crossover->high_bytes, bytes);
    ck_assert_int_le((crossover->high_bytes - crossover->low_bytes) * 100, crossover->low_bytes);
}

/// x = n / (450 GB/s): naive 4 us + 14 x, recursive doubling 6 us + 3 x, Rabenseifner 12 us + 7/4 x.
static const int64_t doubling_takes_over = 81818, rabenseifner_takes_over = 2160000;

START_TEST(eight_nvlink_gpus) {
    static const char sizes[] = "workload.size=1KB..1GB:x4", algorithms_text[] = "workload.algorithm=naive,recursive-doubling,rabenseifner";
    struct comparing comparing;
    compare(&comparing, _i ? sizes : algorithms_text, _i ? algorithms_text : sizes);
    ck_assert_uint_eq(comparing.study.count, 2);
    assert_crossover(&comparing, 0, "naive", "recursive-doubling", doubling_takes_over);
    assert_crossover(&comparing, 1, "recursive-doubling", "rabenseifner", rabenseifner_takes_over);
    for (size_t s = 0; s < comparing.study.sizes; s++) {
        int64_t bytes = 1000 << 2 * s;
        const char *right = bytes < doubling_takes_over ? "naive" : bytes < rabenseifner_takes_over ? "recursive-doubling" : "rabenseifner";
        ck_assert_str_eq(name_of(&comparing, (size_t)crossover_winner(&comparing.study, s)), right);
    }
    comparing_free(&comparing);
}
END_TEST

/// Both changes lie between two neighbouring sizes, where the one in the middle is never the fastest.
START_TEST(two_changes_in_one_gap) {
    struct comparing comparing;
    compare(&comparing, "workload.size=1KB,1GB", "workload.algorithm=naive,recursive-doubling,rabenseifner");
    ck_assert_uint_eq(comparing.study.count, 2);
    assert_crossover(&comparing, 0, "naive", "recursive-doubling", doubling_takes_over);
    assert_crossover(&comparing, 1, "recursive-doubling", "rabenseifner", rabenseifner_takes_over);
    comparing_free(&comparing);
}
END_TEST

START_TEST(all_that_can) {
    struct comparing comparing;
    compare(&comparing, "workload.algorithm=all", "workload.size=1KB,4KB");
    const struct vary_axis *axis = &comparing.vary.axes[0];
    static const char *const right[] = {"bidirectional-ring", "double-tree",        "naive", "one-shot", "pipelined-ring",
                                        "rabenseifner",       "recursive-doubling", "ring",  "tree",     "two-shot"};
    ck_assert_uint_eq(axis->count, sizeof right / sizeof *right);
    for (size_t v = 0; v < axis->count; v++) ck_assert_str_eq(axis->values[v].text, right[v]);
    ck_assert_uint_eq(comparing.study.count, 0);
    ck_assert_str_eq(name_of(&comparing, (size_t)crossover_winner(&comparing.study, 0)), "one-shot");
    comparing_free(&comparing);
}
END_TEST

static char *printed(const struct comparing *comparing, bool json) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct loaded loaded;
    ck_assert(compare_load(&comparing->plan, 0, stderr, &loaded));
    json_t *resolved = scenario_resolved(loaded.scenario);
    if (json)
        report_compare_json(&comparing->plan.comparison, resolved, out);
    else
        report_crossover_table(&comparing->study, resolved, SHEET_TEXT, out);
    json_decref(resolved);
    loaded_free(&loaded);
    fclose(out);
    return text;
}

START_TEST(what_is_printed) {
    struct comparing comparing;
    compare(&comparing, "workload.size=50KB..100KB:+50KB", "workload.algorithm=naive,recursive-doubling");
    char *text = printed(&comparing, false);
    // 4 us + 14 * 50 KB / (450 GB/s), 6 us + 3 * 50 KB / (450 GB/s)
    ck_assert_ptr_nonnull(strstr(text, "    size     naive  recursive-doubling  fastest\n"
                                       "   50 KB  5.556 us            6.333 us  naive\n"
                                       "  100 KB  7.111 us            6.667 us  recursive-doubling\n"));
    ck_assert_ptr_nonnull(strstr(text, "naive is the fastest up to 81."));
    ck_assert_ptr_nonnull(strstr(text, "\nrecursive-doubling from 8"));
    free(text);
    json_error_t error;
    text = printed(&comparing, true);
    json_t *document = json_loads(text, 0, &error);
    ck_assert_msg(document != NULL, "%s", error.text);
    const json_t *crossover = json_array_get(json_object_get(document, "crossovers"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(crossover, "before")), "naive");
    ck_assert_int_eq(json_integer_value(json_object_get(crossover, "high_bytes")), comparing.study.items[0].high_bytes);
    ck_assert_uint_eq(json_array_size(json_object_get(document, "winners")), 2);
    json_decref(document);
    free(text);
    comparing_free(&comparing);
}
END_TEST

START_TEST(only_algorithms_over_rising_sizes) {
    static const struct {
        const char *first, *second;
        bool right;
    } cases[] = {
        {"workload.algorithm=ring,tree", "workload.size=1KB,2KB", true},  {"workload.size=1KB,2KB", "workload.algorithm=ring,tree", true},
        {"workload.size=2KB,1KB", "workload.algorithm=ring,tree", false}, {"workload.size=1KB", "workload.algorithm=ring,tree", false},
        {"workload.size=1KB,2KB", "workload.algorithm=ring", false},      {"workload.size=1KB,2KB", "mapping=linear,snake", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct texts texts = {0};
        struct vary vary;
        struct error err = {0};
        struct crossover_study study = {0};
        texts_add(&texts, "%s", cases[i].first);
        texts_add(&texts, "%s", cases[i].second);
        ck_assert(vary_parse(&texts, &vary, &err));
        ck_assert_int_eq(crossover_axes(&vary, &study), cases[i].right);
        vary_free(&vary);
        texts_free(&texts);
    }
}
END_TEST

Suite *test_crossover_suite(void);
Suite *test_crossover_suite(void) {
    Suite *suite = suite_create("crossover");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, eight_nvlink_gpus, 0, 2);
    tcase_add_test(all, two_changes_in_one_gap);
    tcase_add_test(all, all_that_can);
    tcase_add_test(all, what_is_printed);
    tcase_add_test(all, only_algorithms_over_rising_sizes);
    suite_add_tcase(suite, all);
    return suite;
}
