#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/column_tables.h"
#include "report/columns.h"

/// A table in one of three formats, from the same cells: aligned text and Markdown for people (units that suit, "-" where
/// there is nothing), CSV for programs (RFC 4180; plain numbers in the unit that the column's name ends in; empty where there is nothing).
enum sheet_format { SHEET_TEXT, SHEET_MARKDOWN, SHEET_CSV };

struct sheet {
    enum sheet_format format;
    bool color;
    FILE *out;
    size_t count, capacity, next; ///< columns, and the one that the next cell is for
    const struct column **columns;
    struct columns text; ///< SHEET_TEXT
    bool fresh;          ///< nothing of this row is written yet
};

void sheet_start(struct sheet *sheet, enum sheet_format format, bool color, FILE *out);

/// Adds columns, which must live as long as the sheet.
void sheet_add_columns(struct sheet *sheet, const struct column *columns);

/// After the columns: begins the rows.
void sheet_begin(struct sheet *sheet);

/// The next cell, from left to right, also where the format does not show its column.
void sheet_text(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_count(struct sheet *sheet, uint64_t count); ///< COLUMN_COUNT, COLUMN_BYTES
void sheet_time(struct sheet *sheet, int64_t ticks, int64_t ticks_per_s);
void sheet_number(struct sheet *sheet, double number); ///< COLUMN_RATE, COLUMN_SHARE, COLUMN_RATIO, COLUMN_BAR; NaN: nothing
void sheet_none(struct sheet *sheet, size_t cells);

/// Prints what is not printed yet and frees it.
void sheet_finish(struct sheet *sheet);

#endif
