#ifndef RECORD_TRACKER_H
#define RECORD_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/algorithm.h"
#include "base/error.h"

/// The contribution tracker of one collective (model.md, "What every run proves about itself"): follows symbolically what
/// every rank's vectors hold, from where and with whose contributions, and tells whether each rank ends with exactly what
/// the collective promises. It knows nothing of how messages travel: who carries them tells it of each send as it is
/// posted and of each receive as it takes its message.
struct tracker;

/// What a send carries: a snapshot of the spans it read. Belongs to the tracker.
struct payload;

/// Sets of contributing ranks, where contributions add up: exact bit sets up to 256 ranks or where asked for; else a sum
/// mod 2^128 of a random key per rank, which shows that something is wrong but not whose contribution.
enum { TRACKER_EXACT_RANKS = 256 };

/// `args` is copied; its matrix is borrowed.
struct tracker *tracker_create(const struct collective_args *args, bool exact);
void tracker_free(struct tracker *tracker);

/// Takes the snapshot for the message that `member` posts. One to the switches (in_network) is added to what they have;
/// its receive takes that sum.
struct payload *tracker_sent(struct tracker *tracker, uint32_t member, const struct operation *send);

/// Applies a message to the vectors of `member`, who posted `receive` for it, and takes the payload back.
void tracker_received(struct tracker *tracker, uint32_t member, const struct operation *receive, struct payload *payload);

/// Takes back the payload of a message that will not be received.
void tracker_dropped(struct tracker *tracker, struct payload *payload);

/// The bytes by which a message differs from what its receive expects: 0 when they agree.
int64_t tracker_bytes_differ(const struct operation *receive, int64_t message_bytes);

/// Where what a rank holds at a mark came from; -1: it holds nothing there. In an all-to-all slot j of rank i's data is
/// place i * VECTOR_MARKS + j * (VECTOR_MARKS / size); elsewhere a place is a mark of the one vector.
int64_t tracker_origin(const struct tracker *tracker, uint32_t member, enum vector vector, int64_t mark);

/// Whether all went well and every rank holds what it should. The first fault found is reported, as ERROR_INTERNAL: a lost,
/// doubled or misplaced contribution, with rank, blocks, bytes and the ranks concerned.
bool tracker_finish(struct tracker *tracker, struct error *err);

#endif
