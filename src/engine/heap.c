#include "engine/heap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static inline bool before(const struct heap_entry *a, const struct heap_entry *b) {
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void heap_push(struct heap *heap, struct heap_entry entry) {
    ARRAY_RESERVE(heap->entries, heap->capacity, heap->count + 1);
    struct heap_entry *entries = heap->entries;
    size_t hole = heap->count++;
    while (hole > 0 && before(&entry, &entries[(hole - 1) / 4])) {
        entries[hole] = entries[(hole - 1) / 4];
        hole = (hole - 1) / 4;
    }
    entries[hole] = entry;
}

static void sift_down(struct heap *heap, struct heap_entry entry) {
    struct heap_entry *entries = heap->entries;
    size_t hole = 0;
    for (;;) {
        size_t first = hole * 4 + 1, least = first;
        if (first >= heap->count) break;
        size_t end = first + 4 < heap->count ? first + 4 : heap->count;
        for (size_t child = first + 1; child < end; child++)
            if (before(&entries[child], &entries[least])) least = child;
        if (!before(&entries[least], &entry)) break;
        entries[hole] = entries[least];
        hole = least;
    }
    entries[hole] = entry;
}

struct heap_entry heap_pop(struct heap *heap) {
    struct heap_entry top = heap->entries[0];
    struct heap_entry last = heap->entries[--heap->count];
    if (heap->count > 0) sift_down(heap, last);
    return top;
}

struct heap_entry heap_replace(struct heap *heap, struct heap_entry entry) {
    struct heap_entry top = heap->entries[0];
    sift_down(heap, entry);
    return top;
}

void heap_free(struct heap *heap) {
    free(heap->entries);
    *heap = (struct heap){0};
}
