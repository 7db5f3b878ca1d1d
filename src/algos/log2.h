#ifndef ALGOS_LOG2_H
#define ALGOS_LOG2_H

#include <stdint.h>

/// The exponent of the largest power of two not above n; n > 0.
static inline uint32_t log2_floor(uint32_t n) { return 31 - (uint32_t)__builtin_clz(n); }

/// The least e with 2^e >= n: how many doublings lead from one rank to n; n > 0.
static inline uint32_t log2_ceil(uint32_t n) { return n == 1 ? 0 : log2_floor(n - 1) + 1; }

#endif
