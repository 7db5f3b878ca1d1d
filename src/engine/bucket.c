// How links serve a whole window's chunks, sorted. One that is alone goes together with those of the other links of the node, in one loop.
// Several go in stretches that need nothing but arithmetic, and what such a stretch means for the link's record and its queue's peak is
// settled once at its end.
#include "engine/bucket.h"

#include <stdlib.h>
#include <string.h>

#include "engine/window_service.h"

enum { EXCHANGE_MOST = 4, INSERTION_MOST = 24 };

/// No branch depends on their order, which could not be predicted.
static inline void exchange(struct entry *first) {
    const struct entry a = first[0], b = first[1];
    const bool swap = b.key < a.key;
    first[0].key = swap ? b.key : a.key, first[0].what = swap ? b.what : a.what;
    first[1].key = swap ? a.key : b.key, first[1].what = swap ? a.what : b.what;
}

/// Stable, for neighbours are exchanged.
static inline void sort_few(struct entry *items, size_t count) {
    if (count < 3) {
        if (count == 2) exchange(items);
        return;
    }
    exchange(items), exchange(items + 1), exchange(items);
    if (count == 3) return;
    exchange(items + 2), exchange(items + 1), exchange(items);
}

static inline void insert_entries(struct entry *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (items[i].key >= items[i - 1].key) continue;
        struct entry moved = items[i];
        size_t j = i;
        do {
            items[j] = items[j - 1];
            j--;
        } while (j > 0 && moved.key < items[j - 1].key);
        items[j] = moved;
    }
}

/// Stable: insertion for few, merging for many, which needs `space` for as many.
static void sort_entries(struct entry *items, size_t count, struct entry *space) {
    if (count <= INSERTION_MOST) {
        insert_entries(items, count);
        return;
    }
    size_t half = count / 2, i = 0, j = half, out = 0;
    sort_entries(items, half, space);
    sort_entries(items + half, count - half, space);
    if (items[half].key >= items[half - 1].key) return;
    memcpy(space, items, half * sizeof *items);
    while (i < half && j < count) items[out++] = items[j].key < space[i].key ? items[j++] : space[i++];
    memcpy(items + out, space + i, (half - i) * sizeof *items);
}

static inline int64_t time_of(int64_t begin, const struct entry *entry) { return begin + (int64_t)(entry->key >> TIE_BITS); }

void bucket_route(struct bucket_server *server) {
    const struct router *router = &server->sim->router;
    const size_t count = server->sent_count;
    server->sent_count = 0;
    if (router->next_links) {
        router->next_links(router->state, server->sent, count);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        struct chunk *chunk = server->sent[k];
        chunk->out = router->next_link(router->state, chunk->out, chunk->destination, chunk->selector);
    }
}

void bucket_serve_rest(struct bucket_server *server) {
    const size_t count = server->sim->overflowed ? 0 : server->ordered_count;
    server->ordered_count = 0;
    for (const struct joining *next = server->ordered, *end = next + count; next < end; next++)
        if (!window_serve(server, next->chunk, next->now)) return;
}

// ---- several of a link

/// The last `waited` chunks before `end` have waited, back to back until `free_at`, in a queue that is uneven. Only where the peak may
/// rise does it matter when each joined.
__attribute__((noinline)) static void count_waiting(struct bucket_server *server, uint32_t link, const struct service_kind *kind,
                                                    int64_t free_at, uint64_t waited, const struct entry *end) {
    struct queue_peak *queue = &server->sim->queues[link];
    const struct waiting_run run = {free_at - (int64_t)waited * kind->ticks, kind->ticks, kind->bytes, waited};
    const struct entry *entries = end - waited;
    int64_t begin = server->begin, now = time_of(begin, entries);
    if (time_of(begin, end - 1) == now || !queue_peak_may_rise(queue, (int64_t)waited * kind->bytes, now)) {
        queue_peak_wait(queue, &run, now);
        return;
    }
    ARRAY_RESERVE(server->joins, server->joins_capacity, waited);
    for (uint64_t k = 0; k < waited; k++) server->joins[k] = time_of(begin, &entries[k]);
    queue_peak_wait_each(queue, &run, server->joins);
}

