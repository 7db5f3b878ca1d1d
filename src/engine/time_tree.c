#include "engine/time_tree.h"

#include <stdlib.h>

#include "base/memory.h"

static uint32_t add(struct time_tree *tree, struct time_group group) {
    ARRAY_RESERVE(tree->groups, tree->group_capacity, tree->group_count + 1);
    tree->groups[tree->group_count] = group;
    return (uint32_t)tree->group_count++;
}

/// Divides what a group holds, places or domains, among groups that are appended, as few as can be.
static void divide(struct time_tree *tree, uint32_t group) {
    const struct time_group whole = tree->groups[group];
    uint64_t step = 1, size = whole.end - whole.first;
    while (step * GROUP_MOST < size) step *= GROUP_MOST;
    tree->groups[group].first = (uint32_t)tree->group_count;
    for (uint64_t first = whole.first; first < whole.end; first += step) {
        uint64_t end = first + step < whole.end ? first + step : whole.end;
        add(tree, (struct time_group){(uint32_t)first, (uint32_t)end, group, NO_DOMAIN, whole.of_places});
    }
    tree->groups[group].end = (uint32_t)tree->group_count;
    tree->groups[group].of_places = false;
}

int64_t *times_of_never(size_t count) {
    int64_t *times = allocate(count * sizeof *times);
    for (size_t i = 0; i < count; i++) times[i] = INT64_MAX;
    return times;
}

void time_tree_build(struct time_tree *tree, const struct domains *domains) {
    uint32_t places = domains->items[domains->count - 1].end;
    *tree = (struct time_tree){.node_next = times_of_never(places), .group_of = allocate(places * sizeof *tree->group_of)};
    // a group that waits to be divided holds a range of domains or of places
    add(tree, (struct time_group){0, domains->count, 0, NO_DOMAIN, false});
    for (uint32_t i = 0; i < tree->group_count; i++) {
        struct time_group *group = &tree->groups[i];
        if (!group->of_places && group->end - group->first == 1) {
            const struct domain *domain = &domains->items[group->first];
            *group = (struct time_group){domain->first, domain->end, group->parent, group->first, true};
        }
        if (!group->of_places || group->end - group->first > GROUP_MOST) {
            divide(tree, i);
            continue;
        }
        for (uint32_t p = group->first; p < group->end; p++) tree->group_of[p] = i;
    }
    tree->group_next = times_of_never(tree->group_count);
}

void time_tree_free(struct time_tree *tree) {
    free(tree->node_next);
    free(tree->group_next);
    free(tree->group_of);
    free(tree->groups);
    *tree = (struct time_tree){0};
}
