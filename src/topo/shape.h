#ifndef TOPO_SHAPE_H
#define TOPO_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/topology.h"

/// What the files of the shapes share: rows of their field tables, checks of links, sizes that cannot overflow.

enum { MAX_ENDPOINTS = INT32_MAX }; ///< of a single number in a scenario

#define LINK_FIELD(config, member, name, requirement, text)                                                                            \
    {                                                                                                                                  \
        name, FIELD_LINK, offsetof(struct config, member), requirement, .help = text,                                                  \
                                                                        .example = "{\"bandwidth\": \"45GB/s\", \"latency\": \"1us\"}" \
    }

/// A link must be there; where paths lead through no switch (`switched` false) it must not be given by alpha.
bool shape_check_link(const struct link_config *link, const char *where, bool switched, struct error *err);

/// `link` for all, or `links` with `count` of them, one per `unit` ("dim", "level").
struct link_choice {
    const struct link_config *link;
    const struct records *links;
    uint32_t count;
    const char *unit;
    bool switched;
};
bool shape_check_links(const struct link_choice *choice, struct error *err);
const struct link_config *shape_link(const struct link_config *link, const struct records *links, uint32_t index);

/// A link_info with the rate and latency of a configured link.
struct link_info shape_link_info(const struct link_config *link);

/// All endpoints in one row, any of which may be the first (topology_type.translations).
void shape_rotations(const struct topology *topology, struct translations *out);

/// Products and sums that stay at UINT64_MAX instead of wrapping.
uint64_t size_times(uint64_t a, uint64_t b);
uint64_t size_plus(uint64_t a, uint64_t b);

#endif
