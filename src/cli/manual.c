#include "cli/manual.h"

#include <string.h>

#include "cli/command.h"
#include "report/version.h"

static void put_code_point(const unsigned char **at, FILE *out) {
    const unsigned char *c = *at;
    unsigned point = *c < 0xe0 ? *c & 0x1fU : *c < 0xf0 ? *c & 0x0fU : *c & 0x07U;
    while ((c[1] & 0xc0) == 0x80) point = point << 6 | (*++c & 0x3fU);
    fprintf(out, "\\[u%04X]", point);
    *at = c;
}

void roff_text(const char *text, FILE *out) {
    bool fresh = true;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (fresh && (*c == '.' || *c == '\'')) fputs("\\&", out);
        fresh = *c == '\n';
        if (*c >= 0xc0)
            put_code_point(&c, out);
        else if (*c == '-')
            fputs("\\-", out);
        else if (*c == '\\')
            fputs("\\e", out);
        else
            fputc(*c, out);
    }
}

static void put_title(const char *name, const char *summary, FILE *out) {
    fputs(".TH ", out);
    for (const char *c = name; *c; c++) fprintf(out, "%s%c", *c == '-' ? "\\" : "", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    fputs(" 1 \"\" \"weft " WEFT_VERSION "\" \"weft\"\n.SH NAME\n", out);
    roff_text(name, out);
    fputs(" \\- ", out);
    roff_text(summary, out);
    fputc('\n', out);
}

static void put_option(const struct option *option, FILE *out) {
    fputs(".TP\n", out);
    if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    roff_text(option->name, out);
    fputs("\\fR", out);
    if (option->value) {
        fputs(option->kind == OPTION_MAYBE ? "[=\\fI" : " \\fI", out);
        roff_text(option->value, out);
        fputs(option->kind == OPTION_MAYBE ? "\\fR]" : "\\fR", out);
    }
    fputc('\n', out);
    roff_text(option->help, out);
    fputc('\n', out);
}

static void put_exit_codes(FILE *out) {
    static const char *const codes[][2] = {
        {"0", "done"},
        {"1", "internal error"},
        {"2", "usage, or an invalid scenario"},
        {"3", "the simulation failed: stalled, unreachable or overflow"},
        {"4", "stopped by a limit"},
        {"5", "an assertion does not hold"},
        {"6", "an output could not be written; what stood there before is whole"},
        {"130, 143", "interrupted; what was done so far is written out"},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        fprintf(out, ".TP\n.B %s\n", codes[i][0]);
        roff_text(codes[i][1], out);
        fputc('\n', out);
    }
}

static void put_command(const struct command *command, FILE *out) {
    char name[64];
    snprintf(name, sizeof name, "weft-%s", command->name);
    put_title(name, command->summary, out);
    fprintf(out, ".SH SYNOPSIS\n.B weft %s\n[\\fIOPTION\\fR\\|.\\|.\\|.] ", command->name);
    roff_text(command->operands, out);
    fputs("\n.SH DESCRIPTION\n", out);
    roff_text(command->summary, out);
    fputs(".\nResults go to standard output; progress, warnings and errors to standard error.\n.SH OPTIONS\n", out);
    for (const struct option_group *group = command->groups; group->title; group++) {
        fputs(".SS ", out);
        roff_text(group->title, out);
        fputc('\n', out);
        for (const struct option *option = group->options; option->name; option++) put_option(option, out);
    }
    if (command->more) {
        fputs(".SH EXAMPLES\n.nf\n", out);
        roff_text(command->more, out);
        fputs("\n.fi\n", out);
    }
    put_exit_codes(out);
    fputs(".SH SEE ALSO\n.BR weft (1),\n.BR weft\\-scenario (5)\n", out);
}

static void put_overview(FILE *out) {
    put_title("weft", "simulate the traffic of collectives and LLM inference on a network, link by link", out);
    fputs(".SH SYNOPSIS\n.B weft\n\\fICOMMAND\\fR [\\fIOPTION\\fR\\|.\\|.\\|.] [\\fIFILE\\fR]\n.SH DESCRIPTION\n"
          "A discrete\\-event simulator: ranks run collectives on a network of directed links; times are integers, and the same\n"
          "scenario gives the same result on every machine.\n\\fIFILE\\fR is a scenario in JSON (see\n.BR weft\\-scenario (5)),\n"
          "\\- for standard input.\n.SH COMMANDS\n",
          out);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(out, ".TP\n.BR weft\\-%s (1)\n", (*command)->name);
        roff_text((*command)->summary, out);
        fputc('\n', out);
    }
    fputs(".TP\n.B weft help columns\nsay what the columns of tables and CSV files mean\n", out);
    put_exit_codes(out);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour unless \\fB\\-\\-color always\\fR asks for it\n.SH EXAMPLES\n.nf\n", out);
    roff_text("  weft run --topology torus:4x4 --link 45GB/s,1us --collective all-reduce:ring --size 64MB\n"
              "  weft compare scenario.json --vary mapping=snake,linear,random:20",
              out);
    fputs("\n.fi\n.SH SEE ALSO\n.BR weft\\-scenario (5)\n", out);
}

static void put_pages(FILE *out) {
    fputs("weft.1\n", out);
    for (const struct command *const *command = commands; *command; command++) fprintf(out, "weft-%s.1\n", (*command)->name);
    fputs("weft-scenario.5\n", out);
}

bool manual_print(const char *page, FILE *out, struct error *err) {
    if (!page) return put_pages(out), true;
    if (!strcmp(page, "weft.1")) return put_overview(out), true;
    if (!strcmp(page, "weft-scenario.5")) return manual_scenario(out), true;
    for (const struct command *const *command = commands; *command; command++) {
        char name[64];
        snprintf(name, sizeof name, "weft-%s.1", (*command)->name);
        if (!strcmp(name, page)) return put_command(*command, out), true;
    }
    return error_set(err, ERROR_INPUT, "there is no manual page \"%s\"", page);
}
