// Finds the tree that an in-network reduction uses: breadth first from each switch that could be the root, through
// switches only, until one reaches all members. Candidates are the switches at distance d from the first member, d = 1, 2, …
#include "topo/reduction_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct search {
    const struct graph *graph;
    uint32_t *down_link; ///< per node: the link from its parent in the tree; NO_LINK: not reached
    uint32_t *reached, reached_count;
};

/// Reaches all nodes within `depth` hops of `root`; endpoints are leaves.
static void spread(struct search *search, uint32_t root, uint32_t depth) {
    const struct graph *graph = search->graph;
    for (uint32_t i = 0; i < search->reached_count; i++) search->down_link[search->reached[i]] = NO_LINK;
    search->reached[0] = root;
    search->reached_count = 1;
    uint32_t level_end = 1;
    for (uint32_t i = 0; depth > 0 && i < search->reached_count; i++) {
        if (i == level_end && --depth == 0) break;
        if (i == level_end) level_end = search->reached_count;
        uint32_t node = search->reached[i];
        if (node < graph->endpoints && node != root) continue;
        for (uint32_t l = graph->first_out[node]; l < graph->first_out[node + 1]; l++) {
            uint32_t to = graph->links[l].to;
            if (to == root || search->down_link[to] != NO_LINK) continue;
            search->down_link[to] = l;
            search->reached[search->reached_count++] = to;
        }
    }
}

/// The link that leads back by the same cable.
static uint32_t twin(const struct graph *graph, uint32_t link) {
    const struct link_info *info = &graph->links[link];
    uint32_t back = graph_link_at(graph, info->to, info->to_port);
    return back != NO_LINK && graph->links[back].to == info->from ? back : NO_LINK;
}

static bool reaches_all(const struct search *search, const uint32_t *endpoints, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = search->down_link[endpoints[i]];
        if (link == NO_LINK || twin(search->graph, link) == NO_LINK) return false;
    }
    return true;
}

/// Adds the switch, and those between it and the root, to the tree; returns its index there.
static uint32_t add_node(const struct search *search, struct reduction_tree *tree, uint32_t *index, uint32_t node) {
    if (index[node] != NO_NODE) return index[node];
    uint32_t down = search->down_link[node], parent = NO_NODE, up = NO_LINK;
    if (down != NO_LINK) {
        parent = add_node(search, tree, index, search->graph->links[down].from);
        up = twin(search->graph, down);
    }
    tree->nodes[tree->node_count] = (struct tree_node){parent, up, down};
    return index[node] = tree->node_count++;
}

static void collect(const struct search *search, const uint32_t *endpoints, uint32_t count, struct reduction_tree *out) {
    uint32_t nodes = graph_nodes(search->graph);
    uint32_t *index = allocate(nodes * sizeof *index);
    memset(index, 0xff, nodes * sizeof *index);
    out->nodes = allocate(nodes * sizeof *out->nodes);
    out->members = allocate(count * sizeof *out->members);
    out->member_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t down = search->down_link[endpoints[i]];
        uint32_t parent = add_node(search, out, index, search->graph->links[down].from);
        out->members[i] = (struct tree_member){endpoints[i], parent, twin(search->graph, down), down};
    }
    free(index);
}

bool reduction_tree_find(const struct topology *topology, const uint32_t *endpoints, uint32_t count, struct reduction_tree *out) {
    *out = (struct reduction_tree){0};
    const struct graph *graph = &topology->graph;
    uint32_t nodes = graph_nodes(graph);
    struct search from_first = {graph, allocate(nodes * sizeof(uint32_t)), allocate(nodes * sizeof(uint32_t)), 0};
    struct search from_root = {graph, allocate(nodes * sizeof(uint32_t)), allocate(nodes * sizeof(uint32_t)), 0};
    memset(from_first.down_link, 0xff, nodes * sizeof(uint32_t));
    memset(from_root.down_link, 0xff, nodes * sizeof(uint32_t));
    bool found = false;
    uint32_t candidates = 1; // those nearer have been tried
    for (uint32_t depth = 1; !found; depth++) {
        spread(&from_first, endpoints[0], depth);
        if (from_first.reached_count == candidates) break;
        for (uint32_t i = candidates; i < from_first.reached_count && !found; i++) {
            if (from_first.reached[i] < graph->endpoints) continue;
            spread(&from_root, from_first.reached[i], depth);
            found = reaches_all(&from_root, endpoints, count);
        }
        candidates = from_first.reached_count;
    }
    if (found) collect(&from_root, endpoints, count, out);
    free(from_first.down_link);
    free(from_first.reached);
    free(from_root.down_link);
    free(from_root.reached);
    return found;
}

void reduction_tree_free(struct reduction_tree *tree) {
    free(tree->nodes);
    free(tree->members);
    *tree = (struct reduction_tree){0};
}
