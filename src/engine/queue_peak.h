#ifndef ENGINE_QUEUE_PEAK_H
#define ENGINE_QUEUE_PEAK_H

#include <stdint.h>

/// The peak of a link's queue: bytes that have joined and not begun service. Chunks that wait are kept as runs of equal
/// size served back to back, and those that have begun are dropped only when the sum would be a new peak; so a busy
/// link pays an addition a chunk, not a queue of its own.
struct waiting_run {
    int64_t start;         ///< when service of its first chunk begins
    int64_t service_ticks; ///< of each chunk
    int64_t chunk_bytes;
    uint64_t chunks;
};

struct queue_peak {
    int64_t queued_bytes; ///< of all runs held: at least what waits
    int64_t peak_bytes;
    struct waiting_run *runs; ///< a ring
    uint32_t head, count, capacity;
};

/// `run` joined at `now` and waits (its start is later).
void queue_peak_wait(struct queue_peak *peak, const struct waiting_run *run, int64_t now);

#endif
