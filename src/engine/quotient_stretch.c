// A link of a folded network serves what joins it as long as all of that is known (quotient_stream.c): stretches of evenly spaced
// chunks that go straight on from the link it follows, and between these what has been told to join.
#include "engine/quotient_link.h"

/// A link while it serves.
struct server {
    struct engine *engine;
    struct fifo *fifo;
    struct waits waits; ///< for chunks of the size of the last
};

// ---- the peak of its queue

/// A stretch of chunks that join no further apart than they are served, and all wait. While what waits is one run, of which one begins
/// at least every `ticks`, the queue is longest when the last joins.
static void wait_apart(struct waits *waits, int64_t start, const struct flight *joins) {
    struct queue_peak *peak = waits->peak;
    struct waiting_run run = {start, waits->ticks, waits->bytes, joins->count};
    int64_t now = joins->head;
    count_waits(waits);
    if (joins->count > 1 && queue_peak_may_rise(peak, joins->count * waits->bytes, now)) {
        run.chunks = 1;
        queue_peak_wait(peak, &run, now);
        bool one_run = peak->count == 0 && peak->last.start - waits->ticks <= now;
        uint32_t step = one_run ? joins->count - 1 : 1;
        for (uint32_t waiting = 1; waiting < joins->count; waiting += step) {
            run.start += (int64_t)run.chunks * run.service_ticks;
            run.chunks = step;
            now += step * joins->spacing;
            queue_peak_wait(peak, &run, now);
        }
    } else {
        queue_peak_wait(peak, &run, now);
    }
    waits->left = bytes_left(peak);
}

static inline void wait_until(struct waits *waits, int64_t start, const struct flight *joins) {
    if (start == waits->until && joins->count * waits->bytes <= waits->left)
        waits->left -= joins->count * waits->bytes;
    else
        wait_apart(waits, start, joins);
    waits->until = start + joins->count * waits->ticks;
}

static void be_like(struct server *server, const struct passing *chunk) {
    struct queue_peak *peak = server->waits.peak;
    if (chunk->kind >> KIND_SIZE == server->fifo->last_class) return;
    count_waits(&server->waits);
    quotient_size_up(server->engine->sim, server->fifo, chunk);
    begin_waits(&server->waits, server->fifo, peak);
}

// ---- when

/// Further chunks come to the far end.
static void add_flight(struct fifo *fifo, const struct flight *more) {
    if (fifo->first_flight != fifo->last_flight) {
        struct flight *last = &fifo->flights[(fifo->last_flight - 1) & (fifo->flight_room - 1)];
        int64_t spacing = last->count > 1 ? last->spacing : more->head - last->head;
        bool fits = last->lag == more->lag && more->head == last->head + last->count * spacing;
        if (fits && (more->count == 1 || more->spacing == spacing)) {
            last->spacing = spacing;
            last->count += more->count;
            return;
        }
    }
    quotient_push_flight(fifo, more);
}

/// Serves as many of a stretch, of the size of the last, as all wait or all do not; returns how many. 0: not before the end of time.
static inline uint32_t serve_some(struct server *server, const struct flight *joins) {
    struct fifo *fifo = server->fifo;
    const int64_t ticks = fifo->last_ticks, free_at = fifo->free_at;
    int64_t first, last, start = service_start(joins->head, joins->head + joins->lag, ticks, free_at, &first);
    const bool waits = start > joins->head, all_wait = waits && start == free_at && joins->spacing <= ticks;
    struct flight some = {.spacing = all_wait ? ticks : joins->spacing, .count = joins->count};
    if (!all_wait && (waits || joins->spacing < ticks)) some.count = 1;
    if (__builtin_mul_overflow(some.count - 1, some.spacing, &last) || last > fifo->last_start - start) some.count = 1, last = 0;
    last += start;
    if (last > fifo->last_start) return 0;
    if (waits && fifo->last_bytes > 0) wait_until(&server->waits, start, &(struct flight){joins->head, joins->spacing, 0, some.count});
    fifo->free_at = last + ticks;
    if (server->engine->store_and_forward) first = start + ticks;
    some.head = first + fifo->latency_ticks;
    some.lag = start + ticks - first;
    add_flight(fifo, &some);
    return some.count;
}

/// Those at the ring's end.
static inline bool serve_stretch(struct server *server, struct flight joins) {
    struct sim *sim = server->engine->sim;
    server->fifo->tail += joins.count;
    server->fifo->alike += joins.count;
    sim->totals.chunk_hops += joins.count;
    while (joins.count > 0) {
        uint32_t served = serve_some(server, &joins);
        if (served == 0) {
            quotient_overflow(sim);
            return false;
        }
        joins.head += served * joins.spacing;
        joins.count -= served;
    }
    return true;
}

// ---- what

