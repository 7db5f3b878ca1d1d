#define _GNU_SOURCE // mremap
#include "base/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

enum { LINE = 64 };
#define HUGE_PAGE ((size_t)2 << 20)

/// What stands before every block; the block itself begins on a cache line.
struct block_head {
    size_t mapped; ///< bytes of the mapping, which is this block and its head; 0: from malloc
    char padding[LINE - sizeof(size_t)];
};

static struct block_head *head_of(void *memory) { return (struct block_head *)memory - 1; }

static size_t rounded_up(size_t bytes) { return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; }

/// Room for `bytes`, a multiple of a huge page, at the begin of one.
static char *map_aligned(size_t bytes) {
    char *room = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) fatal("out of memory (%zu bytes wanted)", bytes);
    char *begin = room + (rounded_up((size_t)room) - (size_t)room);
    if (begin > room) munmap(room, (size_t)(begin - room));
    if (begin < room + HUGE_PAGE) munmap(begin + bytes, (size_t)(room + HUGE_PAGE - begin));
    return begin;
}

static void *start_block(char *mapping, size_t bytes) {
    madvise(mapping, bytes, MADV_HUGEPAGE); // only advice: where the system has no huge pages, nothing changes
    struct block_head *head = (struct block_head *)mapping;
    head->mapped = bytes;
    return head + 1;
}

void *pages_allocate(size_t bytes) {
    if (bytes > SIZE_MAX / 2) fatal("out of memory (%zu bytes wanted)", bytes);
    size_t all = bytes + sizeof(struct block_head);
    if (all >= HUGE_PAGE) return start_block(map_aligned(rounded_up(all)), rounded_up(all));
    void *memory = NULL;
    if (posix_memalign(&memory, LINE, all)) fatal("out of memory (%zu bytes wanted)", bytes);
    struct block_head *head = memory;
    head->mapped = 0;
    return head + 1;
}

void *pages_allocate_zeroed(size_t bytes) {
    void *memory = pages_allocate(bytes);
    if (!head_of(memory)->mapped) memset(memory, 0, bytes); // what has just been mapped reads as 0
    return memory;
}

void pages_free(void *memory) {
    if (!memory) return;
    struct block_head *head = head_of(memory);
    if (head->mapped)
        munmap(head, head->mapped);
    else
        free(head);
}

/// A block of `bytes` with the contents of an older one. Large blocks move page by page: what was written is not copied, and the
/// pages need not be cleared again.
static void *pages_grow(void *memory, size_t old_bytes, size_t bytes) {
    struct block_head *head = memory ? head_of(memory) : NULL;
    size_t all = rounded_up(bytes + sizeof *head);
    if (head && head->mapped && bytes < SIZE_MAX / 2) {
        char *place = map_aligned(all);
        if (mremap(head, head->mapped, all, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED)
            fatal("out of memory (%zu bytes wanted)", bytes);
        return start_block(place, all);
    }
    void *larger = pages_allocate(bytes);
    if (memory) memcpy(larger, memory, old_bytes);
    pages_free(memory);
    return larger;
}

void *pages_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes) {
    if (needed <= *capacity) return items;
    size_t grown = *capacity ? *capacity * 2 : 16;
    if (grown < needed) grown = needed;
    if (grown > SIZE_MAX / item_bytes) fatal("out of memory (%zu items of %zu bytes wanted)", grown, item_bytes);
    void *larger = pages_grow(items, *capacity * item_bytes, grown * item_bytes);
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
