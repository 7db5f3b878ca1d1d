#include "engine/quotient.h"

#include <stdlib.h>

#include "base/memory.h"
#include "engine/sim_state.h"

// ---- shifts of nodes and links

static uint32_t stride_of(const struct translations *group, uint32_t coordinate) {
    uint32_t stride = 1;
    for (uint32_t i = coordinate + 1; i < group->count; i++) stride *= group->radix[i];
    return stride;
}

uint32_t *quotient_shift_nodes(const struct graph *graph, const struct translations *group, uint32_t coordinate, uint32_t by) {
    uint32_t endpoints = graph->endpoints, stride = stride_of(group, coordinate), radix = group->radix[coordinate];
    uint32_t up = by * stride, back = (radix - by) * stride;
    uint32_t *images = allocate(graph_nodes(graph) * sizeof *images);
    for (uint32_t v = 0; v < endpoints;) {
        for (uint32_t end = v + back; v < end; v++) images[v] = v + up;
        for (uint32_t end = v + up; v < end; v++) images[v] = v - back;
    }
    uint32_t moving = coordinate == 0 ? group->moving_switches : 0, far = moving / radix * by;
    for (uint32_t s = 0; s < moving; s++) images[endpoints + s] = endpoints + (s + far < moving ? s + far : s + far - moving);
    for (uint32_t v = endpoints + moving; v < graph_nodes(graph); v++) images[v] = v;
    return images;
}

static bool is_fixed(const struct graph *graph, const struct translations *group, uint32_t node) {
    return node >= graph->endpoints + group->moving_switches;
}

