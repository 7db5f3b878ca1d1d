// Rows that hold expressions, and names for them.
#include <ctype.h>
#include <string.h>

#include "base/expression.h"
#include "scenario/reader.h"

enum { LONGEST_NAME = 31, MOST_NAMES = 64 };

/// The names that may occur in the row's text.
static struct expression_names names_of(const struct reader *reader, const struct field *field) {
    bool defined = reader->names.variables == field->choices;
    return defined ? reader->names : (struct expression_names){.variables = field->choices};
}

void read_expression(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    struct error error = {.kind = ERROR_NONE};
    const struct expression_names names = names_of(reader, field);
    const struct expression **out = place;
    if (json_is_integer(value))
        *out = expression_number(reader->arena, json_integer_value(value));
    else if (!json_is_string(value))
        reader_expected(reader, "an integer or an expression such as \"(r+1) % p\"", value);
    else if (!(*out = expression_parse(reader->arena, json_string_value(value), &names, &error)))
        reader_problem(reader, "%s", error.text);
}

void read_range(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    struct error error = {.kind = ERROR_NONE};
    const struct expression_names names = names_of(reader, field);
    struct expression_range *out = place;
    if (json_is_integer(value))
        out->first = out->last = expression_number(reader->arena, json_integer_value(value));
    else if (!json_is_string(value))
        reader_expected(reader, "an integer, an expression or a range such as \"0..p-2\"", value);
    else if (!expression_parse_range(reader->arena, json_string_value(value), &names, out, &error))
        reader_problem(reader, "%s", error.text);
}

/// A letter, then letters, digits and '_'.
static bool is_name(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return isalpha((unsigned char)*text) && !text[length] && length <= LONGEST_NAME;
}

void read_names(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)place;
    if (!json_is_object(value) || json_object_size(value) > MOST_NAMES) {
        reader_expected(reader, "an object of at most 64 names and expressions, such as {\"d\": \"1 << k\"}", value);
        return;
    }
    struct expression_definition *definitions = arena_allocate(reader->arena, json_object_size(value) * sizeof *definitions);
    reader->names = (struct expression_names){.variables = field->choices, .definitions = definitions};
    const char *key;
    json_t *meaning;
    json_object_foreach((json_t *)value, key, meaning) {
        size_t outside = reader_enter(reader, key);
        const struct expression *expression = NULL;
        if (!is_name(key)) reader_key_problem(reader, "a name is a letter, then letters, digits and \"_\", at most 31 in all");
        read_expression(reader, field, meaning, &expression);
        if (expression)
            definitions[reader->names.count++] = (struct expression_definition){arena_copy_text(reader->arena, key), expression};
        reader_leave(reader, outside);
    }
}
