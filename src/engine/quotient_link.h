#ifndef ENGINE_QUOTIENT_LINK_H
#define ENGINE_QUOTIENT_LINK_H

#include "engine/quotient_state.h"

/// One link of a folded network, for those who serve it (quotient_serve.c, quotient_stretch.c): its rings, the size of its last chunk, the
/// peak of its queue.

void quotient_grow_ring(struct sim *sim, struct fifo *fifo, uint32_t chunks); ///< until so many more fit
void quotient_push_flight(struct fifo *fifo, const struct flight *flight);

/// A chunk unlike the last: becomes the last.
void quotient_size_up(const struct sim *sim, struct fifo *fifo, const struct passing *chunk);

void quotient_overflow(struct sim *sim);

static inline void make_room(struct sim *sim, struct fifo *fifo, uint32_t chunks) {
    if (fifo->tail - fifo->head + chunks > fifo->room) quotient_grow_ring(sim, fifo, chunks);
}

/// Chunks of one size that wait one after the other: most prolong the run of the one before without a new peak, and are counted
/// together.
struct waits {
    struct queue_peak *peak;
    int64_t bytes, ticks; ///< of each
    int64_t until;        ///< end of service of the last; -1: it was of another size
    int64_t left;         ///< bytes until there is a new peak
};

static inline int64_t bytes_left(const struct queue_peak *peak) { return peak->peak_bytes - peak->queued_bytes; }

static inline void begin_waits(struct waits *waits, const struct fifo *fifo, struct queue_peak *peak) {
    *waits = (struct waits){peak, fifo->last_bytes, fifo->last_ticks, fifo->waits_until, bytes_left(peak)};
}

static inline void count_waits(struct waits *waits) {
    int64_t more = bytes_left(waits->peak) - waits->left;
    if (more > 0) waits->peak->last.chunks += (uint64_t)(more / waits->bytes);
    waits->peak->queued_bytes += more;
}

#endif
