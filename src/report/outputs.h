#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include <stdio.h>

#include "record/observers.h"
#include "record/result.h"
#include "report/messages.h"
#include "scenario/simulate.h"

/// The files that a scenario's "output" asks for: what must watch the run for them, and then writing them.
struct outputs;

/// Adds to `observers` what the files need: nothing where there is no "output". The experiment is borrowed.
struct outputs *outputs_create(const struct experiment *experiment, struct observers *observers);
void outputs_free(struct outputs *outputs);

/// Writes all files, those of a run that did not complete too. The first failure is reported; the others are written.
bool outputs_write(struct outputs *outputs, const struct run_result *result, struct error *err);

/// After outputs_write: what they show, in a few lines for people.
void outputs_summary(const struct outputs *outputs, FILE *out);

/// After outputs_write: of the messages, where the scenario asks for them or asserts it; else no messages.
const struct slowdown *outputs_slowdown(const struct outputs *outputs);

/// After outputs_write: what is not in the files as it was asked for.
void outputs_warn(const struct outputs *outputs, FILE *messages);

#endif
