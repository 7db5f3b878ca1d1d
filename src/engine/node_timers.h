#ifndef ENGINE_NODE_TIMERS_H
#define ENGINE_NODE_TIMERS_H

#include <stddef.h>
#include <stdint.h>

/// Timers by node, each node's in the order of time and then of setting: a pairing heap a node (Fredman, Sedgewick, Sleator,
/// Tarjan 1986), so that the usual one timer of an endpoint costs a few instructions, and a million of them a logarithm.

#define NO_TIMER UINT32_MAX

struct node_timer {
    int64_t time;
    uint64_t sequence;
    uint32_t cookie;
    uint32_t child, sibling; ///< later ones; `sibling` also links what is free
};

struct node_timers {
    uint32_t *first; ///< per place
    struct node_timer *items;
    size_t item_count, item_capacity, live;
    uint32_t free;
};

void node_timers_init(struct node_timers *timers, uint32_t places);
void node_timers_free(struct node_timers *timers);
void node_timers_add(struct node_timers *timers, uint32_t place, const struct node_timer *timer);
uint32_t node_timers_pop(struct node_timers *timers, uint32_t place); ///< the cookie of the first, of which there must be one

/// When a node's first timer is due; INT64_MAX: never.
static inline int64_t node_timers_next(const struct node_timers *timers, uint32_t place) {
    uint32_t first = timers->first[place];
    return first == NO_TIMER ? INT64_MAX : timers->items[first].time;
}

#endif
