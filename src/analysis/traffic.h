#ifndef ANALYSIS_TRAFFIC_H
#define ANALYSIS_TRAFFIC_H

#include "analysis/site.h"
#include "workloads/plan.h"

/// About what a plan sends. Where something must be chosen before a run, nothing need be counted to the last message.
struct traffic {
    double messages, chunk_hops;
};

/// From samples of its ranks, steps and routes, drawn alike for the same plan. `chunk_bytes` 0: whole messages.
struct traffic traffic_estimate(const struct site *site, const struct plan *plan, int64_t chunk_bytes);

#endif
