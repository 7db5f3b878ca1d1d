#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Reports are rendered in memory and then written, so that every failure to write is seen and has its reason.

/// Writes all bytes to a descriptor; ERROR_OUTPUT says why not. `name` is what the message calls it.
bool output_write(int descriptor, const char *name, const char *bytes, size_t size, struct error *err);

/// Writes a file beside its place and renames it, so that an old file stays whole when this fails.
bool output_save(const char *path, const char *bytes, size_t size, struct error *err);

#endif
