#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/// Memory or no return: these end the process with a clear message when there is none left.
void *allocate(size_t bytes);
void *allocate_zeroed(size_t count, size_t item_bytes);
void *reallocate(void *old, size_t bytes);

/// What this machine has in all; UINT64_MAX where it does not tell.
uint64_t memory_of_machine(void);

/// The array with room for at least `needed` items of `item_bytes`; *capacity at least doubles when it grows.
void *array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes);

/// Makes room for `needed` items in a growable array held as a pointer and a size_t capacity.
#define ARRAY_RESERVE(items, capacity, needed)                                                               \
    do {                                                                                                     \
        if ((needed) > (capacity)) (items) = array_reserve((items), &(capacity), (needed), sizeof *(items)); \
    } while (0)

/// Memory that is freed together. Zero-initialise; arena_free leaves it empty and usable.
struct arena {
    struct arena_block *blocks;
};
void *arena_allocate(struct arena *arena, size_t bytes); ///< zeroed, aligned for any type
char *arena_copy_text(struct arena *arena, const char *text);
void arena_free(struct arena *arena);

#endif
