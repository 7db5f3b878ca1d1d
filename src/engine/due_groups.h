#ifndef ENGINE_DUE_GROUPS_H
#define ENGINE_DUE_GROUPS_H

#include <stdint.h>
#include <stdlib.h>

/// Least times of 64 neighbouring in-links each, so that a node with thousands of them (a large switch), of which few are due, is
/// not looked through at every visit. `times`: per in-link, of which there are `count`.

enum { LINKS_A_GROUP = 64 };

struct due_groups {
    int64_t *least; ///< NULL: no node has many in-links
    const int64_t *times;
    uint32_t count;
};

static inline void due_groups_lower(struct due_groups *groups, uint32_t link, int64_t time) {
    if (groups->least && time < groups->least[link / LINKS_A_GROUP]) groups->least[link / LINKS_A_GROUP] = time;
}

/// After times of a group have risen.
static inline void due_groups_renew(struct due_groups *groups, uint32_t group) {
    uint32_t first = group * LINKS_A_GROUP, end = first + LINKS_A_GROUP < groups->count ? first + LINKS_A_GROUP : groups->count;
    int64_t least = INT64_MAX;
    for (uint32_t link = first; link < end; link++)
        if (groups->times[link] < least) least = groups->times[link];
    groups->least[group] = least;
}

#endif
