#ifndef WORKLOADS_MOE_H
#define WORKLOADS_MOE_H

#include "llm/routing.h"
#include "workloads/tensor_parallel.h"

/// The parts of the workload moe: what its keys mean, who sends how much in a layer, the program, the report.

enum moe_routing { MOE_UNIFORM, MOE_ZIPF, MOE_LOG_NORMAL, MOE_LOADS, MOE_TOKENS };
enum moe_copies {
    COPIES_DEVICE, ///< a token goes once to each device that has any of its experts
    COPIES_EXPERT, ///< once for each of its experts
    COPIES_NODE,   ///< once to each node, to the device there that is numbered as its own, which passes it on to the others
};

struct moe_config {
    uint64_t given;
    struct inference_config inference;
    int64_t ep, tp, tokens, micro_batches, context, prompt;
    int routing, draw, copies, dispatch_dtype, combine_dtype, schedule;
    int64_t skew; ///< millionths
    struct matrix loads, token_experts;
    int64_t node_limit, redundant_experts, launch_ticks;
    const char *algorithm;
};

/// What the config means at a place.
struct moe_setup {
    struct inference inference; ///< of attention and dense layers
    struct tensor tensor;       ///< reduce-scatter and all-gather beside attention
    uint32_t ranks, ep;         ///< groups of `ep` neighbours have all experts each
    uint32_t node_size;         ///< ranks a node; where the shape has no nodes all of them
    uint32_t micro_batches;
    int64_t moe_layers;
    uint64_t seed;
};

/// Tokens of a micro-batch on each rank.
int64_t moe_micro_tokens(const struct moe_config *config, uint32_t micro_batch);

/// The hops of a dispatch, and back of a combine.
enum moe_hop {
    HOP_DIRECT,  ///< to the devices with the experts; with copies by node inside the own node only
    HOP_ACROSS,  ///< to the device of the same number in another node
    HOP_FORWARD, ///< from there to the devices with the experts
};
enum { MOE_HOPS = 3 };

/// What the ranks send each other in one layer for one micro-batch.
struct moe_traffic {
    int64_t *bytes[2][MOE_HOPS]; ///< dispatch, combine; from i to j at [i * ranks + j]; NULL: that hop is not there
    int64_t *expert_ticks;       ///< per rank
    int64_t *expert_tokens;      ///< per rank: how often its experts were picked
    uint64_t left;               ///< how many ranks have left how many of its nodes
};

/// `layer`: which of the layers with experts.
struct moe_traffic *moe_traffic_create(const struct moe_config *config, const struct moe_setup *setup, int64_t layer, uint32_t micro_batch,
                                       struct error *err);
void moe_traffic_free(struct moe_traffic *traffic);

/// Whether all layers have the same traffic.
bool moe_traffic_same(const struct moe_config *config);

/// What all layers and micro-batches send and compute, and who the most.
struct moe_load {
    int64_t inside[2], across[2];    ///< bytes of dispatch and combine, by tier
    int64_t *tokens, *into;          ///< per rank: picks of its experts, bytes dispatched to it
    int64_t ticks;                   ///< compute of the experts of all ranks
    int64_t most_tokens, most_ticks; ///< picks and compute of each layer's busiest rank, over layers and micro-batches
    int64_t worst, worst_of;         ///< picks of the worst layer's busiest rank, and of all its ranks
};

/// What happened to one rank and micro-batch in a dispatch or combine that goes on.
struct moe_exchange {
    int64_t start;
    uint32_t awaited; ///< hops that it has not left
};
struct moe_times {
    int64_t sum, longest, count;
};

enum moe_role {
    ROLE_GATHER,
    ROLE_ATTENTION,
    ROLE_SCATTER,
    ROLE_ACROSS,
    ROLE_DIRECT,
    ROLE_FORWARD,
    ROLE_SHARED,
    ROLE_EXPERTS,
    ROLE_BACK_FORWARD,
    ROLE_BACK_DIRECT,
    ROLE_BACK_ACROSS,
    ROLE_DENSE_GATHER,
    ROLE_DENSE,
    ROLE_DENSE_SCATTER,
    ROLE_HEAD,
};
enum { MOE_ROLES = 15 };

/// The nodes of one layer for one micro-batch, in order.
struct moe_layer {
    uint32_t count;
    enum moe_role roles[MOE_ROLES];
};

/// The compute of a micro-batch.
struct moe_part {
    int64_t tokens; ///< of a team
    struct pass_ticks ticks;
    int64_t router, shared; ///< of a layer with experts
    const struct algorithm *algorithms[2];
};

struct moe_job {
    struct job job;
    const struct moe_config *config;
    struct moe_setup setup;
    struct moe_part *parts; ///< per micro-batch
    struct program *program;
    struct moe_layer dense, sparse, head;
    const struct algorithm *exchange;
    struct moe_traffic **traffic; ///< [layer with experts * micro_batches + micro-batch], made when it is looked at first
    bool same;                    ///< only those of the first layer are there
    struct moe_load load;
    struct moe_exchange *exchanges;              ///< [rank * micro_batches + micro-batch]
    int64_t *entered;                            ///< [(rank * micro_batches + micro-batch) * MOE_ROLES + role]
    struct moe_times times[MOE_ROLES], whole[2]; ///< of each hop; of dispatch and combine
    struct moe_times marked_times[MOE_ROLES], marked_whole[2];
};

struct program *moe_program(struct moe_job *job, const struct workload_place *place, uint32_t order);

/// For struct program_watch: the times in rounds.
void moe_round_state(void *context, int64_t now, struct word_list *words);
void moe_round_marked(void *context);
void moe_round_skipped(void *context, uint64_t times, int64_t ticks);

void moe_report(const struct moe_job *job, struct figures *figures);

#endif
