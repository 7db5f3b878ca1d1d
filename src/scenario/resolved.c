// The tables read backwards: structs to JSON.
#include "scenario/resolved.h"

#include <stdlib.h>
#include <string.h>

#include "algos/custom.h"
#include "base/units.h"
#include "scenario/reader.h"
#include "scenario/tables.h"
#include "workloads/requests.h"

static json_t *write_struct(const struct field *fields, const void *config, int64_t ticks_per_s);

static json_t *write_bytes(int64_t bytes) {
    char text[QUANTITY_SIZE];
    return json_string(format_bytes_exact(bytes, text));
}

static json_t *write_rate(int64_t bytes_per_s) {
    char text[QUANTITY_SIZE];
    return json_string(format_rate_exact(bytes_per_s, text));
}

static json_t *write_time(int64_t ticks, int64_t ticks_per_s) {
    char text[QUANTITY_SIZE];
    return json_string(format_time_exact(ticks, ticks_per_s, text));
}

static json_t *write_decimal(int64_t millionths) {
    return millionths % MILLION ? json_real((double)millionths / (double)MILLION) : json_integer(millionths / MILLION);
}

static json_t *write_link(const struct link_config *link, int64_t ticks_per_s) {
    if (link->preset) return json_string(link->preset);
    json_t *object = json_object();
    json_object_set_new(object, "bandwidth", write_rate(link->bandwidth_bytes_per_s));
    // An alpha that was odd in ticks comes back one tick longer: its half is the same.
    __int128 alpha_ticks = (__int128)link->latency_ticks * 2;
    if (alpha_ticks > INT64_MAX) alpha_ticks = INT64_MAX;
    json_object_set_new(object, link->from_alpha ? "alpha" : "latency",
                        write_time(link->from_alpha ? (int64_t)alpha_ticks : link->latency_ticks, ticks_per_s));
    return object;
}

/// A node by number as a number, so that it looks as users write it.
static json_t *write_node(const char *name) {
    size_t length = strlen(name);
    bool is_number = length < 10 && strspn(name, "0123456789") == length && (*name != '0' || length == 1);
    return is_number ? json_integer(strtol(name, NULL, 10)) : json_string(name);
}

/// Some kinds of a variant refuse keys of others (a barrier has no size): a default that the check would not accept in
/// the user's hand is left out.
static void drop_refused_defaults(const struct variant *variant, json_t *object) {
    const struct variant_type *type = variant->type;
    if (!type->check || !type->fields) return;
    uint64_t *config = allocate(type->config_size);
    memcpy(config, variant->config, type->config_size);
    for (const struct field *f = type->fields; f->name; f++) {
        uint64_t given = *config, bit = UINT64_C(1) << (f - type->fields);
        if (given & bit || !json_object_get(object, f->name)) continue;
        *config |= bit;
        struct error error = {.kind = ERROR_NONE};
        if (type->check(config, &error)) continue;
        *config = given;
        json_object_del(object, f->name);
    }
    free(config);
}

static json_t *write_variant(const struct variant *variant, int64_t ticks_per_s) {
    json_t *fields = write_struct(variant->type->fields, variant->config, ticks_per_s);
    if (variant_is_bare(variant->type)) {
        json_t *bare = json_incref(json_object_get(fields, ""));
        json_decref(fields);
        return bare;
    }
    drop_refused_defaults(variant, fields);
    json_t *object = json_string(variant->type->name);
    if (json_object_size(fields)) {
        object = json_pack("{s:o}", "type", object);
        json_object_update(object, fields);
    }
    json_decref(fields);
    return object;
}

static json_t *write_integers(const struct integers *integers) {
    json_t *list = json_array();
    for (size_t i = 0; i < integers->count; i++) json_array_append_new(list, json_integer(integers->values[i]));
    return list;
}

static json_t *write_times(const struct records *records, int64_t ticks_per_s) {
    const struct rank_time *times = records->items;
    json_t *object = json_object();
    for (size_t i = 0; i < records->count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)times[i].rank);
        json_object_set_new(object, key, write_time(times[i].ticks, ticks_per_s));
    }
    return object;
}

