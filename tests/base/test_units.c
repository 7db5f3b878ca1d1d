#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/units.h"

struct accepted {
    const char *text;
    int64_t value;
};

static const struct accepted good_sizes[] = {
    {"0B", 0},
    {"1B", 1},
    {"007B", 7},
    {"64KiB", 64 * 1024},
    {"1MiB", 1048576},
    {"1GiB", 1073741824},
    {"1TiB", INT64_C(1) << 40},
    {"64KB", 64000},
    {"1.5MB", 1500000},
    {"2GB", 2000000000},
    {"3TB", 3000000000000},
    {"1e9B", 1000000000},
    {"1E9B", 1000000000},
    {"1e+3KB", 1000000},
    {"1e-3KB", 1},
    {"12.5e1B", 125},
    {"1.5KiB", 1536},
    {"0.0009765625KiB", 1},
    {"0e99999999B", 0},
    {"6467616768B", 6467616768},
    {"9223372036854775807B", INT64_MAX},
    {"9223372036854.775807MB", INT64_MAX},
    {"8388607TiB", 8388607 * (INT64_C(1) << 40)},
};

static const struct accepted good_rates[] = {
    {"1B/s", 1},
    {"45GB/s", 45000000000},
    {"22.5GB/s", 22500000000},
    {"1GiB/s", 1073741824},
    {"1TiB/s", INT64_C(1) << 40},
    {"400Gbps", 50000000000},
    {"400Gb/s", 50000000000},
    {"8bps", 1},
    {"8b/s", 1},
    {"0.008Kbps", 1},
    {"1Mbps", 125000},
    {"1Mb/s", 125000},
    {"1.6Tbps", 200000000000},
    {"1.6Tb/s", 200000000000},
};

static const struct accepted good_times[] = {
    {"0s", 0},
    {"1fs", 1},
    {"1ps", 1000},
    {"1ns", 1000000},
    {"1us", 1000000000},
    {"1ms", 1000000000000},
    {"1s", TICKS_PER_S_FS},
    {"1.5us", 1500000000},
    {"1.000000000000001us", 1000000001}, // a thousandth of a millionth of a tick is a tick
    {"0.1fs", 1},
    {"1e-99999999s", 1},
    {"9223.372036854775807s", INT64_MAX},
    {"9223.3720368547758061s", INT64_MAX},
};

START_TEST(sizes_are_exact) {
    struct error err = {0};
    int64_t value = -1;
    ck_assert_msg(parse_bytes(good_sizes[_i].text, &value, &err), "%s", err.text);
    ck_assert_int_eq(value, good_sizes[_i].value);
}
END_TEST

START_TEST(rates_are_exact) {
    struct error err = {0};
    int64_t value = -1;
    ck_assert_msg(parse_rate(good_rates[_i].text, &value, &err), "%s", err.text);
    ck_assert_int_eq(value, good_rates[_i].value);
}
END_TEST

START_TEST(times_round_up) {
    struct error err = {0};
    int64_t value = -1;
    ck_assert_msg(parse_time(good_times[_i].text, TICKS_PER_S_FS, &value, &err), "%s", err.text);
    ck_assert_int_eq(value, good_times[_i].value);
}
END_TEST

START_TEST(picosecond_clock) {
    struct error err = {0};
    int64_t value;
    ck_assert(parse_time("1us", TICKS_PER_S_PS, &value, &err));
    ck_assert_int_eq(value, 1000000);
    ck_assert(parse_time("1fs", TICKS_PER_S_PS, &value, &err)); // rounded up
    ck_assert_int_eq(value, 1);
    ck_assert(parse_time("1000.0001ps", TICKS_PER_S_PS, &value, &err));
    ck_assert_int_eq(value, 1001);
    ck_assert(parse_time("9000000s", TICKS_PER_S_PS, &value, &err));
    ck_assert_int_eq(value, 9000000 * TICKS_PER_S_PS);
}
END_TEST

enum quantity_kind { SIZE, RATE, TIME };

struct refused {
    enum quantity_kind kind;
    const char *text;
    const char *says; ///< part of the message
};

