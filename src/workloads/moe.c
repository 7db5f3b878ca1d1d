// A mixture of experts with expert parallelism: the attention of each rank's tokens (data-parallel, or tensor-parallel in small
// teams), then each token to the ranks that have its experts (dispatch) and their results back (combine): two all-to-alls a
// layer (DeepSeek-V3 Technical Report, 2024, sections 2.1.2 and 3.2; Lepikhin et al., GShard, 2020; lecture P5, 7.4). With
// one copy for each of k experts a rank of p sends about tokens x k x d_model x bytes x (p - 1) / p each time.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "workloads/moe_routing.h"

static const char *const routing_names[] = {"uniform", "zipf", "log-normal", "loads", "token-experts", NULL};
static const char *const draw_names[] = {"even", "random", NULL};
static const char *const copies_names[] = {"device", "expert", "node", NULL};
static const char *const schedule_names[] = {"steps", "all-at-once", NULL};

#define AT(member) offsetof(struct moe_config, member)
static const struct field fields[] = {
    INFERENCE_FIELDS(struct moe_config),
    {"tokens", FIELD_INTEGER, AT(tokens), FIELD_REQUIRED, .min = 1, .max = 10000000, .help = "of each rank in each layer",
     .example = "256"},
    {"context", FIELD_INTEGER, AT(context), .fallback = 4096, .min = 1, .max = 100000000,
     .help = "decoding: tokens that each attends to, itself included"},
    {"prompt", FIELD_INTEGER, AT(prompt), .min = 1, .max = 100000000, .help = "prefill: they are of prompts of so many tokens",
     .example = "4096"},
    {"ep", FIELD_INTEGER, AT(ep), .min = 1, .max = INT32_MAX,
     .help = "neighbouring ranks that share the experts; all by default. Where there are more, each such group has all experts",
     .example = "64"},
    {"tp", FIELD_INTEGER, AT(tp), .fallback = 1, .min = 1, .max = INT32_MAX,
     .help = "neighbouring ranks that share attention and dense layers; each keeps its own part of their tokens beside them"},
    {"micro_batches", FIELD_INTEGER, AT(micro_batches), .fallback = 1, .min = 1, .max = 16,
     .help = "that the tokens are cut into: the communication of one overlaps the compute of the others", .example = "2"},
    {"routing", FIELD_CHOICE, AT(routing), .choices = routing_names,
     .help = "how popular experts are; loads, token-experts: as the key of that name says"},
    {"skew", FIELD_DECIMAL, AT(skew), .fallback = MILLION, .max = 4 * MILLION,
     .help = "zipf: the n-th most popular has 1 / n^skew; log-normal: the standard deviation of the logarithm", .example = "0.8"},
    {"draw", FIELD_CHOICE, AT(draw), .choices = draw_names,
     .help = "even: each expert its exact share, a token's as far apart as they can be; random: each token draws, by the seed"},
    {"loads", FIELD_MATRIX, AT(loads), .max = INT64_C(1000000000000),
     .help = "loads of the experts, a row for all layers or one a layer (in turn), or the name of a CSV file", .example = "\"loads.csv\""},
    {"token_experts", FIELD_MATRIX, AT(token_experts), .max = 1000000,
     .help = "the experts of each token, a row each, the tokens of rank 0 first (in turn), or the name of a CSV file",
     .example = "\"experts.csv\""},
    {"copies", FIELD_CHOICE, AT(copies), .choices = copies_names,
     .help = "one of each token for each device, for each expert, or for each node and from there on to devices"},
    {"node_limit", FIELD_INTEGER, AT(node_limit), .max = ROUTING_NODE_LIMIT, .help = "most nodes that a token goes to; 0: any number",
     .example = "4"},
    {"redundant_experts", FIELD_INTEGER, AT(redundant_experts), .max = 10000,
     .help = "further copies of the most popular experts of each layer", .example = "32"},
    {"dispatch_dtype", FIELD_CHOICE, AT(dispatch_dtype), .fallback = DTYPE_FP8, .choices = dtype_names,
     .help = "format of what is sent out"},
    {"combine_dtype", FIELD_CHOICE, AT(combine_dtype), .fallback = DTYPE_BF16, .choices = dtype_names, .help = "format of what comes back"},
    {"schedule", FIELD_CHOICE, AT(schedule), .fallback = SCHEDULE_ALL_AT_ONCE, .choices = schedule_names,
     .help = "of dispatch and combine: one distance a step, or all messages at once"},
    {"algorithm", FIELD_TEXT, AT(algorithm), .help = "of the reduce-scatter and all-gather beside attention; auto: the fastest",
     .example = "\"ring\""},
    {"launch_overhead", FIELD_TIME, AT(launch_ticks), .help = "of a rank's processor before each collective", .example = "\"5us\""},
    {.name = NULL},
};
#undef AT

