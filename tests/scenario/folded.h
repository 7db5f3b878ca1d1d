#ifndef TESTS_SCENARIO_FOLDED_H
#define TESTS_SCENARIO_FOLDED_H

#include <stdint.h>

/// Runs the scenario that `format` makes in full and by its symmetry: every figure must be equal. Returns how many representatives were
/// simulated, 0: it was run in full both times. Routes of up to 64 hops.
uint64_t representatives(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
