#include "record/link_trace.h"

#include <stdlib.h>

#include "base/memory.h"

/// Chunks of equal size that wait for the link; one of them begins every `period_ticks`.
struct waiting_chunks {
    int64_t start, period_ticks, chunk_bytes;
    uint64_t count;
};

/// A link. Services come in order of joining, and both `joined` and `end` never fall, so a new one touches bins that
/// exist only at the end of the list, where they are without gaps.
struct track {
    struct link_bin *bins;
    size_t bin_count, bin_capacity;
    uint32_t doublings; ///< of the width that its bins have
    int64_t queue_since, queued_bytes;
    struct waiting_chunks *waiting; ///< a queue: entries first .. first + waiting_count - 1
    size_t first, waiting_count, waiting_capacity;
};

struct link_trace {
    uint32_t link_count;
    struct track *tracks;
    int64_t bin_ticks, most_bins, end_ticks;
    uint32_t doublings;
};

struct link_trace *link_trace_create(uint32_t links, struct bin_rule rule) {
    struct link_trace *trace = allocate_zeroed(1, sizeof *trace);
    trace->link_count = links;
    trace->tracks = allocate_zeroed(links, sizeof *trace->tracks);
    trace->bin_ticks = rule.ticks;
    trace->most_bins = rule.most;
    return trace;
}

void link_trace_free(struct link_trace *trace) {
    if (!trace) return;
    for (uint32_t l = 0; l < trace->link_count; l++) {
        free(trace->tracks[l].bins);
        free(trace->tracks[l].waiting);
    }
    free(trace->tracks);
    free(trace);
}

// ---- bins

static struct link_bin *bin_at(struct track *track, int64_t index) {
    size_t last = track->bin_count - 1;
    return &track->bins[last - (size_t)(track->bins[last].index - index)];
}

/// Makes the bins first .. last, those that exist already aside.
static void open_bins(struct track *track, int64_t first, int64_t last) {
    if (track->bin_count > 0 && first <= track->bins[track->bin_count - 1].index) first = track->bins[track->bin_count - 1].index + 1;
    if (first > last) return;
    ARRAY_RESERVE(track->bins, track->bin_capacity, track->bin_count + (size_t)(last - first) + 1);
    for (int64_t index = first; index <= last; index++) track->bins[track->bin_count++] = (struct link_bin){.index = index};
}

static void widen_once(struct track *track) {
    size_t kept = 0;
    for (size_t i = 0; i < track->bin_count; i++) {
        struct link_bin bin = track->bins[i];
        bin.index /= 2;
        struct link_bin *before = kept > 0 ? &track->bins[kept - 1] : NULL;
        if (!before || before->index != bin.index) {
            track->bins[kept++] = bin;
            continue;
        }
        before->busy_ticks += bin.busy_ticks;
        before->bytes += bin.bytes;
        before->queue_byte_ticks += bin.queue_byte_ticks;
        if (bin.queue_peak_bytes > before->queue_peak_bytes) before->queue_peak_bytes = bin.queue_peak_bytes;
    }
    track->bin_count = kept;
    track->doublings++;
}

/// Tracks follow a wider trace when they are next touched.
static struct track *track_of(struct link_trace *trace, uint32_t link) {
    struct track *track = &trace->tracks[link];
    while (track->doublings < trace->doublings) widen_once(track);
    return track;
}

static void make_room_until(struct link_trace *trace, int64_t end) {
    if (end <= trace->end_ticks) return;
    trace->end_ticks = end;
    while ((end - 1) / trace->bin_ticks >= trace->most_bins) {
        trace->bin_ticks *= 2;
        trace->doublings++;
    }
}

static int64_t bytes_until(int64_t bytes, int64_t ticks, int64_t of_ticks) { return (int64_t)((__int128)bytes * ticks / of_ticks); }

/// The link is busy in [start, end) with `bytes`.
static void add_service(const struct link_trace *trace, struct track *track, int64_t start, int64_t end, int64_t bytes) {
    int64_t width = trace->bin_ticks, from = start, passed = 0;
    for (int64_t index = start / width; from < end; index++) {
        int64_t to = index < (end - 1) / width ? (index + 1) * width : end;
        int64_t by_then = bytes_until(bytes, to - start, end - start);
        struct link_bin *bin = bin_at(track, index);
        bin->busy_ticks += to - from;
        bin->bytes += by_then - passed;
        from = to, passed = by_then;
    }
}

