#ifndef TESTS_GOLDEN_SIMULATION_H
#define TESTS_GOLDEN_SIMULATION_H

#include <stdarg.h>

#include "record/result.h"
#include "scenario/simulate.h"

/// Scenarios in the tests' own process, from text to result.

struct simulation {
    char *text;
    struct scenario *scenario;
    struct experiment experiment;
    struct run_result result;
};

/// Runs the scenario that `format` makes. In it, single quotes stand for double ones, and relative paths start from the
/// checkout. A scenario with problems fails the test; a run that does not complete does not (see result.status).
void simulate(struct simulation *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void simulate_limited(struct simulation *out, const struct run_limits *limits, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void simulate_file(struct simulation *out, const char *path);
void simulation_free(struct simulation *simulation);

/// The text that `format` makes, double quotes for single ones.
char *scenario_text(const char *format, va_list arguments);

/// Makes `text` ready to run and takes it over; relative paths start beside `path`, or from the
/// checkout where it is NULL.
void simulation_prepare(struct simulation *out, char *text, const char *path);

/// The makespan of a run that must complete.
int64_t ticks_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The first problem of a scenario that must be refused before the run, as "/pointer: text". The caller frees it.
char *refusal_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The document that `weft run --json` prints, all links listed. The caller frees it.
char *simulation_json(const struct simulation *simulation);

/// The link between two nodes; the first by port where there are several.
struct link_result simulation_link(const struct simulation *simulation, uint32_t from, uint32_t to);

#endif
