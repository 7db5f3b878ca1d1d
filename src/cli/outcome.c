#include "cli/outcome.h"

#include <string.h>

#include "base/units.h"

int outcome_error(const struct error *err) {
    fprintf(stderr, "weft: %s\n", err->text);
    return (int)err->kind;
}

int outcome_of_run(const struct run_result *result, int signal) {
    enum { SIGNAL_BASE = 128 };
    static const int codes[] = {
        [RUN_COMPLETE] = ERROR_NONE, [RUN_STALLED] = ERROR_SIMULATION, [RUN_OVERFLOW] = ERROR_SIMULATION,
        [RUN_LIMIT] = ERROR_LIMIT,   [RUN_INTERRUPTED] = SIGNAL_BASE,
    };
    if (result->status == RUN_COMPLETE) return ERROR_NONE;
    const char *why = result->error.text[0] ? result->error.text : "what was done so far is shown";
    fprintf(stderr, "weft: %s: %s\n", run_status_names[result->status], why);
    return codes[result->status] + (result->status == RUN_INTERRUPTED ? signal : 0);
}

/// The index of `value` among `names`; 0 where it is NULL.
static bool one_of(const char *option, const char *value, const char *const *names, int *index, struct error *err) {
    for (*index = 0; value && names[*index] && strcmp(names[*index], value) != 0;) ++*index;
    if (names[*index]) return true;
    char known[128] = "";
    for (int i = 0; names[i]; i++) snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", names[i]);
    return error_set(err, ERROR_INPUT, "%s: \"%s\" is none of %s", option, value, known);
}

bool limits_from_options(const struct options *options, int64_t ticks_per_s, struct run_limits *out, struct error *err) {
    *out = (struct run_limits){.max_events = (uint64_t)options->max_events, .max_memory = (uint64_t)options->max_memory_bytes};
    int engine = 0, proof = 0;
    if (!one_of("--engine", options->engine, engine_names, &engine, err)) return false;
    if (!one_of("--proof", options->proof, proof_choice_names, &proof, err)) return false;
    out->engine = (enum engine_choice)engine;
    out->proof = (enum proof_choice)proof;
    struct error unit = {0};
    if (options->until && !parse_time(options->until, ticks_per_s, &out->until_ticks, &unit))
        return error_set(err, ERROR_INPUT, "--until: %s", unit.text);
    if (options->until && out->until_ticks < 1) return error_set(err, ERROR_INPUT, "--until: the time must be above 0");
    return true;
}
