// Minimum cuts by maximum flow (Dinic 1970) over unit capacities: every directed link may carry one unit either way,
// because a link that crosses counts whichever way it leads. Sources are the endpoints of side 0, sinks those of side 1.
#include "topo/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct flow {
    const struct graph *graph;
    const uint8_t *side;
    uint32_t *first, *incident; ///< per node: links that touch it are incident[first[v]] .. incident[first[v+1]-1]
    int8_t *carried;            ///< per link: -1, 0, 1 units from `from` to `to`
    uint32_t *level;            ///< per node: distance from the sources, UINT32_MAX unreached
    uint32_t *arc;              ///< per node: next place in `incident` to try
    uint32_t *queue;            ///< nodes: of the search, or of the path
    uint32_t *path;             ///< links of the path
};

static void open_flow(struct flow *flow, const struct graph *graph) {
    uint32_t nodes = graph_nodes(graph);
    *flow = (struct flow){.graph = graph};
    flow->first = allocate_zeroed((size_t)nodes + 1, sizeof *flow->first);
    flow->incident = allocate(2 * (size_t)graph->link_count * sizeof *flow->incident);
    flow->carried = allocate(graph->link_count);
    flow->level = allocate(nodes * sizeof *flow->level);
    flow->arc = allocate(nodes * sizeof *flow->arc);
    flow->queue = allocate(((size_t)nodes + 1) * sizeof *flow->queue);
    flow->path = allocate(((size_t)nodes + 1) * sizeof *flow->path);
    for (uint32_t l = 0; l < graph->link_count; l++) flow->first[graph->links[l].from + 1]++, flow->first[graph->links[l].to + 1]++;
    for (uint32_t v = 0; v < nodes; v++) flow->first[v + 1] += flow->first[v];
    memcpy(flow->arc, flow->first, nodes * sizeof *flow->arc);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        flow->incident[flow->arc[graph->links[l].from]++] = l;
        flow->incident[flow->arc[graph->links[l].to]++] = l;
    }
}

static void close_flow(struct flow *flow) {
    free(flow->first);
    free(flow->incident);
    free(flow->carried);
    free(flow->level);
    free(flow->arc);
    free(flow->queue);
    free(flow->path);
}

static bool is_source(const struct flow *flow, uint32_t node) { return node < flow->graph->endpoints && !flow->side[node]; }
static bool is_sink(const struct flow *flow, uint32_t node) { return node < flow->graph->endpoints && flow->side[node]; }

// The node that one more unit over `link` would reach from `node`, or NO_NODE.
static uint32_t across(const struct flow *flow, uint32_t link, uint32_t node) {
    const struct link_info *info = &flow->graph->links[link];
    if (info->from == node) return flow->carried[link] < 1 ? info->to : NO_NODE;
    return flow->carried[link] > -1 ? info->from : NO_NODE;
}

// Distances from the sources; whether a sink can be reached.
static bool find_levels(struct flow *flow) {
    uint32_t nodes = graph_nodes(flow->graph), head = 0, tail = 0;
    bool reached = false;
    for (uint32_t v = 0; v < nodes; v++) {
        flow->level[v] = is_source(flow, v) ? 0 : UINT32_MAX;
        if (flow->level[v] == 0) flow->queue[tail++] = v;
    }
    while (head < tail) {
        uint32_t node = flow->queue[head++];
        if (is_sink(flow, node)) {
            reached = true;
            continue;
        }
        for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
            uint32_t next = across(flow, flow->incident[i], node);
            if (next == NO_NODE || flow->level[next] != UINT32_MAX) continue;
            flow->level[next] = flow->level[node] + 1;
            flow->queue[tail++] = next;
        }
    }
    return reached;
}

static void push_unit(struct flow *flow, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        uint32_t link = flow->path[i];
        bool along = flow->graph->links[link].from == flow->queue[i];
        flow->carried[link] = (int8_t)(flow->carried[link] + (along ? 1 : -1));
    }
}