/// The link from `from` to `to` at the same place among the links of its node as `link`; where there is another, the one
/// found among links sorted by their far ends. NO_LINK: none.
static inline uint32_t link_like(const struct graph *graph, uint32_t link, uint32_t from, uint32_t to) {
    uint32_t first = graph->first_out[from], end = graph->first_out[from + 1];
    uint32_t guess = first + (link - graph->first_out[graph->links[link].from]);
    if (guess < end && graph->links[guess].to == to) return guess;
    uint32_t low = first, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->links[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && graph->links[low].to == to ? low : NO_LINK;
}

/// Ports of a fixed switch: each must move as far as the others, modulo their number.
struct turn {
    bool known;
    uint32_t ports;
};

static bool turns_alike(struct turn *turn, uint32_t port, uint32_t image, uint32_t ports) {
    uint32_t by = image >= port ? image - port : image + ports - port;
    if (!turn->known) *turn = (struct turn){true, by};
    return turn->ports == by;
}

static bool ports_shift(const struct translations *group, const struct graph *graph, struct turn *turns, const struct link_info *link,
                        const struct link_info *image, bool *ports_move) {
    const uint32_t nodes[] = {link->from, link->to}, ports[] = {link->from_port, link->to_port};
    const uint32_t images[] = {image->from_port, image->to_port};
    for (int end = 0; end < 2; end++) {
        if (nodes[end] < graph->endpoints) {
            *ports_move = *ports_move || ports[end] != images[end];
        } else if (!is_fixed(graph, group, nodes[end])) {
            if (ports[end] != images[end]) return false;
        } else {
            uint32_t number = nodes[end] - graph->endpoints;
            if (!turns_alike(&turns[number - group->moving_switches], ports[end], images[end], graph->switch_ports[number])) return false;
        }
    }
    return true;
}

/// What links are checked against.
struct shift {
    const struct graph *graph;
    const struct translations *group;
    const uint32_t *images;
    struct turn *turns;
};

static bool link_shifts(const struct shift *shift, uint32_t link, bool *ports_move) {
    const struct graph *graph = shift->graph;
    const struct link_info *info = &graph->links[link];
    uint32_t like = link_like(graph, link, shift->images[info->from], shift->images[info->to]);
    const struct link_info *image = like == NO_LINK ? info : &graph->links[like];
    return like != NO_LINK && image->bandwidth_bytes_per_s == info->bandwidth_bytes_per_s && image->latency_ticks == info->latency_ticks &&
           ports_shift(shift->group, graph, shift->turns, info, image, ports_move);
}

/// The commonest link: between endpoints, with the same ports as its image, rate and latency.
static inline bool stays_alike(const struct graph *graph, const struct link_info *link, const struct link_info *image) {
    return link->from < graph->endpoints && link->to < graph->endpoints && link->from_port == image->from_port &&
           link->to_port == image->to_port && link->bandwidth_bytes_per_s == image->bandwidth_bytes_per_s &&
           link->latency_ticks == image->latency_ticks;
}

/// Whether the links that leave nodes first .. end-1 are shifted.
static bool links_shift(const struct shift *shift, uint32_t first, uint32_t end, bool *ports_move) {
    const struct graph *graph = shift->graph;
    const uint32_t *images = shift->images;
    for (uint32_t v = first; v < end; v++) {
        uint32_t from = images[v], out = graph->first_out[v + 1] - graph->first_out[v];
        if (graph->first_out[from + 1] - graph->first_out[from] != out) return false;
        const struct link_info *image = &graph->links[graph->first_out[from]];
        for (uint32_t l = graph->first_out[v]; l < graph->first_out[v + 1]; l++, image++) {
            const struct link_info *link = &graph->links[l];
            bool alike = image->to == images[link->to] && stays_alike(graph, link, image);
            if (!alike && !link_shifts(shift, l, ports_move)) return false;
        }
    }
    return true;
}

/// All shifts of some nodes before the next nodes: they and most of their images are in a near cache then.
void quotient_links_shift(const struct graph *graph, const struct translations *group, struct quotient_shift *shifts, uint32_t count,
                          bool *ports_move) {
    enum { NODES_AT_ONCE = 1024 };
    const uint32_t nodes = graph_nodes(graph), turning = graph->switches - group->moving_switches;
    struct turn *turns = allocate_zeroed((size_t)count * turning, sizeof *turns);
    for (uint32_t first = 0, end; first < nodes; first = end) {
        end = nodes - first < NODES_AT_ONCE ? nodes : first + NODES_AT_ONCE;
        for (uint32_t i = 0; i < count; i++)
            if (shifts[i].holds)
                shifts[i].holds =
                    links_shift(&(struct shift){graph, group, shifts[i].images, turns + (size_t)i * turning}, first, end, ports_move);
    }
    free(turns);
}

bool quotient_route_shifts(const struct graph *graph, const struct router *router, const uint32_t *images,
                           const struct quotient_probe *probe) {
    uint32_t node = images[probe->node], image = router->next_link(router->state, node, images[probe->destination], probe->selector);
    return image == link_like(graph, probe->link, node, images[graph->links[probe->link].to]);
}

// ---- folding

/// The number of the representative of an endpoint among the representatives.
static uint32_t endpoint_index(const struct translations *group, uint32_t endpoint) {
    uint32_t index = 0, weight = 1;
    for (uint32_t i = group->count; i-- > 0; weight *= group->step[i]) {
        index += endpoint % group->radix[i] % group->step[i] * weight;
        endpoint /= group->radix[i];
    }
    return index;
}

static uint32_t moving_representatives(const struct translations *group) {
    return group->moving_switches ? group->moving_switches / group->radix[0] * group->step[0] : 0;
}

/// Which representative stands for a node, and the translation from it to the node.
static uint32_t representative_of(const struct quotient *quotient, uint32_t node, uint32_t *offset) {
    const struct translations *group = &quotient->group;
    uint32_t endpoints = quotient->whole->endpoints, moving = moving_representatives(group);
    if (node < endpoints) {
        *offset = translations_offset(group, node);
        return endpoint_index(group, node);
    }
    uint32_t number = node - endpoints;
    *offset = 0;
    if (number >= group->moving_switches) return quotient->endpoint_count + moving + number - group->moving_switches;
    *offset = number / moving * group->step[0] * stride_of(group, 0);
    return quotient->endpoint_count + number % moving;
}

static void list_nodes(struct quotient *quotient) {
    const struct translations *group = &quotient->group;
    uint32_t endpoints = quotient->whole->endpoints, moving = moving_representatives(group);
    quotient->endpoint_count = (uint32_t)(endpoints / translations_order(group));
    quotient->node_count = quotient->endpoint_count + moving + quotient->whole->switches - group->moving_switches;
    quotient->nodes = allocate_zeroed(quotient->node_count + 1, sizeof *quotient->nodes);
    for (uint32_t i = 0; i < quotient->node_count; i++) {
        struct quotient_node *node = &quotient->nodes[i];
        if (i < quotient->endpoint_count) {
            uint32_t rest = i, stride = 1;
            for (uint32_t c = group->count; c-- > 0; stride *= group->radix[c], rest /= group->step[c])
                node->node += rest % group->step[c] * stride;
        } else if (i < quotient->endpoint_count + moving) {
            node->node = endpoints + i - quotient->endpoint_count;
        } else {
            node->node = endpoints + group->moving_switches + (i - quotient->endpoint_count - moving);
            node->fixed = true;
        }
    }
}

/// All links of a moving node; of a fixed switch those to representatives. False where a fixed switch leads to another.
static bool add_links(struct quotient *quotient, uint32_t index, size_t *capacity) {
    struct quotient_node *node = &quotient->nodes[index];
    const struct graph *whole = quotient->whole;
    node->first_link = quotient->folded.link_count;
    if (node->fixed) {
        node->link_to = allocate(quotient->node_count * sizeof *node->link_to);
        for (uint32_t i = 0; i < quotient->node_count; i++) node->link_to[i] = NO_LINK;
    }
    for (uint32_t l = whole->first_out[node->node]; l < whole->first_out[node->node + 1]; l++) {
        const struct link_info *link = &whole->links[l];
        uint32_t offset, target = representative_of(quotient, link->to, &offset);
        if (node->fixed) {
            if (is_fixed(whole, &quotient->group, link->to)) return false;
            if (offset != 0) continue;
            if (node->link_to[target] != NO_LINK) return false;
            node->link_to[target] = quotient->folded.link_count;
        }
        uint32_t id = quotient->folded.link_count;
        if (id >= *capacity) {
            *capacity = *capacity ? 2 * *capacity : 64;
            quotient->originals = reallocate(quotient->originals, *capacity * sizeof *quotient->originals);
            quotient->targets = reallocate(quotient->targets, *capacity * sizeof *quotient->targets);
            quotient->shifts = reallocate(quotient->shifts, *capacity * sizeof *quotient->shifts);
        }
        quotient->originals[id] = l;
        quotient->targets[id] = target, quotient->shifts[id] = offset;
        graph_add_link(&quotient->folded, *link);
    }
    return true;
}

struct quotient *quotient_create(const struct graph *graph, const struct router *router, const struct translations *group,
                                 bool ports_move) {
    struct quotient *quotient = allocate_zeroed(1, sizeof *quotient);
    quotient->whole = graph, quotient->router = router, quotient->group = *group, quotient->ports_move = ports_move;
    graph_init(&quotient->folded, graph->endpoints, graph->switches);
    for (uint32_t s = 0; s < graph->switches; s++) quotient->folded.switch_ports[s] = graph->switch_ports[s];
    list_nodes(quotient);
    bool ok = true;
    size_t capacity = 0;
    for (uint32_t i = 0; ok && i < quotient->node_count; i++) ok = add_links(quotient, i, &capacity);
    quotient->nodes[quotient->node_count].first_link = quotient->folded.link_count;
    struct error err = {0};
    if (ok && graph_finish(&quotient->folded, &err)) return quotient;
    quotient_free(quotient);
    return NULL;
}

void quotient_free(struct quotient *quotient) {
    if (!quotient) return;
    for (uint32_t i = 0; i < quotient->node_count; i++) free(quotient->nodes[i].link_to);
    free(quotient->nodes);
    free(quotient->originals);
    free(quotient->targets);
    free(quotient->shifts);
    graph_free(&quotient->folded);
    free(quotient);
}

struct hop quotient_hop(const struct quotient *quotient, uint32_t index, uint32_t destination, uint32_t selector) {
    const struct quotient_node *node = &quotient->nodes[index];
    const struct graph *whole = quotient->whole;
    uint32_t link = quotient->router->next_link(quotient->router->state, node->node, destination, selector);
    struct hop hop = {.out_port = whole->links[link].from_port};
    uint32_t shift;
    if (node->fixed) {
        hop.link = node->link_to[representative_of(quotient, whole->links[link].to, &shift)];
    } else {
        hop.link = node->first_link + (link - whole->first_out[node->node]);
        shift = quotient->shifts[hop.link];
    }
    destination = shift ? translations_subtract(&quotient->group, destination, shift) : destination;
    hop.destination = destination == quotient->nodes[quotient->targets[hop.link]].node ? DELIVERED : destination;
    return hop;
}

uint32_t quotient_link_of(const struct quotient *quotient, uint32_t link) {
    const struct graph *whole = quotient->whole;
    const struct link_info *info = &whole->links[link];
    uint32_t offset, place = link - whole->first_out[info->from];
    const struct quotient_node *like = &quotient->nodes[representative_of(quotient, info->from, &offset)];
    if (like->fixed) return like->link_to[representative_of(quotient, info->to, &offset)];
    if (!quotient->ports_move) return like->first_link + place;
    uint32_t image = info->to < whole->endpoints ? translations_subtract(&quotient->group, info->to, offset) : info->to;
    return like->first_link + (link_like(whole, link, like->node, image) - whole->first_out[like->node]);
}

uint32_t quotient_images_of(const struct quotient *quotient, uint32_t folded) {
    const struct translations *group = &quotient->group;
    uint32_t from = quotient->folded.links[folded].from;
    bool moving_switch = from >= quotient->whole->endpoints && !is_fixed(quotient->whole, group, from);
    return moving_switch ? group->radix[0] / group->step[0] : (uint32_t)translations_order(group);
}
