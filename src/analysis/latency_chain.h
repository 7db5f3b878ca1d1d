#ifndef ANALYSIS_LATENCY_CHAIN_H
#define ANALYSIS_LATENCY_CHAIN_H

#include "analysis/path_latency.h"
#include "analysis/tally.h"
#include "workloads/plan.h"

/// The longest chain of path latencies through a plan, all ranks being ready at 0: a rank posts a step when what it
/// receives in the step before has come (sync "free") or when all ranks have ended that step ("step"), an item of a sequence
/// when its part of the one before is done (with `barrier` everyone's), a message when those in `after` have been
/// delivered. Late starts and costs of software are left out, so it bounds a run that has them too.
/// No addition can overflow where a run of the plan has ended on a 64-bit clock.
struct latency_request {
    struct path_latency *paths;
    uint32_t ranks;
    uint64_t most_messages; ///< give up when more would have to be followed
    struct tally *tally;    ///< adds what is posted until then, of a collective its first repetition; NULL: nothing
};

/// In ticks; -1 where it gave up. What was followed is taken off request->most_messages.
int64_t latency_chain(struct latency_request *request, const struct plan *plan);

#endif
