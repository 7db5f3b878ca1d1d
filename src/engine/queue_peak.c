#include "engine/queue_peak.h"

#include <stdlib.h>

#include "base/memory.h"

/// Drops the chunks that have begun service by `now`.
static void drop_started(struct queue_peak *peak, int64_t now) {
    while (peak->count > 0) {
        struct waiting_run *run = &peak->runs[peak->head];
        if (run->start > now) return;
        uint64_t started = run->service_ticks > 0 ? (uint64_t)((now - run->start) / run->service_ticks) + 1 : run->chunks;
        if (started < run->chunks) {
            peak->queued_bytes -= (int64_t)started * run->chunk_bytes;
            run->start += (int64_t)started * run->service_ticks;
            run->chunks -= started;
            return;
        }
        peak->queued_bytes -= (int64_t)run->chunks * run->chunk_bytes;
        peak->head = (peak->head + 1) & (peak->capacity - 1);
        peak->count--;
    }
}

static void make_room(struct queue_peak *peak) {
    uint32_t capacity = peak->capacity ? peak->capacity * 2 : 4;
    struct waiting_run *runs = allocate(capacity * sizeof *runs);
    for (uint32_t i = 0; i < peak->count; i++) runs[i] = peak->runs[(peak->head + i) & (peak->capacity - 1)];
    free(peak->runs);
    peak->runs = runs, peak->capacity = capacity, peak->head = 0;
}

void queue_peak_wait(struct queue_peak *peak, const struct waiting_run *run, int64_t now) {
    struct waiting_run *last = peak->count ? &peak->runs[(peak->head + peak->count - 1) & (peak->capacity - 1)] : NULL;
    if (last && last->service_ticks == run->service_ticks && last->chunk_bytes == run->chunk_bytes &&
        last->start + (int64_t)last->chunks * last->service_ticks == run->start) {
        last->chunks += run->chunks;
    } else {
        if (peak->count == peak->capacity) drop_started(peak, now);
        if (peak->count == peak->capacity) make_room(peak);
        peak->runs[(peak->head + peak->count++) & (peak->capacity - 1)] = *run;
    }
    peak->queued_bytes += (int64_t)run->chunks * run->chunk_bytes;
    if (peak->queued_bytes <= peak->peak_bytes) return;
    drop_started(peak, now);
    if (peak->queued_bytes > peak->peak_bytes) peak->peak_bytes = peak->queued_bytes;
}
