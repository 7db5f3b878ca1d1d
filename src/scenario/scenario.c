#include "scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/reader.h"
#include "scenario/tables.h"

/// Times mean nothing before the clock is known, so `tick` is looked at before the tables are read.
static int64_t read_clock(const json_t *document) {
    const char *tick = json_string_value(json_object_get(document, "tick"));
    return tick && !strcmp(tick, tick_names[1]) ? TICKS_PER_S_PS : TICKS_PER_S_FS;
}

/// The folder of a file, "" for the current one.
static char *directory_of(struct arena *arena, const char *path) {
    char *directory = arena_copy_text(arena, path ? path : "");
    char *slash = strrchr(directory, '/');
    if (slash == directory && slash) slash++; // the root keeps its slash
    *(slash ? slash : directory) = '\0';
    return directory;
}

/// What the table of overrides cannot say.
static void check_overrides(struct reader *reader, const struct scenario *scenario) {
    const struct override_config *overrides = scenario->network.overrides.items;
    for (size_t i = 0; i < scenario->network.overrides.count; i++) {
        const struct override_config *o = &overrides[i];
        if (!o->from || !o->to) continue; // reported already
        if (field_given(override_fields, o, "bandwidth") || field_given(override_fields, o, "latency")) continue;
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/network/overrides/%zu", i);
        problems_add(reader->problems, reader->text, pointer, "an override gives a \"bandwidth\", a \"latency\" or both");
    }
}

static void check_output(struct reader *reader, const struct scenario *scenario) {
    struct error error = {0};
    if (!output_check(&scenario->output, &error)) problems_add_error(reader->problems, reader->text, "/output", &error);
    if (scenario->output.given && scenario->network.model == MODEL_ALPHA_BETA)
        problems_add(reader->problems, reader->text, "/output",
                     "the model \"alpha-beta\" simulates nothing that could be traced; use \"event\"");
}

struct scenario *scenario_read(json_t *document, const char *text, const char *path, struct problems *problems) {
    struct scenario *scenario = allocate_zeroed(1, sizeof *scenario);
    scenario->ticks_per_s = read_clock(document);
    scenario->path = path;
    scenario->directory = directory_of(&scenario->arena, path);
    struct reader reader = {
        .problems = problems,
        .text = text,
        .directory = scenario->directory,
        .arena = &scenario->arena,
        .ticks_per_s = scenario->ticks_per_s,
    };
    size_t before = reader_problem_count(&reader);
    const struct field root = {.kind = FIELD_OBJECT, .fields = scenario_fields};
    read_field(&reader, &root, document, scenario);
    check_overrides(&reader, scenario);
    check_output(&reader, scenario);
    free(reader.pointer);
    if (reader_problem_count(&reader) == before) return scenario;
    scenario_free(scenario);
    return NULL;
}

void scenario_free(struct scenario *scenario) {
    if (!scenario) return;
    struct arena arena = scenario->arena;
    free(scenario);
    arena_free(&arena);
}
