#include "scenario/expand_system.h"

#include <stdlib.h>

#include "systems/system.h"

/// Puts the keys of `over` into `base`, object by object; an object that has a "type" is another thing and replaces all.
static void merge(json_t *base, const json_t *over) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)over, key, value) {
        json_t *below = json_object_get(base, key);
        if (json_is_object(below) && json_is_object(value) && !json_object_get(value, "type"))
            merge(below, value);
        else
            json_object_set(base, key, value);
    }
}

/// The variant that a value of "system" describes, its problems unread; false where it has any.
static bool read_system(const struct reader *outer, const json_t *value, struct variant *out) {
    struct problems problems = {0};
    struct reader reader = {.problems = &problems, .arena = outer->arena, .ticks_per_s = outer->ticks_per_s};
    const struct field row = {.kind = FIELD_VARIANT, .family = &system_family};
    read_field(&reader, &row, value, out);
    bool good = problems.count == 0;
    free(reader.pointer);
    problems_free(&problems);
    return good;
}

static json_t *parse(const char *text) {
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    if (!document) fatal("a system's text is no JSON: %s", error.text);
    return document;
}

json_t *expand_system(const struct reader *reader, json_t *document) {
    const json_t *value = json_object_get(document, "system");
    if (!value) return json_incref(document);
    struct variant system = {0};
    json_t *expanded;
    if (read_system(reader, value, &system)) {
        char *text = ((const struct system_type *)system.type)->expand(system.config);
        expanded = parse(text);
        free(text);
        merge(expanded, document);
    } else {
        expanded = json_copy(document);
        json_object_set_new(expanded, "network",
                            parse("{\"topology\": {\"type\": \"switch\", \"endpoints\": 1, "
                                  "\"link\": {\"bandwidth\": \"1GB/s\", \"latency\": \"0s\"}}}"));
    }
    return expanded;
}
