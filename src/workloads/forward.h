#ifndef WORKLOADS_FORWARD_H
#define WORKLOADS_FORWARD_H

#include "workloads/tensor_parallel.h"

/// Passes through a whole model, one after another, on teams of tensor-parallel ranks: what decoding and prefill share.

/// What a workload brings.
struct forward_source {
    const void *config;
    uint64_t passes;
    uint32_t parts; ///< of the tokens of a pass: the communication of one overlaps the compute of the next
    /// Part `part` of pass `index`.
    struct pass (*pass)(const void *config, uint64_t index, uint32_t part);
};

/// The first member of a job that does nothing else; zeroed before forward_prepare.
struct forward_job {
    struct job job;
    struct forward_source source;
    struct inference inference;
    struct tensor tensor;
    uint32_t ranks;
    struct layer_part *parts; ///< [pass * source.parts + part]
    int64_t start_ticks;      ///< of the first rank; -1: none has begun
    int64_t *pass_end;        ///< of the last rank
    struct program *program;
    uint64_t pass_nodes;
    size_t shown; ///< nodes of the first pass whose time on rank 0 is kept
    int64_t *entered, *left;
};

/// Whether model, ranks and memory fit together: `cached_tokens` are kept by each team at most.
bool forward_accepts(const struct inference_config *inference, const struct tensor_config *tensor, const struct workload_place *place,
                     int64_t cached_tokens, struct error *err);

/// Whether all passes can be priced.
bool forward_check(const struct forward_source *source, const struct inference_config *inference, const struct tensor_config *tensor,
                   const struct workload_place *place, struct error *err);

/// Makes the job ready to run, for configs that were accepted.
void forward_prepare(struct forward_job *job, const struct inference_config *inference, const struct tensor_config *tensor,
                     const struct workload_place *place, uint32_t order);

/// How often the layers of all passes repeat the same collectives (workload_type.repeats); they compute meanwhile if there are several
/// parts.
uint64_t forward_repeats(const struct forward_source *source, const struct inference_config *inference, bool *overlaps);

/// For struct workload_type.
void forward_start(struct job *job, uint32_t rank);
void forward_describe(const struct job *job, char *out, size_t out_size);
void forward_release(struct job *job);

/// From the end of the pass before (or the start) to the end of pass `last`, passes first to last; 0 where it has not ended.
int64_t forward_time(const struct forward_job *job, uint64_t first, uint64_t last);

/// The time that a rank's processor computes in passes first to last.
int64_t forward_compute(const struct forward_job *job, uint64_t first, uint64_t last);

/// Adds the figures of the run, per pass (called `noun`) and as a whole, collectives and timeline.
void forward_report(const struct forward_job *job, const char *noun, struct figures *figures);

#endif
