#ifndef TESTS_ANALYSIS_TEXT_RUN_H
#define TESTS_ANALYSIS_TEXT_RUN_H

#include "scenario/simulate.h"

/// A scenario given as text, read and run. A problem fails the test with its message.
struct text_run {
    struct scenario *scenario;
    struct experiment experiment;
    struct run_result result;
};

/// `format` makes a JSON document in which ' stands for ".
struct text_run text_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
void text_run_free(struct text_run *run);

/// The first problem of a scenario that must not be accepted, as "/pointer: text". The caller frees it.
char *text_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
