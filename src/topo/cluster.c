// A cluster: `nodes` copies of a node shape (NVLink inside), and a fabric between their NICs (InfiniBand). Endpoint e is
// device e mod g of node e / g; its ports into the node keep their numbers, the NIC is the last port.
//
// planes: the node's links and switches exist `planes` times; chunk c of message m takes plane (m + c) mod planes.
// nics_per_node n below g: NIC j is plugged into device ceil(j g / n), and serves devices i with floor(i n / g) = j; what
// these send and receive goes through the node's links to that device, which forwards it.
// rails (of the fabric): NIC j of all nodes stand together, so they share leaves (NVIDIA DGX SuperPOD reference design).
// pxn: a message first goes over the node's links to the device that owns the NIC of the destination's number, and
// leaves on the destination's rail (NCCL 2.12, "PXN"); without it, it leaves by the sender's own NIC.
#include "topo/cluster.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "topo/fabric.h"
#include "topo/shape.h"

struct cluster_config {
    uint64_t given;
    int64_t nodes, nics_per_node, planes;
    struct variant node, fabric;
    struct link_config nic_link;
    bool pxn;
};

enum { MAX_PLANES = 64 };

static const struct field fields[] = {
    {"nodes", FIELD_INTEGER, offsetof(struct cluster_config, nodes), FIELD_REQUIRED, .min = 1, .max = MAX_ENDPOINTS,
     .help = "how many nodes", .example = "4"},
    {"node", FIELD_VARIANT, offsetof(struct cluster_config, node), FIELD_REQUIRED, .family = &topology_family,
     .help = "the network inside each node", .example = "{\"type\": \"switch\", \"endpoints\": 8, \"link\": \"nvlink4\"}"},
    {"planes", FIELD_INTEGER, offsetof(struct cluster_config, planes), .fallback = 1, .min = 1, .max = MAX_PLANES,
     .help = "how many times the network inside a node exists; chunks are striped over them", .example = "1"},
    {"nics_per_node", FIELD_INTEGER, offsetof(struct cluster_config, nics_per_node), .fallback = 0, .min = 0, .max = MAX_ENDPOINTS,
     .help = "0: one per endpoint; fewer are shared, reached through the endpoint each is plugged into", .example = "8"},
    LINK_FIELD(cluster_config, nic_link, "nic_link", FIELD_REQUIRED, "the links of the NICs"),
    {"fabric", FIELD_VARIANT, offsetof(struct cluster_config, fabric), FIELD_REQUIRED, .family = &fabric_family,
     .help = "the network between the NICs", .example = "{\"type\": \"switch\"}"},
    {"pxn", FIELD_BOOLEAN, offsetof(struct cluster_config, pxn),
     .help = "messages to other nodes first go inside the node to the endpoint on the destination's rail", .example = "false"},
    {0},
};

static bool check(const void *config, struct error *err) {
    return shape_check_link(&((const struct cluster_config *)config)->nic_link, "nic_link", true, err);
}

static struct fabric_request request_of(const struct cluster_config *config, uint64_t devices) {
    uint64_t nics = config->nics_per_node ? (uint64_t)config->nics_per_node : devices;
    return (struct fabric_request){(uint64_t)config->nodes, nics, &config->nic_link, config->fabric.config};
}

