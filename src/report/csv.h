#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdint.h>
#include <stdio.h>

/// Fields of comma-separated values (RFC 4180), lines ending in a newline.

/// A text, in double quotes where it holds a comma, a quote or a line break.
void csv_text(const char *text, FILE *out);

/// A time as two fields, ticks and exact seconds.
void csv_time(int64_t ticks, int64_t ticks_per_s, FILE *out);

/// "," and exact seconds.
void csv_seconds(unsigned __int128 ticks, int64_t ticks_per_s, FILE *out);

/// "," and a figure of nine significant digits.
void csv_double(double number, FILE *out);

#endif
