#ifndef WORKLOADS_KV_TRANSFER_H
#define WORKLOADS_KV_TRANSFER_H

#include "workloads/kv_route.h"
#include "workloads/tensor_parallel.h"

/// The parts of the workload kv-transfer.

enum kv_mode { KV_AFTER_PREFILL, KV_LAYER_BY_LAYER };

struct kv_transfer_config {
    uint64_t given;
    struct inference_config inference;
    int64_t prefill_ranks, decode_ranks, prefill_tp, decode_tp, nics;
    struct integers prompts;
    int mode;
    int64_t prefill_ticks; ///< of each prompt; -1: by the roofline
    const char *algorithm;
    int64_t launch_ticks;
    int64_t decode_batch, decode_context, decode_steps; ///< batch 0: the decode ranks only receive
};

/// One side: its ranks, the model split over an instance, its collectives.
struct kv_side {
    struct inference inference;
    struct tensor tensor;
};

/// What the config means at a place.
struct kv_setup {
    struct kv_route route;
    struct kv_side prefill, decode;
};

/// A prompt: what its prefill takes and when its parts happened.
struct kv_prompt {
    struct layer_part part;
    int64_t compute_ticks;                           ///< of the whole prefill on each rank
    int64_t start, prefill_end, send_start, arrival; ///< -1: not yet; ends are of the last rank so far
    uint64_t awaited; ///< ranks that have not left the projection, and each node of messages that they are in
};

/// The prompts of one prefill instance, one after another. Each instance has a program of its own, so that nobody who
/// receives from one waits for another.
struct kv_stream {
    struct kv_transfer_job *job;
    uint32_t instance;
    struct program *program;
    struct kv_messages messages[KV_HOPS]; ///< of one layer of prompt `messages_of`
    uint64_t messages_of;
};

struct kv_transfer_job {
    struct job job;
    const struct kv_transfer_config *config;
    struct kv_setup setup;
    uint32_t ranks;
    uint32_t *left; ///< per rank: programs that it is not done with
    size_t prompt_count;
    struct kv_prompt *prompts;
    uint64_t layer_nodes, prompt_nodes;
    uint32_t hops;
    uint32_t stream_count;
    struct kv_stream *streams;
    struct program *decode; ///< NULL: there is none
    // of the background: steps of decoding
    struct layer_part *steps;
    uint64_t step_nodes;
    int64_t *step_end;
};

/// Makes the programs of a job whose setup and prompts (or steps) are there; a program takes PROGRAM_ORDERS.
void kv_transfer_programs(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order);
struct program *kv_decode_program(struct kv_transfer_job *job, const struct workload_place *place, uint32_t order);

void kv_transfer_report(const struct kv_transfer_job *job, struct figures *figures);

#endif
