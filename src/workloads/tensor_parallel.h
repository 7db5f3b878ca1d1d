#ifndef WORKLOADS_TENSOR_PARALLEL_H
#define WORKLOADS_TENSOR_PARALLEL_H

#include "llm/inference.h"
#include "workloads/program.h"
#include "workloads/workload.h"

/// Tensor parallelism (Shoeybi et al., Megatron-LM, 2019; sequence parallelism: Korthikanti et al., 2022): every layer is
/// split over the ranks of a team, which after attention and after the feed-forward network add up what each has: by an
/// all-reduce, or by a reduce-scatter and, where the whole is needed next, an all-gather.

enum parallelism { PARALLEL_TENSOR, PARALLEL_SEQUENCE };

/// The keys of it (TENSOR_FIELDS).
struct tensor_config {
    int64_t degree; ///< 0: all ranks
    const char *algorithm;
    int parallelism;
    int64_t launch_ticks;
};

extern const char *const parallelism_names[];

// clang-format off
#define TENSOR_FIELDS(config) \
    {"tp", FIELD_INTEGER, offsetof(config, tensor.degree), .min = 1, .max = INT32_MAX, \
     .help = "ranks that share each layer, neighbours by number; all by default. Where there are more, each such team has the model", \
     .example = "8"}, \
    {"algorithm", FIELD_TEXT, offsetof(config, tensor.algorithm), .help = "of the collectives; auto: the fastest", .example = "\"ring\""}, \
    {"parallelism", FIELD_CHOICE, offsetof(config, tensor.parallelism), .choices = parallelism_names, \
     .help = "tensor: two all-reduces a layer; sequence: a reduce-scatter and an all-gather in place of each"}, \
    {"launch_overhead", FIELD_TIME, offsetof(config, tensor.launch_ticks), \
     .help = "of a rank's processor before each collective", .example = "\"5us\""}
// clang-format on

/// A tensor_config made ready.
struct tensor {
    uint32_t degree;
    uint32_t collectives;                  ///< after each half of a layer: none for one rank, else 1 or 2
    const struct algorithm *algorithms[2]; ///< in this order
    bool automatic;                        ///< they only stand in for what tensor_choose takes
    struct collective_args args;           ///< but for kind and bytes
    int64_t launch_ticks;
};

/// `ranks`: how many the teams are made of, from rank 0 on; a multiple of the degree. False with error_at(err, "tp" or "algorithm", …).
bool tensor_resolve(const struct tensor_config *config, const struct workload_place *place, uint32_t ranks, struct tensor *out,
                    struct error *err);

/// The algorithms for vectors of `bytes`: of auto, those that are the fastest alone on the first team (chooser); where there
/// is no chooser, those that stand in.
void tensor_choose(const struct tensor *tensor, const struct workload_place *place, int64_t bytes, const struct algorithm *out[2]);

/// Whether its collectives are local (workload_type.local).
bool tensor_local(const struct tensor_config *config);

/// Layers of a model as nodes of a program: for each half of a layer (attention, network) and each part of the tokens a
/// node of compute and then its collectives; last the projection to the vocabulary. What one rank computes runs in this
/// order, its collectives one after the other; compute waits only for the collectives of its own part. The first nodes
/// come after the node before the block.
struct layer_part {
    int64_t tokens;
    struct pass_ticks ticks;
    const struct algorithm *algorithms[2]; ///< of its collectives
};
struct layer_block {
    const struct inference *inference;
    const struct tensor *tensor;
    struct rank_set ranks;
    int64_t first_layer, layers;
    uint32_t parts;
    const struct layer_part *part; ///< of the tokens
    bool head;
};

uint64_t layer_block_nodes(const struct layer_block *block);
void layer_block_node(const struct layer_block *block, uint64_t k, struct node *out);

/// The layers around node k that are alike (program_source.row); false: k is none of a layer.
bool layer_block_row(const struct layer_block *block, uint64_t k, struct node_row *out);

/// "layer 3 attention", "layer 3 attention all-reduce"; with several parts also which. `out` has LAYER_NAME_SIZE bytes.
enum { LAYER_NAME_SIZE = 80 };
char *layer_block_name(const struct layer_block *block, uint64_t k, char *out);

/// Adds how many collectives each rank takes part in, their size and what they are, for a pass of these parts.
void tensor_report(const struct layer_block *block, struct figures *figures);

#endif
