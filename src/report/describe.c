#include "report/describe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void describe_value(const json_t *value, FILE *out);

static bool is_skipped(const char *key, const json_t *value, const char *const *skip) {
    bool empty = json_is_null(value) || (json_is_object(value) && json_object_size(value) == 0) ||
                 (json_is_array(value) && json_array_size(value) == 0);
    for (; skip && *skip; skip++)
        if (!strcmp(*skip, key)) return true;
    return empty || !strcmp(key, "type");
}

/// "45GB/s 1us": a link's members speak for themselves.
static bool is_link(const json_t *object) { return json_object_get(object, "bandwidth") && json_object_size(object) <= 3; }

static void describe_object(const json_t *object, const char *const *skip, FILE *out) {
    bool first, values_only = is_link(object);
    const json_t *type = json_object_get(object, "type"), *value;
    const char *type_name = json_string_value(type);
    const json_t *kind = type_name ? json_object_get(object, type_name) : NULL; // {"type": "collective", "collective": "barrier"}
    if (json_is_array(kind))
        fprintf(out, "%zu %s", json_array_size(kind), type_name);
    else if (type)
        describe_value(kind ? kind : type, out);
    first = !type;
    const char *key;
    json_object_foreach((json_t *)object, key, value) {
        if (is_skipped(key, value, skip) || value == kind) continue;
        if (!first) fputs(values_only ? " " : ", ", out);
        if (!values_only) fprintf(out, "%s ", key);
        describe_value(value, out);
        first = false;
    }
}

static void describe_array(const json_t *array, FILE *out) {
    enum { LISTED_MOST = 16 };
    size_t count = json_array_size(array);
    if (json_is_object(json_array_get(array, 0))) {
        fprintf(out, "%zu", count);
        return;
    }
    bool dims = count <= 6 && json_is_integer(json_array_get(array, 0));
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(dims ? "x" : ", ", out);
        if (i == LISTED_MOST) {
            fprintf(out, "… (%zu in all)", count);
            return;
        }
        describe_value(json_array_get(array, i), out);
    }
}

static void describe_value(const json_t *value, FILE *out) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        if (is_link(value)) {
            describe_object(value, NULL, out);
        } else {
            fputc('(', out);
            describe_object(value, NULL, out);
            fputc(')', out);
        }
        break;
    case JSON_ARRAY: describe_array(value, out); break;
    case JSON_STRING: fputs(json_string_value(value), out); break;
    case JSON_INTEGER: fprintf(out, "%lld", (long long)json_integer_value(value)); break;
    case JSON_REAL: fprintf(out, "%g", json_real_value(value)); break;
    case JSON_TRUE: fputs("yes", out); break;
    case JSON_FALSE: fputs("no", out); break;
    case JSON_NULL: break;
    }
}

char *describe_json(const json_t *value, const char *const *skip, char *out, size_t out_size) {
    static const char cut[] = "…";
    memset(out, 0, out_size);
    FILE *stream = fmemopen(out, out_size - sizeof cut, "w");
    if (!stream) return out;
    setvbuf(stream, NULL, _IONBF, 0);
    if (json_is_object(value))
        describe_object(value, skip, stream);
    else if (value)
        describe_value(value, stream);
    fclose(stream);
    if (strlen(out) + sizeof cut >= out_size - 1) strcpy(out + strlen(out), cut);
    return out;
}
