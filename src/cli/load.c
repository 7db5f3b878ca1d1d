#include "cli/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_values.h"
#include "cli/shorthand.h"
#include "scenario/tables.h"

static const char *shown_path(const struct source *source) {
    return !source->path ? "command line" : !strcmp(source->path, "-") ? "<stdin>" : source->path;
}

/// Whether one of the assignments is of the key, or of what is in it.
static bool any_sets(const struct texts *assignments, const char *key) {
    size_t length = strlen(key);
    for (size_t i = 0; i < assignments->count; i++)
        if (!strncmp(assignments->items[i], key, length) && strchr("=.", assignments->items[i][length])) return true;
    return false;
}

/// Options that set keys of the scenario are named where its problems name the keys.
static const char *hint_of(const struct options *options, const char *path, bool needs_workload) {
    if (path && !options->system && any_sets(&options->settings, "system.nodes"))
        return "--nodes counts the machines of a system: the scenario's own, or --system dgx-h100";
    if (options->topology && !options->link)
        return "--link 45GB/s,1us, or a name that \"weft presets\" lists, gives the links of --topology their bandwidth and latency";
    if (!path && needs_workload && !options->collective && !any_sets(&options->set, "workload"))
        return "--collective all-reduce, with --size 64MB, says what the ranks do (\"weft COMMAND --help\")";
    if (path && !options->topology && options->link) return "--link sets /network/topology/link; a shape with other links takes --set";
    return NULL;
}

bool source_open(const struct options *options, const char *path, bool needs_workload, struct source *out) {
    *out = (struct source){.path = path, .hint = hint_of(options, path, needs_workload)};
    struct error err = {0};
    if (!path && !options->system && any_sets(&options->settings, "system.nodes"))
        error_set(&err, ERROR_INPUT, "--nodes counts the machines of a system: give it with --system dgx-h100%s",
                  options->topology ? ", and leave --topology out" : "");
    if (!path && !options->topology && !options->system)
        error_set(&err, ERROR_INPUT, "give a scenario FILE (- for stdin), or --topology or --system%s",
                  needs_workload ? ", and --collective" : "");
    if (err.kind == ERROR_NONE && path && shorthand_is_shape(path) && access(path, F_OK) != 0)
        error_set(&err, ERROR_INPUT, "there is no file %s; did you mean --topology %s?", path, path);
    if (err.kind == ERROR_NONE && path) out->text = read_text(path, &out->length, &err);
    if (out->text && !any_sets(&options->set, "name")) out->changes = shorthand_changes(options);
    if (!path && !needs_workload && !options->collective)
        texts_add(&out->assignments, "workload={\"type\": \"collective\", \"collective\": \"barrier\"}");
    if (err.kind == ERROR_NONE && shorthand_expand(options, &out->assignments, &err)) return true;
    fprintf(stderr, "weft: %s\n", err.text);
    source_close(out);
    return false;
}

void source_close(struct source *source) {
    free(source->text);
    free(source->changes);
    texts_free(&source->assignments);
    *source = (struct source){0};
}

/// Whether the key stands at the scenario's top, or has a path; an inner one's name alone is a mistake that is known.
static bool has_path(const char *assignment, struct error *err) {
    size_t length = strcspn(assignment, "=");
    char name[64];
    if (length >= sizeof name || strcspn(assignment, ".") < length) return true;
    snprintf(name, sizeof name, "%.*s", (int)length, assignment);
    char *key = field_find(scenario_fields, name) ? NULL : scenario_key_ending(name);
    if (key) error_set(err, ERROR_INPUT, "\"%s\" is no key of the scenario itself (did you mean %s=…?)", name, key);
    free(key);
    return err->kind == ERROR_NONE;
}

static bool assign(json_t *document, const struct texts *assignments, FILE *messages) {
    for (size_t i = 0; assignments && i < assignments->count; i++) {
        struct error err = {0};
        if (has_path(assignments->items[i], &err) && scenario_set(document, assignments->items[i], &err)) continue;
        fprintf(messages, "weft: %s\n", err.text);
        return false;
    }
    return true;
}

/// The name of a file's scenario is of what the file says: with changes it would tell of another run.
static void name_changes(json_t *document, const char *changes) {
    const char *name = json_string_value(json_object_get(document, "name"));
    if (name && changes) json_object_set_new(document, "name", json_sprintf("%s, with %s", name, changes));
}

static json_t *read_document(const struct source *source, const struct texts *more, struct problems *problems, FILE *messages) {
    const char *text = source->text ? source->text : "{}";
    json_t *document = scenario_parse_json(text, source->text ? source->length : strlen(text), problems);
    name_changes(document, source->changes);
    if (document && assign(document, &source->assignments, messages) && assign(document, more, messages)) return document;
    json_decref(document);
    return NULL;
}

bool source_load(const struct source *source, const struct texts *more, FILE *messages, struct loaded *out) {
    *out = (struct loaded){0};
    struct problems problems = {0};
    json_t *document = read_document(source, more, &problems, messages);
    if (document) out->scenario = scenario_read(document, source->text, source->path, &problems);
    json_decref(document);
    bool good = out->scenario && experiment_prepare(out->scenario, source->text, &out->experiment, &problems);
    problems_print(&problems, shown_path(source), messages);
    problems_free(&problems);
    if (!good && source->hint) fprintf(messages, "weft: %s\n", source->hint);
    if (!good) {
        scenario_free(out->scenario);
        *out = (struct loaded){0};
    }
    return good;
}

void loaded_free(struct loaded *loaded) {
    experiment_free(&loaded->experiment);
    scenario_free(loaded->scenario);
    *loaded = (struct loaded){0};
}
