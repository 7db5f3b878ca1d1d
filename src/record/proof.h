#ifndef RECORD_PROOF_H
#define RECORD_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/communicator.h"
#include "base/error.h"

/// The proof of a run's collectives: a contribution tracker for each while it is open, fed by what ranks do.
struct proof;

/// `exact`: exact sets of ranks whatever their number (tracker.h); for the second run of one in which sums found a fault.
struct proof *proof_create(bool exact);

/// Gives up when more than `messages` are posted, forgets all, and calls `gave_up` once, from within a call of the
/// observer. Following a message costs as much as simulating it.
void proof_limit(struct proof *proof, uint64_t messages, void (*gave_up)(void *context), void *context);
bool proof_gave_up(const struct proof *proof);

/// How many collectives were closed and kept their promise, or go exactly as one that did (rank_observer.replayed).
uint64_t proof_count(const struct proof *proof);
void proof_free(struct proof *proof);

/// To be given to communicator_observe before the first collective is opened; borrows the proof.
struct rank_observer proof_observer(struct proof *proof);

/// Whether every collective that was closed kept its promise; else the first fault, as ERROR_INTERNAL.
bool proof_finish(const struct proof *proof, struct error *err);

/// Whether the fault was found by sums of keys, which cannot name it: running again with exact sets will.
bool proof_wants_exact(const struct proof *proof);

#endif
