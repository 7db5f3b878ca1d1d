#ifndef REPORT_DESCRIBE_H
#define REPORT_DESCRIBE_H

#include <jansson.h>
#include <stddef.h>

/// A part of the resolved scenario as one line for people: the value of "type" first, then each key and value,
/// lists of numbers as 4x4, links as "45GB/s 1us"; empty and null members are left out. Ends with "…" when it is cut.
/// Members named in `skip` (NULL at the end; may be NULL itself) are left out too.
char *describe_json(const json_t *value, const char *const *skip, char *out, size_t out_size);

#endif
