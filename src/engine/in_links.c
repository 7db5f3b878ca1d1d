#include "engine/in_links.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"

void in_links_sort(const struct graph *graph, const uint32_t *targets, uint32_t nodes, uint32_t *first, uint32_t *order) {
    uint32_t *filled = allocate_zeroed(nodes, sizeof *filled);
    const struct link_info *links = graph->links;
    for (uint32_t l = 0; l < graph->link_count; l++) first[(targets ? targets[l] : links[l].to) + 1]++;
    for (uint32_t v = 0; v < nodes; v++) first[v + 1] += first[v];
    for (uint32_t l = 0; l < graph->link_count; l++) {
        uint32_t target = targets ? targets[l] : links[l].to, at = first[target] + filled[target]++;
        for (; at > first[target] && links[order[at - 1]].to_port > links[l].to_port; at--) order[at] = order[at - 1];
        order[at] = l;
    }
    free(filled);
}

void in_links_index(struct in_links *in, const struct graph *graph, uint32_t *order) {
    uint32_t nodes = graph_nodes(graph);
    in->first = pages_allocate_zeroed(((size_t)nodes + 1) * sizeof *in->first);
    in->items = pages_allocate(graph->link_count * sizeof *in->items);
    in_links_sort(graph, NULL, nodes, in->first, order);
    for (uint32_t p = 0; p < graph->link_count; p++) {
        in->items[p] = (struct in_link){.in_port = graph->links[order[p]].to_port};
        in_link_start(&in->items[p]);
    }
}

void in_links_free(struct in_links *in) {
    pages_free(in->first);
    pages_free(in->items);
}
