#ifndef ENGINE_TRANSLATIONS_H
#define ENGINE_TRANSLATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// A group of translations of a network whose endpoints have coordinates, in C order (the last fastest): all shifts by a
/// multiple of `step[i]` along coordinate i, modulo its radix. A translation is written as the endpoint it takes 0 to.
/// Of the endpoints that translations take into each other the one with all coordinates below the steps represents all.

enum { MAX_COORDINATES = 27 };

struct translations {
    uint32_t count;
    uint32_t radix[MAX_COORDINATES]; ///< their product is the number of endpoints
    uint32_t step[MAX_COORDINATES];  ///< divides the radix; equal to it: nothing moves along this coordinate
    /// The first so many switches move along coordinate 0, in radix[0] blocks; the others stay where they are.
    uint32_t moving_switches;
};

/// How many translations there are: the size of every orbit.
static inline uint64_t translations_order(const struct translations *group) {
    uint64_t order = 1;
    for (uint32_t i = 0; i < group->count; i++) order *= group->radix[i] / group->step[i];
    return order;
}

static inline uint32_t translations_subtract(const struct translations *group, uint32_t endpoint, uint32_t by) {
    uint32_t difference = 0, stride = 1;
    for (uint32_t i = group->count; i-- > 0; stride *= group->radix[i]) {
        uint32_t radix = group->radix[i], at = endpoint % radix, back = by % radix;
        endpoint /= radix, by /= radix;
        difference += (at >= back ? at - back : at + radix - back) * stride;
    }
    return difference;
}

/// The translation that takes the representative of `endpoint` to it.
static inline uint32_t translations_offset(const struct translations *group, uint32_t endpoint) {
    uint32_t offset = 0, stride = 1;
    for (uint32_t i = group->count; i-- > 0; stride *= group->radix[i]) {
        uint32_t at = endpoint % group->radix[i];
        endpoint /= group->radix[i];
        offset += (at - at % group->step[i]) * stride;
    }
    return offset;
}

/// No borrow between coordinates: an offset is at most the endpoint, coordinate by coordinate.
static inline uint32_t translations_representative(const struct translations *group, uint32_t endpoint) {
    return endpoint - translations_offset(group, endpoint);
}

#endif
