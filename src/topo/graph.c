// Any graph: named or numbered nodes, cables and directed links; endpoints forward. Routes take the fewest hops; of the
// neighbours one hop nearer the destination the lowest-numbered, of m parallel links to it number `message number mod m`.
// A table per destination, found by breadth-first search, is kept from its first use on.
#include "engine/graph.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topo/shape.h"

struct edge_config {
    uint64_t given;
    const char *from, *to;
    int64_t bandwidth_bytes_per_s, latency_ticks;
    bool duplex;
};

struct graph_config {
    uint64_t given;
    struct records nodes, links;
};

static const struct field edge_fields[] = {
    {"from", FIELD_NODE, offsetof(struct edge_config, from), FIELD_REQUIRED, .help = "a node by number or name", .example = "0"},
    {"to", FIELD_NODE, offsetof(struct edge_config, to), FIELD_REQUIRED, .help = "another node", .example = "\"s0\""},
    {"bandwidth", FIELD_RATE, offsetof(struct edge_config, bandwidth_bytes_per_s), FIELD_REQUIRED, .help = "per direction",
     .example = "\"50GB/s\""},
    {"latency", FIELD_TIME, offsetof(struct edge_config, latency_ticks), FIELD_REQUIRED, .help = "per direction", .example = "\"1us\""},
    {"duplex", FIELD_BOOLEAN, offsetof(struct edge_config, duplex), .fallback = true, .help = "a cable, or one directed link",
     .example = "true"},
    {0},
};

static const struct field fields[] = {
    {"nodes", FIELD_NODES, offsetof(struct graph_config, nodes), FIELD_REQUIRED,
     .help = "how many endpoints, or a list of named endpoints and switches",
     .example = "[{\"name\": \"A\"}, {\"name\": \"X\", \"kind\": \"switch\"}]"},
    {"links", FIELD_LIST, offsetof(struct graph_config, links), FIELD_REQUIRED, .fields = edge_fields,
     .item_size = sizeof(struct edge_config), .help = "cables and directed links; two between the same nodes are parallel",
     .example = "[{\"from\": \"A\", \"to\": \"X\", \"bandwidth\": \"50GB/s\", \"latency\": \"1us\"}]"},
    {0},
};

/// The state of next_link.
struct web {
    const struct graph *graph;
    uint32_t *order; ///< links sorted by (from, to, port)
    struct bundle {  ///< parallel links: order[first .. first+count-1]
        uint32_t first, count;
    } * bundles;
    uint32_t bundle_count;
    uint32_t *first_in, *in;   ///< per node: bundles that enter it are in[first_in[v]] .. in[first_in[v+1]-1], rising
    uint32_t *_Atomic *toward; ///< per destination: per node the bundle to take, NO_LINK: none; NULL until used
    uint32_t modulus;          ///< a common multiple of all counts
};

struct named {
    const char *name;
    uint32_t node;
};

static bool size(const void *config, uint64_t *endpoints, uint64_t *switches, uint64_t *links, struct error *err) {
    const struct graph_config *graph = config;
    const struct node_config *nodes = graph->nodes.items;
    const struct edge_config *edges = graph->links.items;
    *endpoints = *switches = *links = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) ++*(nodes[i].is_switch ? switches : endpoints);
    for (size_t i = 0; i < graph->links.count; i++) *links += edges[i].duplex ? 2 : 1;
    return *endpoints > 0 || error_at(err, "nodes", "a network needs at least one endpoint");
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const struct named *)left)->name, ((const struct named *)right)->name);
}

// Numbers the nodes, endpoints first, each kind in the order of the list. `names` gets the named ones, sorted.
static bool name_nodes(struct graph *graph, const struct records *nodes, struct named *names, size_t *count, struct error *err) {
    const struct node_config *node = nodes->items;
    uint32_t next[2] = {0, graph->endpoints};
    *count = 0;
    graph->names = allocate_zeroed(nodes->count, sizeof *graph->names);
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t number = next[node[i].is_switch]++;
        if (!node[i].name) continue;
        size_t bytes = strlen(node[i].name) + 1;
        graph->names[number] = memcpy(allocate(bytes), node[i].name, bytes);
        names[(*count)++] = (struct named){node[i].name, number};
    }
    qsort(names, *count, sizeof *names, by_name);
    for (size_t i = 1; i < *count; i++)
        if (!strcmp(names[i - 1].name, names[i].name)) return error_at(err, "nodes", "two nodes are called \"%s\"", names[i].name);
    return true;
}

