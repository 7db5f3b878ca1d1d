#include "cli/completion.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/option_values.h"

/// Inside single quotes and the brackets and colons of _arguments.
static const char special[] = "[]:\\";

static void print_quoted(const char *text, FILE *out) {
    for (; *text; text++) fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
}

static void print_text(const char *help, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) fatal("out of memory");
    completion_help(help, special, stream);
    if (fclose(stream) != 0) fatal("out of memory");
    print_quoted(text, out);
    free(text);
}

static void print_action(const struct option *option, FILE *out) {
    struct texts values = {0};
    option_values(option, &values);
    fputc(':', out);
    print_text(option->value, out);
    fputc(':', out);
    if (option_takes_path(option)) fputs("_files", out);
    if (values.count) {
        fputc('(', out);
        for (size_t i = 0; i < values.count; i++) {
            fputs(i ? " " : "", out);
            for (const char *c = values.items[i]; *c; c++) fprintf(out, "%s%c", *c == ':' ? "\\" : "", *c);
        }
        fputc(')', out);
    }
    texts_free(&values);
}

static void print_option(const struct option *option, FILE *out) {
    const char *repeated = option->kind == OPTION_TEXTS ? "*" : "";
    const char *ending = option->kind == OPTION_FLAG ? "" : option->kind == OPTION_MAYBE ? "=-" : "=";
    for (int form = 0; form < (option->letter ? 2 : 1); form++) {
        fprintf(out, "            '%s", repeated);
        if (form)
            fprintf(out, "-%c%s[", option->letter, option->kind == OPTION_FLAG ? "" : "+");
        else
            fprintf(out, "--%s%s[", option->name, ending);
        print_text(option->help, out);
        fputc(']', out);
        if (option->kind == OPTION_MAYBE) fputc(':', out);
        if (option->kind != OPTION_FLAG) print_action(option, out);
        fputs("' \\\n", out);
    }
}

static void print_operands(const struct command *command, FILE *out) {
    if (command == &completion_command)
        fputs("            '1:shell:(bash zsh fish)'", out);
    else
        fputs("            '*:file:_files'", out);
    fputs(" ;;\n", out);
}

void completion_zsh(FILE *out) {
    fputs("#compdef weft\n# Completion of weft in zsh, written by \"weft completion zsh\".\n\n"
          "_weft() {\n    local context state state_descr line\n    typeset -A opt_args\n    local -a commands\n    commands=(\n",
          out);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(out, "        '%s:", (*command)->name);
        print_text((*command)->summary, out);
        fputs("'\n", out);
    }
    fputs("        'help:list the commands, or say what one does'\n        'version:the version of the program'\n    )\n"
          "    _arguments -C '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n    command) _describe command commands ;;\n    argument)\n        case $words[1] in\n",
          out);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(out, "        %s) _arguments -s \\\n", (*command)->name);
        for (const struct option_group *group = (*command)->groups; group->title; group++)
            for (const struct option *option = group->options; option->name; option++) print_option(option, out);
        print_operands(*command, out);
    }
    fputs("        help) _describe command commands", out);
    for (const char *const *topic = help_topics; *topic; topic++) fprintf(out, "; compadd %s", *topic);
    fputs(" ;;\n        esac ;;\n    esac\n}\n\n_weft \"$@\"\n", out);
}
