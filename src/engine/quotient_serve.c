// Links of a folded network serve what has joined them within a window: in order of time, then of ties.
#include <string.h>

#include "engine/quotient_link.h"

enum { MANY = 64 };

// ---- sorting

/// Stable: insertion for few, merging for many.
static void sort_keys(struct join_key *keys, size_t count, struct join_key *space) {
    if (count <= INSERTION_MOST) {
        for (size_t i = 1; i < count; i++) {
            struct join_key moved = keys[i];
            size_t j = i;
            for (; j > 0 && goes_before(&moved, &keys[j - 1]); j--) keys[j] = keys[j - 1];
            keys[j] = moved;
        }
        return;
    }
    size_t half = count / 2, i = 0, j = half, out = 0;
    sort_keys(keys, half, space);
    sort_keys(keys + half, count - half, space);
    if (!goes_before(&keys[half], &keys[half - 1])) return;
    memcpy(space, keys, half * sizeof *keys);
    while (i < half && j < count) keys[out++] = goes_before(&keys[j], &space[i]) ? keys[j++] : space[i++];
    memcpy(keys + out, space + i, (half - i) * sizeof *keys);
}

void quotient_sort(struct engine *engine, struct joins *joins) {
    if (!joins->unsorted) return;
    if (joins->count > INSERTION_MOST) ARRAY_RESERVE(engine->sort_space, engine->sort_capacity, joins->count);
    sort_keys(joins->order, joins->count, engine->sort_space);
    joins->unsorted = false;
}

void quotient_more_room(struct joins *joins) {
    uint32_t room = joins->room ? 2 * joins->room : 16;
    joins->chunks = reallocate(joins->chunks, room * sizeof *joins->chunks);
    joins->order = (struct join_key *)reallocate(joins->order ? joins->order - 1 : NULL, (room + 1) * sizeof *joins->order) + 1;
    joins->order[-1] = (struct join_key){.time = INT64_MIN};
    joins->room = room;
}

// ---- one link

/// The last flight, taken off to be added to; without chunks if there is none.
static struct flight pop_flight(struct fifo *fifo) {
    if (fifo->first_flight == fifo->last_flight) return (struct flight){0};
    return fifo->flights[--fifo->last_flight & (fifo->flight_room - 1)];
}

/// When a further chunk comes to the far end.
static inline void add_flight(struct fifo *fifo, struct flight *last, int64_t head, int64_t lag) {
    if (last->count == 1 && last->lag == lag) {
        last->spacing = head - last->head;
        last->count = 2;
    } else if (last->count > 1 && last->lag == lag && head == last->head + last->count * last->spacing) {
        last->count++;
    } else {
        if (last->count > 0) quotient_push_flight(fifo, last);
        *last = (struct flight){head, 0, lag, 1};
    }
}

// ---- when

static void wait_apart(struct waits *waits, int64_t start, int64_t now) {
    count_waits(waits);
    queue_peak_wait(waits->peak, &(struct waiting_run){start, waits->ticks, waits->bytes, 1}, now);
    waits->left = bytes_left(waits->peak);
}

static inline void wait_until(struct waits *waits, int64_t start, int64_t now) {
    if (start == waits->until && waits->bytes <= waits->left)
        waits->left -= waits->bytes;
    else
        wait_apart(waits, start, now);
    waits->until = start + waits->ticks;
}

/// Finds for each of some of one size when it comes to the far end. False: not before the end of time.
static bool serve_each(const struct engine *engine, struct fifo *fifo, struct waits *waits, const struct joins *joins, uint32_t first,
                       uint32_t count) {
    const int64_t ticks = fifo->last_ticks, latency = fifo->latency_ticks, last_start = fifo->last_start;
    const bool store_and_forward = engine->store_and_forward, queues = waits->bytes > 0;
    const struct joining *chunks = joins->chunks;
    struct flight flight = pop_flight(fifo);
    int64_t free_at = fifo->free_at;
    bool ok = true;
    for (const struct join_key *key = &joins->order[first], *end = key + count; key < end; key++) {
        int64_t now = key->time, head, start = service_start(now, chunks[key->chunk].tail, ticks, free_at, &head);
        ok = start <= last_start;
        if (!ok) break;
        if (start > now && queues) wait_until(waits, start, now);
        free_at = start + ticks;
        if (store_and_forward) head = free_at;
        add_flight(fifo, &flight, head + latency, free_at - head);
    }
    if (flight.count > 0) quotient_push_flight(fifo, &flight);
    fifo->free_at = free_at;
    return ok;
}

// ---- what

/// Puts those from `first` on that are of one size into the ring; returns how many.
static uint32_t send_alike(struct fifo *fifo, const struct joins *joins, uint32_t first) {
    const struct joining *chunks = joins->chunks;
    const struct join_key *next = &joins->order[first], *end = &joins->order[joins->count];
    struct passing *const ring = fifo->ring;
    const uint32_t class = chunks[next->chunk].chunk.kind >> KIND_SIZE, mask = fifo->room - 1;
    uint32_t tail = fifo->tail;
    do {
        const struct passing *chunk = &chunks[next->chunk].chunk;
        if (chunk->kind >> KIND_SIZE != class) break;
        struct passing *sent = &ring[tail++ & mask];
        *sent = *chunk;
    } while (++next < end && class != UNCACHED_SIZE);
    uint32_t count = tail - fifo->tail;
    fifo->tail = tail;
    return count;
}

