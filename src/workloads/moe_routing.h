#ifndef WORKLOADS_MOE_ROUTING_H
#define WORKLOADS_MOE_ROUTING_H

#include "base/memory.h"
#include "workloads/moe.h"

/// Where the experts of one group of ranks are, and which of them its tokens go to in one layer. Device d of the group is
/// rank first + d. Expert e lies on device floor of its share: the first experts mod ep devices have one more. Redundant
/// experts are further copies of the most popular, spread over the devices; a device always uses the same copy, devices in
/// turn different ones. Under a limit of nodes it takes a copy in a node that the token goes to anyway.
struct moe_group {
    const struct moe_config *config;
    const struct moe_setup *setup;
    uint32_t first, devices, experts, picks;
    struct routing *routing; ///< NULL: as config->token_experts says
    uint32_t slots;          ///< experts and their copies
    uint32_t *slot_device;
    uint32_t *copy_first, *copies; ///< the slots of expert e: copies[copy_first[e]] .. copies[copy_first[e + 1] - 1]
    struct arena arena;            ///< owns all but the routing
};

/// `number`: which group. False where the routing cannot be.
bool moe_group_make(const struct moe_config *config, const struct moe_setup *setup, uint32_t number, int64_t layer, struct moe_group *out,
                    struct error *err);
void moe_group_free(struct moe_group *group);

/// The node of a device, and the device of that node by which another device reaches it: the one numbered alike.
static inline uint32_t moe_node(const struct moe_group *group, uint32_t device) {
    return (group->first + device) / group->setup->node_size;
}
uint32_t moe_relay(const struct moe_group *group, uint32_t device, uint32_t node);

/// The slots of a token's experts: `picks` of them, in an array that has room for twice as many. Token `token` of `tokens` of that device,
/// of which the first is number `first_token` of all that the rank has in a layer.
struct moe_token {
    uint32_t device;
    int64_t token, tokens, first_token;
};
void moe_group_pick(const struct moe_group *group, const struct moe_token *token, uint32_t *slots);

#endif
