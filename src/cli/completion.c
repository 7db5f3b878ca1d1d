#include "cli/completion.h"

#include <string.h>

#include "cli/command.h"
#include "cli/outcome.h"

const char *const help_topics[] = {"columns", NULL};

static const struct option_group groups[] = {{"General", common_options}, {0}};

void completion_help(const char *help, const char *special, FILE *out) {
    for (size_t i = 0, length = strcspn(help, "(;"); i < length; i++) {
        if (i + 1 == length && help[i] == ' ') break;
        if (strchr(special, help[i])) fputc('\\', out);
        fputc(help[i], out);
    }
}

static int complete(const struct options *options, FILE *out) {
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    enum { SHELLS = sizeof shells / sizeof *shells };
    const char *names[SHELLS + 1] = {NULL};
    for (size_t i = 0; i < SHELLS; i++) names[i] = shells[i].name;
    struct error err = {0};
    int shell;
    if (!choose_one("completion", options->operands.items[0], names, &shell, &err)) return outcome_error(&err);
    shells[shell].write(out);
    return ERROR_NONE;
}

const struct command completion_command = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "print a script that completes commands, options and their values in a shell",
    .more = "  source <(weft completion bash)\n"
            "  weft completion zsh > ~/.zfunc/_weft\n"
            "  weft completion fish > ~/.config/fish/completions/weft.fish",
    .operands_least = 1,
    .operands_most = 1,
    .groups = groups,
    .run = complete,
};