// ---- what the config means

static bool check_loads(const struct moe_config *config, const struct model *model, struct error *err) {
    const struct matrix *loads = &config->loads;
    bool given = loads->rows > 0;
    if (given != (config->routing == MOE_LOADS))
        return error_at(err, "loads", given ? "only the routing \"loads\" takes loads" : "the routing \"loads\" needs them");
    if (!given || loads->columns == (size_t)model->experts || (loads->columns == 1 && loads->rows == (size_t)model->experts)) return true;
    return error_at(err, "loads", "%zu rows of %zu loads do not fit %lld experts", loads->rows, loads->columns, (long long)model->experts);
}

static bool check_token_row(const struct moe_config *config, const struct model *model, size_t row, struct error *err) {
    const struct matrix *tokens = &config->token_experts;
    const int64_t *experts = tokens->values + row * tokens->columns;
    for (size_t i = 0; i < tokens->columns; i++) {
        if (experts[i] >= model->experts)
            return error_at(err, "token_experts", "row %zu: there is no expert %lld; %s has %lld", row, (long long)experts[i], model->name,
                            (long long)model->experts);
        for (size_t j = 0; j < i; j++)
            if (experts[i] == experts[j]) return error_at(err, "token_experts", "row %zu: expert %lld twice", row, (long long)experts[i]);
    }
    return true;
}

static bool check_tokens(const struct moe_config *config, const struct model *model, struct error *err) {
    const struct matrix *tokens = &config->token_experts;
    bool given = tokens->rows > 0;
    if (given != (config->routing == MOE_TOKENS))
        return error_at(err, "token_experts",
                        given ? "only the routing \"token-experts\" takes them" : "the routing \"token-experts\" needs them");
    if (given && tokens->columns != (size_t)model->top_k)
        return error_at(err, "token_experts", "%zu experts of each token; %s sends it to %lld", tokens->columns, model->name,
                        (long long)model->top_k);
    if (given && config->node_limit > 0)
        return error_at(err, "node_limit", "the experts of each token are given; leave out \"node_limit\"");
    for (size_t row = 0; row < tokens->rows; row++)
        if (!check_token_row(config, model, row, err)) return false;
    return true;
}

/// Whether every layer can be routed, and the busiest that a rank can be can be priced.
static bool check_routing(const struct moe_config *config, const struct moe_setup *setup, struct error *err) {
    int64_t layers = moe_traffic_same(config) ? 1 : setup->moe_layers, ticks;
    if (config->routing == MOE_LOADS && (int64_t)config->loads.rows < layers) layers = (int64_t)config->loads.rows;
    for (int64_t layer = 0; layer < layers; layer++) {
        for (uint32_t number = 0; number < setup->ranks / setup->ep; number++) {
            struct moe_group group;
            struct error inner = {0};
            if (!moe_group_make(config, setup, number, layer, &group, &inner))
                return error_at(err, config->routing == MOE_LOADS ? "loads" : "routing", "%s", inner.text);
            moe_group_free(&group);
        }
    }
    const struct model *model = &setup->inference.model;
    const struct work most = {.operations = (__int128)2 * model_expert_parameters(model) * config->tokens * setup->ep * model->top_k,
                              .arithmetic = setup->inference.arithmetic};
    return work_price(&setup->inference, &most, &ticks) ||
           error_at(err, "tokens", "the experts of a rank take longer than the clock counts");
}

