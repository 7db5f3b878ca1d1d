#include "engine/in_links.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/time_tree.h"

static void find_ends(struct in_links *in, const struct graph *graph, const uint32_t *place_of) {
    in->ends = allocate((size_t)graph->link_count * sizeof *in->ends);
    in->out_port = allocate((size_t)graph->link_count * sizeof *in->out_port);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        in->ends[l].place = place_of[graph->links[l].to];
        in->out_port[l] = graph->links[l].from_port;
    }
}

static void sort_by_place_and_port(struct in_links *in, const struct graph *graph) {
    uint32_t places = graph_nodes(graph), *filled = allocate_zeroed(places, sizeof *filled);
    in->first = allocate_zeroed((size_t)places + 1, sizeof *in->first);
    in->links = allocate((size_t)graph->link_count * sizeof *in->links);
    for (uint32_t l = 0; l < graph->link_count; l++) in->first[in->ends[l].place + 1]++;
    for (uint32_t p = 0; p < places; p++) in->first[p + 1] += in->first[p];
    for (uint32_t l = 0; l < graph->link_count; l++) {
        uint32_t place = in->ends[l].place, first = in->first[place], at = first + filled[place]++;
        for (; at > first && graph->links[in->links[at - 1]].to_port > graph->links[l].to_port; at--) in->links[at] = in->links[at - 1];
        in->links[at] = l;
    }
    for (uint32_t p = 0; p < graph->link_count; p++) in->ends[in->links[p]].position = p;
    free(filled);
}

void in_links_index(struct in_links *in, const struct graph *graph, const uint32_t *place_of) {
    *in = (struct in_links){0};
    find_ends(in, graph, place_of);
    sort_by_place_and_port(in, graph);
    in->next = times_of_never(graph->link_count);
    for (uint32_t place = 0; place < graph_nodes(graph) && !in->due_groups.least; place++)
        if (in_links_are_many(in, place))
            in->due_groups = (struct due_groups){times_of_never(graph->link_count / LINKS_A_GROUP + 1), in->next, graph->link_count};
}

void in_links_free(struct in_links *in) {
    free(in->first);
    free(in->links);
    free(in->next);
    free(in->ends);
    free(in->out_port);
    free(in->due_groups.least);
}
