#include "engine/network.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void network_init(struct network *net, uint32_t endpoints, uint32_t switches, uint32_t switch_ports) {
    *net = (struct network){0};
    graph_init(&net->graph, endpoints, switches);
    for (uint32_t s = 0; s < switches; s++) net->graph.switch_ports[s] = switch_ports;
}

void network_cable(struct network *net, const uint32_t ends[4], int64_t bytes_per_s, int64_t latency_ticks) {
    const struct link_info like = {.bandwidth_bytes_per_s = bytes_per_s, .latency_ticks = latency_ticks};
    graph_add_cable(&net->graph, ends[0], ends[1], ends[2], ends[3], &like);
}

/// One more round of fewest hops towards `destination`; false when nothing changed.
static bool relax(struct network *net, uint32_t destination, uint32_t *hops) {
    bool changed = false;
    for (uint32_t l = net->graph.link_count; l-- > 0;) {
        const struct link_info *link = &net->graph.links[l];
        if (hops[link->to] == UINT32_MAX || hops[link->to] + 1 > hops[link->from]) continue;
        changed |= hops[link->to] + 1 < hops[link->from];
        hops[link->from] = hops[link->to] + 1;
        net->next[link->from * net->graph.endpoints + destination] = l;
    }
    return changed;
}

void network_finish(struct network *net) {
    struct error err = {0};
    ck_assert(graph_finish(&net->graph, &err));
    uint32_t nodes = graph_nodes(&net->graph);
    net->next = allocate((size_t)nodes * net->graph.endpoints * sizeof *net->next);
    net->place = allocate(net->graph.endpoints * sizeof *net->place);
    uint32_t *hops = allocate(nodes * sizeof *hops);
    for (uint32_t d = 0; d < net->graph.endpoints; d++) {
        net->place[d] = d;
        memset(hops, 0xff, nodes * sizeof *hops);
        hops[d] = 0;
        while (relax(net, d, hops)) continue;
    }
    free(hops);
}

void network_free(struct network *net) {
    communicator_free(net->comm);
    graph_free(&net->graph);
    free(net->next);
    free(net->place);
}

void network_line(struct network *net, uint32_t hops, const int64_t *rates, const int64_t *latencies) {
    network_init(net, hops + 1, 0, 0);
    for (uint32_t i = 0; i < hops; i++) network_cable(net, (uint32_t[]){i, 2, i + 1, 1}, rates[i], latencies[i]);
    network_finish(net);
}

void network_equal_line(struct network *net, uint32_t hops, int64_t latency_ticks) {
    network_init(net, hops + 1, 0, 0);
    for (uint32_t i = 0; i < hops; i++) network_cable(net, (uint32_t[]){i, 2, i + 1, 1}, BYTE_A_TICK, latency_ticks);
    network_finish(net);
}

void network_star(struct network *net, uint32_t endpoints, int64_t latency_ticks) {
    network_init(net, endpoints, 1, endpoints);
    for (uint32_t e = 0; e < endpoints; e++) network_cable(net, (uint32_t[]){e, 1, endpoints, e}, BYTE_A_TICK, latency_ticks);
    network_finish(net);
}

struct sim_config network_config(int64_t chunk_bytes, enum switching switching, enum injection injection) {
    return (struct sim_config){.ticks_per_s = 1000, .chunk_bytes = chunk_bytes, .switching = switching, .injection = injection};
}

static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    (void)selector;
    const struct network *net = state;
    return net->next[node * net->graph.endpoints + destination];
}

struct communicator *network_open(struct network *net, const struct sim_config *config, const struct rank_costs *costs) {
    const struct router router = {.state = net, .next_link = next_link, .period = 1};
    const struct rank_costs none = {0};
    communicator_free(net->comm);
    net->comm = communicator_create(&net->graph, &router, config, net->place, net->graph.endpoints, costs ? costs : &none);
    if (net->observer) sim_observe(communicator_sim(net->comm), net->observer);
    return net->comm;
}

struct traffic {
    struct communicator *comm;
    struct sent *messages;
};

static void delivered(void *context, uint32_t message, int64_t now) {
    struct traffic *traffic = context;
    traffic->messages[message].delivered_ticks = now;
}

static void send(void *context, uint32_t message, int64_t now) {
    (void)now;
    struct traffic *traffic = context;
    const struct sent *m = &traffic->messages[message];
    communicator_send(traffic->comm, m->from, m->to, m->bytes, 0, message, (struct done_call){delivered, traffic}, message);
}

bool network_try(struct network *net, const struct sim_config *config, struct sent *messages, uint32_t count, struct error *err) {
    struct traffic traffic = {network_open(net, config, NULL), messages};
    for (uint32_t i = 0; i < count; i++) {
        messages[i].delivered_ticks = -1;
        if (messages[i].at_ticks == 0)
            send(&traffic, i, 0);
        else
            communicator_timer(net->comm, messages[i].from, messages[i].at_ticks, (struct done_call){send, &traffic}, i);
    }
    return communicator_run(net->comm, &heap_engine, err);
}

void network_run(struct network *net, const struct sim_config *config, struct sent *messages, uint32_t count) {
    struct error err = {0};
    ck_assert_msg(network_try(net, config, messages, count, &err), "%s", err.text);
}

struct link_totals network_link_totals(const struct network *net, uint32_t from, uint32_t to) {
    for (uint32_t l = 0; l < net->graph.link_count; l++)
        if (net->graph.links[l].from == from && net->graph.links[l].to == to) return sim_link_totals(communicator_sim(net->comm), l);
    ck_abort_msg("no link leads from node %u to node %u", from, to);
}