/// The rank with the most: its part of attention, dense layers, embedding and head, all shared experts, and its own experts.
static bool fits(const struct moe_config *config, const struct moe_setup *setup, struct error *err) {
    const struct inference *inference = &setup->inference;
    const struct model *model = &inference->model;
    int64_t dense = model->layers - setup->moe_layers, tp = setup->tensor.degree, ep = setup->ep;
    int64_t split =
        model->layers * model_attention_parameters(model) + dense * model_ffn_parameters(model) + 2 * model_head_parameters(model);
    int64_t experts = (model->experts + ep - 1) / ep + (config->redundant_experts + ep - 1) / ep;
    int64_t parameters = (split + tp - 1) / tp + setup->moe_layers * model_moe_parameters(model, experts);
    int64_t cached = config->tokens * tp * (config->prompt ? 1 : config->context);
    int64_t weights = dtype_bytes(inference->weights, parameters), kv = inference_kv_device_bytes(inference, model->layers, cached);
    __int128 excess = (__int128)weights + kv - inference->hardware.memory_bytes;
    char texts[4][QUANTITY_SIZE];
    if (excess <= 0) return true;
    return error_at(err, "hardware",
                    "%s does not fit: each device needs %s for weights and %s for keys and values, %s more than the %s of %s", model->name,
                    format_bytes((double)weights, texts[0]), format_bytes((double)kv, texts[1]), format_bytes((double)excess, texts[2]),
                    format_bytes((double)inference->hardware.memory_bytes, texts[3]), inference->hardware.name);
}

static bool check_sizes(const struct moe_config *config, const struct moe_setup *setup, struct error *err) {
    const struct model *model = &setup->inference.model;
    if (setup->moe_layers == 0) return error_at(err, "model", "%s has no layers with experts", model->name);
    if (setup->ranks % setup->ep || setup->ep > setup->ranks)
        return error_at(err, "ep", "%u ranks cannot be split into groups of %u", setup->ranks, setup->ep);
    if (config->micro_batches > config->tokens)
        return error_at(err, "micro_batches", "%lld tokens cannot be cut into %lld", (long long)config->tokens,
                        (long long)config->micro_batches);
    if (config->copies == COPIES_NODE && setup->node_size == setup->ranks)
        return error_at(err, "copies", "\"node\" needs a network of several nodes, such as a cluster; use \"device\"");
    return setup->tensor.collectives == 0 || !setup->tensor.algorithms[0]->in_network ||
           error_at(err, "algorithm", "moe has no reduction in the network; reduce-scatter/ring runs anywhere");
}

static bool resolve(const struct moe_config *config, const struct workload_place *place, struct moe_setup *out, struct error *err) {
    const struct tensor_config tensor = {
        .degree = config->tp, .algorithm = config->algorithm, .parallelism = PARALLEL_SEQUENCE, .launch_ticks = config->launch_ticks};
    *out = (struct moe_setup){
        .ranks = place->ranks,
        .ep = config->ep ? (uint32_t)config->ep : place->ranks,
        .node_size = place->group_size && place->group_size < place->ranks ? place->group_size : place->ranks,
        .micro_batches = (uint32_t)config->micro_batches,
        .seed = place->seed,
    };
    if (!tensor_resolve(&tensor, place, place->ranks, &out->tensor, err) ||
        !inference_resolve(&config->inference, out->tensor.degree, place->ticks_per_s, &out->inference, err))
        return false;
    const struct model *model = &out->inference.model;
    for (int64_t layer = 0; layer < model->layers; layer++) out->moe_layers += model_layer_has_experts(model, layer);
    return check_sizes(config, out, err) && check_loads(config, model, err) && check_tokens(config, model, err) &&
           check_routing(config, out, err) && fits(config, out, err);
}

// ---- the compute beside the experts

static struct pass team_pass(const struct moe_config *config, int64_t tokens) {
    int64_t prompt = config->prompt;
    if (prompt == 0) return pass_decode(tokens, config->context);
    return (struct pass){
        .tokens = tokens,
        .attended = (int64_t)((__int128)tokens * (prompt + 1) / 2), // token n of a prompt attends to n
        .kv_read = tokens,
        .sequences = (tokens + prompt - 1) / prompt,
    };
}

/// Work of each rank's own tokens, all of whose weights it has.
static bool price_own(const struct inference *inference, int64_t parameters, int64_t tokens, int64_t *ticks) {
    const struct work work = {.operations = (__int128)2 * parameters * tokens,
                              .bytes = dtype_bytes(inference->weights, parameters),
                              .arithmetic = inference->arithmetic};
    return work_price(inference, &work, ticks);
}

