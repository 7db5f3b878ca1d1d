#include "base/fixed.h"

#include <stdbool.h>

enum { MILLIONTHS = 1000000 };
#define LN_2 INT64_C(2977044472)   // ln 2
#define LOG2_E INT64_C(6196328019) // 1 / ln 2

int64_t fixed_minus_ln(uint64_t u) {
    int exponent = 63 - __builtin_clzll(u);
    // log2 bit by bit: squaring doubles it, and a carry is its next bit
    uint64_t mantissa = u << (63 - exponent);
    int64_t log2 = (int64_t)exponent << 32;
    for (int bit = 31; bit >= 0; bit--) {
        unsigned __int128 square = (unsigned __int128)mantissa * mantissa >> 63;
        bool carry = square >> 64 != 0;
        if (carry) log2 += INT64_C(1) << bit;
        mantissa = (uint64_t)(carry ? square >> 1 : square);
    }
    return (int64_t)((__int128)((INT64_C(64) << 32) - log2) * LN_2 >> 32);
}

int64_t fixed_exp(int64_t x) {
    if (x > 22 * FIXED_ONE) return INT64_MAX;
    if (x < -23 * FIXED_ONE) return 0;
    int64_t log2 = (int64_t)((__int128)x * LOG2_E >> 32), whole = log2 >> 32;
    int64_t angle = (int64_t)((__int128)(log2 & (FIXED_ONE - 1)) * LN_2 >> 32);
    int64_t term = FIXED_ONE << 16, sum = 0; // Taylor, with 16 bits more
    for (int64_t k = 1; term > 0; k++) {
        sum += term;
        term = (int64_t)((__int128)term * angle >> 32) / k;
    }
    return whole >= 16 ? sum << (whole - 16) : sum >> (16 - whole);
}

int64_t random_exponential(struct random_stream *stream) {
    uint64_t u;
    do u = random_next(stream);
    while (u == 0);
    return fixed_minus_ln(u);
}

/// u^(1/power) of a uniform u; `power` in millionths, below 1.
static int64_t random_power(struct random_stream *stream, int64_t power) {
    __int128 exponent = (__int128)random_exponential(stream) * MILLIONTHS / power;
    return exponent > 23 * (__int128)FIXED_ONE ? 0 : fixed_exp(-(int64_t)exponent);
}

int64_t random_gamma(struct random_stream *stream, int64_t shape) {
    int64_t sum = 0, fraction = shape % MILLIONTHS;
    for (int64_t k = 0; k < shape / MILLIONTHS; k++) sum += random_exponential(stream);
    if (fraction == 0) return sum;
    int64_t x, y;
    do {
        x = random_power(stream, fraction);
        y = random_power(stream, MILLIONTHS - fraction);
    } while (x + y > FIXED_ONE || x + y == 0);
    return sum + (int64_t)((__int128)random_exponential(stream) * x / (x + y));
}

static int64_t square_root(unsigned __int128 value) {
    uint64_t root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        uint64_t tried = root | UINT64_C(1) << bit;
        if ((unsigned __int128)tried * tried <= value) root = tried;
    }
    return (int64_t)root;
}

int64_t random_normal(struct random_stream *stream) {
    int64_t u, v, square;
    do {
        u = (int64_t)(random_next(stream) >> 31) - FIXED_ONE;
        v = (int64_t)(random_next(stream) >> 31) - FIXED_ONE;
        square = (int64_t)(((__int128)u * u + (__int128)v * v) >> 32);
    } while (square >= FIXED_ONE || square == 0);
    unsigned __int128 ratio = ((unsigned __int128)fixed_minus_ln((uint64_t)square << 32) << 33) / (unsigned __int128)square;
    return (int64_t)((__int128)u * square_root(ratio << 32) >> 32);
}
