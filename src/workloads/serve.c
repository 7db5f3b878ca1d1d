// Serving requests: prompts come in by a trace or at random, prefill instances make first tokens, their keys and values
// go over the network to decode instances, which batch sequences continuously (Yu et al., Orca, 2022; Zhong et al.,
// DistServe, 2024; Qin et al., Mooncake, 2025); or co-located instances do both.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/serve_state.h"

static const char *const bad_line_names[] = {"error", "skip", NULL};
static const char *const length_names[] = {"fixed", "uniform", "exponential", "log-normal", NULL};
static const char *const arrival_names[] = {"poisson", "gamma", NULL};

#define AT(member) offsetof(struct group_config, member)
static const struct field group_fields[] = {
    {"instances", FIELD_INTEGER, AT(instances), .fallback = 1, .min = 1, .max = 100000, .help = "how many", .example = "2"},
    {"tp", FIELD_INTEGER, AT(tp), .min = 1, .max = INT32_MAX, .help = "ranks of each; as \"tp\" outside by default", .example = "8"},
    {0},
};
#undef AT

#define AT(member) offsetof(struct length_config, member)
static const struct field length_fields[] = {
    {"distribution", FIELD_CHOICE, AT(distribution), .choices = length_names, .help = "of the numbers of tokens"},
    {"tokens", FIELD_INTEGER, AT(tokens), .fallback = 512, .min = 1, .max = 1000000000,
     .help = "fixed: all; exponential: the mean; log-normal: the median", .example = "1024"},
    {"sigma", FIELD_DECIMAL, AT(sigma), .fallback = MILLION, .min = 1, .max = 10 * MILLION, .help = "log-normal: of the logarithm"},
    {"least", FIELD_INTEGER, AT(least), .fallback = 1, .min = 1, .max = 1000000000, .help = "shorter ones become as long"},
    {"most", FIELD_INTEGER, AT(most), .fallback = 131072, .min = 1, .max = 1000000000, .help = "longer ones become as short"},
    {0},
};
#undef AT

#define AT(member) offsetof(struct arrivals_config, member)
static const struct field arrival_fields[] = {
    {"process", FIELD_CHOICE, AT(process), .choices = arrival_names, .help = "of the times between arrivals: exponential or gamma"},
    {"rate", FIELD_DECIMAL, AT(rate), .fallback = MILLION, .min = 1, .max = INT64_C(1000000000) * MILLION,
     .help = "requests a second in the mean", .example = "2.5"},
    {"shape", FIELD_DECIMAL, AT(shape), .fallback = MILLION / 2, .min = 1, .max = 1000 * MILLION,
     .help = "gamma: below 1 bursts; the variation's square is 1 / shape"},
    {"count", FIELD_INTEGER, AT(count), .fallback = 1000, .min = 1, .max = 10000000, .help = "requests"},
    {"input", FIELD_OBJECT, AT(input), .fields = length_fields, .help = "tokens of prompts"},
    {"output", FIELD_OBJECT, AT(output), .fields = length_fields, .help = "tokens of answers"},
    {0},
};
#undef AT

