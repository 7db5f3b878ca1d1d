#ifndef SCENARIO_AUTO_H
#define SCENARIO_AUTO_H

#include "scenario/simulate.h"
#include "workloads/collective.h"

/// The algorithm "auto" of one run: every algorithm that can do a collective does it once, alone and from time 0, on the
/// run's network and ranks, with the run's costs and limits; the fastest is taken, the first by name of several. What was
/// found for a collective serves all that equal it.
struct auto_choices;

/// Both are borrowed.
struct auto_choices *auto_create(const struct experiment *experiment, const struct run_limits *limits);
void auto_free(struct auto_choices *choices);

/// The algorithms that can do the collective in this experiment with the options it gives; in-network only where the
/// scenario says how fast switches reduce. `out` has room for all there are; returns how many it got.
size_t auto_candidates(const struct experiment *experiment, const struct collective_config *config, const struct algorithm **out);

/// As chooser.choose; `choices` is a struct auto_choices.
void auto_choose(void *choices, const struct collective_request *request, struct choice *out);

/// Whether the limits' progress asked to stop meanwhile; what is chosen after that means nothing.
bool auto_interrupted(const struct auto_choices *choices);

#endif
