#ifndef SCENARIO_SCHEMA_H
#define SCENARIO_SCHEMA_H

#include <jansson.h>

#include "base/field.h"

/// The JSON Schema (2020-12) of a scenario file, from the tables that the reader goes by. It refuses what a single row
/// refuses; what only several values together show to be wrong, it lets pass (docs/editors.md lists the kinds).
json_t *scenario_schema(void);

/// The schema of a row that holds single values, without title and default; NULL for the kinds that hold structs.
json_t *schema_value(const struct field *field);

/// The shared definitions that schema_value refers to.
void schema_define_values(json_t *definitions);

/// {"$ref": "#/$defs/NAME"}
json_t *schema_reference(const char *name);

#endif