/// The commonest case: all are of the size of the link's last chunk, come while it is busy and do not raise the peak of its queue. False:
/// it is another.
static bool serve_all_in_line(struct engine *engine, uint32_t link) {
    struct fifo *fifo = &engine->fifos[link];
    const struct joins *joins = &engine->joins[link];
    struct queue_peak *peak = &engine->sim->queues[link];
    const uint32_t count = joins->count, mask = fifo->room - 1, class = fifo->last_class;
    const int64_t ticks = fifo->last_ticks, start = fifo->free_at, lag = engine->store_and_forward ? 0 : ticks;
    if (start <= engine->latest || start != fifo->waits_until || class == NO_CLASS || fifo->tail == fifo->head) return false;
    if (count > MANY || fifo->last_bytes > bytes_left(peak) / MANY || start > fifo->last_start - MANY * ticks) return false;
    struct flight *last = &fifo->flights[(fifo->last_flight - 1) & (fifo->flight_room - 1)];
    if (last->lag != lag || last->spacing != ticks || last->head + last->count * ticks != start + fifo->latency_ticks + ticks - lag)
        return false;
    const struct joining *chunks = joins->chunks;
    struct passing *const ring = fifo->ring;
    uint32_t tail = fifo->tail, others = 0;
    for (const struct join_key *key = joins->order, *end = key + count; key < end; key++) {
        const struct passing *chunk = &chunks[key->chunk].chunk;
        struct passing *sent = &ring[tail++ & mask];
        others |= chunk->kind >> KIND_SIZE ^ class;
        *sent = *chunk;
    }
    if (others) return false;
    last->count += count;
    fifo->tail = tail;
    fifo->free_at = fifo->waits_until = start + count * ticks;
    fifo->alike += count;
    peak->last.chunks += count;
    peak->queued_bytes += count * fifo->last_bytes;
    engine->sim->totals.chunk_hops += count;
    return true;
}

/// Serves those from `first` on that are of one size, which is that of the link's last chunk; returns how many.
static uint32_t serve_alike(struct engine *engine, uint32_t link, uint32_t first) {
    struct sim *sim = engine->sim;
    struct fifo *fifo = &engine->fifos[link];
    const struct joins *joins = &engine->joins[link];
    struct queue_peak *peak = &sim->queues[link];
    struct waits waits;
    begin_waits(&waits, fifo, peak);
    uint32_t count = send_alike(fifo, joins, first);
    if (!serve_each(engine, fifo, &waits, joins, first, count)) quotient_overflow(sim);
    count_waits(&waits);
    fifo->waits_until = waits.until;
    fifo->alike += count;
    sim->totals.chunk_hops += count;
    return count;
}

/// A single chunk of the size of the link's last: what traffic that seldom meets consists of.
static void serve_one(struct engine *engine, uint32_t link) {
    struct sim *sim = engine->sim;
    struct fifo *fifo = &engine->fifos[link];
    const struct joining *joining = engine->joins[link].chunks;
    int64_t ticks = fifo->last_ticks, now = engine->joins[link].order[0].time, head;
    int64_t start = service_start(now, joining->tail, ticks, fifo->free_at, &head);
    if (start > fifo->last_start) {
        quotient_overflow(sim);
        return;
    }
    if (start > now && fifo->last_bytes > 0) {
        struct queue_peak *peak = &sim->queues[link];
        struct waits waits;
        begin_waits(&waits, fifo, peak);
        wait_until(&waits, start, now);
        count_waits(&waits);
        fifo->waits_until = waits.until;
    }
    fifo->free_at = start + ticks;
    if (engine->store_and_forward) head = fifo->free_at;
    struct flight flight = pop_flight(fifo);
    add_flight(fifo, &flight, head + fifo->latency_ticks, fifo->free_at - head);
    quotient_push_flight(fifo, &flight);
    fifo->ring[fifo->tail++ & (fifo->room - 1)] = joining->chunk;
    fifo->alike++;
    sim->totals.chunk_hops++;
}

static void serve_many(struct engine *engine, uint32_t link) {
    const struct joins *joins = &engine->joins[link];
    struct fifo *fifo = &engine->fifos[link];
    if (serve_all_in_line(engine, link)) return;
    for (uint32_t i = 0; i < joins->count && !engine->sim->overflowed;) {
        const struct passing *chunk = &joins->chunks[joins->order[i].chunk].chunk;
        if (chunk->kind >> KIND_SIZE != fifo->last_class) quotient_size_up(engine->sim, fifo, chunk);
        i += serve_alike(engine, link, i);
    }
}

void quotient_serve(struct engine *engine, uint32_t link) {
    struct fifo *fifo = &engine->fifos[link];
    struct joins *joins = &engine->joins[link];
    bool was_empty = fifo->head == fifo->tail;
    quotient_sort(engine, joins);
    make_room(engine->sim, fifo, joins->count);
    if (joins->count == 1 && joins->chunks[0].chunk.kind >> KIND_SIZE == fifo->last_class)
        serve_one(engine, link);
    else if (joins->count > 0)
        serve_many(engine, link);
    joins->count = 0;
    if (!was_empty || engine->sim->overflowed) return;
    int64_t next = fifo_next(engine, fifo);
    engine->next[fifo->position] = next;
    if (next < engine->node_next[fifo->target]) engine->node_next[fifo->target] = next;
}

void quotient_serve_all(struct engine *engine) {
    for (uint32_t i = 0; i < engine->joined_count; i++) {
        quotient_serve(engine, engine->joined[i]);
        engine->joins[engine->joined[i]].listed = false;
    }
    engine->joined_count = 0;
}