static json_t *write_nodes(const struct records *records) {
    const struct node_config *nodes = records->items;
    if (records->count && !nodes[0].name) return json_integer((json_int_t)records->count);
    json_t *list = json_array();
    for (size_t i = 0; i < records->count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", nodes[i].name, "kind", nodes[i].is_switch ? "switch" : "endpoint"));
    return list;
}

static json_t *write_matrix(const struct field *field, const struct matrix *matrix) {
    if (matrix->file) return json_string(matrix->file);
    json_t *rows = json_array();
    for (size_t i = 0; i < matrix->rows; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < matrix->columns; j++) {
            int64_t value = matrix->values[i * matrix->columns + j];
            json_array_append_new(row, field->max > 0 ? json_integer(value) : write_bytes(value));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static size_t item_size(const struct field *field) {
    switch (field->kind) {
    case FIELD_VARIANTS: return sizeof(struct variant);
    case FIELD_LINKS: return sizeof(struct link_config);
    case FIELD_TEXTS: return sizeof(const char *);
    case FIELD_SIZES: return sizeof(int64_t);
    default: return field->item_size;
    }
}

static json_t *write_records(const struct field *field, const struct records *records, int64_t ticks_per_s) {
    json_t *list = json_array();
    for (size_t i = 0; i < records->count; i++) {
        const void *item = (const char *)records->items + i * item_size(field);
        json_t *value = field->kind == FIELD_LIST       ? write_struct(field->fields, item, ticks_per_s)
                        : field->kind == FIELD_VARIANTS ? write_variant(item, ticks_per_s)
                        : field->kind == FIELD_LINKS    ? write_link(item, ticks_per_s)
                        : field->kind == FIELD_SIZES    ? write_bytes(*(const int64_t *)item)
                                                        : json_string(*(const char *const *)item);
        json_array_append_new(list, value);
    }
    return list;
}

static bool needs_keys(const struct field *fields) {
    for (const struct field *f = fields; f && f->name; f++)
        if (f->flags & FIELD_REQUIRED) return true;
    return false;
}

/// Whether the row holds anything that can be written: what is absent by default has a value that no user could write.
static bool is_present(const struct field *field, const void *place) {
    bool limited = field->min != field->max;
    switch (field->kind) {
    case FIELD_INTEGER:
    case FIELD_DECIMAL: return !limited || (*(const int64_t *)place >= field->min && *(const int64_t *)place <= field->max);
    case FIELD_BYTES: return *(const int64_t *)place >= 0;
    case FIELD_TIME: return *(const int64_t *)place >= 0;
    case FIELD_RATE: return *(const int64_t *)place > 0;
    case FIELD_TEXT:
    case FIELD_NODE: return *(const char *const *)place != NULL;
    case FIELD_VARIANT: return ((const struct variant *)place)->type != NULL;
    case FIELD_LINK: return ((const struct link_config *)place)->bandwidth_bytes_per_s > 0;
    case FIELD_INTEGERS: return ((const struct integers *)place)->count > 0;
    case FIELD_MATRIX: return ((const struct matrix *)place)->rows > 0 || ((const struct matrix *)place)->file;
    case FIELD_TRACE: return *(const struct request_trace *const *)place != NULL;
    case FIELD_SCHEDULE: return *(const struct custom_schedule *const *)place != NULL;
    case FIELD_BOOLEAN:
    case FIELD_CHOICE: return true;
    case FIELD_OBJECT: return !needs_keys(field->fields) || *(const uint64_t *)place != 0;
    default: return ((const struct records *)place)->count > 0;
    }
}

static json_t *write_field(const struct field *field, const void *place, int64_t ticks_per_s) {
    switch (field->kind) {
    case FIELD_INTEGER: return json_integer(*(const int64_t *)place);
    case FIELD_DECIMAL: return write_decimal(*(const int64_t *)place);
    case FIELD_BOOLEAN: return json_boolean(*(const bool *)place);
    case FIELD_CHOICE: return json_string(field->choices[*(const int *)place]);
    case FIELD_TEXT: return json_string(*(const char *const *)place);
    case FIELD_NODE: return write_node(*(const char *const *)place);
    case FIELD_BYTES: return field->word && !*(const int64_t *)place ? json_string(field->word) : write_bytes(*(const int64_t *)place);
    case FIELD_RATE: return write_rate(*(const int64_t *)place);
    case FIELD_TIME: return write_time(*(const int64_t *)place, ticks_per_s);
    case FIELD_INTEGERS: return write_integers(place);
    case FIELD_OBJECT: return write_struct(field->fields, place, ticks_per_s);
    case FIELD_VARIANT: return write_variant(place, ticks_per_s);
    case FIELD_LINK: return write_link(place, ticks_per_s);
    case FIELD_TIMES: return write_times(place, ticks_per_s);
    case FIELD_NODES: return write_nodes(place);
    case FIELD_MATRIX: return write_matrix(field, place);
    case FIELD_TRACE: return json_string((*(const struct request_trace *const *)place)->file);
    case FIELD_SCHEDULE: return json_string((*(const struct custom_schedule *const *)place)->file);
    default: return write_records(field, place, ticks_per_s);
    }
}

static bool is_given(const struct field *fields, const struct field *field, const void *config) {
    return *(const uint64_t *)config >> (field - fields) & 1;
}

static json_t *write_struct(const struct field *fields, const void *config, int64_t ticks_per_s) {
    json_t *object = json_object();
    for (const struct field *f = fields; f && f->name; f++) {
        const void *place = (const char *)config + f->offset;
        bool given = is_given(fields, f, config);
        if (!given && !is_present(f, place)) continue;
        json_t *value = write_field(f, place, ticks_per_s);
        if (given || f->kind != FIELD_OBJECT || json_object_size(value) > 0)
            json_object_set_new(object, f->name, value);
        else
            json_decref(value);
    }
    return object;
}

json_t *resolved_default(const struct field *field) {
    if (field->kind == FIELD_VARIANT) return field->word ? json_string(field->word) : NULL;
    bool single = field->kind == FIELD_INTEGER || field->kind == FIELD_DECIMAL || field->kind == FIELD_BOOLEAN ||
                  field->kind == FIELD_CHOICE || field->kind == FIELD_BYTES || field->kind == FIELD_TIME;
    // a time means different ticks on different clocks, but for 0
    bool known = field->kind != FIELD_TIME || field->fallback == 0;
    if (!single || !known || field->flags & FIELD_REQUIRED) return NULL;
    union {
        int64_t number;
        struct records records; // the largest that is_present may look at, so that compilers see room for it
        struct matrix matrix;
        struct link_config link;
    } place = {0};
    struct field row[2] = {*field};
    row[0].offset = 0;
    field_defaults(row, &place);
    return is_present(field, &place) ? write_field(field, &place, TICKS_PER_S_FS) : NULL;
}

json_t *scenario_resolved(const struct scenario *scenario) { return write_struct(scenario_fields, scenario, scenario->ticks_per_s); }
