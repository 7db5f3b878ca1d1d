#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/// A seeded stream of random numbers, the same on every machine and for ever:
/// xoshiro256** (Blackman, Vigna 2018), its state filled by splitmix64 from the seed.
struct random_stream {
    uint64_t state[4];
};

void random_seed(struct random_stream *stream, uint64_t seed);
uint64_t random_next(struct random_stream *stream);

/// Uniform in [0, limit), without bias; limit > 0.
uint64_t random_below(struct random_stream *stream, uint64_t limit);

/// Fisher-Yates shuffle of `count` numbers.
void random_shuffle(struct random_stream *stream, uint32_t *items, uint32_t count);

/// A fixed mixing of 64 bits (splitmix64's finaliser): for hashes and for seeds derived from seeds.
static inline uint64_t mix64(uint64_t value) {
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

#endif