// An error of the node or the fabric, its key below that of the cluster.
static bool refuse_below(struct error *err, const char *key, const struct error *inner) {
    char where[sizeof inner->where + 8];
    snprintf(where, sizeof where, "%s%s%s", key, inner->where[0] ? "/" : "", inner->where);
    return error_at(err, where, "%s", inner->text);
}

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    const struct cluster_config *cluster = config;
    const struct topology_type *node = (const struct topology_type *)cluster->node.type;
    const struct fabric_type *fabric = (const struct fabric_type *)cluster->fabric.type;
    uint64_t devices, node_switches, node_links, fabric_switches, fabric_links;
    struct error inner = {0};
    bool fits = (!node->variant.check || node->variant.check(cluster->node.config, &inner)) &&
                node->size(cluster->node.config, &devices, &node_switches, &node_links, &inner);
    if (!fits) return refuse_below(err, "node", &inner);
    struct fabric_request request = request_of(cluster, devices);
    if (request.nics_per_node > devices)
        return error_at(err, "nics_per_node", "%" PRIu64 " NICs for %" PRIu64 " endpoints: at most one each", request.nics_per_node,
                        devices);
    if (!fabric->size(&request, &fabric_switches, &fabric_links, &inner)) return refuse_below(err, "fabric", &inner);
    uint64_t copies = size_times((uint64_t)cluster->nodes, (uint64_t)cluster->planes);
    *endpoints = size_times((uint64_t)cluster->nodes, devices);
    *switches = size_plus(size_times(copies, node_switches), fabric_switches);
    *links = size_plus(size_times(copies, node_links), fabric_links);
    return true;
}

// Which device each NIC is plugged into, and which NIC each device uses.
static void share_nics(struct cluster *cluster) {
    uint64_t devices = cluster->devices, nics = cluster->nics;
    cluster->nic_of = allocate(devices * sizeof *cluster->nic_of);
    cluster->owner_of = allocate(nics * sizeof *cluster->owner_of);
    for (uint32_t i = 0; i < devices; i++) cluster->nic_of[i] = (uint32_t)(i * nics / devices);
    for (uint32_t j = 0; j < nics; j++) cluster->owner_of[j] = (uint32_t)((j * devices + nics - 1) / nics);
}

static void fill_places(struct cluster *cluster, struct graph *graph) {
    const struct graph *node = &cluster->node->graph, *fabric = &cluster->fabric->graph;
    cluster->places = allocate(((size_t)graph_nodes(graph) + 1) * sizeof *cluster->places);
    struct place *place = cluster->places;
    for (uint32_t e = 0; e < graph->endpoints; e++) *place++ = (struct place){.group = e / cluster->devices, .local = e % cluster->devices};
    uint32_t *ports = graph->switch_ports;
    for (uint32_t copy = 0; copy < cluster->nodes * cluster->planes; copy++) {
        for (uint32_t s = 0; s < node->switches; s++) {
            *place++ = (struct place){.group = copy / cluster->planes, .local = cluster->devices + s};
            *ports++ = node->switch_ports[s];
        }
    }
    for (uint32_t s = 0; s < fabric->switches; s++) {
        *place++ = (struct place){.group = cluster->nodes, .local = fabric->endpoints + s};
        *ports++ = fabric->switch_ports[s];
    }
}

// The highest port number of an endpoint inside the node.
static uint32_t node_ports(const struct graph *node) {
    uint32_t most = 0;
    for (uint32_t l = 0; l < node->link_count; l++) {
        const struct link_info *link = &node->links[l];
        if (link->from < node->endpoints && link->from_port > most) most = link->from_port;
        if (link->to < node->endpoints && link->to_port > most) most = link->to_port;
    }
    return most;
}

// Copies the node's links into plane `plane` of node `group`; an endpoint has ports_per_plane ports for each plane.
static void add_plane(struct graph *graph, const struct cluster *cluster, uint32_t group, uint32_t plane, uint32_t ports_per_plane) {
    const struct graph *node = &cluster->node->graph;
    uint32_t devices = cluster->devices, first_switch = graph->endpoints + (group * cluster->planes + plane) * node->switches;
    for (uint32_t l = 0; l < node->link_count; l++) {
        struct link_info link = node->links[l];
        if (link.from < devices) link.from_port += plane * ports_per_plane;
        if (link.to < devices) link.to_port += plane * ports_per_plane;
        link.from = link.from < devices ? group * devices + link.from : first_switch + link.from - devices;
        link.to = link.to < devices ? group * devices + link.to : first_switch + link.to - devices;
        graph_add_link(graph, link);
    }
}

