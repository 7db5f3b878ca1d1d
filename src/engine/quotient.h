#ifndef ENGINE_QUOTIENT_H
#define ENGINE_QUOTIENT_H

#include "engine/sim.h"
#include "engine/translations.h"

/// A network folded by translations under which it and its routes stay the same: one node and one link stand for all that
/// translations take into each other. A chunk that crosses a link to a node that is no representative goes on from the
/// representative, towards a destination translated likewise; so a run of what the representatives send, with the
/// representatives' links only, is a run of everything, seen from one endpoint of each orbit.

struct quotient_node {
    uint32_t node;       ///< in the whole network
    uint32_t first_link; ///< of the folded graph; those of the next node follow
    bool fixed;          ///< a switch that stays where it is
    uint32_t *link_to;   ///< fixed: per representative node, the folded link to it, or NO_LINK
};

struct quotient {
    const struct graph *whole;
    const struct router *router;
    struct translations group;
    struct graph folded; ///< all nodes, under their numbers, and only the links that represent
    bool ports_move;     ///< images of an endpoint's link have other ports: no chunk may pass through an endpoint
    uint32_t node_count, endpoint_count;
    struct quotient_node *nodes; ///< the representatives: endpoints, moving switches, fixed switches; one more at the end
    uint32_t *originals;         ///< per folded link: its number in the whole network
    uint32_t *targets;           ///< per folded link: which representative stands for its far end
    uint32_t *shifts;            ///< per folded link: the translation from there to the far end
};

/// Where a shift by `by` along one coordinate takes each node; the caller frees it.
uint32_t *quotient_shift_nodes(const struct graph *graph, const struct translations *group, uint32_t coordinate, uint32_t by);

/// Which of some shifts take every link to one of equal rate and latency, and input ports to input ports so that ties are decided the
/// same way: `holds` becomes false of the others. `ports_move` is set where the ports of endpoints change.
struct quotient_shift {
    const uint32_t *images;
    bool holds;
};
void quotient_links_shift(const struct graph *graph, const struct translations *group, struct quotient_shift *shifts, uint32_t count,
                          bool *ports_move);

/// Whether a shift is the same for the link that a chunk at `node` takes towards `destination`, which is `link`.
struct quotient_probe {
    uint32_t node, destination, selector, link;
};
bool quotient_route_shifts(const struct graph *graph, const struct router *router, const uint32_t *images,
                           const struct quotient_probe *probe);

/// Folds a network for whose shifts by `group->step` along each coordinate both hold; graph and router are borrowed. NULL where
/// a switch that stays is linked to another.
struct quotient *quotient_create(const struct graph *graph, const struct router *router, const struct translations *group, bool ports_move);
void quotient_free(struct quotient *quotient);

/// What a chunk at a representative does next.
struct hop {
    uint32_t link;        ///< folded
    uint32_t destination; ///< seen from the representative of its far end; DELIVERED (sim_state.h): it is there
    uint32_t out_port;    ///< by which it leaves a fixed switch: not always that of the folded link
};
struct hop quotient_hop(const struct quotient *quotient, uint32_t node, uint32_t destination, uint32_t selector);

/// The folded link that represents a link of the whole network, and how many links a folded one represents.
uint32_t quotient_link_of(const struct quotient *quotient, uint32_t link);
uint32_t quotient_images_of(const struct quotient *quotient, uint32_t folded);

#endif
