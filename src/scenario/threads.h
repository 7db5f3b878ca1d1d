#ifndef SCENARIO_THREADS_H
#define SCENARIO_THREADS_H

#include "scenario/experiment.h"

/// Runs an experiment with several threads, each of which hosts the ranks of one part of the network (engine/shards.h), where that suits
/// and, unless the limits name a number, pays. The result is that of one thread; result->threads says how many. False:
/// nothing has been done, and one thread must: result->one_thread says why where that is not for a lack of traffic. What ends by a
/// stall or an overflow is done again so, to name what it names.
/// `plan` may be NULL; `watched`: a recorder wants to hear of the run.
bool run_in_threads(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits, bool watched,
                    struct run_result *result);

#endif
