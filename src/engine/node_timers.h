#ifndef ENGINE_NODE_TIMERS_H
#define ENGINE_NODE_TIMERS_H

#include <stdbool.h>
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
    struct node_timer *first; ///< per place: the first, without siblings; without one its sequence is NO_SEQUENCE, its time INT64_MAX
    struct node_timer *items; ///< the others
    size_t item_count, item_capacity, live;
    uint32_t free;
};

#define NO_SEQUENCE UINT64_MAX

void node_timers_init(struct node_timers *timers, uint32_t places);
void node_timers_free(struct node_timers *timers);

void node_timers_add_another(struct node_timers *timers, uint32_t place, int64_t time, uint64_t sequence, uint32_t cookie);
void node_timers_find_first(struct node_timers *timers, uint32_t place); ///< among the children of the one that was
void node_timers_sift_first(struct node_timers *timers, uint32_t place); ///< the first has become later, perhaps than its children

static inline bool node_timers_some(const struct node_timers *timers, uint32_t place) {
    return timers->first[place].sequence != NO_SEQUENCE;
}

static inline void node_timers_add(struct node_timers *timers, uint32_t place, int64_t time, uint64_t sequence, uint32_t cookie) {
    struct node_timer *first = &timers->first[place];
    timers->live++;
    if (first->sequence != NO_SEQUENCE) {
        node_timers_add_another(timers, place, time, sequence, cookie);
        return;
    }
    first->time = time, first->sequence = sequence;
    first->cookie = cookie;
}

/// Takes out the first, of which there must be one; returns its cookie.
static inline uint32_t node_timers_pop(struct node_timers *timers, uint32_t place) {
    struct node_timer *first = &timers->first[place];
    uint32_t cookie = first->cookie;
    timers->live--;
    if (first->child == NO_TIMER)
        first->time = INT64_MAX, first->sequence = NO_SEQUENCE;
    else
        node_timers_find_first(timers, place);
    return cookie;
}

/// The first is due at `time` instead, which is no earlier.
static inline void node_timers_put_off(struct node_timers *timers, uint32_t place, int64_t time) {
    struct node_timer *first = &timers->first[place];
    first->time = time;
    if (first->child != NO_TIMER) node_timers_sift_first(timers, place);
}

static inline uint32_t node_timers_cookie(const struct node_timers *timers, uint32_t place) { return timers->first[place].cookie; }

/// When a node's first timer is due; INT64_MAX: never.
static inline int64_t node_timers_next(const struct node_timers *timers, uint32_t place) { return timers->first[place].time; }

#endif
