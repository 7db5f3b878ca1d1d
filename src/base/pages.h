#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

/// Memory for large tables that are touched at random: in huge pages where the system gives them, which saves most of the
/// page faults and address look-ups. Contents are undefined. Free with pages_free.
void *pages_allocate(size_t bytes);
void *pages_allocate_zeroed(size_t bytes); ///< all 0; what is not touched takes no memory
void pages_free(void *memory);

/// As array_reserve, in such memory.
void *pages_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes);

#define PAGES_RESERVE(items, capacity, needed)                                                               \
    do {                                                                                                     \
        if ((needed) > (capacity)) (items) = pages_reserve((items), &(capacity), (needed), sizeof *(items)); \
    } while (0)

/// Room for `bytes` at addresses that stay, of which only what is touched takes memory, which is zero at first; NULL where the
/// system refuses. Free with pages_release.
void *pages_hold(size_t bytes);
void pages_release(void *room, size_t bytes);

/// Pieces that are freed all together. Zero-initialise.
struct page_pool {
    struct page_slab *slabs;
    char *next;
    size_t left;
};
void *page_pool_take(struct page_pool *pool, size_t bytes); ///< aligned to 64 bytes where bytes is a multiple of it
void page_pool_free(struct page_pool *pool);

#endif
