#include "workloads/kv_route.h"

#include "base/memory.h"

static uint32_t lanes_of(const struct kv_route *route, const struct kv_group *group) { return route->nics ? route->nics : group->tp; }

bool kv_route_relays(const struct kv_route *route) {
    return route->nics && (route->nics != route->prefill.tp || route->nics != route->decode.tp);
}

/// A device of an instance.
struct device {
    const struct kv_group *group;
    uint32_t instance, number;
};

static uint32_t rank_of(const struct device *device) {
    return device->group->first + device->instance * device->group->tp + device->number;
}

/// The rank whose NIC is lane `lane` of the device's instance. With more lanes than devices a device uses its own NIC, then
/// every tp-th of the block; with fewer the first of the devices that share it lends its own.
static uint32_t lane_rank(const struct device *device, uint32_t lanes, uint32_t lane) {
    const struct kv_group *group = device->group;
    uint32_t instance_first = device->instance * group->tp;
    if (lanes < group->tp) return group->first + instance_first + lane * (group->tp / lanes);
    uint32_t block = instance_first / lanes * lanes, own = instance_first - block + device->number;
    uint32_t turn = lane - kv_lanes_of(group->tp, lanes, device->number).first;
    return group->first + block + (own + turn * group->tp) % lanes;
}

static void add(struct kv_messages *out, uint32_t from, uint32_t to, int64_t bytes) {
    if (from == to) return;
    ARRAY_RESERVE(out->items, out->capacity, out->count + 1);
    out->items[out->count++] = (struct node_message){from, to, bytes};
}

static void add_flow(const struct kv_route *route, const struct device ends[2], int64_t bytes, enum kv_hop hop, struct kv_messages *out) {
    uint32_t lanes[2] = {lanes_of(route, ends[0].group), lanes_of(route, ends[1].group)};
    struct kv_lanes sender = kv_lanes_of(ends[0].group->tp, lanes[0], ends[0].number);
    struct kv_lanes receiver = kv_lanes_of(ends[1].group->tp, lanes[1], ends[1].number);
    for (uint32_t s = 0; s < kv_stripe_count(sender, receiver); s++) {
        const struct kv_stripe stripe = kv_stripe(sender, receiver, bytes, s);
        uint32_t leaves = lane_rank(&ends[0], lanes[0], stripe.out), comes = lane_rank(&ends[1], lanes[1], stripe.in);
        if (stripe.bytes == 0) continue;
        if (hop == KV_HAND_OUT) add(out, rank_of(&ends[0]), leaves, stripe.bytes);
        if (hop == KV_CROSS) add(out, leaves, comes, stripe.bytes);
        if (hop == KV_HAND_IN) add(out, comes, rank_of(&ends[1]), stripe.bytes);
    }
}

void kv_route_messages(const struct kv_route *route, const struct kv_block *block, struct kv_leg leg, struct kv_messages *out) {
    const struct kv_groups groups = {route->prefill.tp, route->decode.tp};
    for (uint32_t i = 0; i < groups.senders; i++) {
        for (uint32_t j = 0; j < groups.receivers; j++) {
            const struct device ends[2] = {{&route->prefill, leg.from, i}, {&route->decode, leg.to, j}};
            add_flow(route, ends, kv_flow_bytes(block, groups, i, j), leg.hop, out);
        }
    }
}
