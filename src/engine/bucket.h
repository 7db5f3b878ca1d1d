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
    size_t count, capacity;
    size_t held; ///< for bucket_put_new_first: so many were there before
};

/// Serves the buckets of a window, one after the other.
struct bucket_server {
    struct sim *sim;
    int64_t begin;            ///< of the window
    struct service_kind kind; ///< of the last chunk; likely of the next
    struct entry *sorting;
    int64_t *joins;
    struct chunk **sent;
    size_t sorting_capacity, joins_capacity, sent_capacity;
};

static inline void bucket_add(struct bucket *bucket, uint64_t key, uintptr_t what) {
    ARRAY_RESERVE(bucket->entries, bucket->capacity, bucket->count + 1);
    bucket->entries[bucket->count++] = (struct entry){key, what};
}

/// When the first of what a bucket holds joins.
int64_t bucket_begin(const struct bucket_server *server, const struct bucket *bucket);

/// Puts what has been added since `held` was noted before what it held: where times and ties are equal it is served first.
void bucket_put_new_first(struct bucket_server *server, struct bucket *bucket);

/// `link` serves all of the bucket, which is empty then.
void bucket_serve(struct bucket_server *server, struct bucket *bucket, uint32_t link);

void bucket_server_init(struct bucket_server *server, struct sim *sim);
void bucket_server_free(struct bucket_server *server);

#endif
