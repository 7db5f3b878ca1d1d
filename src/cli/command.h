#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "base/error.h"
#include "cli/options.h"

/// A subcommand. `src/cli/NAME.c` defines NAME_command; commands.c lists them.
struct command {
    const char *name;
    const char *operands; ///< as the usage line shows them
    const char *summary;  ///< one line
    const char *more;     ///< paragraphs below it in --help, or NULL
    size_t operands_least, operands_most;
    const struct option_group *groups;
    /// Prints results to `out`, messages to stderr; returns the exit code (enum error_kind, or 128 + a signal).
    int (*run)(const struct options *options, FILE *out);
};

extern const struct command run_command, compare_command, trace_command, topo_command, route_command, validate_command;
extern const struct command presets_command, schema_command;
extern const struct command completion_command;

/// In the order in which `weft help` lists them; NULL at the end.
extern const struct command *const commands[];

/// The command of that name, or NULL; then `err` names the nearest, of what `weft help` tells of too where `topics`.
const struct command *command_find(const char *name, bool topics, struct error *err);

/// What `weft` alone, `weft help` and `weft COMMAND --help` print.
void print_greeting(FILE *out);
void print_commands(FILE *out);
void print_help(const struct command *command, FILE *out);

#endif
