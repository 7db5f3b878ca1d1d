#include "engine/due_groups.h"

#include <stdlib.h>

#include "engine/time_tree.h"

void due_groups_init(struct due_groups *groups, const struct in_links *in, const struct graph *graph) {
    *groups = (struct due_groups){.links = in->items, .count = graph->link_count};
    for (uint32_t v = 0; v < graph_nodes(graph) && !groups->least; v++)
        if (in_links_are_many(in, v)) groups->least = times_of_never(groups->count / LINKS_A_GROUP + 1);
}

void due_groups_free(struct due_groups *groups) { free(groups->least); }
