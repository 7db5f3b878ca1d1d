#ifndef TESTS_GOLDEN_SIMULATION_H
#define TESTS_GOLDEN_SIMULATION_H

#include "record/result.h"
#include "scenario/simulate.h"

/// Scenarios in the tests' own process, from text to result.

struct simulation {
    char *text;
    struct scenario *scenario;
    struct experiment experiment;
    struct run_result result;
};

/// Runs the scenario that `format` makes. In it, single quotes stand for double ones. A scenario with problems fails the
/// test; a run that does not complete does not (see result.status).
void simulate(struct simulation *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void simulate_limited(struct simulation *out, const char *text, const struct run_limits *limits);
void simulate_file(struct simulation *out, const char *path);
void simulation_free(struct simulation *simulation);

/// The makespan of a run that must complete.
int64_t ticks_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The first problem of a scenario that must be refused before the run, as "/pointer: text". The caller frees it.
char *refusal_of(const char *text);

/// The document that `weft run --json` prints, all links listed. The caller frees it.
char *simulation_json(const struct simulation *simulation);

/// The link between two nodes; the first by port where there are several.
const struct link_result *simulation_link(const struct simulation *simulation, uint32_t from, uint32_t to);

#endif
