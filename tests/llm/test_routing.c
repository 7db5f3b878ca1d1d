// Routing of tokens to experts: shares exact or as expected, picks distinct, limits kept.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/memory.h"
#include "llm/routing.h"

static struct routing *make(const struct routing_config *config) {
    struct error err = {0};
    struct routing *routing = routing_create(config, &err);
    ck_assert_msg(routing != NULL, "%s", err.text);
    return routing;
}

/// How often each expert is picked; picks must be distinct.
static void count_hits(const struct routing_config *config, uint64_t tokens, int64_t *hits) {
    struct routing *routing = make(config);
    uint32_t picks[64];
    memset(hits, 0, config->experts * sizeof *hits);
    for (uint64_t t = 0; t < tokens; t++) {
        routing_pick(routing, t, tokens, picks);
        for (uint32_t i = 0; i < config->picks; i++) {
            for (uint32_t j = 0; j < i; j++) ck_assert_uint_ne(picks[i], picks[j]);
            hits[picks[i]]++;
        }
    }
    routing_free(routing);
}

// 8 of 16 by equal weights: the even ones, or the odd ones, for half of the tokens each.
START_TEST(even_of_equal_weights) {
    int64_t weights[16], hits[16];
    for (int i = 0; i < 16; i++) weights[i] = 1;
    const struct routing_config config = {.experts = 16, .picks = 8, .weights = weights};
    struct routing *routing = make(&config);
    uint32_t picks[8];
    for (uint64_t t = 0; t < 100; t++) {
        routing_pick(routing, t, 100, picks);
        for (uint32_t i = 0; i < 8; i++) ck_assert_uint_eq(picks[i], 2 * i + (t >= 50));
    }
    routing_free(routing);
    count_hits(&config, 100, hits);
    for (int i = 0; i < 16; i++) ck_assert_int_eq(hits[i], 50);
}
END_TEST

// Of 1000 tokens with 2 picks the shares of 2000: 5 would get 1000 of them; the first is in each token's, the rest share 1000.
START_TEST(even_of_any_weights) {
    static const int64_t weights[] = {90, 5, 0, 3, 2};
    static const int64_t expected[] = {1000, 500, 0, 300, 200};
    int64_t hits[5];
    const struct routing_config config = {.experts = 5, .picks = 2, .weights = weights};
    count_hits(&config, 1000, hits);
    for (int i = 0; i < 5; i++) ck_assert_int_le(llabs(hits[i] - expected[i]), 1);
}
END_TEST

// Without replacement 2 of 3 with weights 2, 1, 1: the first is drawn first by 1/2, else second by 2/3: 5/6 in all.
START_TEST(random_shares) {
    static const int64_t weights[] = {2, 1, 1};
    int64_t hits[3];
    const struct routing_config config = {.experts = 3, .picks = 2, .weights = weights, .draw = DRAW_RANDOM, .seed = 7};
    count_hits(&config, 60000, hits);
    ck_assert_int_le(llabs(hits[0] - 50000), 4 * 92); // four standard deviations: sqrt(60000 x 5/6 x 1/6) = 91
    ck_assert_int_le(llabs(hits[1] - 35000), 4 * 121);
}
END_TEST

// One expert has nearly all the weight: the others are drawn by what is left.
START_TEST(random_of_one_heavy) {
    static const int64_t weights[] = {1, INT64_C(1) << 60, 1, 1};
    int64_t hits[4];
    const struct routing_config config = {.experts = 4, .picks = 3, .weights = weights, .draw = DRAW_RANDOM, .seed = 7};
    count_hits(&config, 3000, hits);
    ck_assert_int_eq(hits[1], 3000);
    for (int i = 0; i < 4; i++)
        if (i != 1) ck_assert_int_le(llabs(hits[i] - 2000), 4 * 26);
}
END_TEST