#define AT(member) offsetof(struct serve_config, member)
const struct field serve_fields[] = {
    INFERENCE_FIELDS_LOGITS(struct serve_config, LOGITS_LAST),
    TENSOR_FIELDS(struct serve_config),
    {"trace", FIELD_TRACE, AT(trace), .help = "a file of requests: Mooncake's JSON lines, Azure's CSV, or lines of time in s,input,output",
     .example = "\"requests.csv\""},
    {"arrivals", FIELD_OBJECT, AT(arrivals), .fields = arrival_fields, .help = "requests at random, in place of a trace"},
    {"on_bad_line", FIELD_CHOICE, AT(on_bad_line), .choices = bad_line_names,
     .help = "lines of the trace that are no request or too large for an instance: refused, or skipped and counted"},
    {"limit", FIELD_INTEGER, AT(limit), .min = 1, .max = 10000000, .help = "only so many requests of the trace", .example = "100"},
    {"prefill", FIELD_OBJECT, AT(prefill), .fields = group_fields, .help = "instances that make first tokens; ranks from 0 on"},
    {"decode", FIELD_OBJECT, AT(decode), .fields = group_fields, .help = "instances that make the other tokens; the ranks after those"},
    {"colocated", FIELD_OBJECT, AT(colocated), .fields = group_fields, .help = "instances that do both, in place of the two"},
    {"max_batch", FIELD_INTEGER, AT(max_batch), .fallback = 256, .min = 1, .max = 1000000,
     .help = "sequences that an instance decodes at once"},
    {"max_batch_tokens", FIELD_INTEGER, AT(max_batch_tokens), .fallback = 8192, .min = 1, .max = 1000000000,
     .help = "tokens of prompts in a batch"},
    {"chunked_prefill", FIELD_BOOLEAN, AT(chunked_prefill), .fallback = true,
     .help = "prompts are cut to fill batches; co-located: beside the sequences that decode. Else whole prompts, before these"},
    {"memory_share", FIELD_DECIMAL, AT(memory_share), .fallback = MILLION * 9 / 10, .min = 1, .max = MILLION,
     .help = "of each device's memory, for weights, keys and values"},
    {"prefix_reuse", FIELD_BOOLEAN, AT(prefix_reuse), .fallback = true,
     .help = "leading blocks of a prompt that were prefilled before are not computed again"},
    {"prefix_cache_blocks", FIELD_INTEGER, AT(prefix_cache_blocks), .min = 1, .max = UINT32_MAX - 1,
     .help = "blocks of 512 tokens that are remembered, those used last; no limit by default", .example = "100000"},
    {"windows", FIELD_INTEGER, AT(windows), .max = 1000, .help = "the hottest links over time: in so many equal parts of the trace",
     .example = "12"},
    {"replay", FIELD_BOOLEAN, AT(replay), .fallback = true,
     .help = "count collectives that go as they went before, without simulating them again"},
    {0},
};
#undef AT

static bool check_lengths(const struct length_config *lengths, const char *key, struct error *err) {
    return lengths->least <= lengths->most || error_at(err, key, "\"least\" is above \"most\"");
}

static bool check(const void *untyped, struct error *err) {
    const struct serve_config *config = untyped;
    bool drawn = field_given(serve_fields, config, "arrivals");
    bool split = field_given(serve_fields, config, "prefill") || field_given(serve_fields, config, "decode");
    if (config->trace && drawn) return error_at(err, "arrivals", "requests come from a \"trace\" or from \"arrivals\", not both");
    if (!config->trace && !drawn) return error_set(err, ERROR_INPUT, "serve needs a \"trace\" of requests, or \"arrivals\"");
    if (serve_is_colocated(config) && split)
        return error_at(err, "colocated", "instances are \"colocated\", or \"prefill\" and \"decode\" apart, not both");
    return check_lengths(&config->arrivals.input, "arrivals/input", err) && check_lengths(&config->arrivals.output, "arrivals/output", err);
}

// ---- instances

/// Instances of one kind, and their ranks.
struct layout {
    const char *key;
    const struct group_config *group;
    uint32_t first_rank, tp;
};

/// The kinds of instances, in the order of their ranks; returns how many, 0 with an error.
static int lay_out(const struct serve_config *config, const struct workload_place *place, struct layout out[2], struct error *err) {
    int kinds = serve_is_colocated(config) ? 1 : 2;
    out[0] = (struct layout){.key = kinds == 1 ? "colocated" : "prefill", .group = kinds == 1 ? &config->colocated : &config->prefill};
    out[1] = (struct layout){.key = "decode", .group = &config->decode};
    int64_t ranks = 0;
    for (int i = 0; i < kinds; i++) {
        int64_t tp = out[i].group->tp ? out[i].group->tp : config->tensor.degree;
        if (tp == 0) return error_at(err, out[i].key, "how many ranks has an instance? give \"tp\" here or for all");
        if (tp > place->ranks || ranks + tp * out[i].group->instances > place->ranks)
            return error_at(err, out[i].key, "%lld instances of %lld ranks do not fit: %u ranks, of which %lld are taken",
                            (long long)out[i].group->instances, (long long)tp, place->ranks, (long long)ranks);
        out[i].first_rank = (uint32_t)ranks, out[i].tp = (uint32_t)tp;
        ranks += tp * out[i].group->instances;
    }
    return kinds;
}

