#ifndef TESTS_TOPO_SHAPES_H
#define TESTS_TOPO_SHAPES_H

#include "topo/topology.h"

/// Builds a topology from a line such as "torus dims=4,4 link=45/1000 ties=split" through its field table: choices by
/// name, lists by commas, links as bytes per second / latency in ticks ("@": latency made from alpha), objects in braces
/// ("cluster node={switch endpoints=8 link=9/1}"), switches of a graph with a colon ("nodes=A,B,X:"). An unknown key
/// fails the test; NULL with `err` set where the shape is refused.
struct topology *shape_try(const char *line, struct error *err);

/// As shape_try, and a refusal fails the test.
struct topology *shape_build(const char *line);
void shape_free(struct topology *topology);

/// Fewest links from every node to `destination` over any nodes, UINT32_MAX where there is no way. The caller frees it.
uint32_t *shape_distances(const struct graph *graph, uint32_t destination);

/// The route of a chunk as links; fails the test when it does not lead from a to b or meets a node twice.
enum { ROUTE_SIZE = 256 };
uint32_t shape_route(const struct topology *topology, uint32_t a, uint32_t b, uint32_t message, uint64_t chunk, uint32_t links[ROUTE_SIZE]);

/// Fails the test unless side[] of a cut halves the endpoints and as many cables cross as it says.
void shape_check_cut(const struct topology *topology, const struct bisection *cut);

/// The rate and latency that most tests give their links.
#define LINK "50000000000/1000"

#endif
