#ifndef TOPO_GRID_H
#define TOPO_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/shape.h"

/// What ring, torus, mesh and hypercube share: endpoints in C order, ports 1 + 2*dim towards +1 and 2 + 2*dim towards
/// -1, routes in dimension order, last dimension first, the shorter way round (model.md, "Routing", "Numbering").

/// Which way round a chunk goes at exactly half way.
enum ties { TIES_PARITY, TIES_POSITIVE, TIES_SPLIT };
extern const char *const ties_names[];

/// How many cables a wrapping dim of 2 has.
enum wrap2 { WRAP2_SINGLE, WRAP2_DOUBLE };
extern const char *const wrap2_names[];

struct grid_shape {
    uint32_t dim_count;
    uint64_t dims[MAX_DIMS];
    const struct link_config *links[MAX_DIMS];
    bool wraps;   ///< false: a mesh
    bool one_way; ///< a ring that only sends towards +1
    enum wrap2 wrap2;
    enum ties ties;
};

#define TIES_FIELD(config)                                                                                                 \
    {                                                                                                                      \
        "ties", FIELD_CHOICE, offsetof(struct config, ties),                                                               \
            .fallback = TIES_PARITY, .choices = ties_names,                                                                \
            .help = "which way a chunk goes at exactly half way round: by its coordinate's parity, always +, or by chunk", \
            .example = "\"parity\""                                                                                        \
    }
#define WRAP2_FIELD(config)                                                                                                              \
    {                                                                                                                                    \
        "wrap2", FIELD_CHOICE, offsetof(struct config, wrap2), .fallback = WRAP2_SINGLE, .choices = wrap2_names,                         \
                                                               .help = "whether the two endpoints of a dim of 2 share one cable or two", \
                                                               .example = "\"single\""                                                   \
    }

/// Checks a list of dims of a scenario: 1 to 6 of them, each at least 1.
bool grid_check_dims(const struct integers *dims, struct error *err);
/// Copies them into the shape, with the link of each.
void grid_take_dims(struct grid_shape *shape, const struct integers *dims, const struct link_config *link, const struct records *links);

bool grid_size(const struct grid_shape *shape, uint64_t *endpoints, uint64_t *links, struct error *err);
/// Fills the topology's graph, router, dims and state.
void grid_build(struct topology *topology, const struct grid_shape *shape);
/// Notes where the links are (topology_type.index).
bool grid_index(struct topology *topology, struct error *err);
void grid_free(struct topology *topology);

void grid_translations(const struct topology *topology, struct translations *out);
uint32_t grid_diameter(const struct topology *topology);
unsigned __int128 grid_total_hops(const struct topology *topology);
void grid_bisect(const struct topology *topology, struct bisection *out);

enum { WAYS_A_STEP = 4 };

/// The state: what next_link reads. Coordinates of an endpoint are packed into 32 bits, the last dim in the highest, so
/// that the highest bit in which two endpoints differ tells the dim to travel next.
struct grid {
    uint32_t *packed;          ///< per endpoint
    uint32_t *rows;            ///< where `packed` is too large for the near caches: per line along the last dim, its first endpoint's
    uint64_t inverse_length;   ///< of the last dim: 2^64 / length, rounded up
    uint16_t *ports;           ///< mesh: per endpoint, bit b set where port 1 + b exists
    const uint32_t *first_out; ///< of the graph
    uint32_t links_per_node;   ///< where it wraps, all endpoints have as many
    uint32_t last_axis;
    bool wraps, one_way;
    struct axis {
        uint32_t length, mask;
        uint32_t reach;         ///< farther than this towards + goes towards -
        uint8_t shift;          ///< its coordinate is packed >> shift & mask
        uint8_t plus;           ///< place of its + link among those of an endpoint; mesh: bit of `ports`. The - link is next
        uint8_t coordinate_bit; ///< a tie goes towards - when (coordinate & coordinate_bit) ^ (selector's bit & selector_bit) is 1
        uint8_t selector_bit;
        uint8_t weight; ///< links that leave a node along it, one or both ways: 0 (dim of 1), 1 or 2
    } axes[MAX_DIMS];
    uint8_t *ways[MAX_DIMS]; ///< per axis; owned
    struct ways {
        const uint8_t *by_distance; ///< [WAYS_A_STEP * (there - here) + 2 * the selector's bit + (here & 1)]
        uint8_t shift;
        uint8_t selector_shift; ///< to the selector's bit
    } ways_by_zeros[32];        ///< of the axis of the highest bit in which packed coordinates differ, by the zeros before it
};

#endif