static uint32_t find_node(const struct graph *graph, const struct named *names, size_t count, const char *text) {
    struct named key = {text, 0};
    const struct named *found = count ? bsearch(&key, names, count, sizeof *names, by_name) : NULL;
    return found ? found->node : graph_find_node(graph, text);
}

static bool edge_ends(const struct graph *graph, const struct named *names, size_t count, const struct edge_config *edge, uint32_t *ends) {
    ends[0] = find_node(graph, names, count, edge->from);
    ends[1] = find_node(graph, names, count, edge->to);
    return ends[0] != NO_NODE && ends[1] != NO_NODE && ends[0] != ends[1];
}

static bool refuse_edge(size_t i, const struct edge_config *edge, const uint32_t *ends, struct error *err) {
    char where[48];
    bool from_known = ends[0] != NO_NODE;
    if (from_known && ends[0] == ends[1]) {
        snprintf(where, sizeof where, "links/%zu", i);
        return error_at(err, where, "leads from \"%s\" to itself", edge->from);
    }
    snprintf(where, sizeof where, "links/%zu/%s", i, from_known ? "to" : "from");
    return error_at(err, where, "there is no node \"%s\"", from_known ? edge->to : edge->from);
}

// Ports are counted in the order in which entries touch a node: an endpoint's from 1, a switch's from 0.
static bool add_edges(struct graph *graph, const struct records *edges, const struct named *names, size_t count, struct error *err) {
    uint32_t *ports = allocate_zeroed(graph_nodes(graph), sizeof *ports);
    for (uint32_t e = 0; e < graph->endpoints; e++) ports[e] = 1;
    const struct edge_config *edge = edges->items;
    bool good = true;
    for (size_t i = 0; i < edges->count && good; i++) {
        uint32_t ends[2];
        if (!edge_ends(graph, names, count, &edge[i], ends)) {
            good = refuse_edge(i, &edge[i], ends, err);
            continue;
        }
        struct link_info link = {.bandwidth_bytes_per_s = edge[i].bandwidth_bytes_per_s, .latency_ticks = edge[i].latency_ticks};
        link.from = ends[0], link.from_port = ports[ends[0]]++;
        link.to = ends[1], link.to_port = ports[ends[1]]++;
        if (edge[i].duplex)
            graph_add_cable(graph, link.from, link.from_port, link.to, link.to_port, &link);
        else
            graph_add_link(graph, link);
    }
    for (uint32_t s = 0; s < graph->switches; s++) graph->switch_ports[s] = ports[graph->endpoints + s];
    free(ports);
    return good;
}

static uint32_t *find_toward(const struct web *web, uint32_t destination) {
    const struct graph *graph = web->graph;
    uint32_t nodes = graph_nodes(graph), head = 0, tail = 0;
    uint32_t *toward = allocate(nodes * sizeof *toward), *queue = allocate(nodes * sizeof *queue);
    uint32_t *distance = allocate(nodes * sizeof *distance);
    for (uint32_t v = 0; v < nodes; v++) toward[v] = NO_LINK, distance[v] = UINT32_MAX;
    distance[destination] = 0;
    queue[tail++] = destination;
    while (head < tail) {
        uint32_t nearer = queue[head++];
        for (uint32_t i = web->first_in[nearer]; i < web->first_in[nearer + 1]; i++) {
            const struct link_info *link = &graph->links[web->order[web->bundles[web->in[i]].first]];
            uint32_t node = link->from;
            if (distance[node] == UINT32_MAX) {
                distance[node] = distance[nearer] + 1;
                queue[tail++] = node;
            }
            // A node's bundles are numbered by where they lead, so the smallest leads to the lowest-numbered neighbour.
            if (distance[node] == distance[nearer] + 1 && web->in[i] < toward[node]) toward[node] = web->in[i];
        }
    }
    free(queue);
    free(distance);
    return toward;
}

/// The first of several threads that find it is the one that is kept.
static const uint32_t *toward(const struct web *web, uint32_t destination) {
    uint32_t *known = atomic_load_explicit(&web->toward[destination], memory_order_acquire);
    if (known) return known;
    uint32_t *found = find_toward(web, destination);
    if (atomic_compare_exchange_strong(&web->toward[destination], &known, found)) return found;
    free(found);
    return known;
}

static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct web *web = state;
    const struct bundle *bundle = &web->bundles[toward(web, destination)[node]];
    return web->order[bundle->first + (bundle->count == 1 ? 0 : selector % bundle->count)];
}

static uint32_t select_parallel(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    (void)source, (void)destination, (void)chunk;
    return message_number % ((const struct web *)state)->modulus;
}

