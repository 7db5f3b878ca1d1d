#include "cli/vary_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scenario/auto.h"

static bool is_all(const struct vary_axis *axis, size_t value) {
    return !strcmp(axis->key, "workload.algorithm") && !strcmp(axis->values[value].text, "all");
}

/// The axis with "all", or NULL.
static struct vary_axis *find_axis(const struct vary *vary) {
    for (size_t a = 0; a < vary->count; a++)
        for (size_t v = 0; v < vary->axes[a].count; v++)
            if (is_all(&vary->axes[a], v)) return &vary->axes[a];
    return NULL;
}

/// The scenario with every other axis at its first value and any algorithm allowed.
static bool load(const struct vary *vary, const struct vary_axis *axis, const struct source *source, FILE *messages, struct loaded *out) {
    struct texts assignments = {0};
    for (size_t a = 0; a < vary->count; a++) {
        const struct vary_axis *other = &vary->axes[a];
        bool plain = other != axis && other->values[0].seeds == 0;
        if (plain) texts_add(&assignments, "%s=%s", other->key, other->values[0].text);
    }
    texts_add(&assignments, "%s=auto", axis->key);
    bool good = source_load(source, &assignments, messages, out);
    texts_free(&assignments);
    return good;
}

static void replace(struct vary_axis *axis, const struct algorithm *const *names, size_t count) {
    struct vary_axis old = *axis;
    axis->values = NULL;
    axis->count = axis->capacity = 0;
    for (size_t v = 0; v < old.count; v++) {
        if (!is_all(&old, v)) {
            vary_add_value(axis, old.values[v].text);
            continue;
        }
        for (size_t i = 0; i < count; i++) vary_add_value(axis, names[i]->name);
    }
    for (size_t v = 0; v < old.count; v++) free(old.values[v].text);
    free(old.values);
}

bool vary_expand_all(struct vary *vary, const struct source *source, FILE *messages) {
    struct vary_axis *axis = find_axis(vary);
    struct loaded loaded;
    if (!axis) return true;
    if (!load(vary, axis, source, messages, &loaded)) return false;
    const struct variant *workload = &loaded.scenario->workload;
    bool good = workload->type->fields == collective_fields;
    if (good) {
        size_t most = 0;
        while (algorithms[most]) most++;
        const struct algorithm **names = allocate(most * sizeof *names);
        replace(axis, names, auto_candidates(&loaded.experiment, workload->config, names));
        free(names);
    } else {
        fputs("weft: --vary workload.algorithm=all needs a workload that is one collective\n", messages);
    }
    loaded_free(&loaded);
    return good;
}
