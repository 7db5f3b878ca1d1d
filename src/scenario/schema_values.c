// Rows that hold single values, as JSON Schema.
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "scenario/link_presets.h"
#include "scenario/schema.h"
#include "scenario/tables.h"

json_t *schema_reference(const char *name) {
    char pointer[96];
    snprintf(pointer, sizeof pointer, "#/$defs/%s", name);
    return json_pack("{s:s}", "$ref", pointer);
}

/// A list of names that ends with NULL, as a JSON array.
static json_t *name_list(const char *const *names) {
    json_t *list = json_array();
    for (; *names; names++) json_array_append_new(list, json_string(*names));
    return list;
}

static json_t *of_type(const char *type) { return json_pack("{s:s}", "type", type); }

/// The first schema or the second.
static json_t *either(json_t *first, json_t *second) { return json_pack("{s:[o, o]}", "anyOf", first, second); }

/// A number between limits, which are divided by `unit`; no limits where both are 0, as the reader has it.
static json_t *number(const char *type, int64_t min, int64_t max, int64_t unit) {
    json_t *schema = of_type(type);
    if (min == 0 && max == 0) return schema;
    json_object_set_new(schema, "minimum", min % unit ? json_real((double)min / (double)unit) : json_integer(min / unit));
    if (max < INT64_MAX)
        json_object_set_new(schema, "maximum", max % unit ? json_real((double)max / (double)unit) : json_integer(max / unit));
    return schema;
}

static json_t *list_of(const struct field *field, json_t *items) {
    json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", items);
    if (field->min > 0) json_object_set_new(schema, "minItems", json_integer(field->min));
    if (field->max > 0) json_object_set_new(schema, "maxItems", json_integer(field->max));
    return schema;
}

/// A quantity; above 0 where the row's least is.
static json_t *quantity(const struct field *field, const char *definition) {
    json_t *schema = schema_reference(definition);
    if (field->max > 0 && field->min > 0) json_object_set_new(schema, "pattern", json_string("^[0-9.]*[1-9]"));
    return field->word ? either(json_pack("{s:s}", "const", field->word), schema) : schema;
}

static json_t *text(const struct field *field) {
    json_t *schema = of_type("string");
    if (!field->known) return schema;
    json_t *names = json_array();
    for (size_t i = 0; field->known(i); i++) json_array_append_new(names, json_string(field->known(i)));
    json_object_set_new(schema, "enum", names);
    return schema;
}

static json_t *times(void) {
    return json_pack("{s:s, s:{s:s}, s:o}", "type", "object", "propertyNames", "pattern", "^(0|[1-9][0-9]{0,9})$", "additionalProperties",
                     schema_reference("time"));
}

/// Of sizes, or of plain integers where the field has a range.
static json_t *matrix(const struct field *field) {
    json_t *item = field->max > 0 ? number("integer", field->min, field->max, 1) : schema_reference("size");
    json_t *row = json_pack("{s:s, s:o}", "type", "array", "items", item);
    return either(of_type("string"), json_pack("{s:s, s:o}", "type", "array", "items", row));
}

json_t *schema_value(const struct field *field) {
    switch (field->kind) {
    case FIELD_INTEGER: return number("integer", field->min, field->max, 1);
    case FIELD_DECIMAL: return number("number", field->min, field->max, MILLION);
    case FIELD_BOOLEAN: return of_type("boolean");
    case FIELD_CHOICE: return json_pack("{s:s, s:o}", "type", "string", "enum", name_list(field->choices));
    case FIELD_TEXT: return text(field);
    case FIELD_SCHEDULE:
    case FIELD_TRACE: return of_type("string");
    case FIELD_NODE: return schema_reference("node");
    case FIELD_BYTES: return quantity(field, "size");
    case FIELD_RATE: return quantity(field, "rate");
    case FIELD_TIME: return quantity(field, "time");
    case FIELD_INTEGERS: return json_pack("{s:s, s:o}", "type", "array", "items", number("integer", field->min, field->max, 1));
    case FIELD_LINK: return schema_reference("link");
    case FIELD_LINKS: return list_of(field, schema_reference("link"));
    case FIELD_TIMES: return times();
    case FIELD_TEXTS: return list_of(field, of_type("string"));
    case FIELD_SIZES: return list_of(field, schema_reference("size"));
    case FIELD_MATRIX: return matrix(field);
    default: return NULL;
    }
}

/// "^NUMBER(B|KB|…)$"
static json_t *quantity_pattern(const char *(*unit)(size_t), const char *lookahead) {
    char pattern[512];
    size_t used = (size_t)snprintf(pattern, sizeof pattern, "^%s[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?(", lookahead);
    for (size_t i = 0; unit(i); i++) used += (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%s", i ? "|" : "", unit(i));
    snprintf(pattern + used, sizeof pattern - used, ")$");
    return json_string(pattern);
}

static json_t *define_quantity(const char *description, json_t *pattern, const char *example, const char *other) {
    enum { LONGEST_TEXT = 100 };
    return json_pack("{s:s, s:s, s:i, s:o, s:[s, s]}", "type", "string", "description", description, "maxLength", LONGEST_TEXT, "pattern",
                     pattern, "examples", example, other);
}

static json_t *preset_names(void) {
    json_t *names = json_array();
    for (const struct link_preset *preset = link_presets; preset->name; preset++) json_array_append_new(names, json_string(preset->name));
    return names;
}

void schema_define_values(json_t *definitions) {
    json_object_set_new(definitions, "size",
                        define_quantity("bytes: a number and B, KB … TB (powers of 1000) or KiB … TiB (of 1024)",
                                        quantity_pattern(bytes_unit, ""), "64KiB", "1.5MB"));
    json_object_set_new(
        definitions, "rate",
        define_quantity("bytes (B) or bits (b) per second", quantity_pattern(rate_unit, "(?=[0-9.]*[1-9])"), "45GB/s", "400Gbps"));
    json_object_set_new(definitions, "time",
                        define_quantity("a number and fs, ps, ns, us, ms or s", quantity_pattern(time_unit, ""), "1.5us", "20ns"));
    json_t *named = json_pack("{s:s, s:i}", "type", "string", "minLength", 1), *numbered = number("integer", 0, INT64_MAX, 1);
    json_object_set_new(definitions, "node",
                        json_pack("{s:s, s:[o, o]}", "description", "a node by number or name", "anyOf", numbered, named));
    json_object_set_new(definitions, "link-preset",
                        json_pack("{s:s, s:s, s:o}", "description", "a link whose figures and sources \"weft presets\" prints", "type",
                                  "string", "enum", preset_names()));
}
