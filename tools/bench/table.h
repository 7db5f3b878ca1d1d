#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Text in rows and columns; numbers stand at the right. Cells are added one after the other.
struct table {
    const char *const *heads; ///< ends with NULL; a head that begins with '<' stands at the left
    char **cells;
    size_t count, capacity;
};

void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_print(const struct table *table, bool markdown, FILE *out);
void table_free(struct table *table);

#endif