/// Puts those of the first `most` of the followed link into the ring that are of the size of the link's last chunk, up to the first that
/// is not or does not go straight on; returns how many.
static uint32_t send_alike(const struct engine *engine, const struct fifo *from, struct fifo *fifo, uint32_t most) {
    const uint32_t first = (fifo->last_class << KIND_SIZE) + 1, bits = engine->straight_bits;
    uint32_t sent = 0;
    if (fifo->last_class == NO_CLASS) return 0;
    while (sent < most) {
        uint32_t at = (from->head + sent) & (from->room - 1), to = (fifo->tail + sent) & (fifo->room - 1), count = most - sent;
        if (count > from->room - at) count = from->room - at;
        if (count > fifo->room - to) count = fifo->room - to;
        const struct passing *chunk = &from->ring[at], *end = chunk + count;
        struct passing *copy = &fifo->ring[to];
        for (; chunk < end && chunk->kind - first < bits; chunk++, copy++) {
            *copy = *chunk;
            copy->kind--;
        }
        sent += (uint32_t)(chunk - &from->ring[at]);
        if (chunk < end) break;
    }
    return sent;
}

/// Takes away the first so many, of one flight.
static void pass(struct fifo *fifo, uint32_t count) {
    struct flight *flight = &fifo->flights[fifo->first_flight & (fifo->flight_room - 1)];
    fifo->head += count;
    flight->count -= count;
    flight->head += count * flight->spacing;
    if (flight->count == 0) fifo->first_flight++;
}

/// The first of a stretch go straight on, up to one that does not or is of another size.
static bool serve_straight(struct server *server, struct fifo *from, struct flight stretch) {
    struct fifo *fifo = server->fifo;
    make_room(server->engine->sim, fifo, stretch.count); // first: a link may follow itself
    uint32_t sent = send_alike(server->engine, from, fifo, stretch.count);
    if (sent == 0) {
        const struct passing *chunk = &from->ring[from->head & (from->room - 1)];
        struct passing *copy = &fifo->ring[fifo->tail & (fifo->room - 1)];
        be_like(server, chunk);
        *copy = *chunk;
        copy->kind--;
        sent = 1;
    }
    stretch.count = sent;
    bool ok = serve_stretch(server, stretch);
    pass(from, sent);
    return ok;
}

static bool serve_joining(struct server *server, const struct joining *joining, int64_t time) {
    struct fifo *fifo = server->fifo;
    make_room(server->engine->sim, fifo, 1);
    be_like(server, &joining->chunk);
    fifo->ring[fifo->tail & (fifo->room - 1)] = joining->chunk;
    return serve_stretch(server, (struct flight){time, 0, joining->tail - time, 1});
}

/// Takes what comes before `end` and does not go straight on, up to the first that does; false: there is none.
static inline bool take_others(struct engine *engine, struct fifo *from, int64_t end) {
    while (from->head != from->tail) {
        const struct flight *flight = &from->flights[from->first_flight & (from->flight_room - 1)];
        const struct passing *chunk = &from->ring[from->head & (from->room - 1)];
        if (straight_of(engine, chunk) > 0) return flight->head < end;
        if (flight->head + (chunk->destination == DELIVERED ? flight->lag : 0) >= end) break;
        quotient_take(engine, from, chunk, flight->head, flight->head + flight->lag);
        pass(from, 1);
    }
    return false;
}

/// The next stretch of what comes before `end` and joins before `key` (NULL: no matter).
static struct flight next_stretch(const struct fifo *from, const struct join_key *key, int64_t end) {
    struct flight stretch = from->flights[from->first_flight & (from->flight_room - 1)];
    int64_t last = end - 1;
    if (key && key->time - (key->tie < from->follows_tie) < last) last = key->time - (key->tie < from->follows_tie);
    if (last < stretch.head)
        stretch.count = 0;
    else if ((stretch.count - 1) * stretch.spacing > last - stretch.head)
        stretch.count = (uint32_t)((last - stretch.head) / stretch.spacing) + 1;
    return stretch;
}

void quotient_serve_stream(struct engine *engine, uint32_t link, int64_t end) {
    struct fifo *fifo = &engine->fifos[link], *from = fifo->followed == NO_LINK ? NULL : &engine->fifos[fifo->followed];
    struct joins *joins = &engine->joins[link];
    struct server server = {.engine = engine, .fifo = fifo};
    begin_waits(&server.waits, fifo, &engine->sim->queues[link]);
    uint32_t next = joins->first;
    for (bool ok = true; ok && !engine->sim->overflowed;) {
        bool goes_on = from && take_others(engine, from, end);
        if (joins->unsorted) quotient_sort(engine, joins);
        const struct join_key *key = next < joins->count && joins->order[next].time < end ? &joins->order[next] : NULL;
        struct flight stretch = {0};
        if (goes_on) stretch = next_stretch(from, key, end);
        if (stretch.count > 0)
            ok = serve_straight(&server, from, stretch);
        else if (key)
            ok = serve_joining(&server, &joins->chunks[key->chunk], key->time), next++;
        else
            break;
    }
    count_waits(&server.waits);
    fifo->waits_until = server.waits.until;
    joins->first = next;
    if (next == joins->count) joins->first = joins->count = 0;
}

void quotient_end_stream(struct engine *engine, uint32_t link, int64_t end) { take_others(engine, &engine->fifos[link], end); }
