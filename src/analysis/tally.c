#include "analysis/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct tally tally_create(const struct site *site, const uint8_t *side, bool links) {
    struct tally tally = {.site = site, .side = side};
    tally.sent = allocate_zeroed(site->ranks, sizeof *tally.sent);
    tally.received = allocate_zeroed(site->ranks, sizeof *tally.received);
    if (!links) return tally;
    uint32_t link_count = site->topology->graph.link_count;
    tally.route = allocate(site_route_capacity(site) * sizeof *tally.route);
    tally.on_link = allocate_zeroed(link_count, sizeof *tally.on_link);
    tally.touched = allocate(link_count * sizeof *tally.touched);
    return tally;
}

void tally_free(struct tally *tally) {
    free(tally->sent);
    free(tally->received);
    free(tally->route);
    free(tally->on_link);
    free(tally->touched);
}

void tally_clear(struct tally *tally) {
    memset(tally->sent, 0, tally->site->ranks * sizeof *tally->sent);
    memset(tally->received, 0, tally->site->ranks * sizeof *tally->received);
    tally->across[0] = tally->across[1] = 0;
    tally->messages = 0;
    for (uint32_t i = 0; i < tally->touched_count; i++) tally->on_link[tally->touched[i]] = 0;
    tally->touched_count = 0;
}

void tally_add(struct tally *tally, const struct posted_message *message) {
    const struct site *site = tally->site;
    uint64_t bytes = (uint64_t)message->bytes;
    tally->messages++;
    tally->sent[message->from] += bytes;
    tally->received[message->to] += bytes;
    if (tally->side) {
        uint8_t from = tally->side[site->place[message->from]], to = tally->side[site->place[message->to]];
        if (from != to) tally->across[from] += bytes;
    }
    bool in_network = message->from == message->to;
    if (!tally->route || in_network || bytes == 0) return;
    uint32_t hops = site_route(site, message->from, message->to, tally->route);
    for (uint32_t hop = 0; hop < hops; hop++) {
        uint32_t link = tally->route[hop];
        if (tally->on_link[link] == 0) tally->touched[tally->touched_count++] = link;
        tally->on_link[link] += bytes;
    }
}

void tally_add_times(struct tally *tally, const struct tally *other, uint64_t times) {
    for (uint32_t rank = 0; rank < tally->site->ranks; rank++) {
        tally->sent[rank] += other->sent[rank] * times;
        tally->received[rank] += other->received[rank] * times;
    }
    for (int direction = 0; direction < 2; direction++) tally->across[direction] += other->across[direction] * times;
    tally->messages += other->messages * times;
}
