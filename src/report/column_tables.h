#ifndef REPORT_COLUMN_TABLES_H
#define REPORT_COLUMN_TABLES_H

#include <stdio.h>

/// The columns of all tables: their titles, their names in CSV and what they mean, in one place.

enum column_kind {
    COLUMN_TEXT,
    COLUMN_COUNT,
    COLUMN_OF, ///< "1 of 16"
    COLUMN_BYTES,
    COLUMN_TIME,
    COLUMN_RATE,  ///< bytes per second
    COLUMN_SHARE, ///< shown in per cent, 0 to 1 in CSV
    COLUMN_RATIO,
    COLUMN_BAR, ///< a share as ten characters
};

enum column_reader { READ_BY_ALL, READ_BY_PEOPLE, READ_BY_PROGRAMS };

struct column {
    const char *name;  ///< in CSV, with its unit; NULL ends a list
    const char *title; ///< in tables for people
    enum column_kind kind;
    enum column_reader reader; ///< the column is left out for the others
    const char *help;
};

enum { COLUMN_PARTS = 3 };

struct column_table {
    const char *name, *summary;               ///< NULL ends the list
    const struct column *parts[COLUMN_PARTS]; ///< one after the other; NULL where there are fewer
};

extern const struct column collective_columns[], link_columns[], point_columns[], ring_columns[], seed_columns[], run_columns[],
    hop_columns[];
extern const struct column_table column_tables[];

/// `weft help columns`.
void column_tables_print(FILE *out);

#endif
