#ifndef ANALYSIS_BOUNDS_H
#define ANALYSIS_BOUNDS_H

#include "analysis/site.h"
#include "base/error.h"
#include "record/result.h"
#include "workloads/plan.h"

/// Lower bounds on the time, from the bytes that a run posts, rounded down (model.md, "What every run proves about itself"):
///   endpoint   bytes that a rank sends (receives) over the summed rate of its endpoint's out (in) links
///   bisection  bytes from one side of the shape's halving cut to the other over the rate of the links that lead across
///   latency    the longest chain of path latencies through the steps (latency_chain.h)
///   link       the busiest link's bytes over its rate, as routed
/// The largest is kept (none where all are 0); of equals the first of this list, which depends least on choices.
///
/// Where the link bound is known, endpoint and bisection are at most as large; but they hold for any routing.
///
/// The run's link bound comes from what its links carried. A collective's does where it is all there is; else its routes
/// are walked, unless they vary with message or chunk: then it has no link bound. After BOUND_MESSAGES messages no more
/// are followed, so that bounds take little beside the run: what has been seen bounds it, without a latency bound,
/// and the bound is marked `partial`. Of a run of more than BOUND_PLANNED_MESSAGES none are followed, for a single step may
/// be all of them: what ranks and links have counted bounds it.
enum { BOUND_MESSAGES = 4000000, BOUND_PLANNED_MESSAGES = 1 << 24 };

/// Fills result->bound and those of its collectives. The result is that of a complete run of `plan` (NULL: not known;
/// only what the run has counted bounds it then).
void bounds_fill(const struct site *site, const struct plan *plan, struct run_result *result);

/// False with ERROR_INTERNAL, naming both figures, when something took less time than its bound.
bool bounds_hold(const struct run_result *result, struct error *err);

#endif
