#ifndef ENGINE_SHARD_H
#define ENGINE_SHARD_H

#include "base/memory.h"
#include "engine/shards.h"
#include "engine/sim_state.h"

/// What an engine sees of its simulation being one of several (shards.h).

struct shard {
    struct shards *all;
    const uint8_t *part_of; ///< per node
    uint32_t number;
    uint32_t *crossed; ///< links to other parts that hold chunks
    size_t crossed_count, crossed_capacity;
    uint16_t *classes; ///< [shard][its size class]: 1 + the size class here; 0: not asked for yet
    uint64_t meetings;
    uint32_t patience;   ///< at meetings
    uint64_t chunk_hops; ///< of all, at the last meeting
    uint64_t first_hops; ///< served by all, when it begins to count what a window holds
    uint64_t held;       ///< messages taken and not given back
    uint64_t new_bytes;  ///< of those that nobody had taken before
    uint32_t takes;      ///< of messages, by all, at the last meeting
    uint32_t wanted;     ///< how many lists of free messages others could use
};

/// Whether a node is of another part.
static inline bool shard_elsewhere(const struct shard *shard, uint32_t node) { return shard->part_of[node] != shard->number; }

/// Whether `link`, whose FIFO was empty, leads to another part: then its chunks are handed over at the next meeting.
static inline bool shard_crosses(struct shard *shard, const struct link_state *state, uint32_t link) {
    if (!shard_elsewhere(shard, state->to)) return false;
    ARRAY_RESERVE(shard->crossed, shard->crossed_capacity, shard->crossed_count + 1);
    shard->crossed[shard->crossed_count++] = link;
    return true;
}

/// Meets the others: hands over what has crossed and takes what has come. `next` is when something joins here next.
/// GO_ON: nothing comes from elsewhere before *end. DONE: nothing is left anywhere. STOP: an error, also where another shard has it;
/// *end stays, but where time is limited it is where that ends.
enum shard_verdict { SHARD_GO_ON, SHARD_DONE, SHARD_STOP };
enum shard_verdict shard_meet(struct sim *sim, int64_t next, int64_t *end);

/// Ids of messages, where there are none left.
void shard_more_messages(struct sim *sim);

#endif
