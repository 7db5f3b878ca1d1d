#ifndef ENGINE_DOMAINS_H
#define ENGINE_DOMAINS_H

#include <stdint.h>

#include "engine/sim_state.h"

/// Parts of the network between which all links are long, for windows at two levels: within `domains.window` nothing that
/// leaves a domain joins in another, so each can go through that time by itself, in shorter windows of its own.

/// Places first .. end-1.
struct domain {
    uint32_t first, end;
    int64_t window; ///< ticks: no link within is shorter
};

/// All nodes, those of a domain beside each other. The place of a node is its number in this order.
struct domains {
    uint32_t *node_at;  ///< per place
    uint32_t *place_of; ///< per node
    struct domain *items;
    uint32_t count;
    int64_t window; ///< ticks: no link between two domains is shorter; where there is one domain, its own window
};

enum { DOMAIN_GAP = 4 };

/// Cuts the network at a gap in its latencies of a factor of DOMAIN_GAP or more: links below the gap make domains of what
/// they connect, nodes without such links are one domain together. Of several gaps the one that needs the fewest visits to
/// nodes if all were always busy, then the highest; one domain where none makes two. No window is longer than `longest`.
void domains_find(struct domains *domains, const struct sim *sim, int64_t longest);
void domains_free(struct domains *domains);

#endif
