#ifndef TOPO_CUT_H
#define TOPO_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/graph.h"
#include "topo/topology.h"

/// Halving cuts of any graph: endpoints have a side, switches go where the fewest links cross.

/// Directed links whose ends lie on different sides.
uint64_t cut_links(const struct graph *graph, const uint8_t *side);

/// Gives every switch the side with which the fewest links cross, the endpoints' sides being fixed (a minimum cut).
void cut_place_switches(const struct graph *graph, uint8_t *side);

/// Tries all splits of the endpoints into halves; out->known is false where those are too many.
void cut_search(const struct graph *graph, struct bisection *out);

#endif
