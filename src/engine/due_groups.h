#ifndef ENGINE_DUE_GROUPS_H
#define ENGINE_DUE_GROUPS_H

#include <stdint.h>

#include "engine/in_links.h"

/// Least times of 64 neighbouring in-links each, so that a node with many of them (a large switch), of which few are due, is
/// not looked through at every visit.

enum { LINKS_A_GROUP = 64 };
enum { MANY_LINKS = 4096 }; ///< of a node: below, looking at each is as fast

struct due_groups {
    int64_t *least; ///< NULL: no node has many in-links
    const struct in_link *links;
    uint32_t count; ///< of in-links
};

void due_groups_init(struct due_groups *groups, const struct in_links *in, const struct graph *graph); ///< nothing is on its way
void due_groups_free(struct due_groups *groups);

static inline bool in_links_are_many(const struct in_links *in, uint32_t node) {
    return in->first[node + 1] - in->first[node] >= MANY_LINKS;
}

static inline void due_groups_lower(struct due_groups *groups, uint32_t position, int64_t time) {
    if (groups->least && time < groups->least[position / LINKS_A_GROUP]) groups->least[position / LINKS_A_GROUP] = time;
}

/// After times of a group have risen.
static inline void due_groups_renew(struct due_groups *groups, uint32_t group) {
    uint32_t first = group * LINKS_A_GROUP, end = first + LINKS_A_GROUP < groups->count ? first + LINKS_A_GROUP : groups->count;
    int64_t least = INT64_MAX;
    for (uint32_t p = first; p < end; p++)
        if (groups->links[p].first.join < least) least = groups->links[p].first.join;
    groups->least[group] = least;
}

#endif
