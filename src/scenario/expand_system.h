#ifndef SCENARIO_EXPAND_SYSTEM_H
#define SCENARIO_EXPAND_SYSTEM_H

#include "scenario/reader.h"

/// The document with what its "system" stands for, overridden by its own keys; the caller decrefs it. Where the system is
/// wrong, which reading the result will say, a network of one endpoint stands in for the document's own.
json_t *expand_system(const struct reader *reader, json_t *document);

#endif
