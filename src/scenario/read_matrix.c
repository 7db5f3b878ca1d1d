// A matrix of sizes or of numbers: lists in a list, or a CSV file with one row a line.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/reader.h"

/// What is read, and where to.
struct matrix_reader {
    struct reader *reader;
    struct field cell;
    struct matrix matrix;
    size_t capacity;
};

/// Adds a row of `count` values; all rows are as long as the first. Returns where the row is, or NULL after a problem.
static int64_t *add_row(struct matrix_reader *in, size_t count) {
    struct matrix *matrix = &in->matrix;
    if (matrix->rows && count != matrix->columns) {
        reader_problem(in->reader, "row %zu has %zu entries, the first has %zu", matrix->rows, count, matrix->columns);
        return NULL;
    }
    matrix->columns = count;
    size_t start = matrix->rows++ * count;
    ARRAY_RESERVE(matrix->values, in->capacity, start + count + 1); // a place, even where all rows are empty
    memset(matrix->values + start, 0, count * sizeof *matrix->values);
    return matrix->values + start;
}

static void read_row(struct matrix_reader *in, const json_t *value) {
    struct reader *reader = in->reader;
    if (!json_is_array(value)) {
        reader_expected(reader, in->cell.kind == FIELD_BYTES ? "a list of sizes" : "a list of numbers", value);
        return;
    }
    int64_t *row = add_row(in, json_array_size(value));
    for (size_t column = 0; row && column < in->matrix.columns; column++) {
        size_t outside = reader_enter_index(reader, column);
        read_field(reader, &in->cell, json_array_get(value, column), row + column);
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

static bool parse_number(const char *text, const struct field *cell, int64_t *out, struct error *err) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!*text || *end || errno || value < cell->min || value > cell->max)
        return error_set(err, ERROR_INPUT, "expected an integer in [%lld, %lld], found \"%s\"", (long long)cell->min, (long long)cell->max,
                         text);
    *out = value;
    return true;
}

/// Reads the lines of a CSV file (changed on the way); empty lines are skipped.
static void read_lines(struct matrix_reader *in, char *text) {
    char *line;
    for (size_t number = 1; (line = next_part(&text, '\n')); number++) {
        if (!*trim(line)) continue;
        int64_t *row = add_row(in, count_cells(line));
        char *cell;
        for (size_t column = 0; row && (cell = next_part(&line, ',')); column++) {
            struct error error = {.kind = ERROR_NONE};
            bool ok = in->cell.kind == FIELD_BYTES ? parse_bytes(trim(cell), row + column, &error)
                                                   : parse_number(trim(cell), &in->cell, row + column, &error);
            if (!ok) reader_problem(in->reader, "%s, line %zu, column %zu: %s", in->matrix.file, number, column + 1, error.text);
        }
    }
}

static void read_csv(struct matrix_reader *in, const char *name) {
    struct reader *reader = in->reader;
    size_t length;
    char *text = read_named_text(reader, name, &length);
    in->matrix.file = arena_copy_text(reader->arena, name);
    if (text && strlen(text) != length)
        reader_problem(reader, "%s holds a NUL byte; it is no CSV text", name);
    else if (text)
        read_lines(in, text);
    free(text);
}

void read_matrix(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    bool sizes = field->max == 0;
    struct matrix_reader in = {
        .reader = reader,
        .cell = {.kind = sizes ? FIELD_BYTES : FIELD_INTEGER, .min = field->min, .max = field->max},
    };
    struct matrix *out = place;
    if (json_is_string(value)) {
        read_csv(&in, json_string_value(value));
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            size_t outside = reader_enter_index(reader, i);
            read_row(&in, json_array_get(value, i));
            reader_leave(reader, outside);
        }
    } else {
        reader_expected(
            reader, sizes ? "a list of rows of sizes, or the name of a CSV file" : "a list of rows of numbers, or the name of a CSV file",
            value);
    }
    size_t bytes = in.matrix.rows * in.matrix.columns * sizeof *in.matrix.values;
    *out = in.matrix;
    out->values = arena_allocate(reader->arena, bytes);
    if (bytes) memcpy(out->values, in.matrix.values, bytes);
    free(in.matrix.values);
}
