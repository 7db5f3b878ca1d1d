// Who sends how many tokens to whom in one layer, token by token, and what the experts of each rank compute.
#include <stdlib.h>

#include "workloads/moe_routing.h"

int64_t moe_micro_tokens(const struct moe_config *config, uint32_t micro_batch) {
    return split_start(config->tokens, config->micro_batches, micro_batch + INT64_C(1)) -
           split_start(config->tokens, config->micro_batches, micro_batch);
}

bool moe_traffic_same(const struct moe_config *config) {
    if (config->routing == MOE_TOKENS) return true;
    if (config->draw != DRAW_EVEN) return false;
    return config->routing == MOE_UNIFORM || (config->routing == MOE_LOADS && (config->loads.rows == 1 || config->loads.columns == 1));
}

/// Counts of one group's tokens, and what tells a device or node that a token goes to already.
struct tally {
    const struct moe_group *group;
    uint32_t ranks, first_node;
    int64_t *tokens[MOE_HOPS]; ///< from i to j at [i * ranks + j]
    int64_t *slot_tokens;
    uint64_t now, *device_seen, *node_seen; ///< number of the last token that went there
};

static void send(struct tally *tally, enum moe_hop hop, uint32_t from, uint32_t to) {
    uint32_t first = tally->group->first;
    if (from != to) tally->tokens[hop][(size_t)(first + from) * tally->ranks + first + to]++;
}

static void send_to_node(struct tally *tally, uint32_t from, uint32_t to) {
    uint32_t node = moe_node(tally->group, to);
    if (node == moe_node(tally->group, from)) {
        send(tally, HOP_DIRECT, from, to);
        return;
    }
    uint32_t relay = moe_relay(tally->group, from, node);
    uint64_t *seen = &tally->node_seen[node - tally->first_node];
    if (*seen != tally->now) send(tally, HOP_ACROSS, from, relay);
    *seen = tally->now;
    send(tally, HOP_FORWARD, relay, to);
}

static void count_token(struct tally *tally, uint32_t from, const uint32_t *slots) {
    const struct moe_group *group = tally->group;
    enum moe_copies copies = (enum moe_copies)group->config->copies;
    tally->now++;
    for (uint32_t i = 0; i < group->picks; i++) {
        uint32_t to = group->slot_device[slots[i]];
        bool again = tally->device_seen[to] == tally->now;
        tally->slot_tokens[slots[i]]++;
        tally->device_seen[to] = tally->now;
        if (again && copies != COPIES_EXPERT) continue;
        if (copies == COPIES_NODE)
            send_to_node(tally, from, to);
        else
            send(tally, HOP_DIRECT, from, to);
    }
}

static void count_group(struct tally *tally, uint32_t micro_batch) {
    const struct moe_group *group = tally->group;
    int64_t first_token = split_start(group->config->tokens, group->config->micro_batches, micro_batch);
    struct moe_token token = {.tokens = moe_micro_tokens(group->config, micro_batch), .first_token = first_token};
    uint32_t *slots = allocate(2 * group->picks * sizeof *slots);
    for (token.device = 0; token.device < group->devices; token.device++) {
        for (token.token = 0; token.token < token.tokens; token.token++) {
            moe_group_pick(group, &token, slots);
            count_token(tally, token.device, slots);
        }
    }
    free(slots);
}

/// Weights of experts that no token goes to are not read.
static bool price_experts(const struct tally *tally, struct moe_traffic *traffic, struct error *err) {
    const struct moe_group *group = tally->group;
    const struct inference *inference = &group->setup->inference;
    int64_t parameters = model_expert_parameters(&inference->model);
    int64_t *touched = allocate_zeroed(group->devices, sizeof *touched);
    bool ok = true;
    for (uint32_t slot = 0; slot < group->slots; slot++) {
        uint32_t device = group->slot_device[slot];
        touched[device] += tally->slot_tokens[slot] > 0;
        traffic->expert_tokens[group->first + device] += tally->slot_tokens[slot];
    }
    for (uint32_t device = 0; device < group->devices; device++) {
        const struct work work = {
            .operations = (__int128)2 * parameters * traffic->expert_tokens[group->first + device],
            .bytes = (__int128)touched[device] * dtype_bytes(inference->weights, parameters),
            .arithmetic = inference->arithmetic,
        };
        ok = ok && work_price(inference, &work, &traffic->expert_ticks[group->first + device]);
    }
    free(touched);
    return ok || error_set(err, ERROR_INPUT, "the experts of a rank take longer than the clock counts");
}

