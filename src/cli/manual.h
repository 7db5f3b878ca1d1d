#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/// Writes a manual page in the macros of man(7): "weft.1", "weft-run.1" … from the tables of commands and options,
/// "weft-scenario.5" from those of the scenario. With NULL the names of all pages, one a line. ERROR_INPUT for another name.
bool manual_print(const char *page, FILE *out, struct error *err);

/// A text with everything escaped that would mean something to roff.
void roff_text(const char *text, FILE *out);

/// The page of the scenario's keys.
void manual_scenario(FILE *out);

#endif
