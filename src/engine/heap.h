#ifndef ENGINE_HEAP_H
#define ENGINE_HEAP_H

#include <stddef.h>
#include <stdint.h>

/// A queue of (time, order) with a payload, least first: four children a node, so half as many levels as a binary heap.
struct heap_entry {
    int64_t time;
    uint64_t order; ///< breaks ties of time
    uint64_t payload;
};

struct heap {
    struct heap_entry *entries;
    size_t count, capacity;
};

void heap_push(struct heap *heap, struct heap_entry entry);
struct heap_entry heap_pop(struct heap *heap);
/// heap_pop and heap_push in one pass.
struct heap_entry heap_replace(struct heap *heap, struct heap_entry entry);
void heap_free(struct heap *heap);

#endif