static bool add_group(struct tally *tally, struct moe_traffic *traffic, uint32_t micro_batch, struct error *err) {
    const struct moe_group *group = tally->group;
    tally->now = 0;
    tally->first_node = moe_node(group, 0);
    uint32_t nodes = moe_node(group, group->devices - 1) - tally->first_node + 1;
    tally->slot_tokens = allocate_zeroed(group->slots, sizeof *tally->slot_tokens);
    tally->device_seen = allocate_zeroed(group->devices, sizeof *tally->device_seen);
    tally->node_seen = allocate_zeroed(nodes, sizeof *tally->node_seen);
    count_group(tally, micro_batch);
    bool ok = price_experts(tally, traffic, err);
    free(tally->slot_tokens);
    free(tally->device_seen);
    free(tally->node_seen);
    return ok;
}

/// Dispatch: tokens by their size; combine: the same way back.
static void fill_bytes(const struct moe_config *config, const struct moe_setup *setup, const int64_t *tokens, int64_t *out[2]) {
    int64_t width = setup->inference.model.d_model, ranks = setup->ranks;
    int64_t there = dtype_bytes((enum dtype)config->dispatch_dtype, width), back = dtype_bytes((enum dtype)config->combine_dtype, width);
    out[0] = allocate((size_t)(ranks * ranks) * sizeof *out[0]);
    out[1] = allocate((size_t)(ranks * ranks) * sizeof *out[1]);
    for (int64_t i = 0; i < ranks; i++) {
        for (int64_t j = 0; j < ranks; j++) {
            out[0][i * ranks + j] = tokens[i * ranks + j] * there;
            out[1][j * ranks + i] = tokens[i * ranks + j] * back;
        }
    }
}

struct moe_traffic *moe_traffic_create(const struct moe_config *config, const struct moe_setup *setup, int64_t layer, uint32_t micro_batch,
                                       struct error *err) {
    struct moe_traffic *traffic = allocate_zeroed(1, sizeof *traffic);
    int hops = config->copies == COPIES_NODE ? MOE_HOPS : 1;
    bool ok = true;
    struct tally tally = {.ranks = setup->ranks};
    traffic->expert_ticks = allocate_zeroed(setup->ranks, sizeof *traffic->expert_ticks);
    traffic->expert_tokens = allocate_zeroed(setup->ranks, sizeof *traffic->expert_tokens);
    for (int hop = 0; hop < hops; hop++)
        tally.tokens[hop] = allocate_zeroed((size_t)setup->ranks * setup->ranks, sizeof *tally.tokens[hop]);
    for (uint32_t number = 0; ok && number < setup->ranks / setup->ep; number++) {
        struct moe_group group;
        ok = moe_group_make(config, setup, number, layer, &group, err);
        if (!ok) break;
        tally.group = &group;
        ok = add_group(&tally, traffic, micro_batch, err);
        moe_group_free(&group);
    }
    for (int hop = 0; hop < hops; hop++) {
        int64_t *out[2];
        fill_bytes(config, setup, tally.tokens[hop], out);
        traffic->bytes[0][hop] = out[0], traffic->bytes[1][hop] = out[1];
        free(tally.tokens[hop]);
    }
    if (ok) return traffic;
    moe_traffic_free(traffic);
    return NULL;
}

void moe_traffic_free(struct moe_traffic *traffic) {
    if (!traffic) return;
    for (int way = 0; way < 2; way++)
        for (int hop = 0; hop < MOE_HOPS; hop++) free(traffic->bytes[way][hop]);
    free(traffic->expert_ticks);
    free(traffic->expert_tokens);
    free(traffic);
}
