#ifndef ENGINE_BUCKET_H
#define ENGINE_BUCKET_H

#include <stdint.h>

#include "engine/service.h"

/// What joins one link within a window, which the link then serves at once.

enum { TIE_BITS = 22 };

/// The longest window: a time within it and a tie fit 64 bits.
#define LONGEST_WINDOW (INT64_C(1) << (63 - TIE_BITS))
#define INJECTED_TIE ((UINT64_C(1) << TIE_BITS) - 1)

/// In the order of `key` = time within the window, then tie.
struct entry {
    uint64_t key;
    uintptr_t what; ///< a chunk's address, or 2 * i + 1 for a run: the i-th of sim->injected
};

static inline bool is_run(const struct entry *entry) { return entry->what & 1; }
static inline const struct chunk *chunk_of(const struct entry *entry) { return (const struct chunk *)entry->what; }

struct bucket {
    struct entry *entries;
    size_t capacity;
    uint32_t count;
    uint32_t held; ///< for bucket_put_new_first: so many were there before
    bool has_runs;
};

/// Serves the buckets of a visit to a node. Chunks that are alone on their links wait until all of the visit are served in one loop; and
/// what is served waits until all is routed in another.
struct bucket_server {
    struct sim *sim;
    int64_t begin;              ///< of the window
    struct service_kind *kinds; ///< per rate class: of the last chunk; likely of the next
    struct joining {
        const struct chunk *chunk; ///< its link is `out`; its `join` may be the next one's already (in_links.h)
        int64_t now;               ///< when it joins
    } * ordered;                   ///< to be served, each link's in their order
    struct chunk **sent;           ///< to be routed
    size_t ordered_count, sent_count, ordered_capacity, sent_capacity;
    struct entry *sorting;
    int64_t *joins;
    struct counted {
        int64_t time;
        uint32_t message;
    } * counted; ///< delivered early, of a stretch
    size_t sorting_capacity, joins_capacity, counted_capacity;
};

static inline void bucket_add(struct bucket *bucket, uint64_t key, uintptr_t what) {
    ARRAY_RESERVE(bucket->entries, bucket->capacity, bucket->count + 1);
    bucket->entries[bucket->count++] = (struct entry){key, what};
}

/// A chunk joins its link `out` now, and nothing goes before it any more.
static inline void bucket_order(struct bucket_server *server, const struct chunk *chunk, int64_t now) {
    ARRAY_RESERVE(server->ordered, server->ordered_capacity, server->ordered_count + 1);
    server->ordered[server->ordered_count++] = (struct joining){chunk, now};
}

/// When the first of what a bucket holds joins.
int64_t bucket_begin(const struct bucket_server *server, const struct bucket *bucket);

/// Puts what has been added since `held` was noted before what it held: where times and ties are equal it is served first.
void bucket_put_new_first(struct bucket_server *server, struct bucket *bucket);

/// `link` serves all of the bucket, which is empty then, but for chunks that wait.
void bucket_serve(struct bucket_server *server, struct bucket *bucket, uint32_t link);

/// All that waits to be served, to be routed.
void bucket_serve_rest(struct bucket_server *server);
void bucket_route(struct bucket_server *server);

void bucket_server_init(struct bucket_server *server, struct sim *sim);
void bucket_server_free(struct bucket_server *server);

#endif
