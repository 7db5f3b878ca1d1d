// Rows that hold several values.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/reader.h"
#include "scenario/tables.h"

static bool count_allowed(struct reader *reader, const struct field *field, size_t count) {
    long long min = (long long)field->min, max = (long long)field->max;
    if (max > 0 && (long long)count > max)
        reader_problem(reader, "a list of %zu; at most %lld are allowed", count, max);
    else if (min > 0 && (long long)count < min)
        reader_problem(reader, "a list of %zu; at least %lld are needed", count, min);
    else
        return true;
    return false;
}

/// Reads every item of a list by `item_field` into records of `item_size` bytes.
static void read_items(struct reader *reader, const struct field *field, const struct field *item_field, size_t item_size,
                       const json_t *value, struct records *out) {
    size_t count = json_array_size(value);
    if (!count_allowed(reader, field, count)) return;
    out->items = arena_allocate(reader->arena, count * item_size);
    out->count = count;
    for (size_t i = 0; i < count; i++) {
        size_t outside = reader_enter_index(reader, i);
        read_field(reader, item_field, json_array_get(value, i), (char *)out->items + i * item_size);
        reader_leave(reader, outside);
    }
}

static void read_records(struct reader *reader, const struct field *field, const struct field *item_field, size_t item_size,
                         const json_t *value, void *place) {
    if (json_is_array(value))
        read_items(reader, field, item_field, item_size, value, place);
    else
        reader_expected(reader, "a list", value);
}

void read_list(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    const struct field item = {.kind = FIELD_OBJECT, .fields = field->fields};
    read_records(reader, field, &item, field->item_size, value, place);
}

void read_variants(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    const struct field item = {.kind = FIELD_VARIANT, .family = field->family};
    read_records(reader, field, &item, sizeof(struct variant), value, place);
}

void read_links(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    const struct field item = {.kind = FIELD_LINK};
    read_records(reader, field, &item, sizeof(struct link_config), value, place);
}

void read_texts(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    const struct field item = {.kind = FIELD_TEXT};
    read_records(reader, field, &item, sizeof(const char *), value, place);
}

void read_sizes(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    const struct field item = {.kind = FIELD_BYTES};
    read_records(reader, field, &item, sizeof(int64_t), value, place);
}

void read_integers(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    if (!json_is_array(value)) {
        reader_expected(reader, "a list of integers", value);
        return;
    }
    const struct field item = {.kind = FIELD_INTEGER, .min = field->min, .max = field->max};
    const struct field any_count = {.kind = FIELD_INTEGERS};
    struct records records = {.count = 0};
    read_items(reader, &any_count, &item, sizeof(int64_t), value, &records);
    *(struct integers *)place = (struct integers){records.count, records.items};
}

/// The rank that a key such as "3" names; -1 where it is no number, or written in another way than the usual one.
static int64_t rank_of_key(const char *key) {
    size_t digits = strspn(key, "0123456789");
    if (!digits || key[digits] || digits > 10 || (digits > 1 && *key == '0')) return -1;
    return strtoll(key, NULL, 10);
}

void read_times(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    if (!json_is_object(value)) {
        reader_expected(reader, "an object such as {\"3\": \"5ms\"}", value);
        return;
    }
    const struct field item = {.kind = FIELD_TIME, .min = field->min, .max = field->max};
    struct records *out = place;
    struct rank_time *times = arena_allocate(reader->arena, json_object_size(value) * sizeof *times);
    const char *key;
    json_t *time;
    json_object_foreach((json_t *)value, key, time) {
        size_t outside = reader_enter(reader, key);
        char shown[TEXT_QUOTE_SIZE];
        times[out->count].rank = rank_of_key(key);
        if (times[out->count].rank < 0)
            reader_key_problem(reader, "the key %s is no rank; ranks are numbered from 0", text_quote(key, shown));
        read_time(reader, &item, time, &times[out->count++].ticks);
        reader_leave(reader, outside);
    }
    out->items = times;
}

/// One entry of a list of nodes, as the tables describe it.
struct named_node {
    uint64_t given;
    const char *name;
    int kind;
};

static const char *const node_kinds[] = {"endpoint", "switch", NULL};

const struct field node_fields[] = {
    {.name = "name", .kind = FIELD_TEXT, .offset = offsetof(struct named_node, name), .flags = FIELD_REQUIRED, .example = "\"gpu0\""},
    {.name = "kind", .kind = FIELD_CHOICE, .offset = offsetof(struct named_node, kind), .choices = node_kinds},
    {.name = NULL},
};

static void read_node_list(struct reader *reader, const struct field *field, const json_t *value, struct records *out) {
    const struct field item = {.kind = FIELD_OBJECT, .fields = node_fields};
    struct records named = {.count = 0};
    read_items(reader, field, &item, sizeof(struct named_node), value, &named);
    struct node_config *nodes = arena_allocate(reader->arena, named.count * sizeof *nodes);
    const struct named_node *read = named.items;
    for (size_t i = 0; i < named.count; i++) nodes[i] = (struct node_config){read[i].name, read[i].kind == 1};
    *out = (struct records){named.count, nodes};
}

void read_nodes(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    struct records *out = place;
    if (json_is_array(value)) {
        read_node_list(reader, field, value, out);
        return;
    }
    const struct field count_field = {
        .kind = FIELD_INTEGER, .min = field->max > 0 ? field->min : 1, .max = field->max > 0 ? field->max : MOST_COUNTED_NODES};
    int64_t count = 0;
    if (json_is_integer(value))
        read_integer(reader, &count_field, value, &count);
    else
        reader_expected(reader, "a number of nodes, or a list of them", value);
    *out = (struct records){(size_t)count, arena_allocate(reader->arena, (size_t)count * sizeof(struct node_config))};
}
