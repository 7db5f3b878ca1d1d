#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// Ticks per second of the two clocks that a scenario may choose.
#define TICKS_PER_S_FS INT64_C(1000000000000000)
#define TICKS_PER_S_PS INT64_C(1000000000000)

/// Strict quantities: a decimal number (an exponent is allowed) and a unit. All are exact, in integers; on failure
/// they return false with ERROR_INPUT and a text that names the units, and leave the result alone.

/// "64KiB", "1.5MB", "0B": bytes; refused when not whole or above 2^63-1.
bool parse_bytes(const char *text, int64_t *bytes, struct error *err);

/// "45GB/s", "400Gbps", "400Gb/s": bytes per second, at least 1; refused when not whole.
bool parse_rate(const char *text, int64_t *bytes_per_s, struct error *err);

/// "1.5us", "0s": ticks, rounded up.
bool parse_time(const char *text, int64_t ticks_per_s, int64_t *ticks, struct error *err);

/// The units that they take; NULL after the last.
const char *bytes_unit(size_t index);
const char *rate_unit(size_t index);
const char *time_unit(size_t index);

/// The shortest exact form that the parsers read back: "64KiB", "45GB/s", "1.5us". `out` has QUANTITY_SIZE bytes.
enum { QUANTITY_SIZE = 40 };
char *format_bytes_exact(int64_t bytes, char *out);
char *format_rate_exact(int64_t bytes_per_s, char *out);
char *format_time_exact(int64_t ticks, int64_t ticks_per_s, char *out);

/// For people: four significant digits in the unit that suits ("2.697 ms", "44.5 GB/s", "64 MB").
char *format_bytes(double bytes, char *out);
char *format_rate(double bytes_per_s, char *out);
char *format_time(int64_t ticks, int64_t ticks_per_s, char *out);

/// ceil(bytes * ticks_per_s / bytes_per_s); false where that is above 2^63-1.
bool transfer_ticks(int64_t bytes, int64_t bytes_per_s, int64_t ticks_per_s, int64_t *ticks);

#endif
