#include "cli/command.h"

#include <stdint.h>

#include "cli/load.h"

static const struct option_group groups[] = {{"Scenario", scenario_options}, {"General", common_options}, {0}};

static bool check_file(const struct options *options, const char *path, FILE *out) {
    struct source source;
    struct loaded loaded;
    if (!source_open(options, path, true, &source)) return false;
    bool good = source_load(&source, NULL, stderr, &loaded);
    if (good) {
        if (!options->quiet) fprintf(out, "%s: valid\n", path);
        loaded_free(&loaded);
    }
    source_close(&source);
    return good;
}

static int validate(const struct options *options, FILE *out) {
    size_t bad = 0;
    for (size_t i = 0; i < options->operands.count; i++) bad += !check_file(options, options->operands.items[i], out);
    return bad ? ERROR_INPUT : ERROR_NONE;
}

const struct command validate_command = {
    .name = "validate",
    .operands = "FILE…",
    .summary = "check scenarios and print every problem of every file; nothing is simulated",
    .operands_least = 1,
    .operands_most = SIZE_MAX,
    .groups = groups,
    .run = validate,
};
