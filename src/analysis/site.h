#ifndef ANALYSIS_SITE_H
#define ANALYSIS_SITE_H

#include "topo/topology.h"

/// Where a plan is laid out: a network, and the ranks on its endpoints. All borrowed.
struct site {
    const struct topology *topology;
    const uint32_t *place; ///< rank -> endpoint
    uint32_t ranks;
    int64_t ticks_per_s;
};

/// How many links the longest route can have: no route meets a node twice.
static inline uint32_t site_route_capacity(const struct site *site) {
    uint32_t nodes = graph_nodes(&site->topology->graph);
    return nodes > 64 ? nodes : 64;
}

/// The route of message number 0, chunk 0 between two ranks.
static inline uint32_t site_route(const struct site *site, uint32_t from, uint32_t to, uint32_t *links) {
    return topology_route(site->topology, site->place[from], site->place[to], 0, 0, links, site_route_capacity(site));
}

#endif
