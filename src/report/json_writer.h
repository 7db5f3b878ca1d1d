#ifndef REPORT_JSON_WRITER_H
#define REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// Writes JSON, one member or element a line down to `folded_depth`, deeper ones on one line. The same values give the
/// same bytes on every run. Where a key is asked for, NULL is an element of an array.
struct json_writer {
    FILE *out;
    int depth, folded_depth;
    bool fresh; ///< nothing was written at this level yet
};

void put_open(struct json_writer *json, const char *key, char bracket);     ///< '{' or '['
void put_close(struct json_writer *json, char bracket);                     ///< '}' or ']'
void put_text(struct json_writer *json, const char *key, const char *text); ///< NULL: null
void put_int(struct json_writer *json, const char *key, int64_t number);
void put_uint(struct json_writer *json, const char *key, unsigned __int128 number);
void put_null(struct json_writer *json, const char *key);
/// The shortest decimal number that reads back as the same double; NaN and infinities are null.
void put_double(struct json_writer *json, const char *key, double number);
/// Already JSON.
void put_verbatim(struct json_writer *json, const char *key, const char *text);

/// The digits of put_double; `out` has DOUBLE_SIZE bytes.
enum { DOUBLE_SIZE = 32 };
char *format_double(double number, char *out);
/// Decimal digits; `out` has UINT128_SIZE bytes.
enum { UINT128_SIZE = 40 };
char *format_uint128(unsigned __int128 number, char *out);

#endif