static bool price_part(const struct moe_config *config, const struct moe_setup *setup, uint32_t micro_batch, struct moe_part *out,
                       struct error *err) {
    const struct inference *inference = &setup->inference;
    const struct model *model = &inference->model;
    int64_t own = moe_micro_tokens(config, micro_batch);
    *out = (struct moe_part){.tokens = own * setup->tensor.degree};
    const struct pass pass = team_pass(config, out->tokens);
    if (!pass_price(inference, &pass, &out->ticks, err)) return false;
    return (price_own(inference, model->d_model * model->experts, own, &out->router) &&
            price_own(inference, model->shared_experts * model_expert_parameters(model), own, &out->shared) &&
            out->router <= INT64_MAX - out->ticks.attention) ||
           error_set(err, ERROR_INPUT, "a part of the model takes longer than the clock counts");
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct moe_config *config = untyped;
    struct moe_setup setup;
    struct moe_part part;
    *orders = PROGRAM_ORDERS;
    return resolve(config, place, &setup, err) && price_part(config, &setup, 0, &part, err);
}

// ---- a run

static struct job *prepare(const void *untyped, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    const struct moe_config *config = untyped;
    struct moe_job *job = allocate_zeroed(1, sizeof *job);
    struct error err = {0};
    (void)outcomes;
    job->config = config;
    bool ok = resolve(config, place, &job->setup, &err);
    uint32_t batches = job->setup.micro_batches, ranks = job->setup.ranks;
    job->parts = allocate_zeroed(batches, sizeof *job->parts);
    for (uint32_t i = 0; i < batches && ok; i++) {
        ok = price_part(config, &job->setup, i, &job->parts[i], &err);
        tensor_choose(&job->setup.tensor, place, inference_activation_bytes(&job->setup.inference, job->parts[i].tokens),
                      job->parts[i].algorithms);
    }
    if (!ok) fatal("a workload was not checked: %s", err.text);
    job->exchange = algorithm_find(ALL_TO_ALL, "matrix");
    job->same = moe_traffic_same(config);
    job->traffic = allocate_zeroed((size_t)(job->same ? 1 : job->setup.moe_layers) * batches, sizeof(struct moe_traffic *));
    job->load.tokens = allocate_zeroed(ranks, sizeof *job->load.tokens);
    job->load.into = allocate_zeroed(ranks, sizeof *job->load.into);
    job->program = moe_program(job, place, order);
    return &job->job;
}

static void start(struct job *job, uint32_t rank) { program_start(((struct moe_job *)job)->program, rank); }

static bool local(const void *untyped) {
    const struct tensor_config tensor = {.algorithm = ((const struct moe_config *)untyped)->algorithm};
    return tensor_local(&tensor);
}

/// Ranks compute while they are in exchanges: shared experts. Several micro-batches go round in so many layers that it does not pay.
static uint64_t repeats(const void *untyped, bool *overlaps) {
    const struct moe_config *config = untyped;
    struct inference resolved;
    struct error err = {0};
    *overlaps = true;
    if (config->micro_batches > 1 || !moe_traffic_same(config)) return 1;
    if (!inference_resolve(&config->inference, 1, INT64_C(1000000000000000), &resolved, &err)) return 1;
    return (uint64_t)resolved.model.layers;
}

static void describe(const struct job *job, char *out, size_t out_size) {
    program_describe(((const struct moe_job *)job)->program, out, out_size);
}

static void report(const struct job *job, struct figures *figures) { moe_report((const struct moe_job *)job, figures); }

static void release(struct job *untyped) {
    struct moe_job *job = (struct moe_job *)untyped;
    program_free(job->program);
    for (size_t i = 0; i < (size_t)(job->same ? 1 : job->setup.moe_layers) * job->setup.micro_batches; i++)
        moe_traffic_free(job->traffic[i]);
    free(job->traffic);
    free(job->parts);
    free(job->load.tokens);
    free(job->load.into);
    free(job->exchanges);
    free(job->entered);
    free(job);
}

const struct workload_type moe_workload = {
    .variant = {.name = "moe",
                .summary = "a mixture of experts, expert-parallel: dispatch and combine",
                .fields = fields,
                .config_size = sizeof(struct moe_config)},
    .accepts = accepts,
    .prepare = prepare,
    .start = start,
    .local = local,
    .repeats = repeats,
    .describe = describe,
    .report = report,
    .release = release,
};