static bool resolve(const struct serve_config *config, const struct workload_place *place, const struct layout *layout,
                    struct instance *out, struct error *err) {
    struct tensor_config tensor = config->tensor;
    tensor.degree = layout->tp;
    if (!tensor_resolve(&tensor, place, layout->tp, &out->tensor, err)) return false;
    if (out->tensor.automatic)
        return error_at(err, "algorithm", "serve does not choose one for each batch; \"auto\" in tp-decode tells which suits a batch");
    if (out->tensor.collectives && out->tensor.algorithms[0]->in_network)
        return error_at(err, "algorithm", "serve cannot reduce in the network; all-reduce/ring runs anywhere");
    return inference_resolve(&config->inference, layout->tp, place->ticks_per_s, &out->inference, err);
}

/// The most tokens whose keys and values fit beside the weights; false where not even these do.
static bool find_capacity(const struct serve_config *config, struct instance *out, struct error *err) {
    const struct model *model = &out->inference.model;
    struct inference shared = out->inference;
    shared.hardware.memory_bytes = (int64_t)((__int128)shared.hardware.memory_bytes * config->memory_share / MILLION);
    const struct holding empty = {0, model->layers, true, true, 0};
    if (!inference_fits(&shared, &empty, err)) return false;
    int64_t room = shared.hardware.memory_bytes - inference_weight_device_bytes(&shared, &empty), fits = 0;
    for (int64_t more = INT64_C(1) << 40; more > 0; more /= 2)
        if (inference_kv_device_bytes(&shared, model->layers, fits + more) <= room) fits += more;
    out->kv_capacity = fits;
    return true;
}

/// Checks all kinds of instances; what each can keep.
static bool check_instances(const struct serve_config *config, const struct workload_place *place, struct token_limits *limits,
                            struct error *err) {
    struct layout layouts[2];
    int kinds = lay_out(config, place, layouts, err);
    for (int i = 0; i < kinds; i++) {
        struct instance instance = {0};
        if (!resolve(config, place, &layouts[i], &instance, err) || !find_capacity(config, &instance, err)) return false;
        if (i == 0) limits->prefill = instance.kv_capacity;
        limits->decode = instance.kv_capacity;
    }
    return kinds > 0;
}

static uint32_t instances_of(const struct serve_config *config) {
    return (uint32_t)(serve_is_colocated(config) ? config->colocated.instances : config->prefill.instances + config->decode.instances);
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct serve_config *config = untyped;
    struct token_limits limits;
    struct request_list requests;
    if (!check_instances(config, place, &limits, err) || !serve_requests(config, place->seed, &limits, &requests, err)) return false;
    request_list_free(&requests);
    *orders = SERVE_ORDERS * (instances_of(config) + 1);
    return true;
}

static void make_instance(struct serve_job *job, const struct layout *layout, const struct workload_place *place, uint32_t number) {
    struct instance *instance = &job->instances[job->instance_count];
    struct error err = {0};
    *instance = (struct instance){.job = job,
                                  .index = job->instance_count++,
                                  .first_rank = layout->first_rank + number * layout->tp,
                                  .prefills = strcmp(layout->key, "decode") != 0,
                                  .decodes = strcmp(layout->key, "prefill") != 0};
    if (!resolve(job->config, place, layout, instance, &err) || !find_capacity(job->config, instance, &err))
        fatal("a workload was not checked: %s", err.text);
    instance->ranks = allocate(layout->tp * sizeof *instance->ranks);
    for (uint32_t i = 0; i < layout->tp; i++) instance->ranks[i] = instance->first_rank + i;
    instance->running = allocate((size_t)job->config->max_batch * sizeof *instance->running);
    job->prefill_count += instance->prefills;
    job->ranks_used = instance->first_rank + layout->tp;
}

