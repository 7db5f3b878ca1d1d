// First all bytes of the step are put on their links, then every path is priced with what lies on its links in all.
#include "analysis/step_price.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/units.h"
#include "topo/reduction_tree.h"

/// The route of a message, in step_price.kept_links.
struct kept_route {
    uint32_t from, to, hops;
    size_t first;
};

struct step_price {
    const struct site *site;
    struct alpha_beta *out;
    struct alpha_beta_watch watch;
    uint32_t unasked; ///< messages since the watch was asked
    bool stopped;
    uint64_t times; ///< of the present step
    uint32_t *route;
    size_t kept_count, kept_capacity, kept_link_capacity;
    struct kept_route *kept; ///< of the first messages of this step, or of the one before while they are the same
    uint32_t *kept_links;
    struct step_load {
        uint64_t bytes;
        int64_t ticks;
    } * loads;        ///< per link
    uint32_t *loaded; ///< links that carry bytes
    uint32_t loaded_count;
    size_t tree_count, tree_capacity;
    struct reduction_tree *trees; ///< of the collectives that switches reduce
};

struct step_price *step_price_create(const struct site *site, const struct alpha_beta_watch *watch, struct alpha_beta *out) {
    uint32_t links = site->topology->graph.link_count;
    struct step_price *step = allocate_zeroed(1, sizeof *step);
    step->site = site, step->out = out, step->watch = *watch;
    step->loads = allocate_zeroed(links, sizeof *step->loads);
    step->loaded = allocate(links * sizeof *step->loaded);
    step->route = allocate(site_route_capacity(site) * sizeof *step->route);
    return step;
}

void step_price_free(struct step_price *step) {
    free(step->loads);
    free(step->loaded);
    free(step->route);
    free(step->kept);
    free(step->kept_links);
    free(step->trees);
    free(step);
}

bool step_price_stopped(const struct step_price *step) { return step->stopped; }

/// Once a message.
static bool go_on(struct step_price *step) {
    enum { UNASKED_MOST = 1 << 16 };
    if (++step->unasked < UNASKED_MOST) return true;
    step->unasked = 0;
    step->stopped = step->watch.go_on && !step->watch.go_on(step->watch.context, step->out->ticks, step->out->hops);
    return !step->stopped;
}

static bool load_link(struct step_price *step, uint32_t link, int64_t bytes) {
    struct step_load *load = &step->loads[link];
    if (bytes > 0 && load->bytes == 0) step->loaded[step->loaded_count++] = link;
    load->bytes += (uint64_t)bytes;
    step->out->links[link].messages += step->times;
    step->out->hops += step->times;
    return load->bytes <= INT64_MAX;
}

static void count_message(struct step_price *step, const struct posted_message *message) {
    saturating_add(&step->out->bytes_sent[message->from], message->bytes, step->times);
    step->out->messages += step->times;
}

struct route {
    const uint32_t *links;
    uint32_t hops;
};

/// The route of message i of the step. Those of the first messages are kept: many a method sends to the same peers step after step.
static struct route find_route(struct step_price *step, size_t i, const struct posted_message *message) {
    enum { KEPT_MOST = 1 << 22 }; ///< links
    const struct kept_route *kept = i < step->kept_count ? &step->kept[i] : NULL;
    if (kept && kept->from == message->from && kept->to == message->to) return (struct route){step->kept_links + kept->first, kept->hops};
    uint32_t hops = site_route(step->site, message->from, message->to, step->route);
    if (i < step->kept_count) step->kept_count = i;
    size_t first = step->kept_count > 0 ? step->kept[step->kept_count - 1].first + step->kept[step->kept_count - 1].hops : 0;
    if (i == step->kept_count && first + hops <= KEPT_MOST) {
        ARRAY_RESERVE(step->kept, step->kept_capacity, i + 1);
        ARRAY_RESERVE(step->kept_links, step->kept_link_capacity, first + hops);
        step->kept[step->kept_count++] = (struct kept_route){message->from, message->to, hops, first};
        if (hops > 0) memcpy(step->kept_links + first, step->route, hops * sizeof *step->route);
    }
    return (struct route){step->route, hops};
}

static bool load_message(struct step_price *step, struct route route, int64_t bytes) {
    bool ok = true;
    for (uint32_t hop = 0; ok && hop < route.hops; hop++) ok = load_link(step, route.links[hop], bytes);
    return ok;
}

static struct reduction_tree find_tree(const struct site *site, const struct plan *collective) {
    uint32_t *endpoints = allocate(collective->args.size * sizeof *endpoints);
    for (uint32_t i = 0; i < collective->args.size; i++) endpoints[i] = site->place[collective->ranks ? collective->ranks[i] : i];
    struct reduction_tree tree;
    if (!reduction_tree_find(site->topology, endpoints, collective->args.size, &tree))
        fatal("an in-network reduction was not checked: its ranks share no tree of switches");
    free(endpoints);
    return tree;
}