// 8 of 256 on 8 nodes, at most 3 of them: 3, 3 and 2 experts; every expert gets its share to a few.
START_TEST(limited_to_nodes) {
    int64_t weights[256], hits[256];
    uint32_t starts[9], picks[8];
    for (int i = 0; i < 256; i++) weights[i] = 1;
    for (uint32_t i = 0; i < 9; i++) starts[i] = 32 * i;
    for (int draw = DRAW_EVEN; draw <= DRAW_RANDOM; draw++) {
        const struct routing_config config = {
            .experts = 256, .picks = 8, .weights = weights, .draw = (enum draw)draw, .nodes = 8, .node_limit = 3, .node_experts = starts};
        struct routing *routing = make(&config);
        for (uint64_t t = 0; t < 1000; t++) {
            int nodes[8] = {0}, used = 0;
            routing_pick(routing, t, 1000, picks);
            for (int i = 0; i < 8; i++) used += nodes[picks[i] / 32]++ == 0;
            ck_assert_int_eq(used, 3);
        }
        routing_free(routing);
        count_hits(&config, 32000, hits);
        for (int i = 0; i < 256; i++) ck_assert_int_le(llabs(hits[i] - 1000), (draw == DRAW_EVEN ? 10 : 150));
    }
}
END_TEST

START_TEST(too_few_experts) {
    static const int64_t weights[] = {1, 0, 0};
    const struct routing_config config = {.experts = 3, .picks = 2, .weights = weights};
    struct error err = {0};
    ck_assert_ptr_null(routing_create(&config, &err));
    ck_assert_str_eq(err.text, "a token is sent to 2 different ones of 3 of which 1 are used at all");
}
END_TEST

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

START_TEST(zipf) {
    int64_t weights[256], other[256];
    popularity_weights(POPULARITY_ZIPF, 1200000, 3, 256, weights);
    popularity_weights(POPULARITY_ZIPF, 1200000, 4, 256, other);
    ck_assert_mem_ne(weights, other, sizeof weights);
    qsort(weights, 256, sizeof *weights, by_size);
    for (int i = 0; i < 256; i++) {
        double expected = ldexp(pow(i + 1, -1.2), 40);
        ck_assert_double_eq_tol((double)weights[i], expected, expected * 1e-7);
    }
}
END_TEST

START_TEST(log_normal) {
    enum { COUNT = 10000 };
    int64_t *weights = allocate(COUNT * sizeof *weights);
    double mean = 0, variance = 0;
    popularity_weights(POPULARITY_LOG_NORMAL, 500000, 3, COUNT, weights);
    for (int i = 0; i < COUNT; i++) mean += log((double)weights[i]) / COUNT;
    for (int i = 0; i < COUNT; i++) variance += pow(log((double)weights[i]) - mean, 2) / COUNT;
    ck_assert_double_eq_tol(mean, 23 * log(2), 4 * 0.5 / 100); // four standard errors: sigma / sqrt(10000)
    ck_assert_double_eq_tol(sqrt(variance), 0.5, 4 * 0.5 / sqrt(2.0 * COUNT));
    free(weights);
}
END_TEST

START_TEST(uniform) {
    int64_t weights[5];
    popularity_weights(POPULARITY_UNIFORM, 1000000, 3, 5, weights);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(weights[i], 1);
}
END_TEST

Suite *test_routing_suite(void);
Suite *test_routing_suite(void) {
    Suite *suite = suite_create("routing");
    TCase *tests = tcase_create("routing");
    tcase_add_test(tests, even_of_equal_weights);
    tcase_add_test(tests, even_of_any_weights);
    tcase_add_test(tests, random_shares);
    tcase_add_test(tests, random_of_one_heavy);
    tcase_add_test(tests, limited_to_nodes);
    tcase_add_test(tests, too_few_experts);
    tcase_add_test(tests, zipf);
    tcase_add_test(tests, log_normal);
    tcase_add_test(tests, uniform);
    suite_add_tcase(suite, tests);
    return suite;
}
