#ifndef TOPO_FABRIC_H
#define TOPO_FABRIC_H

#include "topo/topology.h"

/// The network between the nodes of a cluster: a switched shape whose endpoints are the nodes' NICs.
struct fabric_request {
    uint64_t nodes, nics_per_node;
    const struct link_config *nic_link;
    const void *config;
};

struct fabric_type {
    struct variant_type variant;       ///< must be the first member
    const struct topology_type *shape; ///< whose metrics hold for it
    /// Switches and links (those of the NICs included); refuses what does not fit the number of NICs.
    bool (*size)(const struct fabric_request *request, uint64_t *switches, uint64_t *links, struct error *err);
    bool (*build)(struct topology *topology, const struct fabric_request *request, struct error *err);
};

extern const struct family fabric_family;

/// Whether NIC i of each node is wired to the i-th part of the fabric's places rather than next to its node's others.
bool fabric_by_rails(const struct variant *fabric);

/// The fabric on its own, its endpoints being places 0 .. nodes * nics_per_node - 1.
struct topology *fabric_create(const struct variant *fabric, const struct fabric_request *request, struct error *err);

#endif
