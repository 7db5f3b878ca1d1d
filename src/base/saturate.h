#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

/// Adds `one` so many times, all of them from 0; what would be more than INT64_MAX is INT64_MAX.
static inline void saturating_add(int64_t *sum, int64_t one, uint64_t times) {
    int64_t more;
    if (__builtin_mul_overflow(one, times, &more) || __builtin_add_overflow(*sum, more, sum)) *sum = INT64_MAX;
}

#endif
