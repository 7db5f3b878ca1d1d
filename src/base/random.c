#include "base/random.h"

void random_seed(struct random_stream *stream, uint64_t seed) {
    for (int i = 0; i < 4; i++) stream->state[i] = mix64(seed += UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t rotate_left(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

uint64_t random_next(struct random_stream *stream) {
    uint64_t *s = stream->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random_stream *stream, uint64_t limit) {
    uint64_t reject_below = (0 - limit) % limit; // 2^64 mod limit: what would favour small results
    uint64_t value;
    do value = random_next(stream);
    while (value < reject_below);
    return value % limit;
}

void random_shuffle(struct random_stream *stream, uint32_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)random_below(stream, i);
        uint32_t kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}
