#include "workloads/tensor_parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/collective.h"

const char *const parallelism_names[] = {"tensor", "sequence", NULL};

static bool is_auto(const struct tensor_config *config) { return config->algorithm && !strcmp(config->algorithm, "auto"); }

/// Of auto, those that stand in for it until something is run.
static bool find_algorithms(const struct tensor_config *config, struct tensor *out, struct error *err) {
    static const enum collective_kind kinds[2][2] = {{ALL_REDUCE}, {REDUCE_SCATTER, ALL_GATHER}};
    static const char *const others[] = {"auto", NULL};
    bool named = config->algorithm && !is_auto(config);
    if (named && !strcmp(config->algorithm, "custom"))
        return error_at(err, "algorithm", "only the workload \"collective\" takes schedules");
    out->automatic = is_auto(config);
    out->collectives = config->parallelism == PARALLEL_SEQUENCE ? 2 : 1;
    for (uint32_t i = 0; i < out->collectives; i++) {
        enum collective_kind kind = kinds[config->parallelism][i];
        out->algorithms[i] = named ? algorithm_find(kind, config->algorithm) : algorithm_default(kind);
        if (!out->algorithms[i]) return collective_unknown_algorithm(kind, "algorithm", others, config->algorithm, err);
    }
    return true;
}

/// The shape's dims are for collectives of all its endpoints.
static void find_shape(const struct workload_place *place, struct collective_args *args) {
    uint64_t product = place->dim_count > 0;
    for (uint32_t i = 0; i < place->dim_count; i++) product *= place->dims[i];
    args->group_size = place->group_size;
    if (product != args->size || args->size != place->ranks) return;
    args->dim_count = place->dim_count;
    memcpy(args->dims, place->dims, sizeof args->dims);
}

/// Whether every team can run the collectives.
static bool check_teams(const struct tensor *tensor, const struct workload_place *place, uint32_t ranks, struct error *err) {
    uint32_t *team = allocate(tensor->degree * sizeof *team);
    bool possible = true;
    for (uint32_t first = 0; possible && first < ranks; first += tensor->degree) {
        for (uint32_t i = 0; i < tensor->degree; i++) team[i] = first + i;
        for (uint32_t i = 0; possible && i < tensor->collectives; i++) {
            struct collective_args args = tensor->args;
            args.kind = tensor->algorithms[i]->kind;
            possible = collective_possible(tensor->algorithms[i], &args, team, place, err);
        }
    }
    free(team);
    return possible;
}

bool tensor_resolve(const struct tensor_config *config, const struct workload_place *place, uint32_t ranks, struct tensor *out,
                    struct error *err) {
    *out = (struct tensor){.degree = config->degree ? (uint32_t)config->degree : ranks, .launch_ticks = config->launch_ticks};
    if (config->degree > ranks || ranks % out->degree)
        return error_at(err, "tp", "%u ranks cannot be split into teams of %u", ranks, out->degree);
    if (!find_algorithms(config, out, err)) return false;
    if (out->degree == 1) {
        out->collectives = 0;
        return true;
    }
    out->args.size = out->degree;
    find_shape(place, &out->args);
    return check_teams(out, place, ranks, err);
}

void tensor_choose(const struct tensor *tensor, const struct workload_place *place, int64_t bytes, const struct algorithm *out[2]) {
    uint32_t *team = allocate(tensor->degree * sizeof *team);
    for (uint32_t i = 0; i < tensor->degree; i++) team[i] = i;
    for (uint32_t i = 0; i < tensor->collectives; i++) {
        struct collective_request request = {.algorithm = tensor->algorithms[i], .args = tensor->args, .ranks = team};
        struct choice choice = {0};
        request.args.kind = request.algorithm->kind, request.args.bytes = bytes;
        if (tensor->automatic && place->chooser) place->chooser->choose(place->chooser->context, &request, &choice);
        out[i] = choice.algorithm ? choice.algorithm : request.algorithm;
    }
    free(team);
}

bool tensor_local(const struct tensor_config *config) {
    const struct algorithm *algorithm = config->algorithm ? algorithm_find(ALL_REDUCE, config->algorithm) : NULL;
    return !is_auto(config) && !(algorithm && algorithm->in_network); // what auto chooses may be in-network
}

// ---- layers as nodes

/// Where node k of a block stands: in which half of a layer (two a layer), part, and place in it (0: compute).
struct spot {
    uint64_t half;
    uint32_t part, place;
};

static uint32_t part_nodes(const struct layer_block *block) { return 1 + block->tensor->collectives; }
static uint64_t half_nodes(const struct layer_block *block) { return (uint64_t)block->parts * part_nodes(block); }

static struct spot spot_of(const struct layer_block *block, uint64_t k) {
    uint32_t in_half = (uint32_t)(k % half_nodes(block));
    return (struct spot){k / half_nodes(block), in_half / part_nodes(block), in_half % part_nodes(block)};
}