/// Chunks of one size that a link has served in a row, and what it has come to.
struct stretch {
    const struct entry *from, *end;
    int64_t free_at, longest; ///< the longest that one of them waits, in an even queue
    uint64_t waiting;         ///< the last so many, in an uneven one
    bool gap;                 ///< the queue is uneven from here on
    uint32_t sent_from, tail; ///< of the ring; without its first place where the FIFO was empty
    struct chunk **sent_on;   ///< the end of server->sent
    struct counted *counted;  ///< the end of server->counted
};

/// What a stretch means for the records of the link, and for messages that it delivers early.
__attribute__((always_inline)) static inline void settle(struct bucket_server *server, uint32_t link, const struct service_kind *kind,
                                                         const struct stretch *stretch) {
    struct sim *sim = server->sim;
    struct link_state *state = &sim->links[link];
    struct in_link *in = &sim->in.items[state->position];
    const struct entry *from = stretch->from, *end = stretch->end;
    if (stretch->waiting > 0) count_waiting(server, link, kind, stretch->free_at, stretch->waiting, end);
    const int64_t last_start = stretch->free_at - kind->ticks;
    if (sim->observer.service && end > from) // one by one
        sim->observer.service(sim->observer.context, link, chunk_of(from)->message, time_of(server->begin, from), last_start,
                              stretch->free_at, kind->bytes);
    state->free_at = stretch->free_at;
    if (queue_rises(state, stretch->longest, kind->ticks)) queue_raise(sim, link, stretch->longest, last_start);
    if (stretch->gap) queue_uneven(sim, link);
    count_carried(sim, link, kind, (uint32_t)(end - from));
    if (stretch->tail != stretch->sent_from) {
        const bool was_empty = stretch->sent_from != in->tail;
        in->tail = stretch->tail;
        in->holds_first |= was_empty;
        if (was_empty) window_wake(sim->engine, link, in->first.join);
    }
    server->sent_count = (size_t)(stretch->sent_on - server->sent);
    for (const struct counted *next = server->counted; next < stretch->counted; next++) sim_deliver_early(sim, next->message, next->time);
}

/// What is asked once for a stretch.
struct rules {
    bool uneven; ///< the link's queue
    bool early;  ///< some messages are delivered early
};

/// Serves entries from the first on, which is a chunk, as long as they are chunks of one size. Returns the first that is not
/// served; also where an even queue becomes uneven. No function is called for each, so that all stays in registers, and where a
/// branch could not be predicted there is none.
__attribute__((always_inline)) static inline const struct entry *
serve_alike(struct bucket_server *server, uint32_t link, struct rules rules, const struct entry *entry, const struct entry *end) {
    struct sim *sim = server->sim;
    const struct link_state *state = &sim->links[link];
    struct in_link *in = &sim->in.items[state->position];
    const struct chunk *chunk = chunk_of(entry);
    const uint32_t size_class = chunk->size_class, to = state->to;
    const struct service_kind kind = *kind_of(server, state, chunk);
    if (kind.serves == NO_SIZE || sim->observer.service) end = entry + 1;
    const bool was_empty = in_link_is_empty(in), cut_through = cuts_through(sim);
    reserve_ring(sim, in, (size_t)(end - entry) - was_empty);
    ARRAY_RESERVE(server->sent, server->sent_capacity, server->sent_count + (size_t)(end - entry));
    if (rules.early) ARRAY_RESERVE(server->counted, server->counted_capacity, (size_t)(end - entry));
    struct stretch stretch = {.from = entry,
                              .free_at = state->free_at,
                              .sent_from = in->tail - was_empty,
                              .tail = in->tail - was_empty,
                              .sent_on = server->sent + server->sent_count,
                              .counted = server->counted};
    struct chunk *const ring = in->ring;
    const uint32_t mask = in->room - 1;
    struct chunk *sent = was_empty ? &in->first : &ring[stretch.tail & mask];
    const int64_t begin = server->begin;
    for (;;) {
        int64_t now = time_of(begin, entry), first, start = service_start(now, chunk->tail, kind.ticks, stretch.free_at, &first);
        if (start > kind.last_start) {
            sim_overflow(sim, link, chunk->message, now);
            break;
        }
        const bool follows = start == stretch.free_at;
        if (rules.uneven) {
            if (stretch.waiting > 0 && (start <= now || !follows)) {
                count_waiting(server, link, &kind, stretch.free_at, stretch.waiting, entry);
                stretch.waiting = 0;
            }
            stretch.waiting += start > now && kind.bytes > 0;
        } else {
            stretch.gap = start > now && !follows;
            if (stretch.gap) break;
            stretch.longest = start - now > stretch.longest ? start - now : stretch.longest;
        }
        stretch.free_at = start + kind.ticks;
        const int64_t arrival = stretch.free_at + kind.latency;
        const bool arrives = chunk->destination == to;
        if (rules.early && arrives && sim_is_unawaited(sim, chunk->message)) {
            *stretch.counted++ = (struct counted){arrival, chunk->message};
        } else {
            *sent = *chunk;
            sent->out = arrives ? DELIVERED : to;
            sent->tail = arrival;
            sent->join = cut_through && !arrives ? first + kind.latency : arrival;
            *stretch.sent_on = sent;
            stretch.sent_on += !arrives;
            sent = &ring[++stretch.tail & mask];
        }
        if (++entry == end || is_run(entry)) break;
        chunk = chunk_of(entry);
        if (chunk->size_class != size_class) break;
    }
    stretch.end = entry;
    settle(server, link, &kind, &stretch);
    return entry;
}

