#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

#include "cli/options.h"

/// Completion scripts, written from the tables of commands and options.
void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

/// Writes the help of an option up to its first '(' or ';', with a backslash before each of the characters `special`.
void completion_help(const char *help, const char *special, FILE *out);

/// What follows `weft help` beside commands.
extern const char *const help_topics[];

#endif
