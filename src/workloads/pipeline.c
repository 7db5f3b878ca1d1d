// Pipeline parallelism: the layers are split over stages of `tp` ranks each, micro-batches pass through them one after
// another. A stage hands its activations to the next rank by rank: all of them, or under sequence parallelism each rank
// its share. With M micro-batches of equal time, S equal stages and free transfers each stage idles for (S-1) / (M+S-1) of
// the time, the bubble (Narayanan et al., Efficient Large-Scale Language Model Training, 2021; Huang et al., GPipe, 2019).
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/tensor_parallel.h"

struct pipeline_config {
    uint64_t given;
    struct inference_config inference;
    struct tensor_config tensor;
    int64_t stages, micro_batches, batch, context, prompt;
};

#define AT(member) offsetof(struct pipeline_config, member)
static const struct field fields[] = {
    INFERENCE_FIELDS(struct pipeline_config),
    TENSOR_FIELDS(struct pipeline_config),
    {"stages", FIELD_INTEGER, AT(stages), FIELD_REQUIRED, .min = 1, .max = 2000,
     .help = "that the layers are split over; stage s has ranks s x tp to s x tp + tp - 1", .example = "4"},
    {"micro_batches", FIELD_INTEGER, AT(micro_batches), .fallback = 1, .min = 1, .max = 1000000, .help = "that pass through",
     .example = "8"},
    {"batch", FIELD_INTEGER, AT(batch), .fallback = 1, .min = 1, .max = 1000000, .help = "sequences of a micro-batch"},
    {"context", FIELD_INTEGER, AT(context), .fallback = 4096, .min = 1, .max = 100000000,
     .help = "decoding: tokens that each sequence attends to, its newest included"},
    {"prompt", FIELD_INTEGER, AT(prompt), .min = 1, .max = 100000000, .help = "prefill of prompts of so many tokens, in place of decoding",
     .example = "2048"},
    {0},
};
#undef AT

struct pipeline_job {
    struct job job;
    const struct pipeline_config *config;
    struct inference inference;
    struct tensor tensor;
    struct layer_part part; ///< every micro-batch
    struct program *program;
    uint64_t *stage_nodes; ///< where the nodes of stage s begin in a micro-batch; its end after the last
    struct node_message *messages;
    uint32_t ranks;
};

static uint32_t stage_ranks(const struct pipeline_config *config, const struct workload_place *place) {
    return config->tensor.degree ? (uint32_t)config->tensor.degree : place->ranks / (uint32_t)config->stages;
}

static struct pass micro_batch_pass(const struct pipeline_config *config) {
    if (config->prompt == 0) return pass_decode(config->batch, config->context);
    struct pass pass = pass_prefill(config->prompt, 0);
    pass.tokens *= config->batch, pass.attended *= config->batch, pass.kv_read *= config->batch, pass.sequences *= config->batch;
    return pass;
}

static struct holding stage_holding(const struct pipeline_config *config, const struct model *model, int64_t stage) {
    int64_t first = split_start(model->layers, config->stages, stage), end = split_start(model->layers, config->stages, stage + 1);
    int64_t tokens = config->micro_batches * config->batch * (config->prompt ? config->prompt : config->context);
    return (struct holding){first, end - first, stage == 0, stage + 1 == config->stages, tokens};
}

/// What accepts and prepare both need. Decoding keeps the cache of all micro-batches.
static bool resolve(const struct pipeline_config *config, const struct workload_place *place, struct pipeline_job *job, struct error *err) {
    uint32_t degree = stage_ranks(config, place);
    const struct pass pass = micro_batch_pass(config);
    if (degree == 0 || degree * (uint64_t)config->stages != place->ranks)
        return error_at(err, "stages", "%lld stages of %u ranks are not the %u ranks that there are", (long long)config->stages, degree,
                        place->ranks);
    struct tensor_config tensor = config->tensor;
    tensor.degree = degree;
    if (!tensor_resolve(&tensor, place, place->ranks, &job->tensor, err) ||
        !inference_resolve(&config->inference, degree, place->ticks_per_s, &job->inference, err))
        return false;
    if (config->stages > job->inference.model.layers)
        return error_at(err, "stages", "%lld layers cannot be split over %lld stages", (long long)job->inference.model.layers,
                        (long long)config->stages);
    for (int64_t stage = 0; stage < config->stages; stage++) {
        const struct holding holding = stage_holding(config, &job->inference.model, stage);
        if (!inference_fits(&job->inference, &holding, err)) return false;
    }
    job->part.tokens = pass.tokens;
    return pass_price(&job->inference, &pass, &job->part.ticks, err);
}

static bool accepts(const void *config, const struct workload_place *place, uint32_t *orders, struct error *err) {
    struct pipeline_job job;
    *orders = PROGRAM_ORDERS;
    return resolve(config, place, &job, err);
}

static struct layer_block stage_block(const struct pipeline_job *job, int64_t stage) {
    const struct holding holding = stage_holding(job->config, &job->inference.model, stage);
    return (struct layer_block){
        .inference = &job->inference,
        .tensor = &job->tensor,
        .ranks = {.first = (uint32_t)stage * job->tensor.degree, .count = job->tensor.degree},
        .first_layer = holding.first_layer,
        .layers = holding.layers,
        .parts = 1,
        .part = &job->part,
        .head = holding.head,
    };
}

