// The rows of a table and the types of a family: which keys there are, which are missing, which type an object is of.
#include "scenario/reader.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 128, LIST_SIZE = 640 };

static void extend_pointer(struct reader *reader, const char *bytes, size_t count) {
    size_t needed = reader->pointer_length + count + 1;
    ARRAY_RESERVE(reader->pointer, reader->pointer_capacity, needed);
    memcpy(reader->pointer + reader->pointer_length, bytes, count);
    reader->pointer_length += count;
    reader->pointer[reader->pointer_length] = '\0';
}

size_t reader_enter(struct reader *reader, const char *key) {
    size_t before = reader->pointer_length;
    extend_pointer(reader, "/", 1);
    for (; *key; key++) {
        if (*key == '~')
            extend_pointer(reader, "~0", 2);
        else if (*key == '/')
            extend_pointer(reader, "~1", 2);
        else
            extend_pointer(reader, key, 1);
    }
    return before;
}

size_t reader_enter_index(struct reader *reader, size_t index) {
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", index);
    return reader_enter(reader, digits);
}

void reader_leave(struct reader *reader, size_t length) {
    reader->pointer_length = length;
    reader->pointer[length] = '\0';
}

static const char *pointer_of(const struct reader *reader) { return reader->pointer ? reader->pointer : ""; }

static void add_problem(struct reader *reader, bool of_key, const char *format, va_list args) {
    struct text_position position = {0, 0};
    if (reader->text && !reader->problems->omitted) position = json_position(reader->text, pointer_of(reader), of_key);
    problems_add_at(reader->problems, position, pointer_of(reader), format, args);
}

void reader_problem(struct reader *reader, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_problem(reader, false, format, args);
    va_end(args);
}

void reader_key_problem(struct reader *reader, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_problem(reader, true, format, args);
    va_end(args);
}

size_t reader_problem_count(const struct reader *reader) { return reader->problems->count + reader->problems->omitted; }

static const char *describe(const json_t *value, char out[static TEXT_QUOTE_SIZE]) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return text_quote(json_string_value(value), out);
    case JSON_INTEGER: snprintf(out, TEXT_QUOTE_SIZE, "%lld", (long long)json_integer_value(value)); return out;
    case JSON_REAL: snprintf(out, TEXT_QUOTE_SIZE, "%.15g", json_real_value(value)); return out;
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return "null";
    }
}

void reader_expected(struct reader *reader, const char *what, const json_t *found) {
    char shown[TEXT_QUOTE_SIZE];
    reader_problem(reader, "expected %s, found %s", what, describe(found, shown));
}

void reader_expected_choice(struct reader *reader, const char *const *choices, const json_t *found) {
    char list[LIST_SIZE], shown[TEXT_QUOTE_SIZE];
    reader_problem(reader, "expected one of %s, found %s", text_join(choices, list, sizeof list), describe(found, shown));
}

void reader_unknown(struct reader *reader, const char *noun, const char *written, const char *const *choices) {
    char shown[TEXT_QUOTE_SIZE], list[LIST_SIZE], meant[TEXT_MEANT_SIZE];
    reader_problem(reader, "unknown %s %s; known: %s%s", noun, text_quote(written, shown), text_join(choices, list, sizeof list),
                   text_meant(written, choices, meant));
}

static void report_unknown_key(struct reader *reader, const struct field *fields, const char *key, bool is_variant) {
    const char *names[MOST_NAMES] = {NULL};
    size_t count = 0;
    if (is_variant) names[count++] = "type";
    for (const struct field *f = fields; f && f->name && count + 1 < MOST_NAMES; f++) names[count++] = f->name;
    char shown[TEXT_QUOTE_SIZE], list[LIST_SIZE], meant[TEXT_MEANT_SIZE];
    text_quote(key, shown);
    if (*text_meant(key, names, meant))
        reader_key_problem(reader, "unknown key %s%s", shown, meant);
    else
        reader_key_problem(reader, "unknown key %s; known here: %s", shown, count ? text_join(names, list, sizeof list) : "none");
}

static void report_missing_key(struct reader *reader, const struct field *field) {
    if (field->example)
        reader_problem(reader, "the key \"%s\" is missing, such as \"%s\": %s", field->name, field->name, field->example);
    else
        reader_problem(reader, "the key \"%s\" is missing", field->name);
}

void read_struct(struct reader *reader, const struct field *fields, const json_t *object, void *config, bool is_variant) {
    field_defaults(fields, config);
    const char *key;
    json_t *value;
    uint64_t given = 0;
    json_object_foreach((json_t *)object, key, value) {
        if (is_variant && !strcmp(key, "type")) continue;
        size_t outside = reader_enter(reader, key);
        const struct field *field = field_find(fields, key);
        if (field) {
            given |= UINT64_C(1) << (field - fields);
            read_field(reader, field, value, (char *)config + field->offset);
        } else {
            report_unknown_key(reader, fields, key, is_variant);
        }
        reader_leave(reader, outside);
    }
    for (const struct field *f = fields; f && f->name; f++) {
        bool missing = !(given >> (f - fields) & 1);
        if (missing && f->flags & FIELD_REQUIRED) report_missing_key(reader, f);
        if (missing && f->kind == FIELD_VARIANT && f->word)
            variant_default(reader->arena, f->family, f->word, (struct variant *)((char *)config + f->offset));
    }
    if (fields && fields->name) *(uint64_t *)config = given;
}

