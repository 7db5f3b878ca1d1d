// The tables as JSON Schema: structs, variants and the document itself. A family of variants is one definition that others
// refer to, so that a sequence may hold sequences and a cluster's node be any topology.
#include "scenario/schema.h"

#include <stdio.h>
#include <string.h>

#include "algos/custom.h"
#include "scenario/reader.h"
#include "scenario/resolved.h"
#include "scenario/tables.h"
#include "workloads/collective.h"

static json_t *field_schema(json_t *definitions, const struct field *field);

/// The key of a variant's own definition, "topology-torus".
static const char *type_key(const struct family *family, const struct variant_type *type, char out[static 64]) {
    snprintf(out, 64, "%s-%s", family->noun, type->name);
    return out;
}

static void put_text(json_t *schema, const char *key, const char *text) {
    if (text) json_object_set_new(schema, key, json_string(text));
}

/// Title, description, default and example of a row. Some examples are shortened, and so no JSON.
static void annotate(json_t *schema, const struct field *field) {
    put_text(schema, "title", *field->name ? field->name : NULL);
    put_text(schema, "description", field->help);
    json_t *fallback = resolved_default(field);
    if (fallback) json_object_set_new(schema, "default", fallback);
    json_t *example = field->example ? json_loads(field->example, JSON_DECODE_ANY, NULL) : NULL;
    if (example) json_object_set_new(schema, "examples", json_pack("[o]", example));
}

