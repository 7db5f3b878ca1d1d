#include "cli/vary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/vary_range.h"

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(allocate(size), text, size);
}

static void add_value(struct vary_axis *axis, const char *text, int64_t seeds) {
    ARRAY_RESERVE(axis->values, axis->capacity, axis->count + 1);
    axis->values[axis->count++] = (struct vary_value){copy_text(text), seeds};
}

/// "random:20" of the mapping: its seeds 1 … 20. Other values have no seeds.
static bool read_seeds(const struct vary_axis *axis, const char *text, int64_t *seeds, struct error *err) {
    static const char random[] = "random:";
    enum { SEEDS_MOST = 10000 };
    *seeds = 0;
    if (strcmp(axis->key, "mapping") || strncmp(text, random, strlen(random))) return true;
    char *end;
    errno = 0;
    *seeds = strtoll(text + strlen(random), &end, 10);
    if (!errno && !*end && *seeds >= 1 && *seeds <= SEEDS_MOST) return true;
    return error_set(err, ERROR_INPUT, "--vary: \"%s\": the number of seeds must be between 1 and %d", text, SEEDS_MOST);
}

void vary_add_value(struct vary_axis *axis, const char *text) { add_value(axis, text, 0); }

static bool add_values(struct vary_axis *axis, const char *text, struct error *err) {
    if (is_range(text)) {
        struct texts range = {0};
        bool good = range_expand(text, &range, err);
        for (size_t i = 0; good && i < range.count; i++) add_value(axis, range.items[i], 0);
        texts_free(&range);
        return good;
    }
    int64_t seeds;
    if (!*text) return error_set(err, ERROR_INPUT, "--vary %s: a value is empty", axis->key);
    if (!read_seeds(axis, text, &seeds, err)) return false;
    add_value(axis, text, seeds);
    return true;
}

static bool parse_axis(const char *text, struct vary_axis *axis, struct error *err) {
    size_t length = strcspn(text, "=");
    if (!length || !text[length])
        return error_set(err, ERROR_INPUT, "--vary: \"%s\" is not KEY=VALUE,VALUE… (for example mapping=snake,linear)", text);
    axis->key = copy_text(text);
    axis->key[length] = '\0';
    struct texts parts = {0};
    bool good = true;
    texts_add_split(&parts, text + length + 1);
    for (size_t i = 0; good && i < parts.count; i++) good = add_values(axis, parts.items[i], err);
    texts_free(&parts);
    return good;
}

bool vary_parse(const struct texts *texts, struct vary *out, struct error *err) {
    *out = (struct vary){.axes = allocate_zeroed(texts->count, sizeof *out->axes)};
    size_t points = 1;
    for (size_t i = 0; i < texts->count; i++) {
        out->count++;
        if (!parse_axis(texts->items[i], &out->axes[i], err)) return false;
        for (size_t j = 0; j < i; j++)
            if (!strcmp(out->axes[j].key, out->axes[i].key))
                return error_set(err, ERROR_INPUT, "--vary: %s is varied twice; list its values in one: --vary %s=A,B", out->axes[i].key,
                                 out->axes[i].key);
        points *= out->axes[i].count;
        if (points > VARY_POINTS_MOST) return error_set(err, ERROR_INPUT, "--vary: more than %d points", VARY_POINTS_MOST);
    }
    return true;
}

void vary_free(struct vary *vary) {
    for (size_t a = 0; a < vary->count; a++) {
        struct vary_axis *axis = &vary->axes[a];
        for (size_t v = 0; v < axis->count; v++) free(axis->values[v].text);
        free(axis->values);
        free(axis->key);
    }
    free(vary->axes);
    *vary = (struct vary){0};
}

size_t vary_points(const struct vary *vary) {
    size_t points = 1;
    for (size_t a = 0; a < vary->count; a++) points *= vary->axes[a].count;
    return points;
}

const struct vary_value *vary_value_at(const struct vary *vary, size_t point, size_t axis) {
    for (size_t a = vary->count - 1; a > axis; a--) point /= vary->axes[a].count;
    return &vary->axes[axis].values[point % vary->axes[axis].count];
}

size_t vary_runs(const struct vary *vary, size_t point) {
    for (size_t a = 0; a < vary->count; a++) {
        int64_t seeds = vary_value_at(vary, point, a)->seeds;
        if (seeds) return (size_t)seeds;
    }
    return 1;
}

int64_t vary_assign(const struct vary *vary, size_t point, size_t run, struct texts *assignments) {
    int64_t seed = 0;
    for (size_t a = 0; a < vary->count; a++) {
        const struct vary_value *value = vary_value_at(vary, point, a);
        const char *key = vary->axes[a].key;
        if (value->seeds) {
            seed = (int64_t)run + 1;
            texts_add(assignments, "%s={\"type\": \"random\", \"seed\": %lld}", key, (long long)seed);
        } else {
            texts_add(assignments, "%s=%s", key, value->text);
        }
    }
    return seed;
}
