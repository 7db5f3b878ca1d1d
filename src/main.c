#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/manual.h"
#include "report/column_tables.h"
#include "report/output.h"
#include "report/version.h"

static int complain(const struct error *err) {
    fprintf(stderr, "weft: %s\n", err->text);
    return (int)err->kind;
}

static bool operands_fit(const struct command *command, const struct options *options, struct error *err) {
    size_t count = options->operands.count;
    if (count >= command->operands_least && count <= command->operands_most) return true;
    return error_set(err, ERROR_INPUT, "too %s arguments; usage: weft %s [OPTION…]%s%s (\"weft %s --help\" says more)",
                     count < command->operands_least ? "few" : "many", command->name, *command->operands ? " " : "", command->operands,
                     command->name);
}

static int run_named(const struct command *command, int argc, char **argv, FILE *out) {
    struct options options;
    struct error err = {0};
    int code = ERROR_NONE;
    if (!options_parse(command->groups, argc, argv, &options, &err))
        code = complain(&err);
    else if (options.help)
        print_help(command, out);
    else if (!operands_fit(command, &options, &err))
        code = complain(&err);
    else
        code = command->run(&options, out);
    options_free(&options);
    return code;
}

static int dispatch(int argc, char **argv, FILE *out) {
    const char *name = argc > 1 ? argv[1] : NULL;
    struct error err = {0};
    if (!name) return print_greeting(out), ERROR_NONE;
    if (!strcmp(name, "--version") || !strcmp(name, "version")) return fputs("weft " WEFT_VERSION "\n", out), ERROR_NONE;
    bool help = !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
    if (help && (argc == 2 || !strcmp(argv[2], "help") || !strcmp(argv[2], "version"))) return print_commands(out), ERROR_NONE;
    if (help && !strcmp(argv[2], "columns")) return column_tables_print(out), ERROR_NONE;
    if (help && !strcmp(argv[2], "--roff")) return manual_print(argc > 3 ? argv[3] : NULL, out, &err) ? ERROR_NONE : complain(&err);
    const struct command *command = command_find(help ? argv[2] : name, help, &err);
    if (!command) return complain(&err);
    if (help) return print_help(command, out), ERROR_NONE;
    return run_named(command, argc - 2, argv + 2, out);
}

/// Results are collected and written at the end, so that a full disk or a closed pipe is seen, with its reason.
int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); // writing fails instead; so it does at a limit on the size of files
    signal(SIGXFSZ, SIG_IGN); // a limit on file sizes is an error of write(2) like a full disk
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) fatal("out of memory");
    int code = dispatch(argc, argv, out);
    struct error err = {0};
    if (fclose(out) != 0) fatal("out of memory");
    if (!output_write(STDOUT_FILENO, "standard output", text, size, &err)) code = complain(&err);
    free(text);
    return code;
}
