#ifndef ALGOS_COMMUNICATOR_ROUND_H
#define ALGOS_COMMUNICATOR_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/word_list.h"

/// Rounds: a workload that does the same again and again says whenever it begins anew. If everything stands then as it stood at an
/// earlier beginning - chunks on links, collectives and their steps, timers, processors, the workload's own affairs, all relative to
/// now - the same follows again: all rounds but the last are counted as the one in between went, and the clock jumps to where they end.
struct communicator;

/// Who says so: all that happens is its doing.
struct round_teller {
    void *context;
    /// Adds what of its affairs decides how it goes on, relative to this beginning.
    /// False: it can skip nothing now.
    bool (*state)(void *context, struct word_list *words);
    /// Rounds are counted from this beginning on.
    void (*mark)(void *context);
    /// How often what has been done since the mark can be left out now, something of it still to come.
    uint64_t (*left)(void *context);
    /// It has been done `times` more, each time `ticks` later.
    void (*skip)(void *context, uint64_t times, int64_t ticks);
};

/// Within a call of `state`: how a collective stands, and that it is this one. All that ranks are in must be told of, but for those that
/// all their members start now; while messages outside of collectives are on their way it cannot be told.
void communicator_add_collective(struct communicator *comm, uint32_t collective, struct word_list *words);

/// Within an instant, where replays are allowed; the first of an instant is heard.
void communicator_begins_round(struct communicator *comm, const struct round_teller *teller);

#endif
