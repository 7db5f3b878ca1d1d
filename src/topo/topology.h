#ifndef TOPO_TOPOLOGY_H
#define TOPO_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/field.h"
#include "engine/graph.h"
#include "engine/sim.h"
#include "engine/translations.h"

/// A shape: fills a graph, answers which link comes next, and knows its own numbers. It knows no ranks.
/// `src/topo/NAME.c` defines `const struct topology_type NAME_topology`; the Makefile lists the files in the registry.

enum { MAX_DIMS = 27 }; ///< of a hypercube: one more would pass 2^32 links

struct topology {
    const struct topology_type *type;
    const void *config; ///< of type->variant.fields; borrowed
    struct graph graph;
    struct router router;    ///< .state is the shape's own, for the hot path
    uint32_t selector_limit; ///< selectors are below this; 1 where routes depend on the destination only
    void *state;             ///< the shape's own tables; freed by type->free_state (or free where that is NULL)

    uint32_t dim_count; ///< 0: no coordinates
    uint32_t dims[MAX_DIMS];
    uint32_t group_size; ///< endpoints a node (cluster), a leaf (leaf-spine), …; 0: no groups
};

/// A cut that halves the endpoints. Switches are on either side.
struct bisection {
    bool known;      ///< false: too large to search, and no formula
    uint64_t cables; ///< fewest cables that cross (a directed link without its twin counts as half a cable, rounded up)
    uint8_t *side;   ///< per node 0 or 1, for one cut with that many cables; owned by the caller
};

struct topology_type {
    struct variant_type variant; ///< must be the first member
    /// How many nodes and links it would have, before anything is built: refuses absurd sizes with ERROR_INPUT.
    bool (*size)(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err);
    /// Fills graph (graph_init, add; not graph_finish), router, state, dims, group_size.
    bool (*build)(struct topology *topology, struct error *err);
    /// Called after graph_finish, where link ids are known. NULL: nothing to do.
    bool (*index)(struct topology *topology, struct error *err);
    void (*free_state)(struct topology *topology);
    /// Whether a route leads from one endpoint to another. NULL: always.
    bool (*reachable)(const struct topology *topology, uint32_t source, uint32_t destination);

    /// Coordinates along which shifts may leave network and routes as they are, and how finely; whether they do is for the caller to
    /// check, for links may have been overridden. NULL: none are known.
    void (*translations)(const struct topology *topology, struct translations *out);

    /// Closed forms or exact search; each may be NULL: then topology_metrics falls back on walking all routes.
    uint32_t (*diameter)(const struct topology *topology);
    /// Hops summed over ordered pairs of distinct endpoints.
    unsigned __int128 (*total_hops)(const struct topology *topology);
    /// Cables and sides of a cut into floor(N/2) and ceil(N/2) endpoints.
    void (*bisect)(const struct topology *topology, struct bisection *out);
};

extern const struct family topology_family;

/// Builds the shape that `variant` describes: type->size, build, graph_finish, index. NULL on error.
struct topology *topology_create(const struct variant *variant, struct error *err);
void topology_free(struct topology *topology);

/// The links of the route of one chunk, in order; returns how many (a fatal error above `capacity`; 64 suffice for
/// switched shapes, diameter for the others). 0 when source and destination are the same.
uint32_t topology_route(const struct topology *topology, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk,
                        uint32_t *links, uint32_t capacity);

/// False where no route leads from endpoint a to endpoint b (a graph of islands): next_link must not be asked then.
bool topology_reachable(const struct topology *topology, uint32_t a, uint32_t b);

struct topology_metrics {
    uint64_t endpoints, switches, links, cables;
    bool hops_known; ///< false where walking all pairs would take too long and there is no formula
    uint32_t diameter;
    double mean_hops; ///< over ordered pairs of distinct endpoints; 0 with fewer than two
    struct bisection bisection;
    double cut_bytes_per_s[2]; ///< summed rate over that cut from side 0 to 1, and from 1 to 0
};
void topology_measure(const struct topology *topology, struct topology_metrics *out); ///< free out->bisection.side

/// Coordinates in C order, the last dimension fastest.
void topology_coordinates(const struct topology *topology, uint32_t endpoint, uint32_t *coordinates);

/// Sets bandwidth and latency of the links between two nodes: every link where there are several. ERROR_INPUT when
/// there is none. -1 leaves a value as it is.
bool topology_override(struct topology *topology, const char *from, const char *to, int64_t bandwidth_bytes_per_s, int64_t latency_ticks,
                       struct error *err);

#endif
