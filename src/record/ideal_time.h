#ifndef RECORD_IDEAL_TIME_H
#define RECORD_IDEAL_TIME_H

#include <stdint.h>

#include "engine/sim.h"

/// How long a message takes on an idle network: simulated by the engine itself, alone, and kept for all messages that
/// meet the same rates and latencies. On one path it is the sum of latencies + n / slowest bandwidth, within a tick a chunk.
struct ideal_time;

/// Graph and router are borrowed; limits in `config` are left out.
struct ideal_time *ideal_time_create(const struct graph *graph, const struct router *router, const struct sim_config *config);
void ideal_time_free(struct ideal_time *ideal);

/// Between two endpoints, for the message with that number of its sender; INT64_MAX where the clock overflows.
int64_t ideal_time_of(struct ideal_time *ideal, uint32_t source, uint32_t destination, uint32_t number, int64_t bytes);

#endif