static void read_object(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    if (json_is_object(value)) {
        read_struct(reader, field->fields, value, place, false);
    } else if (json_is_string(value) && field->word) {
        json_t *object = json_pack("{sO}", field->word, value);
        read_struct(reader, field->fields, object, place, false);
        json_decref(object);
    } else {
        reader_expected(reader, field->word ? "an object or a text" : "an object", value);
    }
}

bool variant_is_bare(const struct variant_type *type) { return type->fields && type->fields->name && !*type->fields->name; }

static const struct variant_type *find_type(const struct family *family, const char *name) {
    for (const struct variant_type *const *t = family->types; *t; t++)
        if (!variant_is_bare(*t) && !strcmp((*t)->name, name)) return *t;
    return NULL;
}

static const struct variant_type *find_bare_type(const struct family *family) {
    for (const struct variant_type *const *t = family->types; *t; t++)
        if (variant_is_bare(*t)) return *t;
    return NULL;
}

static void type_names(const struct family *family, const char *names[static MOST_NAMES]) {
    size_t count = 0;
    for (const struct variant_type *const *t = family->types; *t && count + 1 < MOST_NAMES; t++)
        if (!variant_is_bare(*t)) names[count++] = (*t)->name;
    names[count] = NULL;
}

const struct variant_type *variant_default(struct arena *arena, const struct family *family, const char *type, struct variant *out) {
    out->type = find_type(family, type);
    if (!out->type) return NULL;
    out->config = arena_allocate(arena, out->type->config_size);
    field_defaults(out->type->fields, out->config);
    return out->type;
}

/// The type that an object names, or NULL after a problem.
static const struct variant_type *read_type(struct reader *reader, const struct family *family, const json_t *object) {
    const char *names[MOST_NAMES];
    char list[LIST_SIZE];
    type_names(family, names);
    const json_t *value = json_object_get(object, "type");
    if (!value) {
        reader_problem(reader, "the key \"type\" is missing; a %s is one of %s", family->noun, text_join(names, list, sizeof list));
        return NULL;
    }
    size_t outside = reader_enter(reader, "type");
    const char *name = json_string_value(value);
    const struct variant_type *type = name ? find_type(family, name) : NULL;
    if (!name)
        reader_expected(reader, "a string", value);
    else if (!type)
        reader_unknown(reader, family->noun, name, names);
    reader_leave(reader, outside);
    return type;
}

static const struct variant_type *read_short_type(struct reader *reader, const struct family *family, const char *name) {
    const char *names[MOST_NAMES];
    type_names(family, names);
    const struct variant_type *type = find_type(family, name);
    if (!type) reader_unknown(reader, family->noun, name, names);
    return type;
}

static void read_variant(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    struct variant *variant = place;
    const struct family *family = field->family;
    const struct variant_type *type = NULL;
    size_t problems_before = reader_problem_count(reader);
    if (json_is_object(value))
        type = read_type(reader, family, value);
    else if (json_is_string(value))
        type = read_short_type(reader, family, json_string_value(value));
    else if (json_is_array(value) && find_bare_type(family))
        type = find_bare_type(family);
    else
        reader_expected(reader, find_bare_type(family) ? "an object, a name or a list" : "an object with a \"type\"", value);
    if (!type) return;
    variant->type = type;
    variant->config = arena_allocate(reader->arena, type->config_size);
    if (json_is_array(value)) {
        read_field(reader, type->fields, value, (char *)variant->config + type->fields->offset);
        *(uint64_t *)variant->config = 1;
    } else {
        read_struct(reader, type->fields, json_is_object(value) ? value : NULL, variant->config, true);
    }
    struct error error = {.kind = ERROR_NONE};
    if (reader_problem_count(reader) == problems_before && type->check && !type->check(variant->config, &error))
        problems_add_error(reader->problems, reader->text, pointer_of(reader), &error);
}

void read_field(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    static void (*const readers[])(struct reader *, const struct field *, const json_t *, void *) = {
        [FIELD_INTEGER] = read_integer,
        [FIELD_BOOLEAN] = read_boolean,
        [FIELD_CHOICE] = read_choice,
        [FIELD_TEXT] = read_string,
        [FIELD_NODE] = read_node,
        [FIELD_BYTES] = read_bytes,
        [FIELD_RATE] = read_rate,
        [FIELD_TIME] = read_time,
        [FIELD_INTEGERS] = read_integers,
        [FIELD_OBJECT] = read_object,
        [FIELD_LIST] = read_list,
        [FIELD_VARIANT] = read_variant,
        [FIELD_VARIANTS] = read_variants,
        [FIELD_LINK] = read_link,
        [FIELD_LINKS] = read_links,
        [FIELD_TIMES] = read_times,
        [FIELD_TEXTS] = read_texts,
        [FIELD_NODES] = read_nodes,
        [FIELD_SIZES] = read_sizes,
        [FIELD_MATRIX] = read_matrix,
        [FIELD_SCHEDULE] = read_schedule,
        [FIELD_TRACE] = read_trace,
        [FIELD_EXPRESSION] = read_expression,
        [FIELD_RANGE] = read_range,
        [FIELD_NAMES] = read_names,
        [FIELD_DECIMAL] = read_decimal,
    };
    readers[field->kind](reader, field, value, place);
}
