#ifndef TESTS_REPORT_RANDOM_RUN_H
#define TESTS_REPORT_RANDOM_RUN_H

#include <stddef.h>

#include "base/random.h"

/// A small scenario drawn at random: shape, rates, chunks, switching, injection and workload. Single quotes stand for
/// double ones. `out` has SCENARIO_SIZE bytes.
enum { SCENARIO_SIZE = 4096 };
char *random_scenario(struct random_stream *stream, char *out);

/// The "network" alone, with at least two endpoints, and how many.
char *random_network(struct random_stream *stream, char *out, uint32_t *endpoints);

#endif
