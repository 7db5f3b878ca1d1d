#include "workloads/moe_routing.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

// ---- weights of experts

static const int64_t *load_row(const struct moe_config *config, uint32_t experts, int64_t layer) {
    const struct matrix *loads = &config->loads;
    if (loads->columns == 1 && experts > 1) return loads->values; // one a line
    return loads->values + (size_t)layer % loads->rows * loads->columns;
}

static void count_tokens(const struct matrix *tokens, int64_t *weights) {
    for (size_t i = 0; i < tokens->rows * tokens->columns; i++) weights[tokens->values[i]]++;
}

static uint64_t layer_seed(const struct moe_setup *setup, int64_t layer) { return setup->seed ^ mix64((uint64_t)layer + 1); }

static int64_t *make_weights(struct moe_group *group, int64_t layer) {
    static const enum popularity popularities[] = {POPULARITY_UNIFORM, POPULARITY_ZIPF, POPULARITY_LOG_NORMAL};
    const struct moe_config *config = group->config;
    int64_t *weights = arena_allocate(&group->arena, group->experts * sizeof *weights);
    if (config->routing == MOE_LOADS)
        memcpy(weights, load_row(config, group->experts, layer), group->experts * sizeof *weights);
    else if (config->routing == MOE_TOKENS)
        count_tokens(&config->token_experts, weights);
    else
        popularity_weights(popularities[config->routing], config->skew, layer_seed(group->setup, layer), group->experts, weights);
    return weights;
}

// ---- where they lie

/// The most popular experts, of the same popularity those with lower numbers first.
static void find_popular(const int64_t *weights, uint32_t experts, uint32_t count, uint32_t *out) {
    for (uint32_t n = 0; n < count; n++) {
        uint32_t best = experts;
        for (uint32_t e = 0; e < experts; e++) {
            bool before = n % experts == 0 || weights[e] < weights[out[n - 1]] || (weights[e] == weights[out[n - 1]] && e > out[n - 1]);
            if (before && (best == experts || weights[e] > weights[best])) best = e;
        }
        out[n] = best;
    }
}

/// Slot e is expert e; then come the copies.
static void place_slots(struct moe_group *group, const int64_t *weights) {
    uint32_t extra = (uint32_t)group->config->redundant_experts, devices = group->devices, device = 0;
    group->slots = group->experts + extra;
    group->slot_device = arena_allocate(&group->arena, group->slots * sizeof *group->slot_device);
    uint32_t *of = arena_allocate(&group->arena, group->slots * sizeof *of);
    for (uint32_t e = 0; e < group->experts; e++) {
        while (split_start(group->experts, devices, device + INT64_C(1)) <= e) device++;
        of[e] = e, group->slot_device[e] = device;
    }
    find_popular(weights, group->experts, extra, of + group->experts);
    for (uint32_t i = 0; i < extra; i++) {
        device = (uint32_t)((uint64_t)i * devices / extra);
        if (device == group->slot_device[of[group->experts + i]]) device = (device + 1) % devices;
        group->slot_device[group->experts + i] = device;
    }
    group->copy_first = arena_allocate(&group->arena, (group->experts + 1) * sizeof *group->copy_first);
    group->copies = arena_allocate(&group->arena, group->slots * sizeof *group->copies);
    uint32_t used = 0;
    for (uint32_t e = 0; e < group->experts; e++) {
        group->copies[used++] = e;
        for (uint32_t slot = group->experts; slot < group->slots; slot++)
            if (of[slot] == e) group->copies[used++] = slot;
        group->copy_first[e + 1] = used;
    }
}

static uint32_t first_device_of(const struct moe_group *group, uint32_t node) {
    uint32_t rank = node * group->setup->node_size;
    return rank > group->first ? rank - group->first : 0;
}

uint32_t moe_relay(const struct moe_group *group, uint32_t device, uint32_t node) {
    uint32_t first = first_device_of(group, node), end = first_device_of(group, node + 1);
    if (end > group->devices) end = group->devices;
    return first + (group->first + device) % group->setup->node_size % (end - first);
}

// ---- routing

static bool make_routing(struct moe_group *group, const int64_t *weights, int64_t layer, struct error *err) {
    const struct moe_config *config = group->config;
    uint32_t first_node = moe_node(group, 0), nodes = moe_node(group, group->devices - 1) - first_node + 1, expert = 0;
    uint32_t *starts = arena_allocate(&group->arena, (nodes + 1) * sizeof *starts);
    for (uint32_t node = 0; node <= nodes; node++) {
        while (expert < group->experts && moe_node(group, group->slot_device[expert]) < first_node + node) expert++;
        starts[node] = expert;
    }
    const struct routing_config routing = {
        .experts = group->experts,
        .picks = group->picks,
        .weights = weights,
        .draw = (enum draw)config->draw,
        .seed = layer_seed(group->setup, layer) ^ mix64(group->first + UINT64_C(1)),
        .nodes = nodes,
        .node_limit = (uint32_t)config->node_limit,
        .node_experts = starts,
    };
    group->routing = routing_create(&routing, err);
    return group->routing != NULL;
}

bool moe_group_make(const struct moe_config *config, const struct moe_setup *setup, uint32_t number, int64_t layer, struct moe_group *out,
                    struct error *err) {
    const struct model *model = &setup->inference.model;
    *out = (struct moe_group){
        .config = config,
        .setup = setup,
        .first = number * setup->ep,
        .devices = setup->ep,
        .experts = (uint32_t)model->experts,
        .picks = (uint32_t)model->top_k,
    };
    const int64_t *weights = make_weights(out, layer);
    place_slots(out, weights);
    if (config->routing == MOE_TOKENS || make_routing(out, weights, layer, err)) return true;
    moe_group_free(out);
    return false;
}

void moe_group_free(struct moe_group *group) {
    routing_free(group->routing);
    arena_free(&group->arena);
}

static bool node_is_used(const struct moe_group *group, const uint32_t *experts, uint32_t node) {
    for (uint32_t i = 0; i < group->picks; i++)
        if (moe_node(group, group->slot_device[experts[i]]) == node) return true;
    return false;
}

static uint32_t choose_copy(const struct moe_group *group, const uint32_t *experts, uint32_t expert, uint32_t device) {
    const uint32_t *copies = group->copies + group->copy_first[expert];
    uint32_t count = group->copy_first[expert + 1] - group->copy_first[expert], turn = device % count;
    if (group->config->node_limit == 0 || count == 1) return copies[turn];
    while (!node_is_used(group, experts, moe_node(group, group->slot_device[copies[turn]]))) turn = (turn + 1) % count;
    return copies[turn];
}

void moe_group_pick(const struct moe_group *group, const struct moe_token *token, uint32_t *slots) {
    uint32_t *experts = slots + group->picks; // the second half of what the caller has
    const struct matrix *given = &group->config->token_experts;
    if (group->routing) {
        uint64_t number = (uint64_t)token->token * group->devices + token->device;
        if (group->config->draw == DRAW_RANDOM) number += (uint64_t)token->first_token * group->devices; // each micro-batch draws its own
        routing_pick(group->routing, number, (uint64_t)token->tokens * group->devices, experts);
    } else {
        int64_t row = (group->first + token->device) * group->config->tokens + token->first_token + token->token;
        const int64_t *values = given->values + (size_t)row % given->rows * given->columns;
        for (uint32_t i = 0; i < group->picks; i++) experts[i] = (uint32_t)values[i];
    }
    for (uint32_t i = 0; i < group->picks; i++) slots[i] = choose_copy(group, experts, experts[i], token->device);
}
