#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

void *allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) fatal("out of memory (%zu bytes wanted)", bytes);
    return memory;
}

void *allocate_zeroed(size_t count, size_t item_bytes) {
    void *memory = calloc(count ? count : 1, item_bytes ? item_bytes : 1);
    if (!memory) fatal("out of memory (%zu items of %zu bytes wanted)", count, item_bytes);
    return memory;
}

void *reallocate(void *old, size_t bytes) {
    void *memory = realloc(old, bytes ? bytes : 1);
    if (!memory) fatal("out of memory (%zu bytes wanted)", bytes);
    return memory;
}

uint64_t memory_of_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

void *array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes) {
    if (needed <= *capacity) return items;
    size_t grown = *capacity ? *capacity * 2 : 16;
    if (grown < needed) grown = needed;
    if (grown > SIZE_MAX / item_bytes) fatal("out of memory (%zu items of %zu bytes wanted)", grown, item_bytes);
    *capacity = grown;
    return reallocate(items, grown * item_bytes);
}

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    max_align_t start[];
};

void *arena_allocate(struct arena *arena, size_t bytes) {
    const size_t unit = sizeof(max_align_t);
    bytes = (bytes + unit - 1) / unit * unit;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t size = bytes > 4096 ? bytes : 4096;
        block = allocate(sizeof *block + size);
        *block = (struct arena_block){arena->blocks, 0, size};
        arena->blocks = block;
    }
    void *memory = (char *)block->start + block->used;
    block->used += bytes;
    return memset(memory, 0, bytes);
}

char *arena_copy_text(struct arena *arena, const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(arena_allocate(arena, bytes), text, bytes);
}

void arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