static json_t *fields_schema(json_t *definitions, const struct field *fields) {
    json_t *properties = json_object(), *required = json_array();
    for (const struct field *f = fields; f && f->name; f++) {
        json_object_set_new(properties, f->name, field_schema(definitions, f));
        if (f->flags & FIELD_REQUIRED) json_array_append_new(required, json_string(f->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required, "additionalProperties",
                     false);
}

/// {"if": the property is that text, "then": …}
static json_t *when(const char *property, const char *value, json_t *then) {
    return json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:o}", "if", "properties", property, "const", value, "required", property, "then", then);
}

/// The algorithms of each collective.
static json_t *algorithms_by_collective(void) {
    json_t *rules = json_array();
    for (int kind = 0; collective_names[kind]; kind++) {
        json_t *names = json_pack("[s]", "auto");
        if (custom_algorithm((enum collective_kind)kind)) json_array_append_new(names, json_string("custom"));
        for (const struct algorithm *const *a = algorithms; *a; a++)
            if ((int)(*a)->kind == kind) json_array_append_new(names, json_string((*a)->name));
        json_t *then = json_pack("{s:{s:{s:o}}}", "properties", "algorithm", "enum", names);
        json_array_append_new(rules, when("collective", collective_names[kind], then));
    }
    return rules;
}

static json_t *type_schema(json_t *definitions, const struct variant_type *type) {
    json_t *schema = fields_schema(definitions, type->fields);
    json_t *properties = json_object_get(schema, "properties");
    json_t *ordered = json_pack("{s:{s:s}}", "type", "const", type->name);
    json_object_update(ordered, properties);
    json_object_set_new(schema, "properties", ordered);
    put_text(schema, "title", type->name);
    put_text(schema, "description", type->summary);
    if (type->fields == collective_fields) json_object_set_new(schema, "allOf", algorithms_by_collective());
    return schema;
}

static bool has_required(const struct field *fields) {
    for (const struct field *f = fields; f && f->name; f++)
        if (f->flags & FIELD_REQUIRED) return true;
    return false;
}

/// An object whose "type" decides which definition it follows.
static json_t *typed_object(const struct family *family) {
    json_t *names = json_array(), *rules = json_array();
    for (const struct variant_type *const *t = family->types; *t; t++) {
        char key[64];
        if (variant_is_bare(*t)) continue;
        json_array_append_new(names, json_string((*t)->name));
        json_array_append_new(rules, when("type", (*t)->name, schema_reference(type_key(family, *t, key))));
    }
    return json_pack("{s:s, s:{s:{s:o}}, s:[s], s:o}", "type", "object", "properties", "type", "enum", names, "required", "type", "allOf",
                     rules);
}

/// The types that may be written as their name alone.
static json_t *short_names(const struct family *family) {
    json_t *names = json_array();
    for (const struct variant_type *const *t = family->types; *t; t++)
        if (!variant_is_bare(*t) && !has_required((*t)->fields)) json_array_append_new(names, json_string((*t)->name));
    return names;
}

/// Defines a family and all its types, once.
static void define_family(json_t *definitions, const struct family *family) {
    if (json_object_get(definitions, family->noun)) return;
    json_t *schema = typed_object(family);
    json_object_set(definitions, family->noun, schema); // seen from now on
    json_t *ways = json_array(), *names = short_names(family);
    if (json_array_size(names)) json_array_append_new(ways, json_pack("{s:s, s:O}", "type", "string", "enum", names));
    json_decref(names);
    for (const struct variant_type *const *t = family->types; *t; t++) {
        char key[64];
        if (variant_is_bare(*t))
            json_array_append_new(ways, field_schema(definitions, (*t)->fields));
        else
            json_object_set_new(definitions, type_key(family, *t, key), type_schema(definitions, *t));
    }
    if (json_array_size(ways)) {
        json_array_append(ways, schema);
        json_object_set_new(definitions, family->noun, json_pack("{s:O}", "anyOf", ways));
    }
    json_decref(ways);
    json_decref(schema);
}

static json_t *variant_schema(json_t *definitions, const struct family *family) {
    define_family(definitions, family);
    return schema_reference(family->noun);
}

static json_t *object_schema(json_t *definitions, const struct field *field) {
    json_t *schema = fields_schema(definitions, field->fields);
    const struct field *bare = field->word ? field_find(field->fields, field->word) : NULL;
    if (!bare) return schema;
    return json_pack("{s:[o, o]}", "anyOf", field_schema(definitions, bare), schema);
}

static json_t *list_schema(const struct field *field, json_t *items) {
    json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", items);
    if (field->min > 0) json_object_set_new(schema, "minItems", json_integer(field->min));
    if (field->max > 0) json_object_set_new(schema, "maxItems", json_integer(field->max));
    return schema;
}

/// A count, or a list of named ones.
static json_t *nodes_schema(json_t *definitions, const struct field *field) {
    long long min = field->max > 0 ? field->min : 1, max = field->max > 0 ? field->max : MOST_COUNTED_NODES;
    json_t *count = json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", min, "maximum", max);
    return json_pack("{s:[o, o]}", "anyOf", count, list_schema(field, fields_schema(definitions, node_fields)));
}

static json_t *field_schema(json_t *definitions, const struct field *field) {
    json_t *schema = schema_value(field);
    if (field->kind == FIELD_OBJECT) schema = object_schema(definitions, field);
    if (field->kind == FIELD_LIST) schema = list_schema(field, fields_schema(definitions, field->fields));
    if (field->kind == FIELD_NODES) schema = nodes_schema(definitions, field);
    if (field->kind == FIELD_VARIANT) schema = variant_schema(definitions, field->family);
    if (field->kind == FIELD_VARIANTS) schema = list_schema(field, variant_schema(definitions, field->family));
    annotate(schema, field);
    return schema;
}

/// A preset's name, or a rate with one of "latency" and "alpha".
static json_t *link_schema(json_t *definitions) {
    json_t *object = fields_schema(definitions, link_fields);
    json_object_set_new(object, "oneOf", json_pack("[{s:[s]}, {s:[s]}]", "required", "latency", "required", "alpha"));
    return json_pack("{s:s, s:[o, o]}", "description", "a preset's name, or figures", "anyOf", schema_reference("link-preset"), object);
}

/// A part of a topology: some keys of any type, since which they are depends on the system; or another one, whole.
static json_t *partial_topology(json_t *complete) {
    json_t *names = json_array();
    for (const struct variant_type *const *t = topology_family.types; *t; t++) {
        for (const struct field *f = (*t)->fields; f && f->name; f++) {
            bool known = false;
            for (size_t i = 0; i < json_array_size(names); i++) known |= !strcmp(json_string_value(json_array_get(names, i)), f->name);
            if (!known) json_array_append_new(names, json_string(f->name));
        }
    }
    return json_pack("{s:{s:[s]}, s:O, s:{s:s, s:{s:o}}}", "if", "required", "type", "then", complete, "else", "type", "object",
                     "propertyNames", "enum", names);
}

/// With a system the network may be left out, and be given in part: what it needs without one stands in "else".
static void need_network_or_system(json_t *schema) {
    json_t *network = json_object_get(json_object_get(schema, "properties"), "network");
    json_t *topology = json_object_get(json_object_get(network, "properties"), "topology");
    json_t *complete = json_copy(topology);
    json_object_del(topology, "$ref");
    json_object_del(network, "required");
    json_object_del(schema, "required");
    json_object_set_new(schema, "required", json_pack("[s]", "workload"));
    json_object_set_new(schema, "if", json_pack("{s:[s]}", "required", "system"));
    json_object_set_new(schema, "then",
                        json_pack("{s:{s:{s:{s:o}}}}", "properties", "network", "properties", "topology", partial_topology(complete)));
    json_object_set_new(schema, "else",
                        json_pack("{s:[s], s:{s:{s:[s], s:{s:o}}}}", "required", "network", "properties", "network", "required", "topology",
                                  "properties", "topology", complete));
}

json_t *scenario_schema(void) {
    json_t *definitions = json_object();
    schema_define_values(definitions);
    json_object_set_new(definitions, "link", link_schema(definitions));
    json_t *schema = json_pack("{s:s, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title", "weft scenario",
                               "description", "one experiment: a network, ranks on it, and what they do");
    json_t *document = fields_schema(definitions, scenario_fields);
    json_object_update(schema, document);
    json_decref(document);
    need_network_or_system(schema);
    json_object_set_new(schema, "$defs", definitions);
    return schema;
}
