#ifndef ANALYSIS_PATH_LATENCY_H
#define ANALYSIS_PATH_LATENCY_H

#include "analysis/site.h"

/// The least time from a message's posting to its delivery, between two ranks, whatever its size.
struct path_latency;

struct path_latency *path_latency_create(const struct site *site);
void path_latency_free(struct path_latency *paths);

/// The sum of latencies of the route; where routes vary with message or chunk, not more than that of any of them.
int64_t path_latency(struct path_latency *paths, uint32_t from, uint32_t to);

#endif
