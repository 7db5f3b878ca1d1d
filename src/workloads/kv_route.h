#ifndef WORKLOADS_KV_ROUTE_H
#define WORKLOADS_KV_ROUTE_H

#include "llm/kv_plan.h"
#include "workloads/program.h"

/// The way of keys and values from prefill ranks to decode ranks. Each group is made of instances of `tp` ranks. An instance
/// sends and receives by `nics` NICs: of all its ranks, of fewer (which then pass on what is the others'), or of more: those
/// of the block of `nics` ranks of its group that it lies in. What leaves or comes in by the NIC of another rank passes
/// between the two first, or last.
struct kv_group {
    uint32_t first, count, tp; ///< ranks
};
struct kv_route {
    struct kv_group prefill, decode;
    uint32_t nics; ///< of each instance; a multiple or a divisor of both tp; 0: as many as ranks
};

static inline uint32_t kv_instances(const struct kv_group *group) { return group->count / group->tp; }

enum kv_hop {
    KV_HAND_OUT, ///< to the ranks by whose NICs it leaves
    KV_CROSS,    ///< from NIC to NIC
    KV_HAND_IN,  ///< to the ranks that keep it
};
enum { KV_HOPS = 3 };

/// Whether something is handed from rank to rank inside a group.
bool kv_route_relays(const struct kv_route *route);

/// Appends the messages of a hop that bring a block from one instance to another.
struct kv_messages {
    size_t count, capacity;
    struct node_message *items; ///< owned
};
struct kv_leg {
    uint32_t from, to; ///< instances
    enum kv_hop hop;
};
void kv_route_messages(const struct kv_route *route, const struct kv_block *block, struct kv_leg leg, struct kv_messages *out);

#endif
