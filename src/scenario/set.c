#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "scenario/scenario.h"

/// Longer paths are a mistake, and a document nested without end could not be freed.
enum { LONGEST_PATH = 32 };

/// The value as JSON where it is some, else as a string.
static json_t *parse_value(const char *text) {
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    return value ? value : json_string(text);
}

static const char *kind_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_NULL: return "null";
    case JSON_TRUE:
    case JSON_FALSE: return "true or false";
    default: return "a number";
    }
}

static bool parse_index(const char *key, size_t *index) {
    char *end;
    if (*key < '0' || *key > '9') return false;
    unsigned long long value = strtoull(key, &end, 10);
    *index = (size_t)value;
    return !*end;
}

/// Puts `value` (taken over) under a key of an object or list; a list may grow by one.
static bool put(json_t *container, const char *key, json_t *value, struct error *err) {
    char shown[TEXT_QUOTE_SIZE];
    text_quote(key, shown);
    size_t index;
    if (json_is_object(container)) {
        return !json_object_set_new(container, key, value) || error_set(err, ERROR_INPUT, "the key %s is not UTF-8", shown);
    }
    size_t count = json_array_size(container);
    bool is_index = parse_index(key, &index);
    if (is_index && index < count) return !json_array_set_new(container, index, value);
    if (is_index && index == count) return !json_array_append_new(container, value);
    json_decref(value);
    return error_set(err, ERROR_INPUT, "%s is no place in a list of %zu; elements are numbered from 0", shown, count);
}

/// The object or list under a key of `container`, made if it is missing; NULL on error.
static json_t *enter(json_t *container, const char *key, struct error *err) {
    size_t index;
    json_t *inner = json_is_object(container)  ? json_object_get(container, key)
                    : parse_index(key, &index) ? json_array_get(container, index)
                                               : NULL;
    if (!inner) {
        inner = json_object();
        if (!put(container, key, inner, err)) return NULL;
    }
    if (json_is_object(inner) || json_is_array(inner)) return inner;
    char shown[TEXT_QUOTE_SIZE];
    error_set(err, ERROR_INPUT, "%s is %s, which holds no keys", text_quote(key, shown), kind_name(inner));
    return NULL;
}

/// Walks `path` (changed on the way) and sets its last key.
static bool set_path(json_t *document, char *path, const char *value, struct error *err) {
    json_t *container = document;
    for (int depth = 0; container; depth++) {
        char *dot = strchr(path, '.');
        if (dot) *dot = '\0';
        if (!*path) return error_set(err, ERROR_INPUT, "a key is empty; write network.chunk=64KiB");
        if (depth == LONGEST_PATH) return error_set(err, ERROR_INPUT, "more than %d keys", LONGEST_PATH);
        if (!dot) {
            json_t *parsed = parse_value(value);
            return parsed ? put(container, path, parsed, err) : error_set(err, ERROR_INPUT, "the value is not UTF-8");
        }
        container = enter(container, path, err);
        path = dot + 1;
    }
    return false;
}

bool scenario_set(json_t *document, const char *assignment, struct error *err) {
    const char *equals = strchr(assignment, '=');
    char shown[TEXT_QUOTE_SIZE];
    text_quote(assignment, shown);
    if (!equals) return error_set(err, ERROR_INPUT, "%s has no \"=\"; write network.chunk=64KiB", shown);
    if (!json_is_object(document)) return error_set(err, ERROR_INPUT, "%s: the scenario is no object", shown);
    char *path = allocate(strlen(assignment) + 1);
    strcpy(path, assignment);
    path[equals - assignment] = '\0';
    struct error inner = {.kind = ERROR_NONE};
    bool ok = set_path(document, path, equals + 1, &inner);
    free(path);
    return ok || error_set(err, ERROR_INPUT, "%s: %s", shown, inner.text);
}