/// The activations of a micro-batch, from each rank of a stage to the same of the next.
static void message_node(struct pipeline_job *job, int64_t stage, struct node *out) {
    uint32_t degree = job->tensor.degree, first = (uint32_t)stage * degree;
    int64_t bytes = inference_activation_bytes(&job->inference, job->part.tokens);
    bool share = job->config->tensor.parallelism == PARALLEL_SEQUENCE;
    for (uint32_t i = 0; i < degree; i++)
        job->messages[i] =
            (struct node_message){first + i, first + degree + i, share ? span_block(whole_vector(bytes), degree, i).bytes : bytes};
    *out = (struct node){.kind = NODE_MESSAGES, .after = {1}, .messages = job->messages, .message_count = degree};
}

/// Of each micro-batch the stages in order, each its layers and then, but for the last, the messages to the next. A stage
/// begins a micro-batch when it has ended the one before.
static void give_node(void *context, uint64_t index, struct node *out) {
    struct pipeline_job *job = context;
    uint64_t in_batch = index % job->stage_nodes[job->config->stages];
    int64_t stage = 0;
    while (in_batch >= job->stage_nodes[stage + 1]) stage++;
    const struct layer_block block = stage_block(job, stage);
    uint64_t k = in_batch - job->stage_nodes[stage];
    if (k == layer_block_nodes(&block))
        message_node(job, stage, out);
    else
        layer_block_node(&block, k, out);
}

static void rank_done(void *context, uint32_t rank, int64_t now) {
    struct pipeline_job *job = context;
    job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static bool local(const void *config) { return tensor_local(&((const struct pipeline_config *)config)->tensor); }

static struct job *prepare(const void *config, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    struct pipeline_job *job = allocate_zeroed(1, sizeof *job);
    struct error err = {0};
    (void)outcomes;
    job->config = config, job->ranks = place->ranks;
    if (!resolve(config, place, job, &err)) fatal("a workload was not checked: %s", err.text);
    int64_t stages = job->config->stages;
    tensor_choose(&job->tensor, place, inference_activation_bytes(&job->inference, job->part.tokens), job->part.algorithms);
    job->messages = allocate(job->tensor.degree * sizeof *job->messages);
    job->stage_nodes = allocate_zeroed((size_t)stages + 1, sizeof *job->stage_nodes);
    for (int64_t stage = 0; stage < stages; stage++) {
        const struct layer_block block = stage_block(job, stage);
        job->stage_nodes[stage + 1] = job->stage_nodes[stage] + layer_block_nodes(&block) + (stage + 1 < stages);
    }
    const struct program_config program = {
        .comm = place->comm,
        .order = order,
        .source = {job, give_node, NULL},
        .count = (uint64_t)job->config->micro_batches * job->stage_nodes[stages],
        .rank_done = {rank_done, job},
    };
    job->program = program_create(&program);
    return &job->job;
}

static void start(struct job *job, uint32_t rank) { program_start(((struct pipeline_job *)job)->program, rank); }

static void describe(const struct job *job, char *out, size_t out_size) {
    program_describe(((const struct pipeline_job *)job)->program, out, out_size);
}

static void release(struct job *untyped) {
    struct pipeline_job *job = (struct pipeline_job *)untyped;
    program_free(job->program);
    free(job->stage_nodes);
    free(job->messages);
    free(job);
}

/// From the first rank's start to the last rank's end.
static int64_t whole_time(const struct pipeline_job *job) {
    int64_t start = INT64_MAX, end = 0;
    for (uint32_t r = 0; r < job->ranks; r++) {
        const struct program_account account = program_account(job->program, r);
        if (account.start < start) start = account.start;
        if (account.end > end) end = account.end;
    }
    return end - start;
}

/// The first rank of each stage: what it computes, what its collectives expose, and the rest, in which it has nothing to do.
static int64_t report_stages(const struct pipeline_job *job, int64_t time, struct figures *figures) {
    int64_t idle = 0;
    for (int64_t stage = 0; stage < job->config->stages; stage++) {
        const struct program_account account = program_account(job->program, (uint32_t)stage * job->tensor.degree);
        const struct holding holding = stage_holding(job->config, &job->inference.model, stage);
        int64_t exposed = account.exposed - account.waiting, rest = time - account.compute - exposed;
        char group[64];
        snprintf(group, sizeof group, "stage %lld", (long long)stage);
        figures_count(figures, group, "layers", holding.layers);
        figures_time(figures, group, "compute", account.compute);
        figures_time(figures, group, "exposed collectives", exposed);
        figures_time(figures, group, "idle", rest);
        idle += rest;
    }
    return idle;
}

static void report(const struct job *untyped, struct figures *figures) {
    const struct pipeline_job *job = (const struct pipeline_job *)untyped;
    const struct pipeline_config *config = job->config;
    const struct layer_block first = stage_block(job, 0);
    int64_t time = whole_time(job);
    int64_t idle = report_stages(job, time, figures);
    figures_time(figures, "whole run", "time", time);
    figures_time(figures, "whole run", "time per micro batch", time / config->micro_batches);
    figures_share(figures, "whole run", "bubble", idle / config->stages, time);
    figures_share(figures, "whole run", "bubble of equal stages and free transfers", config->stages - 1,
                  config->micro_batches + config->stages - 1);
    figures_bytes(figures, "whole run", "bytes from stage to stage for each micro batch",
                  inference_activation_bytes(&job->inference, job->part.tokens) *
                      (config->tensor.parallelism == PARALLEL_SEQUENCE ? 1 : job->tensor.degree));
    tensor_report(&first, figures);
    inference_report(&job->inference, figures);
}

const struct workload_type pipeline_workload = {
    .variant = {.name = "pipeline",
                .summary = "micro-batches through the stages of a language model",
                .fields = fields,
                .config_size = sizeof(struct pipeline_config)},
    .accepts = accepts,
    .prepare = prepare,
    .start = start,
    .local = local,
    .describe = describe,
    .report = report,
    .release = release,
};
