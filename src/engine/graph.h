#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define NO_LINK UINT32_MAX
#define NO_NODE UINT32_MAX

/// One directed link. Ports decide ties (model.md, "Links"), so they are part of the meaning.
struct link_info {
    uint32_t from, to;           ///< nodes
    uint32_t from_port, to_port; ///< the port it leaves by, the port it enters by
    int64_t bandwidth_bytes_per_s;
    int64_t latency_ticks; ///< at least 1
};

/// Nodes and links. Endpoints are nodes 0 .. endpoints-1; switches follow, `s0` being node `endpoints`.
/// After graph_finish the links are sorted by (from, from_port) and those of node v are
/// first_out[v] .. first_out[v+1]-1.
struct graph {
    uint32_t endpoints, switches;
    uint32_t *switch_ports; ///< per switch: how many ports it has (set while building)
    struct link_info *links;
    uint32_t link_count;
    size_t link_capacity;
    uint32_t *first_out; ///< endpoints + switches + 1 entries
    char **names;        ///< the user's names per node, or NULL; owned
};

/// Starts an empty graph.
void graph_init(struct graph *graph, uint32_t endpoints, uint32_t switches);
void graph_free(struct graph *graph);

/// Adds one directed link. A latency of 0 becomes one tick.
void graph_add_link(struct graph *graph, struct link_info link);

/// Adds the two links of a cable between port `u_port` of u and port `v_port` of v.
void graph_add_cable(struct graph *graph, uint32_t u, uint32_t u_port, uint32_t v, uint32_t v_port, const struct link_info *like);

/// Sorts and indexes; ERROR_INPUT above 2^32-2 links.
bool graph_finish(struct graph *graph, struct error *err);

static inline uint32_t graph_nodes(const struct graph *graph) { return graph->endpoints + graph->switches; }

/// The link that leaves `node` by `port`, or NO_LINK.
uint32_t graph_link_at(const struct graph *graph, uint32_t node, uint32_t port);

/// Of all nodes the most links that leave one.
uint32_t graph_most_outs(const struct graph *graph);

/// "17" for an endpoint, "s3" for a switch. `out` has NODE_NAME_SIZE bytes.
enum { NODE_NAME_SIZE = 16 };
char *graph_node_name(const struct graph *graph, uint32_t node, char *out);

/// The node that `text` names ("17", "s3", or a name of the user's), or NO_NODE.
uint32_t graph_find_node(const struct graph *graph, const char *text);

#endif