static void make_instances(struct serve_job *job, const struct workload_place *place) {
    struct layout layouts[2];
    struct error err = {0};
    job->instances = allocate_zeroed(instances_of(job->config), sizeof *job->instances);
    int kinds = lay_out(job->config, place, layouts, &err);
    for (int i = 0; i < kinds; i++)
        for (uint32_t k = 0; k < (uint32_t)layouts[i].group->instances; k++) make_instance(job, &layouts[i], place, k);
    size_t decodes = job->instance_count - job->prefill_count;
    if (decodes > 0) job->shares = allocate_zeroed(job->prefill_count * decodes * job->instance_count, sizeof *job->shares);
    iteration_find_sharing(job);
}

static int64_t ticks_of(const struct serve_job *job, int64_t ns) {
    __int128 ticks = (__int128)ns * job->ticks_per_s / NS_PER_S;
    return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
}

static void make_requests(struct serve_job *job, const struct workload_place *place) {
    const struct token_limits limits = {job->instances[0].kv_capacity, job->instances[job->instance_count - 1].kv_capacity};
    struct error err = {0};
    if (!serve_requests(job->config, place->seed, &limits, &job->requests, &err)) fatal("a workload was not checked: %s", err.text);
    job->states = allocate(job->requests.count * sizeof *job->states);
    bool blocks = false;
    for (size_t i = 0; i < job->requests.count; i++) {
        int64_t arrival = ticks_of(job, job->requests.items[i].arrival_ns);
        job->states[i] = (struct request_state){arrival, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0};
        blocks |= job->requests.items[i].block_count > 0;
    }
    if (blocks && job->config->prefix_reuse) job->prefixes = prefix_cache_create(job->config->prefix_cache_blocks);
}

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    struct serve_job *job = allocate_zeroed(1, sizeof *job);
    (void)outcomes;
    job->config = untyped;
    job->comm = place->comm;
    job->network = *place->network;
    job->shared = place->shared;
    job->order = order, job->ranks = place->ranks, job->ticks_per_s = place->ticks_per_s;
    make_instances(job, place);
    make_requests(job, place);
    return &job->job;
}

/// Time begins when all its ranks have come.
static void start(struct job *untyped, uint32_t rank) {
    struct serve_job *job = (struct serve_job *)untyped;
    if (rank >= job->ranks_used) {
        job->job.rank_done.call(job->job.rank_done.context, rank, communicator_now(job->comm));
        return;
    }
    if (++job->ranks_started < job->ranks_used) return;
    serve_begin(job);
    if (job->config->windows > 0) job->windows = link_windows_create(job);
}

static void describe(const struct job *untyped, char *out, size_t out_size) {
    const struct serve_job *job = (const struct serve_job *)untyped;
    snprintf(out, out_size, "%zu of %zu requests are done, %zu have come", job->done, job->requests.count, job->arrived);
}

static int64_t span_ns(const void *untyped) {
    const struct serve_config *config = untyped;
    const struct request_trace *trace = config->trace;
    if (!trace) {
        __int128 span = (__int128)config->arrivals.count * NS_PER_S * MILLION / config->arrivals.rate;
        return span > INT64_MAX ? INT64_MAX : (int64_t)span;
    }
    size_t count = config->limit && (size_t)config->limit < trace->count ? (size_t)config->limit : trace->count;
    return count > 0 ? trace->items[count - 1].arrival_ns : 0;
}

static void release_instance(struct instance *instance) {
    iteration_release(instance);
    free(instance->ranks);
    free(instance->running);
    free(instance->pieces);
    free(instance->waiting.items);
    free(instance->joining.items);
}

static void release(struct job *untyped) {
    struct serve_job *job = (struct serve_job *)untyped;
    for (uint32_t i = 0; i < job->instance_count; i++) release_instance(&job->instances[i]);
    free(job->instances);
    free(job->shares);
    free(job->ready.items);
    free(job->states);
    request_list_free(&job->requests);
    prefix_cache_free(job->prefixes);
    link_windows_free(job->windows);
    free(job);
}

const struct workload_type serve_workload = {
    .variant = {.name = "serve",
                .summary = "requests to a language model, from a trace or at random",
                .fields = serve_fields,
                .config_size = sizeof(struct serve_config),
                .check = check},
    .accepts = accepts,
    .prepare = prepare,
    .start = start,
    .span_ns = span_ns,
    .describe = describe,
    .report = serve_report,
    .release = release,
};
