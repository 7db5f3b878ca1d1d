// The blocks of prompts whose keys and values are known on the prefill side: a hash table, and a list by last use. A full
// cache forgets the block that was used the longest ago.
#include <stdlib.h>

#include "base/random.h"
#include "workloads/serve_state.h"

enum { NONE = UINT32_MAX, FIRST_BUCKETS = 1024 };

struct block {
    int64_t id;
    uint32_t next_in_bucket, newer, older;
};

struct prefix_cache {
    size_t most; ///< blocks; 0: no limit
    struct block *blocks;
    size_t count, capacity;
    uint32_t *buckets;
    size_t bucket_count; ///< a power of two
    uint32_t newest, oldest;
};

static uint32_t *bucket_of(const struct prefix_cache *cache, int64_t id) {
    return &cache->buckets[mix64((uint64_t)id) & (cache->bucket_count - 1)];
}

static void index_blocks(struct prefix_cache *cache, size_t buckets) {
    free(cache->buckets);
    cache->bucket_count = buckets;
    cache->buckets = allocate(buckets * sizeof *cache->buckets);
    for (size_t i = 0; i < buckets; i++) cache->buckets[i] = NONE;
    for (uint32_t b = 0; b < cache->count; b++) {
        uint32_t *bucket = bucket_of(cache, cache->blocks[b].id);
        cache->blocks[b].next_in_bucket = *bucket;
        *bucket = b;
    }
}

struct prefix_cache *prefix_cache_create(int64_t most_blocks) {
    struct prefix_cache *cache = allocate_zeroed(1, sizeof *cache);
    cache->most = (size_t)most_blocks;
    cache->newest = cache->oldest = NONE;
    index_blocks(cache, FIRST_BUCKETS);
    return cache;
}

void prefix_cache_free(struct prefix_cache *cache) {
    if (!cache) return;
    free(cache->blocks);
    free(cache->buckets);
    free(cache);
}

static uint32_t find(const struct prefix_cache *cache, int64_t id) {
    uint32_t b = *bucket_of(cache, id);
    while (b != NONE && cache->blocks[b].id != id) b = cache->blocks[b].next_in_bucket;
    return b;
}

static void unlink_use(struct prefix_cache *cache, uint32_t b) {
    const struct block *block = &cache->blocks[b];
    *(block->newer == NONE ? &cache->newest : &cache->blocks[block->newer].older) = block->older;
    *(block->older == NONE ? &cache->oldest : &cache->blocks[block->older].newer) = block->newer;
}

static void link_newest(struct prefix_cache *cache, uint32_t b) {
    cache->blocks[b].older = cache->newest;
    cache->blocks[b].newer = NONE;
    *(cache->newest == NONE ? &cache->oldest : &cache->blocks[cache->newest].newer) = b;
    cache->newest = b;
}

static void use(struct prefix_cache *cache, uint32_t b) {
    unlink_use(cache, b);
    link_newest(cache, b);
}

size_t prefix_cache_match(struct prefix_cache *cache, const int64_t *blocks, size_t count) {
    size_t known = 0;
    for (uint32_t b; known < count && (b = find(cache, blocks[known])) != NONE; known++) use(cache, b);
    return known;
}

/// The block that was used the longest ago, taken out of bucket and list.
static uint32_t forget_oldest(struct prefix_cache *cache) {
    uint32_t b = cache->oldest, *place = bucket_of(cache, cache->blocks[b].id);
    while (*place != b) place = &cache->blocks[*place].next_in_bucket;
    *place = cache->blocks[b].next_in_bucket;
    unlink_use(cache, b);
    return b;
}

static uint32_t new_block(struct prefix_cache *cache) {
    if (cache->most && cache->count == cache->most) return forget_oldest(cache);
    ARRAY_RESERVE(cache->blocks, cache->capacity, cache->count + 1);
    return (uint32_t)cache->count++;
}

void prefix_cache_add(struct prefix_cache *cache, const int64_t *blocks, size_t count) {
    // the first blocks last, so that of one prompt those are forgotten first that need the others
    for (size_t i = count; i-- > 0;) {
        uint32_t b = find(cache, blocks[i]);
        if (b != NONE) {
            use(cache, b);
            continue;
        }
        b = new_block(cache);
        cache->blocks[b].id = blocks[i];
        link_newest(cache, b);
        uint32_t *bucket = bucket_of(cache, blocks[i]);
        cache->blocks[b].next_in_bucket = *bucket;
        *bucket = b;
        if (cache->count > cache->bucket_count) index_blocks(cache, 2 * cache->bucket_count);
    }
}
