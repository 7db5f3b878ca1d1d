#ifndef ENGINE_IN_LINKS_H
#define ENGINE_IN_LINKS_H

#include <stdbool.h>

#include "engine/chunk.h"
#include "engine/graph.h"

/// The far end of a link, one cache line: the FIFO of chunks that have left it and not joined their next link yet. It stands with
/// the node that will take them, beside the others that come in there. An empty FIFO keeps the first chunk that comes in
/// place; what comes while others are on the way goes to the ring, from which it is taken.
struct in_link {
    struct chunk first; ///< first.join: when the oldest joins, wherever it is; INT64_MAX: none is on its way
    struct chunk *ring; ///< entries head .. tail-1 modulo `room`; while there is none: `first`
    uint32_t head, tail;
    uint32_t room; ///< of the ring, a power of 2; 0: there is none
    uint32_t in_port;
    uint32_t place;   ///< of the node, in the order in which an engine visits them
    bool holds_first; ///< the rest of `first` is the oldest chunk
};

/// In the order of nodes, then of the ports there: those of node v are first[v] .. first[v+1]-1.
struct in_links {
    uint32_t *first;
    struct in_link *items;
};

/// Lists all links in `order`, by the node that each leads to (`targets`; NULL: the graph's own), then by the port there. Those of node v
/// get the places first[v] .. first[v+1]-1; `first` has nodes + 1 entries and is 0 before.
void in_links_sort(const struct graph *graph, const uint32_t *targets, uint32_t nodes, uint32_t *first, uint32_t *order);

/// Indexes the links of a graph, which are listed in `order`; nothing is on its way.
void in_links_index(struct in_links *in, const struct graph *graph, uint32_t *order);
void in_links_free(struct in_links *in);

/// Nothing is on its way, and there is no ring.
static inline void in_link_start(struct in_link *in) {
    in->first.join = INT64_MAX;
    in->ring = &in->first, in->room = 0;
    in->head = in->tail = 0;
    in->holds_first = false;
}

static inline bool in_link_is_empty(const struct in_link *in) { return in->first.join == INT64_MAX; }

static inline struct chunk *in_link_at(const struct in_link *in, uint32_t index) { return &in->ring[index & (in->room - 1)]; }

/// After chunks in the ring were taken or put in: when the oldest joins.
static inline void in_link_renew(struct in_link *in) { in->first.join = in->head == in->tail ? INT64_MAX : in_link_at(in, in->head)->join; }

/// The oldest chunk, of which there must be one.
static inline struct chunk *in_link_oldest(struct in_link *in) { return in->holds_first ? &in->first : in_link_at(in, in->head); }

/// Drops the oldest.
static inline void in_link_drop(struct in_link *in) {
    if (in->holds_first)
        in->holds_first = false;
    else
        in->head++;
    in_link_renew(in);
}

static inline uint32_t in_link_count(const struct in_link *in) { return in->tail - in->head + in->holds_first; }

#endif
