// Decoding with tensor parallelism: each step makes one new token for every sequence of the batch. All weights but the
// embedding, and the keys and values of every token so far, are read once a step; two all-reduces a layer of
// batch x d_model numbers follow (Shoeybi et al., Megatron-LM, 2019; lecture P5, 7.1).
#include <stdio.h>

#include "base/memory.h"
#include "workloads/forward.h"

struct tp_decode_config {
    uint64_t given;
    struct inference_config inference;
    struct tensor_config tensor;
    int64_t batch, context, steps;
};

#define AT(member) offsetof(struct tp_decode_config, member)
static const struct field fields[] = {
    INFERENCE_FIELDS(struct tp_decode_config),
    TENSOR_FIELDS(struct tp_decode_config),
    {"batch", FIELD_INTEGER, AT(batch), .fallback = 1, .min = 1, .max = 1000000, .help = "sequences of each team", .example = "64"},
    {"context", FIELD_INTEGER, AT(context), .fallback = 4096, .min = 1, .max = 100000000,
     .help = "tokens that each sequence attends to in the first step, its newest included; one more in each that follows"},
    {"steps", FIELD_INTEGER, AT(steps), .fallback = 1, .min = 1, .max = 1000000, .help = "new tokens of each sequence"},
    {0},
};
#undef AT

enum { STEPS_LISTED = 32 };

static struct pass step_pass(const void *untyped, uint64_t index, uint32_t part) {
    const struct tp_decode_config *config = untyped;
    (void)part;
    return pass_decode(config->batch, config->context + (int64_t)index);
}

static struct forward_source source_of(const struct tp_decode_config *config) {
    return (struct forward_source){config, (uint64_t)config->steps, 1, step_pass};
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct tp_decode_config *config = untyped;
    const struct forward_source source = source_of(config);
    *orders = PROGRAM_ORDERS;
    int64_t cached = config->batch * (config->context + config->steps - 1);
    return forward_accepts(&config->inference, &config->tensor, place, cached, err) &&
           forward_check(&source, &config->inference, &config->tensor, place, err);
}

static bool local(const void *config) { return tensor_local(&((const struct tp_decode_config *)config)->tensor); }

static uint64_t repeats(const void *untyped, bool *overlaps) {
    const struct tp_decode_config *config = untyped;
    const struct forward_source source = source_of(config);
    return forward_repeats(&source, &config->inference, overlaps);
}

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct tp_decode_config *config = untyped;
    struct forward_job *job = allocate_zeroed(1, sizeof *job);
    (void)outcomes;
    job->source = source_of(config);
    forward_prepare(job, &config->inference, &config->tensor, place, order);
    return &job->job;
}

static void report(const struct job *untyped, struct figures *figures) {
    const struct forward_job *job = (const struct forward_job *)untyped;
    const struct tp_decode_config *config = job->source.config;
    forward_report(job, "steps", figures);
    for (int64_t step = 0; config->steps > 1 && step < config->steps && step < STEPS_LISTED; step++) {
        char name[64];
        snprintf(name, sizeof name, "step %lld context %lld", (long long)step, (long long)(config->context + step));
        figures_time(figures, "time of a step", name, forward_time(job, (uint64_t)step, (uint64_t)step));
    }
}

const struct workload_type tp_decode_workload = {
    .variant = {.name = "tp-decode",
                .summary = "decoding steps of a language model, tensor-parallel",
                .fields = fields,
                .config_size = sizeof(struct tp_decode_config)},
    .accepts = accepts,
    .prepare = prepare,
    .start = forward_start,
    .local = local,
    .repeats = repeats,
    .describe = forward_describe,
    .report = report,
    .release = forward_release,
};
