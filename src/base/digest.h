#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdint.h>

#include "base/random.h"

/// A 128-bit sum of hashes: it does not depend on the order of adding (model.md, "The digest").
struct digest {
    uint64_t low, high;
};

static inline void digest_add_words(struct digest *digest, uint64_t low, uint64_t high) {
    unsigned __int128 sum = ((unsigned __int128)digest->high << 64 | digest->low) + ((unsigned __int128)high << 64 | low);
    digest->low = (uint64_t)sum, digest->high = (uint64_t)(sum >> 64);
}

/// What the deliveries of one instant have in common, for digest_add_at.
static inline uint64_t digest_instant(int64_t time_ticks) { return mix64((uint64_t)time_ticks + UINT64_C(0x9e3779b97f4a7c15)); }

/// Adds one delivery: at the instant of `first` rank `rank` had all `bytes` of a message from rank `sender`.
static inline void digest_add_at(struct digest *digest, uint64_t first, uint32_t rank, uint32_t sender, int64_t bytes) {
    uint64_t ranks = (uint64_t)rank << 32 | sender;
    uint64_t second = mix64(first ^ ranks);
    uint64_t third = mix64(second + (uint64_t)bytes * UINT64_C(0xd6e8feb86659fd93));
    digest_add_words(digest, third, mix64(third ^ first));
}

/// Adds `times` deliveries of which only the time, the size and the hops are told (speed.md, "symmetry").
static inline void digest_add_orbit(struct digest *digest, int64_t time_ticks, int64_t bytes, uint32_t hops, uint64_t times) {
    struct digest one = {0, 0};
    digest_add_at(&one, digest_instant(time_ticks), hops, 0, bytes);
    unsigned __int128 all = ((unsigned __int128)one.high << 64 | one.low) * times;
    digest_add_words(digest, (uint64_t)all, (uint64_t)(all >> 64));
}

#endif
