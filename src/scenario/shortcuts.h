#ifndef SCENARIO_SHORTCUTS_H
#define SCENARIO_SHORTCUTS_H

#include "algos/communicator_replay.h"
#include "scenario/experiment.h"
#include "scenario/symmetry.h"

/// Which shortcuts a run can take, which of them costs less, and why not. Reasons say after a semicolon what would change them.

/// How often something must be done for repetitions to be left out: of fewer there is little to save. Where it cannot be done otherwise
/// at once, two replay a collective.
enum { FEWEST_REPETITIONS = 4 };

/// Why collectives are not replayed, with the heap engine; NULL: they are, by these rules.
const char *replay_obstacle(const struct experiment *experiment, const struct run_limits *limits, bool watched, struct replay_rules *rules);

/// Why a symmetry may not be used, if there is any; NULL: it may.
const char *folding_obstacle(const struct experiment *experiment, const struct run_limits *limits, bool watched);

/// Why no message was one event by itself.
const char *solo_obstacle(const struct experiment *experiment, const struct run_limits *limits, const struct run_result *result);

/// Whether replaying, by rules of replay_obstacle, repetitions of all ranks takes less time than simulating all repetitions of
/// representatives. Then little is lost, too, if it turns out that nothing can be replayed.
bool replay_costs_less(const struct experiment *experiment, const struct plan *plan, const struct symmetry *symmetry,
                       const struct replay_rules *rules);

/// Tells limits->note of a run that has more before it than anybody waits for, and why symmetry does not shorten it.
void note_endless_run(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits, bool watched,
                      const char *why_no_symmetry);

#endif
