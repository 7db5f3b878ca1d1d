#ifndef CLI_VARY_RANGE_H
#define CLI_VARY_RANGE_H

#include "base/error.h"
#include "cli/texts.h"

/// Whether `text` has the form FIRST..LAST, FIRST..LAST:xN or FIRST..LAST:+STEP.
bool is_range(const char *text);

/// Adds the range's values: numbers, or sizes, rates or times. Without a step they count up by one (numbers only).
bool range_expand(const char *text, struct texts *out, struct error *err);

#endif