// Pushes units from one source along rising levels until none can go further.
static void push_from(struct flow *flow, uint32_t source) {
    uint32_t length = 0;
    flow->queue[0] = source;
    for (;;) {
        uint32_t node = flow->queue[length];
        if (is_sink(flow, node)) {
            push_unit(flow, length);
            length = 0;
            continue;
        }
        uint32_t *arc = &flow->arc[node], next = NO_NODE;
        for (; *arc < flow->first[node + 1]; ++*arc) {
            next = across(flow, flow->incident[*arc], node);
            if (next != NO_NODE && flow->level[next] == flow->level[node] + 1) break;
            next = NO_NODE;
        }
        if (next != NO_NODE) {
            flow->path[length++] = flow->incident[*arc];
            flow->queue[length] = next;
        } else if (length == 0) {
            return;
        } else {
            flow->arc[flow->queue[--length]]++;
        }
    }
}

static void minimise(struct flow *flow, uint8_t *side) {
    const struct graph *graph = flow->graph;
    uint32_t nodes = graph_nodes(graph);
    flow->side = side;
    memset(flow->carried, 0, graph->link_count);
    while (find_levels(flow)) {
        memcpy(flow->arc, flow->first, nodes * sizeof *flow->arc);
        for (uint32_t v = 0; v < graph->endpoints; v++)
            if (is_source(flow, v)) push_from(flow, v);
    }
    for (uint32_t v = graph->endpoints; v < nodes; v++) side[v] = flow->level[v] == UINT32_MAX;
}

uint64_t cut_links(const struct graph *graph, const uint8_t *side) {
    uint64_t crossing = 0;
    for (uint32_t l = 0; l < graph->link_count; l++) crossing += side[graph->links[l].from] != side[graph->links[l].to];
    return crossing;
}

void cut_place_switches(const struct graph *graph, uint8_t *side) {
    if (graph->switches == 0) return;
    struct flow flow;
    open_flow(&flow, graph);
    minimise(&flow, side);
    close_flow(&flow);
}

// Splits to try, or UINT64_MAX where they are too many.
static uint64_t splits(const struct graph *graph) {
    enum { MOST_ENDPOINTS = 26, MOST_WORK_LOG2 = 28, FLOW_WORK = 16 };
    uint32_t endpoints = graph->endpoints;
    if (endpoints > MOST_ENDPOINTS) return UINT64_MAX;
    uint64_t count = 1;
    for (uint32_t i = 0; i < endpoints / 2; i++) count = count * (endpoints - i) / (i + 1);
    uint64_t work = ((uint64_t)graph->link_count + graph_nodes(graph)) * (graph->switches ? FLOW_WORK : 1);
    return count * work > UINT64_C(1) << MOST_WORK_LOG2 ? UINT64_MAX : count;
}

// The next larger number with as many bits set (Gosper).
static uint64_t next_subset(uint64_t set) {
    uint64_t lowest = set & (~set + 1), carried = set + lowest;
    return carried | ((set ^ carried) >> 2) / lowest;
}

void cut_search(const struct graph *graph, struct bisection *out) {
    uint32_t nodes = graph_nodes(graph), half = graph->endpoints / 2;
    uint64_t count = splits(graph), best = UINT64_MAX;
    *out = (struct bisection){.side = allocate_zeroed(nodes, 1)};
    if (count == UINT64_MAX) return;
    uint64_t zeros = (UINT64_C(1) << half) - 1;
    uint8_t *side = allocate_zeroed(nodes, 1);
    struct flow flow;
    open_flow(&flow, graph);
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t e = 0; e < graph->endpoints; e++) side[e] = !(zeros >> e & 1);
        if (graph->switches) minimise(&flow, side);
        uint64_t crossing = cut_links(graph, side);
        if (crossing < best) {
            best = crossing;
            memcpy(out->side, side, nodes);
        }
        if (half > 0) zeros = next_subset(zeros);
    }
    close_flow(&flow);
    free(side);
    out->known = true;
    out->cables = (best + 1) / 2;
}
