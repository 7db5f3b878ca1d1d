// The words are taken from the line itself: bash would split them at ':' and '=' too.
#include "cli/completion.h"

#include "cli/command.h"
#include "cli/option_values.h"

static const char opening[] = "# Completion of weft in bash, written by \"weft completion bash\".\n"
                              "\n"
                              "_weft_line() {\n"
                              "    local line=${COMP_LINE:0:COMP_POINT} i last\n"
                              "    read -r -a words <<<\"$line\"\n"
                              "    [[ $line == *[[:space:]] ]] && words+=('')\n"
                              "    last=$((${#words[@]} - 1))\n"
                              "    current=${words[last]} previous=${words[last - 1]} command=\n"
                              "    for ((i = 1; i < last; i++)); do\n"
                              "        [[ ${words[i]} != -* ]] && { command=${words[i]}; break; }\n"
                              "    done\n"
                              "}\n"
                              "\n"
                              "# bash puts the reply after the last of its word breaks\n"
                              "_weft_reply() {\n"
                              "    local values=$1 word=$2 kept=\n"
                              "    case $word in\n"
                              "    *=*) [[ $COMP_WORDBREAKS == *=* ]] && kept=${word%\"${word##*=}\"} ;;\n"
                              "    esac\n"
                              "    case ${word#\"$kept\"} in\n"
                              "    *:*) [[ $COMP_WORDBREAKS == *:* ]] && kept=${word%\"${word##*:}\"} ;;\n"
                              "    esac\n"
                              "    local IFS=$' \\t\\n' reply\n"
                              "    for reply in $(compgen -W \"$values\" -- \"$word\"); do COMPREPLY+=(\"${reply#\"$kept\"}\"); done\n"
                              "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi\n"
                              "}\n"
                              "\n";

static const char closing[] = "\n"
                              "_weft() {\n"
                              "    local words current previous command options values word prefix=\n"
                              "    COMPREPLY=()\n"
                              "    _weft_line\n"
                              "    if [[ -z $command ]]; then _weft_reply \"$(_weft_commands) help version\" \"$current\"; return; fi\n"
                              "    if [[ $current == --*=* ]]; then\n"
                              "        previous=${current%%=*} prefix=$previous=\n"
                              "    fi\n"
                              "    if values=$(_weft_values \"$command\" \"$previous\" \"$prefix\"); then\n"
                              "        options=\n"
                              "        for word in $values; do options+=\" $prefix$word\"; done\n"
                              "        _weft_reply \"$options\" \"$current\"\n"
                              "    elif [[ $current == -* ]]; then\n"
                              "        _weft_reply \"$(_weft_options \"$command\")\" \"$current\"\n"
                              "    else\n"
                              "        _weft_reply \"$(_weft_operands \"$command\")\" \"$current\"\n"
                              "    fi\n"
                              "}\n"
                              "\n"
                              "complete -o bashdefault -o default -F _weft weft\n";

static void print_options(const struct command *command, FILE *out) {
    fprintf(out, "    %s) echo '", command->name);
    for (const struct option_group *group = command->groups; group->title; group++)
        for (const struct option *option = group->options; option->name; option++) fprintf(out, "--%s ", option->name);
    fputs("' ;;\n", out);
}

static bool has_option(const struct command *command, const struct option *option) {
    for (const struct option_group *group = command->groups; group->title; group++)
        for (const struct option *other = group->options; other->name; other++)
            if (other == option) return true;
    return false;
}

/// The commands that share an option: "'run --set '* | 'compare --set '*". Values that are optional come after '=' only.
static void print_pattern(const struct option *option, FILE *out) {
    const char *bar = "    ";
    for (const struct command *const *command = commands; *command; command++) {
        if (!has_option(*command, option)) continue;
        fprintf(out, "%s'%s --%s %s", bar, (*command)->name, option->name, option->kind == OPTION_MAYBE ? "='" : "'*");
        if (option->letter) fprintf(out, " | '%s -%c '*", (*command)->name, option->letter);
        bar = " | ";
    }
}

static void print_values(const struct option *option, FILE *out) {
    struct texts values = {0};
    option_values(option, &values);
    print_pattern(option, out);
    fputs(") echo '", out);
    for (size_t i = 0; i < values.count; i++) fprintf(out, "%s ", values.items[i]);
    fputs("' ;;\n", out);
    texts_free(&values);
}

/// Whether no command before this one has the option.
static bool is_first(const struct command *const *command, const struct option *option) {
    for (const struct command *const *other = commands; other != command; other++)
        if (has_option(*other, option)) return false;
    return true;
}

static void print_operands(FILE *out) {
    fputs("_weft_operands() {\n    case $1 in\n    help) echo \"$(_weft_commands)", out);
    for (const char *const *topic = help_topics; *topic; topic++) fprintf(out, " %s", *topic);
    fputs("\" ;;\n    completion) echo 'bash zsh fish' ;;\n    esac\n}\n", out);
}

void completion_bash(FILE *out) {
    fputs(opening, out);
    fputs("_weft_commands() { echo '", out);
    for (const struct command *const *command = commands; *command; command++) fprintf(out, "%s ", (*command)->name);
    fputs("'; }\n\n_weft_options() {\n    case $1 in\n", out);
    for (const struct command *const *command = commands; *command; command++) print_options(*command, out);
    fputs("    esac\n}\n\n# fails for what takes no value\n_weft_values() {\n    case \"$1 $2 ${3:+=}\" in\n", out);
    for (const struct command *const *command = commands; *command; command++)
        for (const struct option_group *group = (*command)->groups; group->title; group++)
            for (const struct option *option = group->options; option->name; option++)
                if (option->kind != OPTION_FLAG && is_first(command, option)) print_values(option, out);
    fputs("    *) return 1 ;;\n    esac\n}\n\n", out);
    print_operands(out);
    fputs(closing, out);
}
