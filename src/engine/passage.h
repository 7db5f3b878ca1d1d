#ifndef ENGINE_PASSAGE_H
#define ENGINE_PASSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/queue_peak.h"

/// How the chunks of one message pass links that nobody else uses, in closed form. There are n >= 2 of them: n - 1 of equal
/// size, evenly spaced, and a last one, no larger. The rule of a link (model.md, "Links") is a maximum of sums, so even
/// spacing stays even: with p between chunks that come and s for the service of one, q = max(p, s) lies between those
/// that leave. Head i joins at h + i p with its tail at t + i p, where t - h is p under cut-through and 0 under
/// store-and-forward; its service ends at max(h + s, t) + i q, and its head leaves at h + i q.

/// The chunks as they come to a node. At the destination, and under store-and-forward, join is tail.
struct coming {
    int64_t join, tail, period; ///< chunk i < n - 1: join + i * period, tail + i * period
    int64_t last_join, last_tail;
};

struct passage {
    struct coming in;
    uint64_t chunks;
    int64_t service, end, spacing; ///< chunk i < n - 1 is served until end + i * spacing
    int64_t last_first, last_start, last_end, last_service;
};

/// Bytes of a chunk, and of the last.
struct chunk_sizes {
    int64_t full, last;
};

/// Service of `service` ticks a chunk, `last_service` of the last, on a link that is free when the first joins. False: it
/// and `latency` more do not fit the clock.
bool passage_find(struct passage *passage, int64_t service, int64_t last_service, int64_t latency);

/// The chunks at the far end of the link; `tails`: they join there with their tails.
struct coming passage_out(const struct passage *passage, int64_t latency, bool tails);

/// How many of `chunks` come before `time`.
uint64_t coming_before(const struct coming *coming, uint64_t chunks, int64_t time);

int64_t coming_join(const struct coming *coming, uint64_t chunks, uint64_t i); ///< when chunk i joins
int64_t coming_tail(const struct coming *coming, uint64_t chunks, uint64_t i); ///< when its tail comes

/// When the service of chunk i ends.
int64_t passage_end(const struct passage *passage, uint64_t i);

/// The most bytes that have waited when the first `joined` >= 1 chunks have joined.
int64_t passage_peak(const struct passage *passage, struct chunk_sizes sizes, uint64_t joined);

/// Puts into the queue what waits at `now` of the chunks that have joined by then.
void passage_wait(const struct passage *passage, struct chunk_sizes sizes, uint64_t joined, int64_t now, struct queue_peak *queue);

#endif
