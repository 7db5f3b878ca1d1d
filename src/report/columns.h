#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Text in aligned columns. A title starting with '<' stands left, others right; the sign is not printed.
struct columns {
    size_t count; ///< columns
    size_t cells, capacity;
    char **items; ///< the titles, then row by row
};

/// Starts a table with these titles (NULL at the end). Or set `count` in a zeroed struct and add the titles as cells.
void columns_start(struct columns *columns, const char *const *titles);

/// Adds the next cell; rows fill from left to right.
void columns_add(struct columns *columns, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Prints titles and rows, each line indented by two spaces, and frees the table. Colour codes take no room.
void columns_finish(struct columns *columns, FILE *out);

#endif
