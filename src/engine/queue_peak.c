#include "engine/queue_peak.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { FIRST_LOG2 = 2, MOST_LOG2 = 26 };

static uint32_t mask_of(const struct queue_peak *peak) { return (1u << peak->capacity_log2) - 1; }

/// Whether the last chunk of a run has begun service by `now`, and with it all before.
static bool all_started(const struct waiting_run *run, int64_t now) {
    return run->start + ((int64_t)run->chunks - 1) * run->service_ticks <= now;
}

/// Drops from a run the chunks that have begun service by `now`; returns whether some are left.
static bool drop_from(struct queue_peak *peak, struct waiting_run *run, int64_t now) {
    if (run->start > now) return true;
    bool left = !all_started(run, now);
    uint64_t started = left ? (uint64_t)((now - run->start) / run->service_ticks) + 1 : run->chunks;
    peak->queued_bytes -= (int64_t)started * run->chunk_bytes;
    run->start += (int64_t)started * run->service_ticks;
    run->chunks -= started;
    return left;
}

static void drop_started(struct queue_peak *peak, int64_t now) {
    while (peak->count > 0) {
        if (drop_from(peak, &peak->older[peak->head], now)) return;
        peak->head = (peak->head + 1) & mask_of(peak);
        peak->count--;
    }
    if (peak->last.chunks > 0) drop_from(peak, &peak->last, now);
}

static void make_room(struct queue_peak *peak) {
    uint32_t log2 = peak->older ? peak->capacity_log2 + 1u : FIRST_LOG2;
    if (log2 > MOST_LOG2) fatal("more than 2^%d kinds of chunks wait for one link", MOST_LOG2);
    struct waiting_run *runs = allocate(sizeof *runs << log2);
    for (uint32_t i = 0; i < peak->count; i++) runs[i] = peak->older[(peak->head + i) & mask_of(peak)];
    free(peak->older);
    peak->older = runs, peak->head = 0;
    peak->capacity_log2 = log2 & 31;
}

/// Puts the last run among the older ones, if it still waits.
static void keep_last(struct queue_peak *peak, int64_t now) {
    if (peak->last.chunks == 0 || all_started(&peak->last, now)) {
        peak->queued_bytes = 0, peak->count = 0;
        return;
    }
    if (!peak->older || peak->count > mask_of(peak)) {
        drop_started(peak, now);
        if (!peak->older || peak->count > mask_of(peak)) make_room(peak);
    }
    peak->older[(peak->head + peak->count++) & mask_of(peak)] = peak->last;
}

static bool extends(const struct waiting_run *run, const struct waiting_run *last) {
    return last->service_ticks == run->service_ticks && last->chunk_bytes == run->chunk_bytes &&
           last->start + (int64_t)last->chunks * last->service_ticks == run->start;
}

void queue_peak_wait(struct queue_peak *peak, const struct waiting_run *run, int64_t now) {
    struct waiting_run *last = &peak->last;
    if (extends(run, last)) {
        last->chunks += run->chunks;
    } else {
        keep_last(peak, now);
        *last = *run;
    }
    peak->queued_bytes += (int64_t)run->chunks * run->chunk_bytes;
    if (peak->queued_bytes <= peak->peak_bytes) return;
    drop_started(peak, now);
    if (peak->queued_bytes > peak->peak_bytes) peak->peak_bytes = peak->queued_bytes;
}

void queue_peak_wait_each(struct queue_peak *peak, const struct waiting_run *run, const int64_t *joins) {
    struct waiting_run *last = &peak->last;
    struct waiting_run one = *run;
    one.chunks = 1;
    queue_peak_wait(peak, &one, joins[0]);
    drop_started(peak, joins[0]);
    if (peak->count > 0) {
        for (uint64_t k = 1; k < run->chunks; k++) {
            one.start += one.service_ticks;
            queue_peak_wait(peak, &one, joins[k]);
        }
        return;
    }
    // all that waits is of one size: it is enough to count
    uint64_t most = last->chunks;
    for (uint64_t k = 1; k < run->chunks; k++) {
        for (; last->start <= joins[k]; last->start += last->service_ticks) last->chunks--;
        if (++last->chunks > most) most = last->chunks;
    }
    peak->queued_bytes = (int64_t)last->chunks * last->chunk_bytes;
    if ((int64_t)most * last->chunk_bytes > peak->peak_bytes) peak->peak_bytes = (int64_t)most * last->chunk_bytes;
}

bool queue_peak_may_rise(struct queue_peak *peak, int64_t bytes, int64_t now) {
    if (peak->queued_bytes + bytes <= peak->peak_bytes) return false;
    drop_started(peak, now);
    return peak->queued_bytes + bytes > peak->peak_bytes;
}

void queue_peak_put_off(struct queue_peak *peak, int64_t ticks) {
    peak->last.start += ticks;
    for (uint32_t i = 0; i < peak->count; i++) peak->older[(peak->head + i) & mask_of(peak)].start += ticks;
}

void queue_peak_free(struct queue_peak *peak) { free(peak->older); }
