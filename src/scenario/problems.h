#ifndef SCENARIO_PROBLEMS_H
#define SCENARIO_PROBLEMS_H

#include <stdarg.h>

#include "scenario/json_position.h"
#include "scenario/scenario.h"

/// Adds a problem with the value that a JSON pointer names; `text` is where its position is looked up (NULL: nowhere).
/// A value that is not in the text stands where the nearest one around it stands.
void problems_add(struct problems *problems, const char *text, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// As problems_add, at a place that is known ({0, 0}: none).
void problems_add_at(struct problems *problems, struct text_position position, const char *pointer, const char *format, va_list args);

/// Adds the failure of a check of the object at `pointer`: error.where continues the pointer.
void problems_add_error(struct problems *problems, const char *text, const char *pointer, const struct error *error);

#endif
