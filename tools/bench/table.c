#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void table_add(struct table *table, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ARRAY_RESERVE(table->cells, table->capacity, table->count + 1);
    table->cells[table->count++] = strcpy(allocate(strlen(text) + 1), text);
}

static size_t columns(const struct table *table) {
    size_t count = 0;
    while (table->heads[count]) count++;
    return count;
}

static bool at_left(const struct table *table, size_t column) { return table->heads[column][0] == '<'; }

static const char *head(const struct table *table, size_t column) { return table->heads[column] + at_left(table, column); }

static size_t width(const struct table *table, size_t column) {
    size_t most = strlen(head(table, column));
    for (size_t i = column; i < table->count; i += columns(table))
        if (strlen(table->cells[i]) > most) most = strlen(table->cells[i]);
    return most;
}

static void print_cell(const struct table *table, size_t column, const char *text, bool markdown, FILE *out) {
    int wide = (int)width(table, column);
    fprintf(out, "%s%*s", markdown ? "| " : column ? "  " : "", at_left(table, column) ? -wide : wide, text);
    if (markdown) fputc(' ', out);
    if (column + 1 == columns(table)) fputs(markdown ? "|\n" : "\n", out);
}

void table_print(const struct table *table, bool markdown, FILE *out) {
    for (size_t c = 0; c < columns(table); c++) print_cell(table, c, head(table, c), markdown, out);
    for (size_t c = 0; markdown && c < columns(table); c++) fputs(at_left(table, c) ? "|---" : "|--:", out);
    if (markdown) fputs("|\n", out);
    for (size_t i = 0; i < table->count; i++) print_cell(table, i % columns(table), table->cells[i], markdown, out);
}

void table_free(struct table *table) {
    for (size_t i = 0; i < table->count; i++) free(table->cells[i]);
    free(table->cells);
}
