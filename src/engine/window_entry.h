#ifndef ENGINE_WINDOW_ENTRY_H
#define ENGINE_WINDOW_ENTRY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/sim_state.h"

/// What the window engine sorts: inline, for its inner loop.

enum { INSERTION_MOST = 24 };

/// Something that joins a link in this window, in the order of `key` = time within the window, then tie.
struct entry {
    uint64_t key;
    const struct chunk *chunk; ///< NULL: an injection
    uint32_t injected;
};

/// Stable: insertion for few, merging for many, which needs `space` for as many.
static inline void sort_entries(struct entry *items, size_t count, struct entry *space) {
    if (count <= INSERTION_MOST) {
        for (size_t i = 1; i < count; i++) {
            if (items[i].key >= items[i - 1].key) continue;
            struct entry moved = items[i];
            size_t j = i;
            do {
                items[j] = items[j - 1];
                j--;
            } while (j > 0 && moved.key < items[j - 1].key);
            items[j] = moved;
        }
        return;
    }
    size_t half = count / 2, i = 0, j = half, out = 0;
    sort_entries(items, half, space);
    sort_entries(items + half, count - half, space);
    if (items[half].key >= items[half - 1].key) return;
    memcpy(space, items, half * sizeof *items);
    while (i < half && j < count) items[out++] = items[j].key < space[i].key ? items[j++] : space[i++];
    memcpy(items + out, space + i, (half - i) * sizeof *items);
}

#endif