static const struct refused bad[] = {
    {SIZE, "", "the size is empty"},
    {SIZE, "10", "\"10\" has no unit; a size is a number and one of B, KB, MB, GB, TB, KiB, MiB, GiB, TiB"},
    {SIZE, "64mb", "did you mean \"64MB\"?"},
    {SIZE, "64kib", "did you mean \"64KiB\"?"},
    {SIZE, "64K", "did you mean \"64KB\"?"},
    {SIZE, "64Ki", "did you mean \"64KiB\"?"},
    {SIZE, "64 MB", "white space"},
    {SIZE, " 64MB", "white space"},
    {SIZE, "64MB\n", "white space"},
    {SIZE, "-1B", "negative"},
    {SIZE, "-0B", "negative"},
    {SIZE, "+1B", "does not begin with a decimal number"},
    {SIZE, "nan", "does not begin with a decimal number"},
    {SIZE, "inf", "does not begin with a decimal number"},
    {SIZE, "B", "does not begin with a decimal number"},
    {SIZE, ".5KB", "does not begin with a decimal number"},
    {SIZE, "5.KB", "does not begin with a decimal number"},
    {SIZE, "0x10B", "unknown unit \"x10B\""},
    {SIZE, "1,5KB", "unknown unit \",5KB\""},
    {SIZE, "1_000B", "unknown unit"},
    {SIZE, "1eB", "unknown unit \"eB\""},
    {SIZE, "1PB", "unknown unit \"PB\""},
    {SIZE, "1us", "unknown unit \"us\""},
    {SIZE, "0.5B", "not a whole number of bytes"},
    {SIZE, "1.0001KB", "not a whole number of bytes"},
    {SIZE, "1e-99999999B", "not a whole number of bytes"},
    {SIZE, "9223372036854775808B", "too large"},
    {SIZE, "8388608TiB", "too large"},
    {SIZE, "1e99999999B", "too large"},
    {SIZE, "99999999999999999999999999999999999999999999B", "too large"},
    {RATE, "45", "has no unit; a rate is a number and one of B/s"},
    {RATE, "45GB", "did you mean \"45GB/s\"?"},
    {RATE, "45gb/s", "did you mean \"45GB/s\" or \"45Gb/s\"?"},
    {RATE, "400gbps", "did you mean \"400Gbps\"?"},
    {RATE, "1bps", "not a whole number of bytes per second"},
    {RATE, "0GB/s", "is zero; a rate is at least 1B/s"},
    {RATE, "1e30B/s", "too large"},
    {TIME, "5", "has no unit; a time is a number and one of fs, ps, ns, us, ms, s"},
    {TIME, "5MS", "did you mean \"5ms\"?"},
    {TIME, "5\xc2\xb5s", "did you mean \"5us\"?"},
    {TIME, "5min", "unknown unit \"min\""},
    {TIME, "9223.3720368547758071s", "set \"tick\": \"1ps\""},
    {TIME, "1e9s", "too long"},
};

static bool parse(enum quantity_kind kind, const char *text, int64_t *value, struct error *err) {
    switch (kind) {
    case SIZE: return parse_bytes(text, value, err);
    case RATE: return parse_rate(text, value, err);
    default: return parse_time(text, TICKS_PER_S_FS, value, err);
    }
}

START_TEST(refusals_say_why) {
    struct error err = {0};
    int64_t value = 42;
    ck_assert_msg(!parse(bad[_i].kind, bad[_i].text, &value, &err), "\"%s\" was read as %lld", bad[_i].text, (long long)value);
    ck_assert_int_eq(err.kind, ERROR_INPUT);
    ck_assert_int_eq(value, 42);
    ck_assert_msg(strstr(err.text, bad[_i].says), "\"%s\": %s", bad[_i].text, err.text);
    ck_assert_ptr_null(strchr(err.text, '\n'));
}
END_TEST

START_TEST(endless_text_is_refused) {
    char text[4096];
    memset(text, '9', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct error err = {0};
    int64_t value;
    ck_assert(!parse_bytes(text, &value, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "too long"));
    ck_assert_uint_lt(strlen(err.text), 200);
}
END_TEST

struct printed {
    int64_t value;
    const char *text;
};

START_TEST(exact_forms_are_short) {
    static const struct printed sizes[] = {
        {0, "0B"},       {1, "1B"},        {999, "999B"},     {1000, "1KB"},       {1024, "1KiB"},     {1500, "1.5KB"},
        {1536, "1536B"}, {65536, "64KiB"}, {65537, "65537B"}, {1572864, "1.5MiB"}, {64000000, "64MB"}, {INT64_MAX, "9223372036854775807B"},
    };
    static const struct printed times[] = {
        {0, "0s"}, {1, "1fs"}, {500000000, "500ns"}, {1500000000, "1.5us"}, {2666666666670, "2.66666666667ms"}, {TICKS_PER_S_FS, "1s"},
    };
    char out[QUANTITY_SIZE];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) ck_assert_str_eq(format_bytes_exact(sizes[i].value, out), sizes[i].text);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        ck_assert_str_eq(format_time_exact(times[i].value, TICKS_PER_S_FS, out), times[i].text);
    ck_assert_str_eq(format_rate_exact(22500000000, out), "22.5GB/s");
    ck_assert_str_eq(format_rate_exact(1, out), "1B/s");
    ck_assert_str_eq(format_time_exact(1, TICKS_PER_S_PS, out), "1ps");
}
END_TEST