/// The queue holds what it holds in [from, to).
static void add_queue(const struct link_trace *trace, struct track *track, int64_t from, int64_t to) {
    if (track->queued_bytes == 0 || from >= to) return;
    int64_t width = trace->bin_ticks, last = (to - 1) / width;
    for (int64_t index = from / width; index <= last; index++) {
        int64_t end = index < last ? (index + 1) * width : to;
        struct link_bin *bin = bin_at(track, index);
        bin->queue_byte_ticks += (unsigned __int128)track->queued_bytes * (unsigned __int128)(end - from);
        if (track->queued_bytes > bin->queue_peak_bytes) bin->queue_peak_bytes = track->queued_bytes;
        from = end;
    }
}

// ---- the queue: bytes that have joined and not begun service

/// Brings the queue to the state it has at `now`.
static void advance_queue(const struct link_trace *trace, struct track *track, int64_t now) {
    while (track->waiting_count > 0) {
        struct waiting_chunks *next = &track->waiting[track->first];
        if (next->start > now) break;
        add_queue(trace, track, track->queue_since, next->start);
        track->queue_since = next->start;
        track->queued_bytes -= next->chunk_bytes;
        next->start += next->period_ticks;
        if (--next->count > 0) continue;
        track->first = --track->waiting_count > 0 ? track->first + 1 : 0;
    }
    add_queue(trace, track, track->queue_since, now);
    track->queue_since = now;
}

/// Whether the chunk continues a run, and then adds it.
static bool join_run(struct waiting_chunks *run, int64_t start, int64_t bytes) {
    if (run->count == 1) run->period_ticks = start - run->start;
    if (run->chunk_bytes != bytes || run->start + (int64_t)run->count * run->period_ticks != start) return false;
    run->count++;
    return true;
}

static void add_waiting(struct track *track, int64_t start, int64_t bytes) {
    track->queued_bytes += bytes;
    size_t end = track->first + track->waiting_count;
    if (track->waiting_count > 0 && join_run(&track->waiting[end - 1], start, bytes)) return;
    if (end == track->waiting_capacity && track->first > track->waiting_count) {
        for (size_t i = 0; i < track->waiting_count; i++) track->waiting[i] = track->waiting[track->first + i];
        track->first = 0, end = track->waiting_count;
    }
    ARRAY_RESERVE(track->waiting, track->waiting_capacity, end + 1);
    track->waiting[end] = (struct waiting_chunks){.start = start, .chunk_bytes = bytes, .count = 1};
    track->waiting_count++;
}

static void service(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    (void)message;
    if (bytes == 0) return;
    struct link_trace *trace = context;
    make_room_until(trace, end);
    struct track *track = track_of(trace, link);
    advance_queue(trace, track, joined); // before a gap may open
    open_bins(track, joined / trace->bin_ticks, (end - 1) / trace->bin_ticks);
    add_service(trace, track, start, end, bytes);
    if (start > joined) add_waiting(track, start, bytes);
}

struct recorder link_trace_recorder(struct link_trace *trace) {
    return (struct recorder){.links = {trace, service}};
}

// ---- after the run

void link_trace_finish(struct link_trace *trace, int64_t makespan_ticks) {
    make_room_until(trace, makespan_ticks);
    for (uint32_t l = 0; l < trace->link_count; l++) advance_queue(trace, track_of(trace, l), INT64_MAX);
}

int64_t link_trace_bin_ticks(const struct link_trace *trace) { return trace->bin_ticks; }

int64_t link_trace_bins(const struct link_trace *trace) { return trace->end_ticks > 0 ? (trace->end_ticks - 1) / trace->bin_ticks + 1 : 0; }

size_t link_trace_of(const struct link_trace *trace, uint32_t link, const struct link_bin **bins) {
    *bins = trace->tracks[link].bins;
    return trace->tracks[link].bin_count;
}
