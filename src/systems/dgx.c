#include "systems/dgx.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"

const struct field dgx_fields[] = {
    {.name = "nodes",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct dgx_config, nodes),
     .fallback = 1,
     .min = 1,
     .max = DGX_NODES_MOST,
     .help = "machines of eight GPUs; more than one are wired as a SuperPOD",
     .example = "4"},
    {.name = NULL},
};

/// The fewest units that the nodes fill evenly; 0: none.
static int64_t units_of(const struct dgx *machine, int64_t nodes) {
    int64_t least = (nodes + machine->unit_nodes - 1) / machine->unit_nodes;
    int64_t most = (DGX_NODES_MOST + machine->unit_nodes - 1) / machine->unit_nodes;
    for (int64_t units = least; units <= most; units++)
        if (nodes % units == 0) return units;
    return 0;
}

bool dgx_check(const struct dgx *machine, const struct dgx_config *config, struct error *err) {
    int64_t nodes = config->nodes, above = nodes;
    if (units_of(machine, nodes)) return true;
    while (!units_of(machine, above)) above++;
    return error_at(err, "nodes",
                    "%lld nodes cannot be spread evenly over units of at most %lld; take %lld nodes (and \"ranks\": %lld to use no more)",
                    (long long)nodes, (long long)machine->unit_nodes, (long long)above, (long long)nodes * DGX_GPUS);
}

char *dgx_expand(const struct dgx *machine, const struct dgx_config *config) {
    static const char costs[] = "\"costs\": {\"send_overhead\": \"" SEND_OVERHEAD "\"}";
    char *node = text_format("{\"type\": \"switch\", \"endpoints\": %d, \"link\": \"%s\"}", DGX_GPUS, machine->gpu_link), *text;
    if (config->nodes == 1) {
        text = text_format("{\"network\": {\"topology\": %s}, %s}", node, costs);
    } else {
        int64_t units = units_of(machine, config->nodes), spines = machine->spines[units - 1];
        text = text_format("{\"network\": {\"topology\": {\"type\": \"cluster\", \"nodes\": %lld, \"node\": %s, \"nics_per_node\": %d, "
                           "\"nic_link\": \"%s\", \"fabric\": {\"type\": \"leaf-spine\", \"leaves\": %lld, \"spines\": %lld, "
                           "\"cables_per_pair\": %lld, \"up_link\": \"%s\", \"rails\": true}, \"pxn\": true}}, %s}",
                           (long long)config->nodes, node, DGX_GPUS, machine->nic_link, (long long)units * DGX_GPUS, (long long)spines,
                           (long long)(machine->unit_nodes / spines), machine->nic_link, costs);
    }
    free(node);
    return text;
}
