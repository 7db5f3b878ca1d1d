#define _DEFAULT_SOURCE // madvise, MAP_ANONYMOUS
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

enum { LINE = 64 };
#define HUGE_PAGE ((size_t)2 << 20)

void *pages_allocate(size_t bytes) {
    void *memory = NULL;
    size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
    if (posix_memalign(&memory, alignment, bytes ? bytes : 1)) fatal("out of memory (%zu bytes wanted)", bytes);
    // only advice: where the system has no huge pages, nothing changes
    if (bytes >= HUGE_PAGE) madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

void pages_free(void *memory) { free(memory); }

void *pages_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes) {
    if (needed <= *capacity) return items;
    size_t grown = *capacity ? *capacity * 2 : 16;
    if (grown < needed) grown = needed;
    if (grown > SIZE_MAX / item_bytes) fatal("out of memory (%zu items of %zu bytes wanted)", grown, item_bytes);
    void *larger = pages_allocate(grown * item_bytes);
    if (items) memcpy(larger, items, *capacity * item_bytes);
    pages_free(items);
    *capacity = grown;
    return larger;
}

void *pages_hold(size_t bytes) {
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return NULL;
    if (bytes >= HUGE_PAGE) madvise(room, bytes, MADV_HUGEPAGE);
    return room;
}

void pages_release(void *room, size_t bytes) {
    if (room) munmap(room, bytes);
}

struct page_slab {
    struct page_slab *next;
    size_t bytes;
    char padding[LINE - sizeof(struct page_slab *) - sizeof(size_t)];
};

/// Slabs double from 64 KiB to 64 MiB, so that a small run stays small and a large one has few.
void *page_pool_take(struct page_pool *pool, size_t bytes) {
    if (bytes > pool->left) {
        size_t size = pool->slabs ? pool->slabs->bytes * 2 : (size_t)64 << 10;
        if (size > (size_t)64 << 20) size = (size_t)64 << 20;
        if (size < bytes + sizeof(struct page_slab)) size = bytes + sizeof(struct page_slab);
        struct page_slab *slab = pages_allocate(size);
        slab->next = pool->slabs, slab->bytes = size;
        pool->slabs = slab;
        pool->next = (char *)(slab + 1);
        pool->left = size - sizeof *slab;
    }
    void *piece = pool->next;
    pool->next += bytes;
    pool->left -= bytes;
    return piece;
}

void page_pool_free(struct page_pool *pool) {
    while (pool->slabs) {
        struct page_slab *next = pool->slabs->next;
        pages_free(pool->slabs);
        pool->slabs = next;
    }
    *pool = (struct page_pool){0};
}
