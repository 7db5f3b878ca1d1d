// Fixed-point functions against libm, and what is drawn at random against the moments of its distribution.
#include "base/fixed.h"

#include <check.h>
#include <math.h>

static double real(int64_t fixed) { return (double)fixed / (double)FIXED_ONE; }

START_TEST(logarithm_and_exponential) {
    for (int i = 1; i < 64; i++) {
        uint64_t u = UINT64_C(0x9e3779b97f4a7c15) >> (63 - i);
        ck_assert_double_eq_tol(real(fixed_minus_ln(u)), -log((double)u / 18446744073709551616.0), 1e-8);
    }
    ck_assert_int_eq(fixed_minus_ln(UINT64_C(1) << 63), INT64_C(2977044472)); // ln 2
    for (double x = -20; x < 20; x += 0.37) {
        double got = real(fixed_exp((int64_t)(x * (double)FIXED_ONE)));
        ck_assert_double_eq_tol(got, exp(x), 1e-8 * exp(x) + 1e-9);
    }
    ck_assert_int_eq(fixed_exp(0), FIXED_ONE);
    ck_assert_int_eq(fixed_exp(-30 * FIXED_ONE), 0);
    ck_assert_int_eq(fixed_exp(30 * FIXED_ONE), INT64_MAX);
}
END_TEST

struct moments {
    double mean, variance;
};

enum { DRAWS = 200000 };

static struct moments moments_of(int64_t (*draw)(struct random_stream *, int64_t), int64_t argument) {
    struct random_stream stream;
    double sum = 0, squares = 0;
    random_seed(&stream, 5);
    for (int i = 0; i < DRAWS; i++) {
        double value = real(draw(&stream, argument));
        sum += value, squares += value * value;
    }
    double mean = sum / DRAWS;
    return (struct moments){mean, squares / DRAWS - mean * mean};
}

static int64_t normal(struct random_stream *stream, int64_t unused) {
    (void)unused;
    return random_normal(stream);
}

static int64_t exponential(struct random_stream *stream, int64_t unused) {
    (void)unused;
    return random_exponential(stream);
}

// A mean of n draws is off by a standard deviation / sqrt(n): five of these are allowed.
START_TEST(means_and_variances) {
    static const int64_t shapes[] = {100000, 500000, 1000000, 2500000, 4000000};
    struct moments got = moments_of(exponential, 0);
    ck_assert_double_eq_tol(got.mean, 1, 5 / sqrt(DRAWS));
    ck_assert_double_eq_tol(got.variance, 1, 5 * sqrt(8.0 / DRAWS));
    got = moments_of(normal, 0);
    ck_assert_double_eq_tol(got.mean, 0, 5 / sqrt(DRAWS));
    ck_assert_double_eq_tol(got.variance, 1, 5 * sqrt(2.0 / DRAWS));
    for (int i = 0; i < 5; i++) { // gamma: mean and variance are the shape; fourth central moment 3 a^2 + 6 a
        double shape = (double)shapes[i] / 1e6;
        got = moments_of(random_gamma, shapes[i]);
        ck_assert_double_eq_tol(got.mean, shape, 5 * sqrt(shape / DRAWS));
        ck_assert_double_eq_tol(got.variance, shape, 5 * sqrt((2 * shape * shape + 6 * shape) / DRAWS));
    }
}
END_TEST

START_TEST(the_same_for_ever) {
    struct random_stream stream;
    random_seed(&stream, 1);
    int64_t first = random_exponential(&stream), second = random_normal(&stream), third = random_gamma(&stream, 1500000);
    ck_assert_int_eq(first, INT64_C(1514017134));
    ck_assert_int_eq(second, INT64_C(3124909826));
    ck_assert_int_eq(third, INT64_C(14925279662));
}
END_TEST

Suite *test_fixed_suite(void) {
    Suite *suite = suite_create("fixed");
    TCase *tests = tcase_create("fixed");
    tcase_add_test(tests, logarithm_and_exponential);
    tcase_add_test(tests, means_and_variances);
    tcase_add_test(tests, the_same_for_ever);
    suite_add_tcase(suite, tests);
    return suite;
}
