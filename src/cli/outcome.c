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

/// "all", "none", or some of the names with commas between.
static bool read_shortcuts(const char *text, uint32_t *out, struct error *err) {
    const char *names[SHORTCUT_COUNT + 3] = {"all", "none"};
    for (int s = 0; s < SHORTCUT_COUNT; s++) names[s + 2] = shortcut_names[s];
    *out = SHORTCUTS_ALL;
    if (!text || !strcmp(text, "all")) return true;
    *out = 0;
    if (!strcmp(text, "none")) return true;
    for (const char *name = text;; name++) {
        size_t length = strcspn(name, ",");
        char word[64];
        int known = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        while (known < SHORTCUT_COUNT && strcmp(shortcut_names[known], word) != 0) known++;
        if (known == SHORTCUT_COUNT) return refuse_value("--shortcuts", word, "all, none, or some of solo,replay,symmetry", names, err);
        *out |= 1u << known;
        name += length;
        if (!*name) return true;
    }
}

bool limits_from_options(const struct options *options, int64_t ticks_per_s, struct run_limits *out, struct error *err) {
    *out = (struct run_limits){.max_events = (uint64_t)options->max_events, .max_memory = (uint64_t)options->max_memory_bytes};
    int engine = 0, proof = 0;
    if (!choose_one("--engine", options->engine, engine_names, &engine, err)) return false;
    if (!choose_one("--proof", options->proof, proof_choice_names, &proof, err)) return false;
    if (!read_shortcuts(options->shortcuts, &out->shortcuts, err)) return false;
    enum { THREADS_MOST = 64 };
    if (options->threads > THREADS_MOST) return error_set(err, ERROR_INPUT, "--threads: at most %d", THREADS_MOST);
    out->threads = (uint32_t)options->threads;
    out->engine = (enum engine_choice)engine;
    out->proof = (enum proof_choice)proof;
    struct error unit = {0};
    if (options->until && !parse_time(options->until, ticks_per_s, &out->until_ticks, &unit))
        return error_set(err, ERROR_INPUT, "--until: %s", unit.text);
    if (options->until && out->until_ticks < 1) return error_set(err, ERROR_INPUT, "--until: the time must be above 0");
    return true;
}
