#ifndef TESTS_ENGINE_NETWORK_H
#define TESTS_ENGINE_NETWORK_H

#include "algos/communicator.h"

/// Small networks and single messages, so that every tick can be counted by hand. The clock has 1000 ticks a second: at
/// BYTE_A_TICK a chunk of n bytes takes n ticks.
enum { BYTE_A_TICK = 1000 };

/// A graph with fewest-hop routes; of several next links the first by port.
struct network {
    struct graph graph;
    uint32_t *next; ///< [node * endpoints + destination]
    uint32_t *place;
    struct communicator *comm;           ///< of the last run
    const struct sim_observer *observer; ///< of runs to come, or NULL
};

/// One message to be sent at a time, and when it was delivered (-1: not).
struct sent {
    uint32_t from, to;
    int64_t bytes, at_ticks;
    int64_t delivered_ticks;
};

/// `switch_ports`: of each switch.
void network_init(struct network *net, uint32_t endpoints, uint32_t switches, uint32_t switch_ports);
void network_cable(struct network *net, const uint32_t ends_and_ports[4], int64_t bytes_per_s, int64_t latency_ticks);
void network_finish(struct network *net);
void network_free(struct network *net);

/// Endpoints 0 .. hops on a line; cable i has rates[i] and latencies[i]; port 1 to the left, 2 to the right.
void network_line(struct network *net, uint32_t hops, const int64_t *rates, const int64_t *latencies);
/// As network_line with equal cables of BYTE_A_TICK.
void network_equal_line(struct network *net, uint32_t hops, int64_t latency_ticks);
/// Endpoint e at port e of one switch, BYTE_A_TICK.
void network_star(struct network *net, uint32_t endpoints, int64_t latency_ticks);

/// {.ticks_per_s = 1000} and the rest.
struct sim_config network_config(int64_t chunk_bytes, enum switching switching, enum injection injection);

/// A communicator of one rank an endpoint; replaces net->comm.
struct communicator *network_open(struct network *net, const struct sim_config *config, const struct rank_costs *costs);
/// Sends the messages at their times, those of one instant in their order. False as communicator_run.
bool network_try(struct network *net, const struct sim_config *config, struct sent *messages, uint32_t count, struct error *err);
/// As network_try; an error fails the test.
void network_run(struct network *net, const struct sim_config *config, struct sent *messages, uint32_t count);

struct link_totals network_link_totals(const struct network *net, uint32_t from, uint32_t to);

#endif
