#ifndef TESTS_TOPO_SHAPES_H
#define TESTS_TOPO_SHAPES_H

#include "topo/topology.h"

/// Builds a topology from a line such as "torus dims=4,4 link=45000000000/1000000 ties=split" through its field table:
/// choices by name, lists by commas, links as bytes per second / latency in ticks (or @alpha-made latency), objects in
/// braces ("cluster node={switch endpoints=8}"). Fails the test on an unknown key; NULL with `err` set where the shape is refused.
struct topology *shape_try(const char *line, struct error *err);

/// As shape_try, and a refusal fails the test.
struct topology *shape_build(const char *line);
void shape_free(struct topology *topology);

#endif
