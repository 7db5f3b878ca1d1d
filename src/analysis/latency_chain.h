#ifndef ANALYSIS_LATENCY_CHAIN_H
#define ANALYSIS_LATENCY_CHAIN_H

#include "analysis/path_latency.h"
#include "workloads/plan.h"

/// The longest chain of path latencies through a plan, all ranks being ready at 0: a rank posts a step when what it
/// receives in the step before has come (sync "free") or when all ranks have ended that step ("step"), an item of a sequence
/// when its part of the one before is done (with `barrier` everyone's), a message when those in `after` have been
/// delivered. Late starts and costs of software are left out, so it bounds a run that has them too.
/// No addition can overflow where a run of the plan has ended on a 64-bit clock.
int64_t latency_chain(struct path_latency *paths, const struct site *site, const struct plan *plan);

#endif