static bool reachable(const struct topology *topology, uint32_t source, uint32_t destination) {
    return toward(topology->state, destination)[source] != NO_LINK;
}

struct target {
    uint32_t to, link;
};

static int by_target(const void *left, const void *right) {
    const struct target *a = left, *b = right;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

static void find_bundles(struct web *web) {
    const struct graph *graph = web->graph;
    struct target *targets = allocate(graph->link_count * sizeof *targets);
    for (uint32_t l = 0; l < graph->link_count; l++) targets[l] = (struct target){graph->links[l].to, l};
    for (uint32_t v = 0; v < graph_nodes(graph); v++) {
        uint32_t first = graph->first_out[v], end = graph->first_out[v + 1];
        qsort(targets + first, end - first, sizeof *targets, by_target);
        for (uint32_t i = first; i < end; i++) {
            web->order[i] = targets[i].link;
            if (i == first || targets[i].to != targets[i - 1].to) web->bundles[web->bundle_count++] = (struct bundle){i, 0};
            web->bundles[web->bundle_count - 1].count++;
        }
    }
    free(targets);
}

static void find_entrances(struct web *web) {
    const struct graph *graph = web->graph;
    uint32_t nodes = graph_nodes(graph);
    for (uint32_t b = 0; b < web->bundle_count; b++) web->first_in[graph->links[web->order[web->bundles[b].first]].to + 1]++;
    for (uint32_t v = 0; v < nodes; v++) web->first_in[v + 1] += web->first_in[v];
    uint32_t *next = allocate(nodes * sizeof *next);
    memcpy(next, web->first_in, nodes * sizeof *next);
    for (uint32_t b = 0; b < web->bundle_count; b++) web->in[next[graph->links[web->order[web->bundles[b].first]].to]++] = b;
    free(next);
}

static bool find_modulus(struct web *web, struct error *err) {
    enum { MODULUS_LIMIT = 1 << 20 };
    uint64_t modulus = 1;
    for (uint32_t b = 0; b < web->bundle_count; b++) {
        uint64_t count = web->bundles[b].count, x = modulus, y = count;
        while (y) {
            uint64_t rest = x % y;
            x = y, y = rest;
        }
        modulus *= count / x;
        if (modulus > MODULUS_LIMIT)
            return error_at(err, "links", "the numbers of parallel links have no common multiple up to %d: use fewer different ones",
                            MODULUS_LIMIT);
    }
    web->modulus = (uint32_t)modulus;
    return true;
}

static bool build(struct topology *topology, struct error *err) {
    const struct graph_config *config = topology->config;
    struct graph *graph = &topology->graph;
    uint64_t endpoints, switches, links;
    if (!size(config, &endpoints, &switches, &links, err)) return false;
    graph_init(graph, (uint32_t)endpoints, (uint32_t)switches);
    struct named *names = allocate(config->nodes.count * sizeof *names);
    size_t count;
    bool good = name_nodes(graph, &config->nodes, names, &count, err) && add_edges(graph, &config->links, names, count, err);
    free(names);
    return good;
}

static bool index_links(struct topology *topology, struct error *err) {
    struct graph *graph = &topology->graph;
    struct web *web = topology->state = allocate_zeroed(1, sizeof *web);
    web->graph = graph;
    web->order = allocate(graph->link_count * sizeof *web->order);
    web->bundles = allocate(graph->link_count * sizeof *web->bundles);
    web->in = allocate(graph->link_count * sizeof *web->in);
    web->first_in = allocate_zeroed((size_t)graph_nodes(graph) + 1, sizeof *web->first_in);
    web->toward = allocate_zeroed(graph->endpoints, sizeof *web->toward);
    find_bundles(web);
    find_entrances(web);
    if (!find_modulus(web, err)) return false;
    topology->router.state = web;
    topology->router.next_link = next_link;
    if (web->modulus > 1) topology->router.selector = select_parallel;
    topology->router.message_period = web->modulus;
    topology->selector_limit = web->modulus;
    return true;
}

static void free_web(struct topology *topology) {
    struct web *web = topology->state;
    if (!web) return;
    for (uint32_t e = 0; e < topology->graph.endpoints; e++) free(web->toward[e]);
    free(web->order);
    free(web->bundles);
    free(web->in);
    free(web->first_in);
    free(web->toward);
    free(web);
}

const struct topology_type graph_topology = {
    .variant = {"graph", "any nodes and links; endpoints forward", fields, sizeof(struct graph_config), NULL},
    .size = size,
    .build = build,
    .index = index_links,
    .free_state = free_web,
    .reachable = reachable,
};