uint64_t layer_block_nodes(const struct layer_block *block) { return 2 * (uint64_t)block->layers * half_nodes(block) + block->head; }

static bool is_head(const struct layer_block *block, uint64_t k) { return block->head && k + 1 == layer_block_nodes(block); }

static int64_t head_ticks(const struct layer_block *block) {
    int64_t ticks = 0;
    for (uint32_t part = 0; part < block->parts; part++) ticks += block->part[part].ticks.head;
    return ticks;
}

static int64_t compute_ticks(const struct layer_block *block, const struct spot *spot) {
    const struct pass_ticks *ticks = &block->part[spot->part].ticks;
    if (spot->half % 2 == 0) return ticks->attention;
    return model_layer_has_experts(&block->inference->model, block->first_layer + (int64_t)(spot->half / 2)) ? ticks->moe : ticks->dense;
}

/// After the last collective of its part in the half before, and after the compute of the part before.
static void compute_node(const struct layer_block *block, uint64_t k, const struct spot *spot, struct node *out) {
    out->kind = NODE_COMPUTE;
    out->ticks = compute_ticks(block, spot);
    out->after[0] = spot->half == 0 ? (uint32_t)k + 1 : (uint32_t)half_nodes(block) - block->tensor->collectives;
    if (k > 0) out->after[1] = part_nodes(block);
}

static void collective_node(const struct layer_block *block, const struct spot *spot, struct node *out) {
    const struct tensor *tensor = block->tensor;
    out->kind = NODE_COLLECTIVE;
    out->algorithm = block->part[spot->part].algorithms[spot->place - 1];
    out->args = tensor->args;
    out->args.kind = out->algorithm->kind;
    out->args.bytes = inference_activation_bytes(block->inference, block->part[spot->part].tokens);
    out->launch_ticks = tensor->launch_ticks;
    out->after[0] = 1;
    if (spot->place == 1) out->after[1] = 2; // the last collective of the part before
}

void layer_block_node(const struct layer_block *block, uint64_t k, struct node *out) {
    const struct spot spot = spot_of(block, k);
    out->ranks = block->ranks;
    out->ranks.team = block->tensor->degree;
    if (is_head(block, k)) {
        out->kind = NODE_COMPUTE;
        out->ticks = head_ticks(block);
        out->after[0] = 1;
    } else if (spot.place == 0) {
        compute_node(block, k, &spot, out);
    } else {
        collective_node(block, &spot, out);
    }
}

bool layer_block_row(const struct layer_block *block, uint64_t k, struct node_row *out) {
    if (is_head(block, k)) return false;
    const struct model *model = &block->inference->model;
    int64_t layer = (int64_t)(spot_of(block, k).half / 2), first = layer, end = layer + 1;
    bool experts = model_layer_has_experts(model, block->first_layer + layer);
    while (end < block->layers && model_layer_has_experts(model, block->first_layer + end) == experts) end++;
    while (first > 0 && model_layer_has_experts(model, block->first_layer + first - 1) == experts) first--;
    if (first == 0 && block->parts > 1) first++; // the very first does not wait for its own part's
    uint64_t nodes = 2 * half_nodes(block);
    *out = (struct node_row){(uint64_t)first * nodes, (uint64_t)end * nodes, nodes};
    return k >= out->first;
}

char *layer_block_name(const struct layer_block *block, uint64_t k, char *out) {
    const struct spot spot = spot_of(block, k);
    if (is_head(block, k)) return strcpy(out, "logits");
    int used = snprintf(out, LAYER_NAME_SIZE, "layer %llu %s", (unsigned long long)block->first_layer + spot.half / 2,
                        spot.half % 2 ? "network" : "attention");
    if (block->parts > 1) used += snprintf(out + used, LAYER_NAME_SIZE - (size_t)used, " part %u", spot.part);
    if (spot.place > 0)
        snprintf(out + used, LAYER_NAME_SIZE - (size_t)used, " %s", collective_names[block->tensor->algorithms[spot.place - 1]->kind]);
    return out;
}

void tensor_report(const struct layer_block *block, struct figures *figures) {
    static const char group[] = "collectives of a pass";
    const struct tensor *tensor = block->tensor;
    for (uint32_t i = 0; i < tensor->collectives; i++) {
        char name[LAYER_NAME_SIZE];
        const char *kind = collective_names[tensor->algorithms[i]->kind];
        snprintf(name, sizeof name, "%s%s", block->part[0].algorithms[i]->name, tensor->automatic ? " (auto)" : "");
        figures_text(figures, group, kind, name);
        snprintf(name, sizeof name, "%s count", kind);
        figures_count(figures, group, name, 2 * block->layers * block->parts);
        snprintf(name, sizeof name, "%s size", kind);
        figures_bytes(figures, group, name, inference_activation_bytes(block->inference, block->part[0].tokens));
    }
}
