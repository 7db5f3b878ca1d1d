#ifndef SCENARIO_JSON_SCAN_H
#define SCENARIO_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A strict reading of JSON text that remembers where it is. jansson builds the values; this finds the first error with
/// its exact place, and later the place of any value.
struct json_scan {
    const char *text;
    size_t length, at; ///< at: the next byte
    int depth;
    bool check_keys; ///< refuse two equal keys in one object
    size_t error_at; ///< where the first error is
    char error[256]; ///< empty: none
};

enum { JSON_MOST_NESTED = 100 };

/// Bytes that grow; always followed by a '\0'.
struct json_string {
    char *bytes;
    size_t length, capacity;
};

struct json_scan json_scan_start(const char *text, size_t length);

/// Skips white space, then one value with all it holds. False at the first error.
bool json_scan_value(struct json_scan *scan);

/// Reads the string that begins at `at`, decoded into `out` (NULL: only checked).
bool json_scan_string(struct json_scan *scan, struct json_string *out);

void json_scan_space(struct json_scan *scan);

/// Whether the next byte is `byte`; then it is taken.
bool json_scan_take(struct json_scan *scan, char byte);

/// Records an error at the byte `at`; returns false.
bool json_scan_fail(struct json_scan *scan, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
