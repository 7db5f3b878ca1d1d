#ifndef REPORT_TOPOLOGY_H
#define REPORT_TOPOLOGY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// A network's own numbers, as `weft topo` prints them; free of the shape's structs.
struct network_figures {
    const char *type;
    uint64_t endpoints, switches, links, cables;
    bool hops_known;
    uint32_t diameter;
    double mean_hops;
    bool bisection_known;
    uint64_t bisection_cables;
    double cut_bytes_per_s[2]; ///< both ways over the cut
};

/// One link of a route.
struct route_hop {
    const char *from, *to; ///< as people call them
    uint32_t from_port, to_port;
    int64_t bandwidth_bytes_per_s, latency_ticks;
};

struct route_figures {
    const char *from, *to;
    uint32_t count;
    const struct route_hop *hops;
    int64_t ticks_per_s;
};

/// `topology` is that of the resolved scenario.
void report_network_table(const struct network_figures *figures, const json_t *topology, FILE *out);
void report_network_json(const struct network_figures *figures, const json_t *topology, FILE *out);

void report_route_table(const struct route_figures *route, FILE *out);
void report_route_json(const struct route_figures *route, FILE *out);

#endif
