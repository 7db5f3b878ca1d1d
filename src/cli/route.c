#include "cli/command.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/load.h"
#include "cli/outcome.h"
#include "report/topology.h"

static const struct option route_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Output", route_options},
    {"Network, without a file or in place of the file's", network_options},
    {"Scenario", scenario_options},
    {"General", common_options},
    {0},
};

static bool find_endpoint(const struct graph *graph, const char *name, uint32_t *out, struct error *err) {
    char quoted[TEXT_QUOTE_SIZE];
    *out = graph_find_node(graph, name);
    if (*out < graph->endpoints) return true;
    text_quote(name, quoted);
    if (*out != NO_NODE) return error_set(err, ERROR_INPUT, "%s is a switch; routes lead from endpoint to endpoint", quoted);
    return error_set(err, ERROR_INPUT, "there is no endpoint %s; they are numbered 0 to %u", quoted, graph->endpoints - 1);
}

static const char *shown_name(const struct graph *graph, uint32_t node, char *out) {
    if (graph->names && graph->names[node]) return graph->names[node];
    return graph_node_name(graph, node, out);
}

static void print_route(const struct options *options, const struct loaded *loaded, const uint32_t ends[2], FILE *out) {
    const struct topology *topology = loaded->experiment.topology;
    const struct graph *graph = &topology->graph;
    uint32_t most = graph_nodes(graph); // a route visits no node twice
    uint32_t *links = allocate(most * sizeof *links);
    uint32_t count = topology_route(topology, ends[0], ends[1], 0, 0, links, most);
    struct route_hop *hops = allocate(count * sizeof *hops);
    char(*names)[NODE_NAME_SIZE] = allocate((2 * (size_t)count + 2) * sizeof *names);
    for (uint32_t i = 0; i < count; i++) {
        const struct link_info *link = &graph->links[links[i]];
        hops[i] = (struct route_hop){shown_name(graph, link->from, names[2 * i]),
                                     shown_name(graph, link->to, names[2 * i + 1]),
                                     link->from_port,
                                     link->to_port,
                                     link->bandwidth_bytes_per_s,
                                     link->latency_ticks};
    }
    struct route_figures route = {shown_name(graph, ends[0], names[2 * count]), shown_name(graph, ends[1], names[2 * count + 1]), count,
                                  hops, loaded->scenario->ticks_per_s};
    if (options->json)
        report_route_json(&route, out);
    else
        report_route_table(&route, out);
    free(names);
    free(hops);
    free(links);
}

static int route_loaded(const struct options *options, const struct loaded *loaded, char *const names[2], FILE *out) {
    uint32_t ends[2];
    struct error err = {0};
    for (int i = 0; i < 2; i++)
        if (!find_endpoint(&loaded->experiment.topology->graph, names[i], &ends[i], &err)) return outcome_error(&err);
    print_route(options, loaded, ends, out);
    return ERROR_NONE;
}

static int route(const struct options *options, FILE *out) {
    struct source source;
    struct loaded loaded;
    int code = ERROR_INPUT;
    size_t count = options->operands.count;
    const char *path = count == 3 ? options->operands.items[0] : NULL;
    if (!path && !options->topology && !options->system) {
        struct error err = {0};
        error_set(&err, ERROR_INPUT, "of which network? Give a scenario FILE before the two endpoints, or --topology or --system");
        return outcome_error(&err);
    }
    if (!source_open(options, path, false, &source)) return ERROR_INPUT;
    if (source_load(&source, NULL, stderr, &loaded)) {
        code = route_loaded(options, &loaded, options->operands.items + count - 2, out);
        loaded_free(&loaded);
    }
    source_close(&source);
    return code;
}

const struct command route_command = {
    .name = "route",
    .operands = "[FILE] A B",
    .summary = "print the hops from endpoint A to endpoint B, with ports, bandwidths and latencies",
    .more = "The route is that of an endpoint's first message and its first chunk.\n\n"
            "  weft route --topology torus:4x4 --link 45GB/s,1us 0 10",
    .operands_least = 2,
    .operands_most = 3,
    .groups = groups,
    .run = route,
};
