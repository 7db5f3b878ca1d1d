#ifndef TOPO_REDUCTION_TREE_H
#define TOPO_REDUCTION_TREE_H

#include "engine/sim.h"
#include "topo/topology.h"

/// A tree of switches whose leaves are the given endpoints, for in-network reduction: the least deep one, of the
/// lowest-numbered root, each node reached by its lowest port. False when they share no tree of switches.
/// Free with reduction_tree_free.
bool reduction_tree_find(const struct topology *topology, const uint32_t *endpoints, uint32_t count, struct reduction_tree *out);
void reduction_tree_free(struct reduction_tree *tree);

#endif
