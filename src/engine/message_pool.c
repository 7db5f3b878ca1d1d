#include "engine/message_pool.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"

bool message_pool_init(struct message_pool *pool) {
    uint64_t fit = memory_of_machine() / sizeof *pool->messages, most = UINT32_MAX - POOL_CHAIN;
    pool->capacity = (uint32_t)(fit < most ? fit : most);
    pool->messages = pages_hold((size_t)pool->capacity * sizeof *pool->messages);
    if (!pool->messages) return false;
    pthread_mutex_init(&pool->mutex, NULL);
    return true;
}

void message_pool_free(struct message_pool *pool) {
    if (!pool->messages) return;
    pages_release(pool->messages, (size_t)pool->capacity * sizeof *pool->messages);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->chains);
}

bool message_pool_take(struct message_pool *pool, uint32_t *first) {
    pthread_mutex_lock(&pool->mutex);
    bool again = pool->chain_count > 0;
    if (again) {
        *first = pool->chains[--pool->chain_count];
    } else {
        *first = pool->count;
        if (pool->capacity - *first < POOL_CHAIN) fatal("out of memory: more than %u live messages", *first);
        pool->count += POOL_CHAIN;
    }
    atomic_fetch_add_explicit(&pool->takes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&pool->mutex);
    return again;
}

void message_pool_give(struct message_pool *pool, uint32_t first) {
    pthread_mutex_lock(&pool->mutex);
    ARRAY_RESERVE(pool->chains, pool->chain_capacity, pool->chain_count + 1);
    pool->chains[pool->chain_count++] = first;
    pthread_mutex_unlock(&pool->mutex);
}
