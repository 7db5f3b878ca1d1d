#ifndef ENGINE_IN_LINKS_H
#define ENGINE_IN_LINKS_H

#include <stdbool.h>

#include "engine/due_groups.h"
#include "engine/graph.h"

/// Where a link ends.
struct far_end {
    uint32_t position; ///< among all in-links
    uint32_t place;    ///< of its node
};

/// The links that come in at each node, at positions in the order of the nodes' places, then of the ports there.
struct in_links {
    uint32_t *first;      ///< per place + 1: positions of the node's in-links
    uint32_t *links;      ///< per position
    int64_t *next;        ///< per position: when the head of that link's FIFO joins
    struct far_end *ends; ///< per link
    uint32_t *out_port;   ///< per link: the port it leaves by, beside those of its node's other links
    struct due_groups due_groups;
};

enum { MANY_LINKS = 4096 }; ///< of a node: below, looking at each is as fast

static inline bool in_links_are_many(const struct in_links *in, uint32_t place) {
    return in->first[place + 1] - in->first[place] >= MANY_LINKS;
}

/// `place_of`: per node. Nothing is on its way yet.
void in_links_index(struct in_links *in, const struct graph *graph, const uint32_t *place_of);
void in_links_free(struct in_links *in);

#endif
