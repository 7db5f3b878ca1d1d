#ifndef TOPO_TREES_H
#define TOPO_TREES_H

#include "topo/ecmp.h"
#include "topo/shape.h"

/// The switched shapes as a cluster's fabric uses them too: a size, and a builder that fills graph, router and state.

void switch_build(struct topology *topology, uint32_t endpoints, const struct link_config *link);

struct leaf_spine_shape {
    uint32_t leaves, hosts_per_leaf, spines, cables_per_pair;
    const struct link_config *host_link, *up_link;
    struct ecmp ecmp;
};
void leaf_spine_size(const struct leaf_spine_shape *shape, uint64_t *endpoints, uint64_t *switches, uint64_t *links);
bool leaf_spine_build(struct topology *topology, const struct leaf_spine_shape *shape, struct error *err);

struct fat_tree_shape {
    uint32_t k;
    uint64_t endpoints;                 ///< the first so many places are taken, at most k^3/4
    const struct link_config *links[3]; ///< per level, endpoints first
    struct ecmp ecmp;
};
void fat_tree_size(const struct fat_tree_shape *shape, uint64_t *switches, uint64_t *links);
bool fat_tree_build(struct topology *topology, const struct fat_tree_shape *shape, struct error *err);

extern const struct topology_type switch_topology, leaf_spine_topology, fat_tree_topology;

#endif