/// A number of random length: uniform in bits, not in value; every other one with trailing decimal zeros.
static int64_t random_value(struct random_stream *stream) {
    int64_t value = (int64_t)(random_next(stream) >> (1 + random_below(stream, 63)));
    int64_t zeros = 1;
    for (uint64_t i = random_below(stream, 12); i > 0; i--) zeros *= 10;
    return random_below(stream, 2) ? value : value / zeros * zeros;
}

START_TEST(exact_forms_read_back) {
    struct random_stream stream;
    random_seed(&stream, 7);
    char out[QUANTITY_SIZE];
    for (int i = 0; i < 200000; i++) {
        struct error err = {0};
        int64_t value = random_value(&stream), back = -1;
        ck_assert(parse_bytes(format_bytes_exact(value, out), &back, &err) && back == value);
        ck_assert(parse_time(format_time_exact(value, TICKS_PER_S_FS, out), TICKS_PER_S_FS, &back, &err) && back == value);
        ck_assert(parse_time(format_time_exact(value, TICKS_PER_S_PS, out), TICKS_PER_S_PS, &back, &err) && back == value);
        if (value) ck_assert(parse_rate(format_rate_exact(value, out), &back, &err) && back == value);
    }
}
END_TEST

START_TEST(people_read_four_digits) {
    char out[QUANTITY_SIZE];
    ck_assert_str_eq(format_time(2696666666670, TICKS_PER_S_FS, out), "2.697 ms");
    ck_assert_str_eq(format_time(0, TICKS_PER_S_FS, out), "0 s");
    ck_assert_str_eq(format_time(1, TICKS_PER_S_FS, out), "1 fs");
    ck_assert_str_eq(format_time(1, TICKS_PER_S_PS, out), "1 ps");
    ck_assert_str_eq(format_time(999960, TICKS_PER_S_FS, out), "1 ns");
    ck_assert_str_eq(format_time(INT64_MAX, TICKS_PER_S_PS, out), "9223372 s");
    ck_assert_str_eq(format_rate(44499370364.6, out), "44.5 GB/s");
    ck_assert_str_eq(format_bytes(64e6, out), "64 MB");
    ck_assert_str_eq(format_bytes(999.94, out), "999.9 B");
    ck_assert_str_eq(format_bytes(999.96, out), "1 KB");
    ck_assert_str_eq(format_bytes(NAN, out), "-");
}
END_TEST

START_TEST(transfers_round_up) {
    int64_t ticks = -1;
    ck_assert(transfer_ticks(1000000000, 1000000000, TICKS_PER_S_FS, &ticks)); // 1e9 B at 1 GB/s: 1 s
    ck_assert_int_eq(ticks, TICKS_PER_S_FS);
    ck_assert(transfer_ticks(1000000000, 1073741824, TICKS_PER_S_FS, &ticks)); // at 1 GiB/s: 0.931322574615478515625 s
    ck_assert_int_eq(ticks, 931322574615479);
    ck_assert(transfer_ticks(4000000, 45000000000, TICKS_PER_S_FS, &ticks)); // 4 MB at 45 GB/s: 88.8… us
    ck_assert_int_eq(ticks, 88888888889);
    ck_assert(transfer_ticks(0, 1, TICKS_PER_S_FS, &ticks));
    ck_assert_int_eq(ticks, 0);
    ck_assert(transfer_ticks(INT64_C(1) << 40, 50000000000, TICKS_PER_S_FS, &ticks)); // 2^40 B at 400Gbps: 21.99023255552 s
    ck_assert_int_eq(ticks, 21990232555520000);
    ck_assert(transfer_ticks(INT64_MAX, INT64_MAX, TICKS_PER_S_FS, &ticks));
    ck_assert_int_eq(ticks, TICKS_PER_S_FS);
    ticks = 5;
    ck_assert(!transfer_ticks(16777216, 1, TICKS_PER_S_FS, &ticks)); // 16 MiB at 1 B/s ends after the clock
    ck_assert(!transfer_ticks(INT64_MAX, 1, TICKS_PER_S_FS, &ticks));
    ck_assert_int_eq(ticks, 5);
}
END_TEST

Suite *test_units_suite(void) {
    Suite *suite = suite_create("units");
    TCase *tests = tcase_create("units");
    tcase_add_loop_test(tests, sizes_are_exact, 0, sizeof good_sizes / sizeof *good_sizes);
    tcase_add_loop_test(tests, rates_are_exact, 0, sizeof good_rates / sizeof *good_rates);
    tcase_add_loop_test(tests, times_round_up, 0, sizeof good_times / sizeof *good_times);
    tcase_add_test(tests, picosecond_clock);
    tcase_add_loop_test(tests, refusals_say_why, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, endless_text_is_refused);
    tcase_add_test(tests, exact_forms_are_short);
    tcase_add_test(tests, exact_forms_read_back);
    tcase_add_test(tests, people_read_four_digits);
    tcase_add_test(tests, transfers_round_up);
    suite_add_tcase(suite, tests);
    return suite;
}
