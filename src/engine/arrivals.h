#ifndef ENGINE_ARRIVALS_H
#define ENGINE_ARRIVALS_H

#include <stdint.h>

#include "base/memory.h"

/// What is delivered at a node within a window, in order of time.
struct arrivals {
    struct arrival {
        int64_t time;
        uint32_t message;
        uint64_t chunks;
    } * items;
    size_t count, capacity;
};

/// After those of the same time: in-links are taken in order of their ports.
static inline void arrivals_add(struct arrivals *arrivals, int64_t time, uint32_t message, uint64_t chunks) {
    ARRAY_RESERVE(arrivals->items, arrivals->capacity, arrivals->count + 1);
    size_t i = arrivals->count++;
    for (; i > 0 && time < arrivals->items[i - 1].time; i--) arrivals->items[i] = arrivals->items[i - 1];
    arrivals->items[i] = (struct arrival){time, message, chunks};
}

/// The first of them; behind the last is one at INT64_MAX.
static inline const struct arrival *arrivals_closed(struct arrivals *arrivals) {
    ARRAY_RESERVE(arrivals->items, arrivals->capacity, arrivals->count + 1);
    arrivals->items[arrivals->count].time = INT64_MAX;
    return arrivals->items;
}

#endif
