#ifndef ENGINE_MADE_CHUNKS_H
#define ENGINE_MADE_CHUNKS_H

#include <stdlib.h>

#include "base/memory.h"
#include "engine/chunk.h"

/// Chunks that are on no link: made for one visit to a node, in blocks that stay where they are. Zero-initialise.
struct made_chunks {
    struct chunk **blocks;
    size_t block_count, block_capacity;
    size_t used;              ///< blocks
    struct chunk *next, *end; ///< room in the last block in use
};

enum { MADE_A_BLOCK = 256 };

static inline void made_chunks_next_block(struct made_chunks *made) {
    size_t block = made->used++;
    if (block == made->block_count) {
        ARRAY_RESERVE(made->blocks, made->block_capacity, block + 1);
        made->blocks[made->block_count++] = allocate(MADE_A_BLOCK * sizeof(struct chunk));
    }
    made->next = made->blocks[block];
    made->end = made->next + MADE_A_BLOCK;
}

/// Room for a chunk, until they are dropped.
static inline struct chunk *made_chunks_new(struct made_chunks *made) {
    if (made->next == made->end) made_chunks_next_block(made);
    return made->next++;
}

static inline const struct chunk *made_chunks_keep(struct made_chunks *made, const struct chunk *chunk) {
    struct chunk *kept = made_chunks_new(made);
    *kept = *chunk;
    return kept;
}

/// All of them; the blocks stay for the next.
static inline void made_chunks_drop(struct made_chunks *made) {
    if (made->used == 1)
        made->next = made->blocks[0];
    else
        made->next = made->end = NULL, made->used = 0;
}

static inline void made_chunks_free(struct made_chunks *made) {
    for (size_t b = 0; b < made->block_count; b++) free(made->blocks[b]);
    free(made->blocks);
}

#endif