/// The same, after the link has met the size.
static const struct entry *serve_many(struct bucket_server *server, uint32_t link, const struct entry *entry, const struct entry *end) {
    struct sim *sim = server->sim;
    meet_size(sim, link, chunk_of(entry)->size_class);
    const bool uneven = sim->links[link].uneven;
    if (sim->some_unawaited) return serve_alike(server, link, (struct rules){uneven, true}, entry, end);
    if (uneven) return serve_alike(server, link, (struct rules){true, false}, entry, end);
    return serve_alike(server, link, (struct rules){false, false}, entry, end);
}

int64_t bucket_begin(const struct bucket_server *server, const struct bucket *bucket) {
    const struct entry *least = bucket->entries;
    for (size_t i = 1; i < bucket->count; i++)
        if (bucket->entries[i].key < least->key) least = &bucket->entries[i];
    return time_of(server->begin, least);
}

void bucket_put_new_first(struct bucket_server *server, struct bucket *bucket) {
    size_t held = bucket->held, added = bucket->count - held;
    if (added == 0 || held == 0) return;
    ARRAY_RESERVE(server->sorting, server->sorting_capacity, held);
    memcpy(server->sorting, bucket->entries, held * sizeof *bucket->entries);
    memmove(bucket->entries, bucket->entries + held, added * sizeof *bucket->entries);
    memcpy(bucket->entries + added, server->sorting, held * sizeof *bucket->entries);
}

static bool is_sorted(const struct bucket *bucket) {
    size_t i = 1;
    while (i < bucket->count && bucket->entries[i].key >= bucket->entries[i - 1].key) i++;
    return i >= bucket->count;
}

static void sort(struct bucket_server *server, struct bucket *bucket) {
    if (bucket->count <= EXCHANGE_MOST) {
        sort_few(bucket->entries, bucket->count);
    } else if (bucket->count <= INSERTION_MOST) {
        insert_entries(bucket->entries, bucket->count);
    } else if (!is_sorted(bucket)) {
        ARRAY_RESERVE(server->sorting, server->sorting_capacity, bucket->count);
        sort_entries(bucket->entries, bucket->count, server->sorting);
    }
}

void bucket_serve(struct bucket_server *server, struct bucket *bucket, uint32_t link) {
    struct sim *sim = server->sim;
    const struct entry *entry = bucket->entries, *end = entry + bucket->count;
    if (bucket->count == 1 && !bucket->has_runs) {
        bucket_order(server, chunk_of(entry), time_of(server->begin, entry));
        bucket->count = 0;
        return;
    }
    bucket_serve_rest(server);
    sort(server, bucket);
    bucket->count = 0;
    bucket->has_runs = false;
    while (entry < end && !sim->overflowed) {
        if (!is_run(entry)) {
            entry = serve_many(server, link, entry, end);
        } else {
            bucket_route(server);
            sim->now = time_of(server->begin, entry);
            sim_serve_injected(sim, &sim->injected[entry++->what / 2]);
        }
    }
}

void bucket_server_init(struct bucket_server *server, struct sim *sim) {
    *server = (struct bucket_server){.sim = sim, .kinds = allocate(sim->class_count * sizeof *server->kinds)};
    for (size_t i = 0; i < sim->class_count; i++) server->kinds[i].serves = NO_SIZE;
}

void bucket_server_free(struct bucket_server *server) {
    free(server->kinds);
    free(server->counted);
    free(server->ordered);
    free(server->sorting);
    free(server->joins);
    free(server->sent);
}