static void add_fabric(struct graph *graph, const struct cluster *cluster, uint32_t nic_port) {
    const struct graph *fabric = &cluster->fabric->graph;
    uint32_t *endpoint_at = allocate(fabric->endpoints * sizeof *endpoint_at);
    for (uint32_t group = 0; group < cluster->nodes; group++) {
        for (uint32_t nic = 0; nic < cluster->nics; nic++)
            endpoint_at[cluster_place(cluster, group, nic)] = group * cluster->devices + cluster->owner_of[nic];
    }
    uint32_t first_switch = graph_nodes(graph) - fabric->switches;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        struct link_info link = fabric->links[l];
        bool from_nic = link.from < fabric->endpoints, to_nic = link.to < fabric->endpoints;
        if (from_nic) link.from_port = nic_port;
        if (to_nic) link.to_port = nic_port;
        link.from = from_nic ? endpoint_at[link.from] : first_switch + link.from - fabric->endpoints;
        link.to = to_nic ? endpoint_at[link.to] : first_switch + link.to - fabric->endpoints;
        graph_add_link(graph, link);
    }
    free(endpoint_at);
}

static bool build(struct topology *topology, struct error *err) {
    const struct cluster_config *config = topology->config;
    struct cluster *cluster = topology->state = allocate_zeroed(1, sizeof *cluster);
    struct error inner = {0};
    cluster->node = topology_create(&config->node, &inner);
    if (!cluster->node) return refuse_below(err, "node", &inner);
    uint32_t devices = cluster->node->graph.endpoints;
    struct fabric_request request = request_of(config, devices);
    cluster->fabric = fabric_create(&config->fabric, &request, &inner);
    if (!cluster->fabric) return refuse_below(err, "fabric", &inner);
    cluster->nodes = (uint32_t)config->nodes, cluster->devices = devices;
    cluster->nics = (uint32_t)request.nics_per_node, cluster->planes = (uint32_t)config->planes;
    cluster->by_rails = fabric_by_rails(&config->fabric), cluster->pxn = config->pxn;
    cluster->own_nics = cluster->nics == cluster->devices && !cluster->pxn;
    share_nics(cluster);

    struct graph *graph = &topology->graph;
    uint32_t copies = cluster->nodes * cluster->planes;
    graph_init(graph, cluster->nodes * devices, copies * cluster->node->graph.switches + cluster->fabric->graph.switches);
    fill_places(cluster, graph);
    uint32_t ports = node_ports(&cluster->node->graph);
    for (uint32_t copy = 0; copy < copies; copy++) add_plane(graph, cluster, copy / cluster->planes, copy % cluster->planes, ports);
    add_fabric(graph, cluster, ports * cluster->planes + 1);
    topology->group_size = devices;
    cluster->graph = graph;
    return cluster_route(topology, err);
}

// Nodes may change places. Endpoints of a node may not, even where its shape lets them: ports of the fabric do not shift alike.
static void translations(const struct topology *topology, struct translations *out) {
    const struct cluster *cluster = topology->state;
    *out = (struct translations){.count = 2,
                                 .radix = {cluster->nodes, cluster->devices},
                                 .step = {1, cluster->devices},
                                 .moving_switches = cluster->nodes * cluster->planes * cluster->node->graph.switches};
}

static void free_cluster(struct topology *topology) {
    struct cluster *cluster = topology->state;
    if (!cluster) return;
    topology_free(cluster->node);
    topology_free(cluster->fabric);
    free(cluster->places);
    free(cluster->ways);
    free(cluster->nic_of);
    free(cluster->owner_of);
    free(cluster);
}

const struct topology_type cluster_topology = {
    .variant = {"cluster", "nodes of one shape inside, a switched fabric between them", fields, sizeof(struct cluster_config), check},
    .size = size,
    .build = build,
    .index = cluster_index,
    .free_state = free_cluster,
    .translations = translations,
    .reachable = cluster_reachable,
    .bisect = cluster_bisect,
};
