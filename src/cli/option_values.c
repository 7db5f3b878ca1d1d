#include "cli/option_values.h"

#include <string.h>

#include "algos/algorithm.h"
#include "base/text.h"
#include "cli/shorthand.h"
#include "scenario/link_presets.h"
#include "scenario/tables.h"

static void add_once(struct texts *texts, const char *text, const char *ending) {
    size_t length = strlen(text);
    for (size_t i = 0; i < texts->count; i++)
        if (!strncmp(texts->items[i], text, length) && !strcmp(texts->items[i] + length, ending)) return;
    texts_add(texts, "%s%s", text, ending);
}

/// The row of a dotted key, or NULL; below a variant it may be any type's.
static const struct field *find_key(const struct field *fields, const char *key) {
    char name[64];
    size_t length = strcspn(key, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, key);
    const struct field *field = field_find(fields, name), *found = NULL;
    if (!field || !key[length]) return field;
    if (field->kind == FIELD_OBJECT) return find_key(field->fields, key + length + 1);
    for (size_t i = 0; field->kind == FIELD_VARIANT && field->family->types[i] && !found; i++)
        if (field->family->types[i]->fields) found = find_key(field->family->types[i]->fields, key + length + 1);
    return found;
}

static void add_field_values(const struct field *field, struct texts *out) {
    for (const char *const *choice = field->kind == FIELD_CHOICE ? field->choices : NULL; choice && *choice; choice++)
        texts_add(out, "%s", *choice);
    if (field->kind == FIELD_BYTES && field->word) texts_add(out, "%s", field->word);
    for (size_t i = 0; field->kind == FIELD_VARIANT && field->family->types[i]; i++) {
        const struct variant_type *type = field->family->types[i];
        bool needs_more = false; // its name alone is not enough
        for (const struct field *f = type->fields; f && f->name; f++) needs_more = needs_more || (f->flags & FIELD_REQUIRED) || !*f->name;
        if (!needs_more) texts_add(out, "%s", type->name);
    }
}

static void add_collectives(struct texts *out) {
    for (const char *const *name = collective_names; *name; name++) texts_add(out, "%s", *name);
    for (const struct algorithm *const *algorithm = algorithms; *algorithm; algorithm++)
        texts_add(out, "%s:%s", collective_names[(*algorithm)->kind], (*algorithm)->name);
}

/// "auto|always|never"; a choice such as "top:N" goes on after its colon.
static void add_choices(const char *value, struct texts *out) {
    while (*value) {
        size_t length = strcspn(value, "|"), colon = strcspn(value, ":");
        texts_add(out, "%.*s", (int)(colon < length ? colon + 1 : length), value);
        value += length;
        value += *value == '|';
    }
}

/// "mapping=snake" where the values are known, else "ranks=".
static void add_assignments(struct texts *out) {
    struct texts keys = {0};
    scenario_keys(&keys);
    for (size_t k = 0; k < keys.count; k++) {
        struct texts values = {0};
        const struct field *field = find_key(scenario_fields, keys.items[k]);
        if (field) add_field_values(field, &values);
        for (size_t a = 0; algorithms[a] && !strcmp(keys.items[k], "workload.algorithm"); a++) add_once(&values, algorithms[a]->name, "");
        for (size_t v = 0; v < values.count; v++) texts_add(out, "%s=%s", keys.items[k], values.items[v]);
        if (values.count == 0) texts_add(out, "%s=", keys.items[k]);
        texts_free(&values);
    }
    texts_free(&keys);
}

void option_values(const struct option *option, struct texts *out) {
    const struct field *field = find_key(scenario_fields, option->key ? option->key : option->name);
    if (option->value && strchr(option->value, '|')) {
        add_choices(option->value, out);
    } else if (!strcmp(option->name, "topology")) {
        shorthand_shapes(out);
    } else if (!strcmp(option->name, "collective")) {
        add_collectives(out);
    } else if (!strcmp(option->name, "link") || !strcmp(option->name, "nic-link")) {
        for (const struct link_preset *preset = link_presets; preset->name; preset++) texts_add(out, "%s", preset->name);
    } else if (option->kind == OPTION_TEXTS) {
        add_assignments(out);
    } else if (field) {
        add_field_values(field, out);
    }
}

bool option_takes_path(const struct option *option) {
    return option->value && (!strcmp(option->value, "FILE") || !strcmp(option->value, "PATH"));
}

static void add_keys(const struct field *fields, const char *prefix, int depth, struct texts *out);

static void add_key(const struct field *field, const char *prefix, int depth, struct texts *out) {
    char key[160];
    snprintf(key, sizeof key, "%s%s", prefix, field->name);
    add_once(out, key, "");
    snprintf(key + strlen(key), sizeof key - strlen(key), ".");
    if (field->kind == FIELD_OBJECT) add_keys(field->fields, key, depth + 1, out);
    for (size_t i = 0; field->kind == FIELD_VARIANT && field->family->types[i]; i++)
        if (field->family->types[i]->fields) add_keys(field->family->types[i]->fields, key, depth + 1, out);
}

/// Variants in variants (a cluster's node) could go on for ever.
static void add_keys(const struct field *fields, const char *prefix, int depth, struct texts *out) {
    enum { DEPTH_MOST = 4 };
    for (; fields->name && depth < DEPTH_MOST; fields++)
        if (*fields->name && *fields->name != '$') add_key(fields, prefix, depth, out);
}

static size_t count_dots(const char *key) {
    size_t dots = 0;
    for (; *key; key++) dots += *key == '.';
    return dots;
}

char *scenario_key_ending(const char *name) {
    struct texts keys = {0};
    const char *found = NULL;
    scenario_keys(&keys);
    for (size_t i = 0; i < keys.count; i++) {
        const char *key = keys.items[i], *dot = strrchr(key, '.');
        if (text_distance(dot ? dot + 1 : key, name) != 0 || !strncmp(key, "system.", strlen("system."))) continue;
        if (!found || count_dots(key) < count_dots(found)) found = key;
    }
    char *copy = found && strchr(found, '.') ? text_format("%s", found) : NULL;
    texts_free(&keys);
    return copy;
}

void scenario_keys(struct texts *out) { add_keys(scenario_fields, "", 0, out); }
