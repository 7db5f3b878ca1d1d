#ifndef ENGINE_MESSAGE_POOL_H
#define ENGINE_MESSAGE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/sim.h"

/// Messages that several simulations share: they stay where they are, and their ids differ. Each simulation takes ids by the
/// thousand and frees into a list of its own, of which it gives back when others take some.
struct message_pool {
    struct message *messages; ///< room for `capacity`
    uint32_t capacity;
    uint32_t count; ///< those below have been taken at least once
    _Atomic uint32_t takes;
    pthread_mutex_t mutex;
    uint32_t *chains; ///< given back: the first of each linked list of POOL_CHAIN messages
    size_t chain_count, chain_capacity;
};

enum { POOL_CHAIN = 8192 };

/// False where the system gives no room.
bool message_pool_init(struct message_pool *pool);
void message_pool_free(struct message_pool *pool);

/// Takes POOL_CHAIN messages: a list that was given back, its first message in *first and true, or new ones from *first on.
/// A fatal error when there are none left.
bool message_pool_take(struct message_pool *pool, uint32_t *first);

/// Gives back a linked list of POOL_CHAIN messages.
void message_pool_give(struct message_pool *pool, uint32_t first);

#endif
