#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "cli/options.h"
#include "scenario/simulate.h"

/// Exit codes of what went wrong, with the message on stderr.

/// The error's kind.
int outcome_error(const struct error *err);

/// 0 for a complete run; `signal` is what interrupted it.
int outcome_of_run(const struct run_result *result, int signal);

/// --until, --max-events and --max-memory; no progress call.
bool limits_from_options(const struct options *options, int64_t ticks_per_s, struct run_limits *out, struct error *err);

#endif
