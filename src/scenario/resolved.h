#ifndef SCENARIO_RESOLVED_H
#define SCENARIO_RESOLVED_H

#include <jansson.h>

#include "base/field.h"

/// The default of a row as a user would write it; NULL where it has none.
json_t *resolved_default(const struct field *field);

#endif
