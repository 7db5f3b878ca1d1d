#ifndef ENGINE_TIME_TREE_H
#define ENGINE_TIME_TREE_H

#include <stdint.h>

#include "engine/domains.h"

/// When something happens next at each node, and the least of that over groups of neighbouring places, groups of groups, …
/// up to the whole network. Each domain is a group.

enum { GROUP_MOST = 8 };
#define NO_DOMAIN UINT32_MAX

struct time_group {
    uint32_t first, end; ///< of the places or groups in it
    uint32_t parent;     ///< of group 0, which holds all: itself
    uint32_t domain;     ///< that it is all of, or NO_DOMAIN
    bool of_places;
};

struct time_tree {
    int64_t *node_next;  ///< per place
    int64_t *group_next; ///< per group: a bound from below on theirs
    uint32_t *group_of;  ///< per place
    struct time_group *groups;
    size_t group_count, group_capacity;
};

int64_t *times_of_never(size_t count); ///< INT64_MAX each; the caller frees

/// All times are those of never.
void time_tree_build(struct time_tree *tree, const struct domains *domains);
void time_tree_free(struct time_tree *tree);

/// Something happens at a node at `time` as well.
static inline void time_tree_lower(struct time_tree *tree, uint32_t place, int64_t time) {
    if (time >= tree->node_next[place]) return;
    tree->node_next[place] = time;
    for (uint32_t group = tree->group_of[place]; time < tree->group_next[group]; group = tree->groups[group].parent)
        tree->group_next[group] = time;
}

static inline int64_t least_time(const int64_t *times, uint32_t first, uint32_t end) {
    int64_t least = INT64_MAX;
    for (uint32_t i = first; i < end; i++)
        if (times[i] < least) least = times[i];
    return least;
}

/// Looks again at what is in a group.
static inline void time_tree_renew(struct time_tree *tree, uint32_t group) {
    const struct time_group *g = &tree->groups[group];
    tree->group_next[group] = least_time(g->of_places ? tree->node_next : tree->group_next, g->first, g->end);
}

#endif
