#ifndef SCENARIO_TABLES_H
#define SCENARIO_TABLES_H

#include "base/field.h"

/// The tables of the scenario file's own objects; topologies, mappings and workloads bring theirs.
extern const struct field scenario_fields[];
extern const struct field network_fields[];
extern const struct field override_fields[];
extern const struct field costs_fields[];

/// The names of `tick`, indexed as struct scenario.tick.
extern const char *const tick_names[];

#endif
