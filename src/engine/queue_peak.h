#ifndef ENGINE_QUEUE_PEAK_H
#define ENGINE_QUEUE_PEAK_H

#include <stdbool.h>
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

/// One cache line. All zero: nothing has waited.
struct queue_peak {
    int64_t queued_bytes; ///< of all runs held: at least what waits
    int64_t peak_bytes;
    struct waiting_run last;   ///< no chunks: no run is held
    struct waiting_run *older; ///< those before it: a ring, needed where sizes or gaps differ
    uint32_t head;
    uint32_t count : 27, capacity_log2 : 5;
};

/// `run` joined at `now` and waits (its start is later).
void queue_peak_wait(struct queue_peak *peak, const struct waiting_run *run, int64_t now);

/// The same where chunk k of `run` joined at joins[k], before its service begins.
void queue_peak_wait_each(struct queue_peak *peak, const struct waiting_run *run, const int64_t *joins);

/// Whether the peak could rise if `bytes` more join from `now` on. If not, it does not matter when each of them joins.
bool queue_peak_may_rise(struct queue_peak *peak, int64_t bytes, int64_t now);

/// Everything happens so much later.
void queue_peak_put_off(struct queue_peak *peak, int64_t ticks);

void queue_peak_free(struct queue_peak *peak);

#endif
