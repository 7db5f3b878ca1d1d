#ifndef ANALYSIS_LOCKSTEP_H
#define ANALYSIS_LOCKSTEP_H

#include "analysis/posted.h"

/// Walks a plan in global steps, all that runs side by side in lock-step (model.md, "The alpha-beta model beside it"):
/// in each step every machine of every collective that is under way does its next one. A sequence begins its next item in
/// the step after the last of the item before, whatever goes on beside it; a collective of no steps takes none.

/// When a collective began and ended.
struct collective_times {
    int64_t start_ticks, end_ticks;
};

struct lockstep;

/// `times` has an entry for each outcome of the plan; both are borrowed. It begins at `now`.
struct lockstep *lockstep_begin(const struct plan *plan, struct collective_times *times, int64_t now);
void lockstep_end(struct lockstep *at);

/// Adds what is posted in the next step, which begins at `now`; false when all has ended, which is asked for once.
bool lockstep_next(struct lockstep *at, int64_t now, struct posted *posted);

/// Passes over the steps that post the same as the one before, as far as algorithms tell; returns how many.
uint64_t lockstep_pass_alike(struct lockstep *at);

#endif
