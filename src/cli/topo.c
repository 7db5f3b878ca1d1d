#include "cli/command.h"

#include <stdlib.h>

#include "cli/load.h"
#include "report/topology.h"

static const struct option topo_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON document", NULL},
    {0},
};

static const struct option_group groups[] = {
    {"Output", topo_options},
    {"Network, without a file or in place of the file's", network_options},
    {"Scenario", scenario_options},
    {"General", common_options},
    {0},
};

static void measure(const struct topology *topology, struct network_figures *out) {
    struct topology_metrics metrics;
    topology_measure(topology, &metrics);
    *out = (struct network_figures){
        .type = topology->type->variant.name,
        .endpoints = metrics.endpoints,
        .switches = metrics.switches,
        .links = metrics.links,
        .cables = metrics.cables,
        .hops_known = metrics.hops_known,
        .diameter = metrics.diameter,
        .mean_hops = metrics.mean_hops,
        .bisection_known = metrics.bisection.known,
        .bisection_cables = metrics.bisection.cables,
        .cut_bytes_per_s = {metrics.cut_bytes_per_s[0], metrics.cut_bytes_per_s[1]},
    };
    free(metrics.bisection.side);
}

static void print_figures(const struct options *options, const struct loaded *loaded, FILE *out) {
    struct network_figures figures;
    measure(loaded->experiment.topology, &figures);
    json_t *scenario = scenario_resolved(loaded->scenario);
    const json_t *topology = json_object_get(json_object_get(scenario, "network"), "topology");
    if (options->json)
        report_network_json(&figures, topology, out);
    else
        report_network_table(&figures, topology, out);
    json_decref(scenario);
}

static int topo(const struct options *options, FILE *out) {
    struct source source;
    struct loaded loaded;
    const char *path = options->operands.count ? options->operands.items[0] : NULL;
    if (!source_open(options, path, false, &source)) return ERROR_INPUT;
    bool good = source_load(&source, NULL, stderr, &loaded);
    if (good) {
        print_figures(options, &loaded, out);
        loaded_free(&loaded);
    }
    source_close(&source);
    return good ? ERROR_NONE : ERROR_INPUT;
}

const struct command topo_command = {
    .name = "topo",
    .operands = "[FILE]",
    .summary = "print a network's size, diameter, mean hops and bisection",
    .more = "  weft topo --topology torus:8x8x8 --link 45GB/s,1us",
    .operands_most = 1,
    .groups = groups,
    .run = topo,
};
