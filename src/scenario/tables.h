#ifndef SCENARIO_TABLES_H
#define SCENARIO_TABLES_H

#include "base/field.h"

/// The tables of the scenario file's own objects; topologies, mappings and workloads bring theirs.
extern const struct field scenario_fields[];
extern const struct field network_fields[];
extern const struct field override_fields[];

/// Of one link and of one entry of a list of nodes.
extern const struct field link_fields[];
extern const struct field node_fields[];

/// Most nodes that a bare count may ask for where the row sets no limit.
#define MOST_COUNTED_NODES (INT64_C(1) << 22)

/// The names of `tick`, indexed as struct scenario.tick.
extern const char *const tick_names[];

#endif
