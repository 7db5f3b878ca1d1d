#ifndef TOPO_CLUSTER_H
#define TOPO_CLUSTER_H

#include "topo/topology.h"

/// The state of a cluster: one node and the fabric, each a topology of its own, and how they are put together.
struct cluster {
    const struct graph *graph;
    struct topology *node, *fabric;
    uint32_t nodes, devices, nics, planes;
    bool by_rails, pxn;
    bool own_nics;      ///< each device sends by a NIC of its own
    struct place {      ///< per node of the graph, and one more for its `first_out`
        uint32_t group; ///< which node of the cluster; `nodes`: in the fabric
        uint32_t local; ///< its number in the topology `node` or `fabric`
        uint32_t first_out;
        uint32_t first_way; ///< of a node's: local * devices
    } * places;
    /// [local number][device]: which of its links leads there inside the node; NULL where that depends on more.
    uint32_t *ways;
    bool by_ways;       ///< and there is one plane
    uint32_t *nic_of;   ///< per device: the NIC it sends and receives by
    uint32_t *owner_of; ///< per NIC: the device it is plugged into
    struct selector_part {
        uint32_t shift, mask;
    } fabric_part, node_part, plane_part, nic_part; ///< the last: the sender's NIC, where NICs are shared
};

/// The fabric's endpoint that is NIC `nic` of node `group`.
static inline uint32_t cluster_place(const struct cluster *cluster, uint32_t group, uint32_t nic) {
    return cluster->by_rails ? nic * cluster->nodes + group : group * cluster->nics + nic;
}

/// Sets the router: how node, fabric and choice of NIC share the selector. False where they need too many bits.
bool cluster_route(struct topology *topology, struct error *err);
bool cluster_index(struct topology *topology, struct error *err); ///< where its links are, once that is known
bool cluster_reachable(const struct topology *topology, uint32_t source, uint32_t destination);

void cluster_bisect(const struct topology *topology, struct bisection *out);

#endif
