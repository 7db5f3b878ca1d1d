#include "engine/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"

void graph_init(struct graph *graph, uint32_t endpoints, uint32_t switches) {
    *graph = (struct graph){.endpoints = endpoints, .switches = switches};
    graph->switch_ports = allocate_zeroed(switches, sizeof *graph->switch_ports);
}

void graph_free(struct graph *graph) {
    if (graph->names)
        for (uint32_t v = 0; v < graph_nodes(graph); v++) free(graph->names[v]);
    free(graph->names);
    free(graph->switch_ports);
    pages_free(graph->links);
    free(graph->first_out);
    *graph = (struct graph){0};
}

void graph_add_link(struct graph *graph, struct link_info link) {
    if (link.latency_ticks < 1) link.latency_ticks = 1;
    if (graph->link_count == UINT32_MAX - 1) return; // graph_finish reports it
    PAGES_RESERVE(graph->links, graph->link_capacity, (size_t)graph->link_count + 1);
    graph->links[graph->link_count++] = link;
}

void graph_add_cable(struct graph *graph, uint32_t u, uint32_t u_port, uint32_t v, uint32_t v_port, const struct link_info *like) {
    struct link_info link = *like;
    link.from = u, link.from_port = u_port, link.to = v, link.to_port = v_port;
    graph_add_link(graph, link);
    link.from = v, link.from_port = v_port, link.to = u, link.to_port = u_port;
    graph_add_link(graph, link);
}

static int by_node_and_port(const void *left, const void *right) {
    const struct link_info *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->from_port < b->from_port ? -1 : a->from_port > b->from_port;
}

/// Counts the links of each node as first_out of the next; returns whether all are in order.
static bool count_outs(const struct graph *graph) {
    bool sorted = true;
    uint32_t from = 0, port = 0;
    for (const struct link_info *link = graph->links, *end = link + graph->link_count; link < end; link++) {
        sorted = sorted && (link->from > from || (link->from == from && link->from_port >= port));
        from = link->from, port = link->from_port;
        graph->first_out[from + 1]++;
    }
    return sorted;
}

bool graph_finish(struct graph *graph, struct error *err) {
    if (graph->link_count == UINT32_MAX - 1) return error_set(err, ERROR_INPUT, "the network has more than %u links", UINT32_MAX - 2);
    graph->first_out = allocate_zeroed((size_t)graph_nodes(graph) + 1, sizeof *graph->first_out);
    if (!count_outs(graph)) qsort(graph->links, graph->link_count, sizeof *graph->links, by_node_and_port);
    for (uint32_t v = 0; v < graph_nodes(graph); v++) graph->first_out[v + 1] += graph->first_out[v];
    return true;
}

uint32_t graph_link_at(const struct graph *graph, uint32_t node, uint32_t port) {
    uint32_t low = graph->first_out[node], end = graph->first_out[node + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->links[middle].from_port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && graph->links[low].from_port == port ? low : NO_LINK;
}

uint32_t graph_most_outs(const struct graph *graph) {
    uint32_t most = 0;
    for (uint32_t v = 0; v < graph_nodes(graph); v++) {
        uint32_t outs = graph->first_out[v + 1] - graph->first_out[v];
        if (outs > most) most = outs;
    }
    return most;
}

char *graph_node_name(const struct graph *graph, uint32_t node, char *out) {
    if (node < graph->endpoints)
        snprintf(out, NODE_NAME_SIZE, "%u", node);
    else
        snprintf(out, NODE_NAME_SIZE, "s%u", node - graph->endpoints);
    return out;
}

uint32_t graph_find_node(const struct graph *graph, const char *text) {
    if (graph->names)
        for (uint32_t v = 0; v < graph_nodes(graph); v++)
            if (graph->names[v] && !strcmp(graph->names[v], text)) return v;
    bool is_switch = text[0] == 's';
    const char *digits = text + is_switch;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 10 || digits[length]) return NO_NODE;
    unsigned long long number = strtoull(digits, NULL, 10);
    if (number >= (is_switch ? graph->switches : graph->endpoints)) return NO_NODE;
    return (uint32_t)number + (is_switch ? graph->endpoints : 0);
}
