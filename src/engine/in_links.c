#include "engine/in_links.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"

void in_links_index(struct in_links *in, const struct graph *graph, uint32_t *position) {
    uint32_t nodes = graph_nodes(graph), *filled = allocate_zeroed(nodes, sizeof *filled);
    in->first = pages_allocate_zeroed(((size_t)nodes + 1) * sizeof *in->first);
    in->items = pages_allocate(graph->link_count * sizeof *in->items);
    for (uint32_t l = 0; l < graph->link_count; l++) in->first[graph->links[l].to + 1]++;
    for (uint32_t v = 0; v < nodes; v++) in->first[v + 1] += in->first[v];
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *info = &graph->links[l];
        uint32_t first = in->first[info->to], at = first + filled[info->to]++;
        for (; at > first && in->items[at - 1].in_port > info->to_port; at--) in->items[at] = in->items[at - 1];
        in->items[at] = (struct in_link){.link = l, .in_port = info->to_port};
    }
    for (uint32_t p = 0; p < graph->link_count; p++) {
        in_link_start(&in->items[p]);
        position[in->items[p].link] = p;
    }
    free(filled);
}

void in_links_free(struct in_links *in) {
    pages_free(in->first);
    pages_free(in->items);
}
