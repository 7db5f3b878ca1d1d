// Prefill with tensor parallelism: the tokens of each prompt pass through all layers, whole or in chunks, one prompt after
// another; the attention is causal. Two all-reduces a layer of tokens x d_model numbers follow; cut into parts, the
// communication of one part of a layer runs beside the compute of the next (lecture P5, 7.2).
#include <stdio.h>

#include "base/memory.h"
#include "workloads/forward.h"

struct tp_prefill_config {
    uint64_t given;
    struct inference_config inference;
    struct tensor_config tensor;
    struct integers prompts;
    int64_t chunk_tokens, overlap;
};

#define AT(member) offsetof(struct tp_prefill_config, member)
static const struct field fields[] = {
    INFERENCE_FIELDS(struct tp_prefill_config),
    TENSOR_FIELDS(struct tp_prefill_config),
    {"prompts", FIELD_INTEGERS, AT(prompts), FIELD_REQUIRED, .min = 1, .max = 100000000,
     .help = "tokens of each prompt, done in this order", .example = "[512, 32768]"},
    {"chunk_tokens", FIELD_INTEGER, AT(chunk_tokens), .min = 1, .max = 100000000,
     .help = "most tokens that pass through the layers together; all of a prompt by default", .example = "8192"},
    {"overlap", FIELD_INTEGER, AT(overlap), .fallback = 1, .min = 1, .max = 64,
     .help = "parts that the tokens are cut into, the communication of one overlapping the compute of the next; 1: none", .example = "2"},
    {0},
};
#undef AT

enum { PROMPTS_LISTED = 32 };

/// A run of tokens of one prompt.
struct chunk {
    int64_t past, tokens;
};

static int64_t chunks_of(const struct tp_prefill_config *config, size_t prompt) {
    int64_t most = config->chunk_tokens;
    return most ? (config->prompts.values[prompt] + most - 1) / most : 1;
}

static struct chunk find_chunk(const struct tp_prefill_config *config, uint64_t index) {
    size_t prompt = 0;
    int64_t left = (int64_t)index;
    while (left >= chunks_of(config, prompt)) left -= chunks_of(config, prompt++);
    int64_t tokens = config->prompts.values[prompt], most = config->chunk_tokens ? config->chunk_tokens : tokens, past = left * most;
    return (struct chunk){past, tokens - past < most ? tokens - past : most};
}

static struct pass part_pass(const void *untyped, uint64_t index, uint32_t part) {
    const struct tp_prefill_config *config = untyped;
    const struct chunk chunk = find_chunk(config, index);
    int64_t first = split_start(chunk.tokens, config->overlap, part), end = split_start(chunk.tokens, config->overlap, part + 1);
    struct pass pass = pass_prefill(end - first, chunk.past + first);
    if (part + 1 < config->overlap) pass.sequences = 0; // its last token is in the last part
    return pass;
}

static struct forward_source source_of(const struct tp_prefill_config *config) {
    struct forward_source source = {config, 0, (uint32_t)config->overlap, part_pass};
    for (size_t prompt = 0; prompt < config->prompts.count; prompt++) source.passes += (uint64_t)chunks_of(config, prompt);
    return source;
}

static bool check_parts(const struct tp_prefill_config *config, uint64_t passes, struct error *err) {
    if (passes > 1000000)
        return error_at(err, "chunk_tokens", "the prompts make %llu chunks; at most 1000000 are allowed", (unsigned long long)passes);
    for (uint64_t i = 0; i < passes; i++) {
        struct chunk chunk = find_chunk(config, i);
        if (chunk.tokens < config->overlap)
            return error_at(err, "overlap", "a chunk of %lld tokens cannot be cut into %lld parts", (long long)chunk.tokens,
                            (long long)config->overlap);
    }
    return true;
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct tp_prefill_config *config = untyped;
    const struct forward_source source = source_of(config);
    *orders = PROGRAM_ORDERS;
    if (config->prompts.count == 0) return error_at(err, "prompts", "there must be a prompt");
    int64_t longest = 0;
    for (size_t i = 0; i < config->prompts.count; i++)
        if (config->prompts.values[i] > longest) longest = config->prompts.values[i];
    return check_parts(config, source.passes, err) && forward_accepts(&config->inference, &config->tensor, place, longest, err) &&
           forward_check(&source, &config->inference, &config->tensor, place, err);
}

static bool local(const void *config) { return tensor_local(&((const struct tp_prefill_config *)config)->tensor); }

static uint64_t repeats(const void *untyped, bool *overlaps) {
    const struct tp_prefill_config *config = untyped;
    const struct forward_source source = source_of(config);
    return forward_repeats(&source, &config->inference, overlaps);
}

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct tp_prefill_config *config = untyped;
    struct forward_job *job = allocate_zeroed(1, sizeof *job);
    (void)outcomes;
    job->source = source_of(config);
    forward_prepare(job, &config->inference, &config->tensor, place, order);
    return &job->job;
}

static void report(const struct job *untyped, struct figures *figures) {
    const struct forward_job *job = (const struct forward_job *)untyped;
    const struct tp_prefill_config *config = job->source.config;
    uint64_t first = 0;
    forward_report(job, "chunks", figures);
    for (size_t prompt = 0; prompt < config->prompts.count && prompt < PROMPTS_LISTED; prompt++) {
        uint64_t last = first + (uint64_t)chunks_of(config, prompt) - 1;
        char group[64];
        snprintf(group, sizeof group, "prompt %zu", prompt);
        int64_t time = forward_time(job, first, last), compute = forward_compute(job, first, last);
        figures_count(figures, group, "tokens", config->prompts.values[prompt]);
        figures_time(figures, group, "time", time);
        figures_time(figures, group, "compute", compute);
        figures_time(figures, group, "exposed communication", time > compute ? time - compute : 0);
        first = last + 1;
    }
}

const struct workload_type tp_prefill_workload = {
    .variant = {.name = "tp-prefill",
                .summary = "prompts through a language model, tensor-parallel",
                .fields = fields,
                .config_size = sizeof(struct tp_prefill_config)},
    .accepts = accepts,
    .prepare = prepare,
    .start = forward_start,
    .local = local,
    .repeats = repeats,
    .describe = forward_describe,
    .report = report,
    .release = forward_release,
};
