#ifndef ENGINE_PARTITION_H
#define ENGINE_PARTITION_H

#include "engine/graph.h"

/// Which part each node belongs to, and how far a part may run ahead of the others.
struct partition {
    uint32_t parts;
    uint8_t *part_of;       ///< per node
    int64_t lookahead;      ///< the least latency of a link between two parts; INT64_MAX: there is none
    uint32_t links_between; ///< between two parts
};

enum { PARTS_MOST = 64 };

/// Cuts the nodes into at most `parts` (1 to PARTS_MOST) blocks of about equal numbers of links, along the order of the endpoints,
/// a switch being where its endpoints are. Where latencies differ much, nodes that short links join stay together, if
/// that leaves blocks enough.
void partition_make(const struct graph *graph, uint32_t parts, struct partition *out);
void partition_free(struct partition *partition);

#endif
