#include "cli/completion.h"

#include "cli/command.h"
#include "cli/option_values.h"

/// In single quotes fish knows two escapes.
static const char special[] = "'\\";

static void print_option(const struct command *command, const struct option *option, FILE *out) {
    struct texts values = {0};
    fprintf(out, "complete -c weft -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter) fprintf(out, " -s %c", option->letter);
    fputs(" -d '", out);
    completion_help(option->help, special, out);
    fputc('\'', out);
    if (option->kind != OPTION_FLAG) option_values(option, &values);
    if (option->kind != OPTION_FLAG && option->kind != OPTION_MAYBE) fputs(option_takes_path(option) ? " -rF" : " -x", out);
    if (values.count) {
        fputs(" -a '", out);
        for (size_t i = 0; i < values.count; i++) fprintf(out, "%s%s", i ? " " : "", values.items[i]);
        fputc('\'', out);
    }
    fputc('\n', out);
    texts_free(&values);
}

static void print_command(const char *name, const char *summary, FILE *out) {
    fprintf(out, "complete -c weft -f -n __fish_use_subcommand -a %s -d '", name);
    completion_help(summary, special, out);
    fputs("'\n", out);
}

void completion_fish(FILE *out) {
    fputs("# Completion of weft in fish, written by \"weft completion fish\".\n", out);
    for (const struct command *const *command = commands; *command; command++) print_command((*command)->name, (*command)->summary, out);
    print_command("help", "list the commands, or say what one does", out);
    print_command("version", "the version of the program", out);
    fputs("complete -c weft -f -n '__fish_seen_subcommand_from help' -a '", out);
    for (const struct command *const *command = commands; *command; command++) fprintf(out, "%s ", (*command)->name);
    for (const char *const *topic = help_topics; *topic; topic++) fprintf(out, "%s ", *topic);
    fputs("'\ncomplete -c weft -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n", out);
    for (const struct command *const *command = commands; *command; command++)
        for (const struct option_group *group = (*command)->groups; group->title; group++)
            for (const struct option *option = group->options; option->name; option++) print_option(*command, option, out);
}
