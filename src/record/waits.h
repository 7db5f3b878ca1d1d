#ifndef RECORD_WAITS_H
#define RECORD_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "record/observers.h"

/// Who waited behind whom: a chunk that joins a link before the link is free waits for the chunk served just before it.
/// The waits of chunks, from joining until the link is free, are summed over the link and the two messages' ranks.
/// A chunk behind another chunk of its own message does not count.
struct waits;

struct wait_pair {
    uint32_t link;
    uint32_t from, to;               ///< the ranks of the message that waited
    uint32_t before_from, before_to; ///< those of the message served before it
    uint64_t chunks;
    unsigned __int128 ticks;
};

struct waits *waits_create(uint32_t links);
void waits_free(struct waits *waits);
struct recorder waits_recorder(struct waits *waits);

/// To be called once, after the run: the pairs by falling wait, ties by link and ranks; returns how many.
size_t waits_finish(struct waits *waits, const struct wait_pair **pairs);

#endif