static bool load_reduction(struct step_price *step, const struct plan *collective) {
    ARRAY_RESERVE(step->trees, step->tree_capacity, step->tree_count + 1);
    struct reduction_tree tree = step->trees[step->tree_count++] = find_tree(step->site, collective);
    int64_t bytes = collective->args.bytes;
    bool ok = true;
    for (uint32_t i = 0; ok && i < tree.member_count; i++)
        ok = load_link(step, tree.members[i].up_link, bytes) && load_link(step, tree.members[i].down_link, bytes);
    for (uint32_t i = 0; ok && i < tree.node_count; i++)
        if (tree.nodes[i].parent != NO_NODE)
            ok = load_link(step, tree.nodes[i].up_link, bytes) && load_link(step, tree.nodes[i].down_link, bytes);
    return ok;
}

/// How long each loaded link takes for all its bytes.
static bool price_links(struct step_price *step) {
    const struct link_info *links = step->site->topology->graph.links;
    for (uint32_t i = 0; i < step->loaded_count; i++) {
        uint32_t link = step->loaded[i];
        struct step_load *load = &step->loads[link];
        if (!transfer_ticks((int64_t)load->bytes, links[link].bandwidth_bytes_per_s, step->site->ticks_per_s, &load->ticks)) return false;
        step->out->links[link].bytes += load->bytes * step->times;
        step->out->links[link].busy_ticks += (uint64_t)load->ticks * step->times;
    }
    return true;
}

/// A way through the network as it grows: the sum of its latencies, and the slowest of its links.
struct way {
    int64_t latency_ticks, slowest_ticks;
    bool overflow;
};

static void go(const struct step_price *step, struct way *way, uint32_t link) {
    int64_t latency = step->site->topology->graph.links[link].latency_ticks, ticks = step->loads[link].ticks;
    way->overflow |= __builtin_add_overflow(way->latency_ticks, latency, &way->latency_ticks);
    if (ticks > way->slowest_ticks) way->slowest_ticks = ticks;
}

static bool end_way(struct way *way, int64_t *most) {
    int64_t ticks;
    way->overflow |= __builtin_add_overflow(way->latency_ticks, way->slowest_ticks, &ticks);
    if (!way->overflow && ticks > *most) *most = ticks;
    return !way->overflow;
}

static bool price_message(const struct step_price *step, struct route route, int64_t *most) {
    struct way way = {0};
    for (uint32_t hop = 0; hop < route.hops; hop++) go(step, &way, route.links[hop]);
    return end_way(&way, most);
}

/// The longest way up, then the longest way down, at the pace of the slowest link of the tree.
static bool price_tree(struct step_price *step, const struct reduction_tree *tree, int64_t *most) {
    struct way all = {0};
    int64_t up_ticks = 0, down_ticks = 0;
    for (uint32_t i = 0; i < tree->member_count; i++) {
        struct way up = {0}, down = {0};
        go(step, &up, tree->members[i].up_link);
        go(step, &down, tree->members[i].down_link);
        for (uint32_t node = tree->members[i].parent; tree->nodes[node].parent != NO_NODE; node = tree->nodes[node].parent) {
            go(step, &up, tree->nodes[node].up_link);
            go(step, &down, tree->nodes[node].down_link);
        }
        all.overflow |= up.overflow | down.overflow;
        if (up.latency_ticks > up_ticks) up_ticks = up.latency_ticks;
        if (down.latency_ticks > down_ticks) down_ticks = down.latency_ticks;
        if (up.slowest_ticks > all.slowest_ticks) all.slowest_ticks = up.slowest_ticks;
        if (down.slowest_ticks > all.slowest_ticks) all.slowest_ticks = down.slowest_ticks;
    }
    all.overflow |= __builtin_add_overflow(up_ticks, down_ticks, &all.latency_ticks);
    return end_way(&all, most);
}

static void clear(struct step_price *step) {
    for (uint32_t i = 0; i < step->loaded_count; i++) step->loads[step->loaded[i]] = (struct step_load){0};
    step->loaded_count = 0;
    for (size_t i = 0; i < step->tree_count; i++) reduction_tree_free(&step->trees[i]);
    step->tree_count = 0;
}

bool step_price(struct step_price *step, const struct posted *posted, uint64_t times, int64_t *ticks) {
    step->times = times;
    *ticks = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < posted->count; i++) {
        const struct posted_message *message = &posted->messages[i];
        count_message(step, message);
        ok = load_message(step, find_route(step, i, message), message->bytes) && go_on(step);
    }
    for (size_t i = 0; ok && i < posted->reduced_count; i++) ok = load_reduction(step, posted->reduced[i]);
    ok = ok && price_links(step);
    for (size_t i = 0; ok && i < posted->count; i++)
        ok = price_message(step, find_route(step, i, &posted->messages[i]), ticks) && go_on(step);
    for (size_t i = 0; ok && i < step->tree_count; i++) ok = price_tree(step, &step->trees[i], ticks);
    clear(step);
    return ok;
}
