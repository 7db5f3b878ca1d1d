#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "report/version.h"

const struct command *const commands[] = {
    &run_command,      &compare_command, &trace_command,  &topo_command,       &route_command,
    &validate_command, &presets_command, &schema_command, &completion_command, NULL,
};

enum { COMMANDS = sizeof commands / sizeof *commands - 1 };

const struct command *command_find(const char *name, bool topics, struct error *err) {
    enum { MORE = 8 };
    const char *names[COMMANDS + MORE] = {[COMMANDS] = "help", "version"};
    for (size_t i = 0; topics && help_topics[i] && i + 3 < MORE; i++) names[COMMANDS + 2 + i] = help_topics[i];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (!strcmp(names[i], name)) return commands[i];
    }
    char quoted[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    text_meant(name + strspn(name, "-"), names, meant);
    error_set(err, ERROR_INPUT, "unknown command %s%s", text_quote(name, quoted), *meant ? meant : " (\"weft help\" lists them)");
    return NULL;
}

void print_greeting(FILE *out) {
    fputs("weft " WEFT_VERSION " simulates the traffic of collectives on a network, link by link. Try:\n"
          "  weft run --topology torus:4x4 --link 45GB/s,1us --collective all-reduce:ring --size 64MB\n"
          "  weft compare --topology torus:4x4 --link 45GB/s,1us --collective all-reduce:ring --size 64MB \\\n"
          "               --vary mapping=snake,linear,random:20\n"
          "\"weft help\" lists the commands, \"weft COMMAND --help\" their options.\n",
          out);
}

void print_commands(FILE *out) {
    fputs("usage: weft COMMAND [OPTION…] [FILE]\n\n", out);
    for (size_t i = 0; i < COMMANDS; i++) fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  help        this list, or the help of a command\n"
          "  version     the program's version\n"
          "\n\"weft help columns\" says what the columns of tables and CSV files mean.\n"
          "\nFILE is a scenario in JSON, - for standard input.\n"
          "Exit codes: 0 done, 1 internal error, 2 usage or invalid scenario, 3 the simulation failed, 4 stopped by a limit,\n"
          "5 an assertion does not hold, 6 an output could not be written, 130 and 143 interrupted.\n",
          out);
}

void print_help(const struct command *command, FILE *out) {
    fprintf(out, "usage: weft %s [OPTION…]%s%s\n\n%s\n", command->name, *command->operands ? " " : "", command->operands, command->summary);
    if (command->more) fprintf(out, "\n%s\n", command->more);
    options_print(command->groups, out);
}
