#ifndef SCENARIO_READER_H
#define SCENARIO_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/expression.h"
#include "base/field.h"
#include "base/memory.h"
#include "base/text.h"
#include "scenario/problems.h"

/// Fills structs from JSON values by their field tables. It goes on after a problem, so that one pass finds all.
struct reader {
    struct problems *problems;
    const char *text;      ///< where positions are looked up, or NULL
    const char *directory; ///< what relative paths start from
    struct arena *arena;   ///< owns what is read
    int64_t ticks_per_s;
    struct expression_names names; ///< what FIELD_NAMES defined, for rows with its variables
    char *pointer;                 ///< JSON pointer of the value that is being read
    size_t pointer_length, pointer_capacity;
};

/// Lengthens the pointer by a key or an index; returns what reader_leave takes to undo it.
size_t reader_enter(struct reader *reader, const char *key);
size_t reader_enter_index(struct reader *reader, size_t index);
void reader_leave(struct reader *reader, size_t length);

/// A problem with the value at the pointer, or with its key.
void reader_problem(struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
void reader_key_problem(struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// How many problems there are so far.
size_t reader_problem_count(const struct reader *reader);

/// "expected WHAT, found …"
void reader_expected(struct reader *reader, const char *what, const json_t *found);

/// "expected one of …, found …"
void reader_expected_choice(struct reader *reader, const char *const *choices, const json_t *found);

/// A value that is not among `choices`: lists them, and suggests one.
void reader_unknown(struct reader *reader, const char *noun, const char *written, const char *const *choices);

/// Reads an object into a struct: defaults first, then keys, unknown and missing ones being problems. The object of a
/// variant has the key "type" as well.
void read_struct(struct reader *reader, const struct field *fields, const json_t *object, void *config, bool is_variant);

/// Reads a value into the place of a row; the pointer is at the value.
void read_field(struct reader *reader, const struct field *field, const json_t *value, void *place);

// One function per kind of row, all with the arguments of read_field.
void read_integer(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_decimal(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_boolean(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_choice(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_string(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_node(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_bytes(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_rate(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_time(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_integers(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_list(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_variants(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_link(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_links(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_times(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_texts(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_nodes(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_sizes(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_matrix(struct reader *reader, const struct field *field, const json_t *value, void *place);

void read_trace(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_schedule(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_expression(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_names(struct reader *reader, const struct field *field, const json_t *value, void *place);
void read_range(struct reader *reader, const struct field *field, const json_t *value, void *place);

/// The text of a file whose name stands at the pointer, as read_text gives it; NULL after a problem.
char *read_named_text(struct reader *reader, const char *name, size_t *length);

/// The variant of that type with the defaults of its table; NULL where the family has no such type.
const struct variant_type *variant_default(struct arena *arena, const struct family *family, const char *type, struct variant *out);

/// Whether a type is written as a bare list (field.h).
bool variant_is_bare(const struct variant_type *type);

#endif
