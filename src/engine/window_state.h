#ifndef ENGINE_WINDOW_STATE_H
#define ENGINE_WINDOW_STATE_H

#include "engine/arrivals.h"
#include "engine/bucket.h"
#include "engine/domains.h"
#include "engine/due_groups.h"
#include "engine/made_chunks.h"
#include "engine/node_timers.h"
#include "engine/time_tree.h"

/// The state of the window engine (window_engine.c).
struct engine {
    struct sim *sim;
    struct domains domains;
    struct time_tree times;
    struct node_timers timers;
    struct due_groups due_groups;

    bool prefetches; ///< in this window: what is on the network is more than the near caches hold

    int64_t begin, end;             ///< of the present window
    int64_t round_begin, round_end; ///< of the present window between domains
    uint32_t domain;                ///< the one that goes through it at present
    uint32_t visited;               ///< the place of the node that is being visited, or was last
    int64_t next_timer;             ///< of that node
    struct bucket *buckets;         ///< per out-link of the visited node
    uint32_t *touched;              ///< the links whose buckets hold something
    uint32_t touched_count;
    struct in_link **spent; ///< of those the ring has been emptied, but its chunks are not served yet
    size_t spent_count, spent_capacity;
    struct bucket_server server;
    struct arrivals arrivals;
    struct chunk never;      ///< joins never
    struct made_chunks made; ///< by runs and messages in this visit
};

#endif
