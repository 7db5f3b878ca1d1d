// Weights of experts, in binary fixed point: 2^x for x in units of 2^-32.
#include <stdlib.h>

#include "base/field.h"
#include "base/memory.h"
#include "base/random.h"
#include "llm/routing.h"

enum { FRACTION = 32, MOST_BITS = 46, ZIPF_BITS = 40, LOG_NORMAL_BITS = 23, SUMMED = 12 };
#define UNIT (INT64_C(1) << FRACTION)
/// log2 of e, in 2^-32: 1.4426950408889634.
#define LOG2_E INT64_C(6196328019)

/// floor(log2(n)) and 32 more binary digits: squaring a number of [1, 2) doubles its logarithm.
static int64_t binary_log(uint64_t n) {
    int whole = 63 - __builtin_clzll(n);
    uint64_t mantissa = n << (62 - whole); // 1 is 2^62
    int64_t log = whole;
    for (int i = 0; i < FRACTION; i++) {
        mantissa = (uint64_t)((unsigned __int128)mantissa * mantissa >> 62);
        log = 2 * log + (int64_t)(mantissa >> 63);
        if (mantissa >> 63) mantissa >>= 1;
    }
    return log;
}

static uint64_t square_root(unsigned __int128 value) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((unsigned __int128)(root | bit) * (root | bit) <= value) root |= bit;
    return root;
}

/// 2^(1/2), 2^(1/4), …, where 1 is 2^62.
static void fill_roots(uint64_t roots[FRACTION]) {
    uint64_t root = UINT64_C(1) << 63;
    for (int i = 0; i < FRACTION; i++) roots[i] = root = square_root((unsigned __int128)root << 62);
}

/// 2^exponent, at least 1 and at most 2^MOST_BITS.
static int64_t power(const uint64_t roots[FRACTION], int64_t exponent) {
    if (exponent <= 0) return 1;
    int64_t whole = exponent >> FRACTION;
    if (whole >= MOST_BITS) return INT64_C(1) << MOST_BITS;
    uint64_t value = UINT64_C(1) << 62;
    for (int i = 0; i < FRACTION; i++)
        if (exponent >> (FRACTION - 1 - i) & 1) value = (uint64_t)((unsigned __int128)value * roots[i] >> 62);
    return (int64_t)(value >> (62 - whole));
}

/// Mean 0, variance 1: each uniform number has a variance of 1/12.
static int64_t normal(struct random_stream *stream) {
    int64_t sum = -SUMMED / 2 * UNIT;
    for (int i = 0; i < SUMMED; i++) sum += (int64_t)(random_next(stream) >> (64 - FRACTION));
    return sum;
}

static int64_t times_skew(int64_t value, int64_t skew) { return (int64_t)((__int128)value * skew / MILLION); }

void popularity_weights(enum popularity popularity, int64_t skew, uint64_t seed, uint32_t count, int64_t *weights) {
    struct random_stream stream;
    uint64_t roots[FRACTION];
    uint32_t *order = allocate(count * sizeof *order);
    random_seed(&stream, seed);
    fill_roots(roots);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (popularity == POPULARITY_ZIPF) random_shuffle(&stream, order, count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t exponent = 0;
        if (popularity == POPULARITY_ZIPF) exponent = ZIPF_BITS * UNIT - times_skew(binary_log(i + UINT64_C(1)), skew);
        if (popularity == POPULARITY_LOG_NORMAL)
            exponent = LOG_NORMAL_BITS * UNIT + (int64_t)((__int128)times_skew(normal(&stream), skew) * LOG2_E >> FRACTION);
        weights[order[i]] = power(roots, exponent);
    }
    free(order);
}
