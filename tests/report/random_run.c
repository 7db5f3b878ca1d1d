#include "report/random_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct shape {
    const char *text;
    uint32_t endpoints;
};

static const struct shape shapes[] = {
    {"'type': 'switch', 'endpoints': 6, 'link': %s", 6},
    {"'type': 'ring', 'endpoints': 5, 'directions': 'one', 'link': %s", 5},
    {"'type': 'ring', 'endpoints': 8, 'ties': 'split', 'link': %s", 8},
    {"'type': 'torus', 'dims': [4, 3], 'link': %s", 12},
    {"'type': 'torus', 'dims': [4, 4], 'ties': 'split', 'link': %s", 16},
    {"'type': 'torus', 'dims': [2, 4], 'wrap2': 'double', 'link': %s", 8},
    {"'type': 'mesh', 'dims': [3, 4], 'link': %s", 12},
    {"'type': 'full', 'endpoints': 5, 'link': %s", 5},
    {"'type': 'hypercube', 'dimension': 3, 'link': %s", 8},
    {"'type': 'fat-tree', 'k': 4, 'link': %s", 16},
    {"'type': 'fat-tree', 'k': 4, 'ecmp': 'hash', 'link': %s", 16},
    {"'type': 'leaf-spine', 'leaves': 2, 'hosts_per_leaf': 4, 'spines': 3, 'ecmp': 'spray', 'host_link': %1$s, 'up_link': %1$s", 8},
    {"'type': 'leaf-spine', 'leaves': 3, 'hosts_per_leaf': 3, 'spines': 2, 'cables_per_pair': 2, 'host_link': %1$s, 'up_link': %1$s", 9},
};

static uint32_t below(struct random_stream *stream, uint32_t limit) { return (uint32_t)random_below(stream, limit); }

static const char *pick(struct random_stream *stream, const char *const *choices, uint32_t count) { return choices[below(stream, count)]; }

char *random_network(struct random_stream *stream, char *out, uint32_t *endpoints) {
    static const char *const chunks[] = {"whole", "512B", "1000B", "64KiB"};
    static const char *const switchings[] = {"cut-through", "store-and-forward"};
    static const char *const injections[] = {"fifo", "round-robin"};
    const struct shape *shape = &shapes[below(stream, sizeof shapes / sizeof *shapes)];
    char link[96], topology[512];
    snprintf(link, sizeof link, "{'bandwidth': '%" PRIu32 "MB/s', 'latency': '%" PRIu32 "ns'}", 700 + below(stream, 9000),
             below(stream, 3000));
    snprintf(topology, sizeof topology, shape->text, link);
    snprintf(out, SCENARIO_SIZE, "'network': {'chunk': '%s', 'switching': '%s', 'injection': '%s', 'topology': {%s}}",
             pick(stream, chunks, 4), pick(stream, switchings, 2), pick(stream, injections, 2), topology);
    *endpoints = shape->endpoints;
    return out;
}

static void random_messages(struct random_stream *stream, uint32_t ranks, char *out) {
    size_t used = (size_t)sprintf(out, "{'type': 'messages', 'messages': [");
    uint32_t count = 1 + below(stream, 24);
    for (uint32_t i = 0; i < count; i++) {
        used += (size_t)sprintf(out + used, "%s{'from': %" PRIu32 ", 'to': %" PRIu32 ", 'size': '%" PRIu32 "B', 'at': '%" PRIu32 "ns'}",
                                i ? ", " : "", below(stream, ranks), below(stream, ranks), below(stream, 20000), below(stream, 4000));
    }
    strcpy(out + used, "]}");
}

static void random_collective(struct random_stream *stream, char *out) {
    static const char *const collectives[] = {"all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all"};
    static const char *const syncs[] = {"free", "step"};
    sprintf(out, "{'type': 'collective', 'collective': '%s', 'sync': '%s', 'size': '%" PRIu32 "B', 'start': {'1': '%" PRIu32 "ns'}}",
            pick(stream, collectives, 5), pick(stream, syncs, 2), below(stream, 100000), below(stream, 5000));
}

char *random_scenario(struct random_stream *stream, char *out) {
    uint32_t ranks;
    char network[SCENARIO_SIZE], workload[SCENARIO_SIZE];
    random_network(stream, network, &ranks);
    if (below(stream, 2))
        random_messages(stream, ranks, workload);
    else
        random_collective(stream, workload);
    int length = snprintf(out, SCENARIO_SIZE, "{'tick': '%s', %s, 'workload': %s", below(stream, 2) ? "1fs" : "1ps", network, workload);
    strcpy(out + length, "}");
    return out;
}
