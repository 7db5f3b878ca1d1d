// How a link serves a whole window's chunks: sorted, then in stretches that need nothing but arithmetic. What such a
// stretch means for the link's record, its queue's peak and the routes is settled once at its end.
#include "engine/bucket.h"

#include <stdlib.h>
#include <string.h>

#include "engine/window_wake.h"

enum { EXCHANGE_MOST = 4, INSERTION_MOST = 24 };

/// For the fewest, whose order cannot be predicted: no branch depends on it.
static inline void exchange_entries(struct entry *items, size_t count) {
    for (size_t last = count - 1; last > 0; last--)
        for (size_t i = 0; i < last; i++) {
            const struct entry a = items[i], b = items[i + 1];
            const bool swap = b.key < a.key;
            items[i].key = swap ? b.key : a.key, items[i].what = swap ? b.what : a.what;
            items[i + 1].key = swap ? a.key : b.key, items[i + 1].what = swap ? a.what : b.what;
        }
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

/// The last `waited` chunks before `end` have waited, back to back until `free_at`. Only where the peak may rise does it matter when
/// each joined.
__attribute__((noinline)) static void count_waiting(struct bucket_server *server, uint32_t link, int64_t free_at, uint64_t waited,
                                                    const struct entry *end) {
    const struct service_kind *kind = &server->kind;
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

static inline void route(const struct sim *sim, uint32_t node, struct chunk *const *chunks, size_t count) {
    const struct router *router = &sim->router;
    if (router->next_links) {
        router->next_links(router->state, node, chunks, count);
        return;
    }
    for (size_t k = 0; k < count; k++) chunks[k]->out = router->next_link(router->state, node, chunks[k]->destination, chunks[k]->selector);
}

__attribute__((noinline)) static void find_kind(struct bucket_server *server, const struct link_state *state, const struct chunk *chunk) {
    server->kind = service_kind_of(server->sim, state, chunk);
}

/// Chunks of one size that a link has served in a row, and what it has come to.
struct stretch {
    uint32_t served;
    uint32_t tail;  ///< of the ring
    bool was_empty; ///< the FIFO: the first has its place
    size_t sent_on; ///< those that have a next link, the first of server->sent
};

/// What a stretch means for the records of the link and for the routes.
static inline void settle(struct bucket_server *server, uint32_t link, const struct stretch *stretch) {
    struct sim *sim = server->sim;
    const struct link_state *state = &sim->links[link];
    struct in_link *in = &sim->in.items[state->position];
    const struct service_kind *kind = &server->kind;
    count_carried(sim, link, kind->size_class, &(struct link_count){kind->ticks, (uint64_t)kind->bytes, 1}, stretch->served);
    in->tail = stretch->tail;
    if (stretch->sent_on > 0) route(sim, state->to, server->sent, stretch->sent_on);
    in->holds_first |= stretch->was_empty;
    if (stretch->was_empty || !sim->shard) window_wake(sim->engine, link, in->first.join); // in vain where it was awake
}

/// Serves entries from the first on, which is a chunk, as long as they are chunks of one size. Returns the first that is not
/// served. No function is called for each, so that all stays in registers, and where a branch could not be predicted there is
/// none.
static inline const struct entry *serve_alike(struct bucket_server *server, uint32_t link, const struct entry *entry,
                                              const struct entry *end) {
    struct sim *sim = server->sim;
    struct link_state *state = &sim->links[link];
    struct in_link *in = &sim->in.items[state->position];
    const struct entry *const from = entry;
    const struct chunk *chunk = chunk_of(entry);
    const uint32_t size_class = chunk->size_class, to = state->to;
    if (server->kind.size_class != size_class || server->kind.rate_class != state->rate_class || size_class == UNCACHED_SIZE)
        find_kind(server, state, chunk);
    const struct service_kind kind = server->kind;
    if (size_class == UNCACHED_SIZE || sim->observer.service) end = entry + 1;
    const bool was_empty = in_link_is_empty(in), cut_through = cuts_through(sim);
    reserve_ring(sim, in, (size_t)(end - entry) - was_empty);
    ARRAY_RESERVE(server->sent, server->sent_capacity, (size_t)(end - entry));
    struct chunk *const ring = in->ring, **sent_on = server->sent;
    const uint32_t mask = (1u << in->ring_log2) - 1;
    uint32_t tail = in->tail - was_empty;
    struct chunk *sent = was_empty ? &in->first : &ring[tail & mask];
    const int64_t begin = server->begin;
    int64_t free_at = state->free_at;
    uint64_t waited = 0; // so many up to here, back to back
    for (;;) {
        int64_t now = time_of(begin, entry), first, start = service_start(now, chunk->tail, kind.ticks, free_at, &first);
        if (start > kind.last_start) {
            sim_overflow(sim, link, chunk->message);
            break;
        }
        if (waited > 0 && (start <= now || start != free_at)) {
            count_waiting(server, link, free_at, waited, entry);
            waited = 0;
        }
        waited += start > now && kind.bytes > 0;
        free_at = start + kind.ticks;
        const int64_t arrival = free_at + kind.latency;
        const bool arrives = chunk->destination == to;
        *sent = *chunk;
        sent->out = DELIVERED;
        sent->tail = arrival;
        sent->join = cut_through && !arrives ? first + kind.latency : arrival;
        *sent_on = sent;
        sent_on += !arrives;
        tail++;
        if (++entry == end || is_run(entry)) break;
        sent = &ring[tail & mask];
        chunk = chunk_of(entry);
        if (chunk->size_class != size_class) break;
    }
    if (entry == from) return entry;
    if (waited > 0) count_waiting(server, link, free_at, waited, entry);
    if (sim->observer.service)
        sim->observer.service(sim->observer.context, link, chunk_of(from)->message, time_of(begin, from), free_at - kind.ticks, free_at,
                              kind.bytes);
    state->free_at = free_at;
    settle(server, link, &(struct stretch){(uint32_t)(entry - from), tail, was_empty, (size_t)(sent_on - server->sent)});
    return entry;
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
        exchange_entries(bucket->entries, bucket->count);
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
    if (bucket->count > 1) sort(server, bucket);
    bucket->count = 0;
    while (entry < end && !sim->overflowed) {
        if (!is_run(entry)) {
            entry = serve_alike(server, link, entry, end);
        } else {
            sim->now = time_of(server->begin, entry);
            sim_serve_injected(sim, &sim->injected[entry++->what / 2]);
        }
    }
}

void bucket_server_init(struct bucket_server *server, struct sim *sim) {
    *server = (struct bucket_server){.sim = sim, .kind.size_class = NO_KIND};
}

void bucket_server_free(struct bucket_server *server) {
    free(server->sorting);
    free(server->joins);
    free(server->sent);
}
