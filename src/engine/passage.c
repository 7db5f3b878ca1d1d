#include "engine/passage.h"

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static uint64_t full_chunks(const struct passage *passage) { return passage->chunks - 1; }

bool passage_find(struct passage *passage, int64_t service, int64_t last_service, int64_t latency) {
    const struct coming *in = &passage->in;
    int64_t spacing = larger(in->period, service);
    __int128 joined = (__int128)in->join + service, end = joined > in->tail ? joined : in->tail;
    __int128 all = end + (__int128)spacing * (__int128)(full_chunks(passage) - 1); // the last but one is served
    __int128 first = all > in->last_join ? all : in->last_join, start = (__int128)in->last_tail - last_service;
    if (start < first) start = first;
    if (start + last_service + latency >= INT64_MAX) return false;
    passage->service = service, passage->end = (int64_t)end, passage->spacing = spacing;
    passage->last_first = (int64_t)first, passage->last_start = (int64_t)start;
    passage->last_end = (int64_t)start + last_service, passage->last_service = last_service;
    return true;
}

struct coming passage_out(const struct passage *passage, int64_t latency, bool tails) {
    struct coming out = {.tail = passage->end + latency, .period = passage->spacing, .last_tail = passage->last_end + latency};
    out.join = tails ? out.tail : passage->in.join + latency;
    out.last_join = tails ? out.last_tail : passage->last_first + latency;
    return out;
}

uint64_t coming_before(const struct coming *coming, uint64_t chunks, int64_t time) {
    if (coming->last_join < time) return chunks;
    if (coming->join >= time) return 0;
    uint64_t before = (uint64_t)((time - 1 - coming->join) / coming->period) + 1;
    return before < chunks - 1 ? before : chunks - 1;
}

int64_t coming_join(const struct coming *coming, uint64_t chunks, uint64_t i) {
    return i == chunks - 1 ? coming->last_join : coming->join + (int64_t)i * coming->period;
}

int64_t coming_tail(const struct coming *coming, uint64_t chunks, uint64_t i) {
    return i == chunks - 1 ? coming->last_tail : coming->tail + (int64_t)i * coming->period;
}

int64_t passage_end(const struct passage *passage, uint64_t i) {
    return i == full_chunks(passage) ? passage->last_end : passage->end + (int64_t)i * passage->spacing;
}

// ---- what waits: chunks that have joined and not begun service

/// How many of the first `joined` chunks, none the last of the message, wait at `time`.
static uint64_t waiting_at(const struct passage *passage, uint64_t joined, int64_t time) {
    int64_t start = passage->end - passage->service;
    uint64_t started = time < start ? 0 : (uint64_t)((time - start) / passage->spacing) + 1;
    return started < joined ? joined - started : 0;
}

int64_t passage_peak(const struct passage *passage, struct chunk_sizes sizes, uint64_t joined) {
    uint64_t full = joined < full_chunks(passage) ? joined : full_chunks(passage);
    // of equal chunks, more wait with each that joins, or as many
    int64_t peak = (int64_t)waiting_at(passage, full, coming_join(&passage->in, passage->chunks, full - 1)) * sizes.full;
    if (joined < passage->chunks || passage->last_start <= passage->in.last_join) return peak;
    return larger(peak, (int64_t)waiting_at(passage, full, passage->in.last_join) * sizes.full + sizes.last);
}

void passage_wait(const struct passage *passage, struct chunk_sizes sizes, uint64_t joined, int64_t now, struct queue_peak *queue) {
    uint64_t full = joined < full_chunks(passage) ? joined : full_chunks(passage), waiting = waiting_at(passage, full, now);
    if (waiting > 0) {
        int64_t start = passage_end(passage, full - waiting) - passage->service;
        queue_peak_wait(queue, &(struct waiting_run){start, passage->service, sizes.full, waiting}, now);
    }
    if (joined == passage->chunks && passage->last_start > now)
        queue_peak_wait(queue, &(struct waiting_run){passage->last_start, passage->last_service, sizes.last, 1}, now);
}
