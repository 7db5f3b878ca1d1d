#include "scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "scenario/expand_system.h"
#include "scenario/reader.h"
#include "scenario/tables.h"
#include "workloads/workload.h"

#define NS_PER_S INT64_C(1000000000)

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

static void read_assertions(struct reader *reader, struct scenario *scenario) {
    const char *const *texts = scenario->assert_texts.items;
    size_t count = scenario->assert_texts.count;
    scenario->assertions = arena_allocate(reader->arena, count * sizeof *scenario->assertions);
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        char pointer[32];
        if (!texts[i]) continue; // reported already
        snprintf(pointer, sizeof pointer, "/assert/%zu", i);
        if (!assertion_parse(reader->arena, texts[i], scenario->ticks_per_s, &scenario->assertions[i], &error))
            problems_add_error(reader->problems, reader->text, pointer, &error);
        else if (scenario->assertions[i].subject == SUBJECT_SLOWDOWN && scenario->network.model == MODEL_ALPHA_BETA)
            problems_add(reader->problems, reader->text, pointer, "the model \"alpha-beta\" knows no slowdown; use \"event\"");
    }
}

static struct scenario *read_by_clock(json_t *document, const char *text, const char *path, int64_t ticks_per_s,
                                      struct problems *problems) {
    struct scenario *scenario = allocate_zeroed(1, sizeof *scenario);
    scenario->ticks_per_s = ticks_per_s;
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
    json_t *expanded = expand_system(&reader, document);
    read_field(&reader, &root, expanded, scenario);
    json_decref(expanded);
    check_overrides(&reader, scenario);
    check_output(&reader, scenario);
    read_assertions(&reader, scenario);
    free(reader.pointer);
    if (reader_problem_count(&reader) == before) return scenario;
    scenario_free(scenario);
    return NULL;
}

/// Whether the workload lasts longer than a quarter of what the clock of 1 fs reaches: work that piles up takes longer.
static bool is_long(const struct scenario *scenario) { return scenario_span_ns(scenario) > INT64_MAX / (TICKS_PER_S_FS / NS_PER_S) / 4; }

struct scenario *scenario_read(json_t *document, const char *text, const char *path, struct problems *problems) {
    struct scenario *scenario = read_by_clock(document, text, path, read_clock(document), problems);
    if (!scenario || field_given(scenario_fields, scenario, "tick") || !is_long(scenario)) return scenario;
    scenario_free(scenario);
    scenario = read_by_clock(document, text, path, TICKS_PER_S_PS, problems);
    if (scenario) scenario->tick = 1, scenario->tick_chosen = true;
    return scenario;
}

int64_t scenario_span_ns(const struct scenario *scenario) {
    const struct workload_type *type = workload_type(&scenario->workload);
    return type->span_ns ? type->span_ns(scenario->workload.config) : 0;
}

void scenario_free(struct scenario *scenario) {
    if (!scenario) return;
    struct arena arena = scenario->arena;
    free(scenario);
    arena_free(&arena);
}
