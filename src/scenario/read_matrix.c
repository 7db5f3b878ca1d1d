// A matrix of sizes: lists in a list, or a CSV file with one row a line.
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/reader.h"

/// Adds a row of `count` values; all rows are as long as the first. Returns where the row is, or NULL after a problem.
static int64_t *add_row(struct reader *reader, struct matrix *matrix, size_t *capacity, size_t count) {
    if (matrix->rows && count != matrix->columns) {
        reader_problem(reader, "row %zu has %zu entries, the first has %zu", matrix->rows, count, matrix->columns);
        return NULL;
    }
    matrix->columns = count;
    size_t start = matrix->rows++ * count;
    ARRAY_RESERVE(matrix->values, *capacity, start + count);
    memset(matrix->values + start, 0, count * sizeof *matrix->values);
    return matrix->values + start;
}

static void read_row(struct reader *reader, const json_t *value, struct matrix *matrix, size_t *capacity) {
    const struct field size_field = {.kind = FIELD_BYTES};
    if (!json_is_array(value)) {
        reader_expected(reader, "a list of sizes", value);
        return;
    }
    int64_t *row = add_row(reader, matrix, capacity, json_array_size(value));
    for (size_t column = 0; row && column < matrix->columns; column++) {
        size_t outside = reader_enter_index(reader, column);
        read_bytes(reader, &size_field, json_array_get(value, column), row + column);
        reader_leave(reader, outside);
    }
}

/// Cuts the next `separator`-ended part off *rest; NULL at the end.
static char *next_part(char **rest, char separator) {
    char *part = *rest;
    if (!part) return NULL;
    char *end = strchr(part, separator);
    if (end) *end = '\0';
    *rest = end ? end + 1 : NULL;
    return part;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1])) text[--length] = '\0';
    return text;
}

static size_t count_cells(const char *line) {
    size_t count = 1;
    for (; *line; line++) count += *line == ',';
    return count;
}

/// Reads the lines of a CSV file (changed on the way); empty lines are skipped.
static void read_lines(struct reader *reader, char *text, struct matrix *matrix, size_t *capacity) {
    char *line;
    for (size_t number = 1; (line = next_part(&text, '\n')); number++) {
        if (!*trim(line)) continue;
        int64_t *row = add_row(reader, matrix, capacity, count_cells(line));
        char *cell;
        for (size_t column = 0; row && (cell = next_part(&line, ',')); column++) {
            struct error error = {.kind = ERROR_NONE};
            if (!parse_bytes(trim(cell), row + column, &error))
                reader_problem(reader, "%s, line %zu, column %zu: %s", matrix->file, number, column + 1, error.text);
        }
    }
}

static void read_csv(struct reader *reader, const char *name, struct matrix *matrix, size_t *capacity) {
    size_t length;
    char *text = read_named_text(reader, name, &length);
    matrix->file = arena_copy_text(reader->arena, name);
    if (text && strlen(text) != length)
        reader_problem(reader, "%s holds a NUL byte; it is no CSV text", name);
    else if (text)
        read_lines(reader, text, matrix, capacity);
    free(text);
}

void read_matrix(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    struct matrix matrix = {.rows = 0}, *out = place;
    size_t capacity = 0;
    if (json_is_string(value)) {
        read_csv(reader, json_string_value(value), &matrix, &capacity);
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            size_t outside = reader_enter_index(reader, i);
            read_row(reader, json_array_get(value, i), &matrix, &capacity);
            reader_leave(reader, outside);
        }
    } else {
        reader_expected(reader, "a list of rows of sizes, or the name of a CSV file", value);
    }
    size_t bytes = matrix.rows * matrix.columns * sizeof *matrix.values;
    *out = matrix;
    out->values = arena_allocate(reader->arena, bytes);
    if (bytes) memcpy(out->values, matrix.values, bytes);
    free(matrix.values);
}
