#ifndef SCENARIO_CHECK_SCHEDULES_H
#define SCENARIO_CHECK_SCHEDULES_H

#include "scenario/scenario.h"
#include "workloads/workload.h"

/// Walks every custom schedule of a workload through all its ranks and steps, before the run: each rank and block exists;
/// unless the file says "check": false, each receive has its send, of as many bytes, and the reverse, and every rank ends
/// with what the collective promises. Problems carry pointers that begin with `pointer`; false if there are any.
bool check_schedules(const struct variant *workload, const struct workload_place *place, const char *pointer, const char *text,
                     struct problems *problems);

/// The same for one; false with an error that names file, step and ranks.
bool check_schedule(const struct collective_args *args, struct error *err);

#endif
