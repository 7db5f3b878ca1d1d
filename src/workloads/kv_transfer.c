// Disaggregated inference: prompts are prefilled on one group of ranks, their keys and values go to another group that
// decodes them, after the prefill or layer by layer while later layers are computed (Zhong et al., DistServe, 2024; Qin et
// al., Mooncake, 2024; lecture P5, 7.5). A layer of n tokens is 2 x KV heads x head width x bytes x n, of MLA (latent + rotated
// key) x bytes x n; over k NICs of rate b it takes that / (k b). Sent layer by layer all but the last layer's is hidden as long
// as a layer takes longer to compute than to send.
#include <stdlib.h>

#include "base/memory.h"
#include "workloads/kv_transfer.h"

enum { MOST_INSTANCES = 1000 };

static const char *const mode_names[] = {"after-prefill", "layer-by-layer", NULL};

#define AT(member) offsetof(struct kv_transfer_config, member)
static const struct field fields[] = {
    INFERENCE_FIELDS(struct kv_transfer_config),
    {"prefill_ranks", FIELD_INTEGER, AT(prefill_ranks), .min = 1, .max = INT32_MAX,
     .help = "ranks that prefill, from rank 0 on; those that do not decode by default, or half of all", .example = "8"},
    {"decode_ranks", FIELD_INTEGER, AT(decode_ranks), .min = 1, .max = INT32_MAX,
     .help = "ranks that decode, after those that prefill; the rest by default", .example = "8"},
    {"prefill_tp", FIELD_INTEGER, AT(prefill_tp), .min = 1, .max = INT32_MAX,
     .help = "ranks that share each layer, neighbours by number; all that prefill by default. Prompts go to such instances in turn",
     .example = "4"},
    {"decode_tp", FIELD_INTEGER, AT(decode_tp), .min = 1, .max = INT32_MAX, .help = "the same of those that decode", .example = "8"},
    {"nics", FIELD_INTEGER, AT(nics), .min = 1, .max = INT32_MAX,
     .help =
         "of each instance, a multiple or a divisor of its tp: what goes by another rank's NIC passes between the ranks; each rank's own "
         "by default",
     .example = "8"},
    {"prompts", FIELD_INTEGERS, AT(prompts), FIELD_REQUIRED, .min = 1, .max = 100000000, .help = "tokens of each prompt, in order",
     .example = "[8192]"},
    {"mode", FIELD_CHOICE, AT(mode), .choices = mode_names,
     .help = "after-prefill: all leaves when the prefill has ended; layer-by-layer: each layer when its compute has ended"},
    {"prefill_time", FIELD_TIME, AT(prefill_ticks), .fallback = -1,
     .help = "of each prompt, the same for all layers and with all communication; by the roofline and simulated by default",
     .example = "\"200ms\""},
    {"algorithm", FIELD_TEXT, AT(algorithm), .help = "of the all-reduces of both groups", .example = "\"ring\""},
    {"launch_overhead", FIELD_TIME, AT(launch_ticks), .help = "of a rank's processor before each collective", .example = "\"5us\""},
    {"decode_batch", FIELD_INTEGER, AT(decode_batch), .max = 1000000,
     .help = "sequences that each decode instance decodes meanwhile; 0: it only receives", .example = "64"},
    {"decode_context", FIELD_INTEGER, AT(decode_context), .fallback = 4096, .min = 1, .max = 100000000,
     .help = "tokens that each of them attends to in the first step, its newest included"},
    {"decode_steps", FIELD_INTEGER, AT(decode_steps), .fallback = 16, .min = 1, .max = 1000000, .help = "new tokens of each of them"},
    {.name = NULL},
};
#undef AT

// ---- what the config means

static bool find_groups(const struct kv_transfer_config *config, const struct workload_place *place, struct kv_route *out,
                        struct error *err) {
    int64_t prefill = config->prefill_ranks, decode = config->decode_ranks, ranks = place->ranks;
    if (prefill == 0) prefill = decode > 0 ? ranks - decode : ranks / 2;
    if (decode == 0) decode = ranks - prefill;
    if (prefill < 1 || decode < 1 || prefill + decode > ranks)
        return error_at(err, config->prefill_ranks > 0 ? "prefill_ranks" : "decode_ranks",
                        "%lld ranks that prefill and %lld that decode are not in the %lld ranks that there are", (long long)prefill,
                        (long long)decode, (long long)ranks);
    int64_t from = config->prefill_tp ? config->prefill_tp : prefill, to = config->decode_tp ? config->decode_tp : decode;
    if (prefill % from)
        return error_at(err, "prefill_tp", "%lld ranks cannot be split into instances of %lld", (long long)prefill, (long long)from);
    if (decode % to)
        return error_at(err, "decode_tp", "%lld ranks cannot be split into instances of %lld", (long long)decode, (long long)to);
    *out = (struct kv_route){
        .prefill = {0, (uint32_t)prefill, (uint32_t)from},
        .decode = {(uint32_t)prefill, (uint32_t)decode, (uint32_t)to},
        .nics = (uint32_t)config->nics,
    };
    return true;
}

/// Fewer NICs than ranks are shared evenly; more are those of a block of ranks of the group.
static bool check_nics(const struct kv_group *group, uint32_t nics, struct error *err) {
    if (nics == 0 || (nics <= group->tp && group->tp % nics == 0)) return true;
    if (nics > group->tp && nics % group->tp == 0 && group->count % nics == 0) return true;
    return error_at(err, "nics",
                    "instances of %u ranks in a group of %u cannot use %u NICs each: a divisor of %u, or a multiple that divides %u",
                    group->tp, group->count, nics, group->tp, group->count);
}

static bool resolve_side(const struct kv_transfer_config *config, const struct workload_place *place, const struct kv_group *group,
                         struct kv_side *out, struct error *err) {
    const struct tensor_config tensor = {.degree = group->tp, .algorithm = config->algorithm, .launch_ticks = config->launch_ticks};
    if (!tensor_resolve(&tensor, place, group->count, &out->tensor, err)) return false;
    if (out->tensor.collectives > 0 && out->tensor.algorithms[0]->in_network)
        return error_at(err, "algorithm", "kv-transfer has no reduction in the network; all-reduce/ring runs anywhere");
    return inference_resolve(&config->inference, group->tp, place->ticks_per_s, &out->inference, err);
}

/// The most tokens that one of `instances` keeps of prompts dealt in turn; one that prefills keeps them one at a time.
static int64_t most_tokens(const struct integers *prompts, uint32_t instances, bool together) {
    int64_t most = 0;
    for (uint32_t instance = 0; instance < instances; instance++) {
        int64_t tokens = 0;
        for (size_t i = instance; i < prompts->count; i += instances) {
            tokens = together ? tokens + prompts->values[i] : prompts->values[i];
            if (tokens > most) most = tokens;
        }
    }
    return most;
}

static bool sides_fit(const struct kv_transfer_config *config, const struct kv_setup *setup, struct error *err) {
    int64_t layers = setup->prefill.inference.model.layers;
    int64_t decoded = config->decode_batch * (config->decode_context + config->decode_steps - 1);
    const struct holding prefill = {0, layers, true, true, most_tokens(&config->prompts, kv_instances(&setup->route.prefill), false)};
    const struct holding decode = {0, layers, true, true,
                                   decoded + most_tokens(&config->prompts, kv_instances(&setup->route.decode), true)};
    return inference_fits(&setup->prefill.inference, &prefill, err) && inference_fits(&setup->decode.inference, &decode, err);
}

static bool resolve(const struct kv_transfer_config *config, const struct workload_place *place, struct kv_setup *out, struct error *err) {
    if (config->prompts.count == 0) return error_at(err, "prompts", "there is no prompt");
    if (!find_groups(config, place, &out->route, err) || !check_nics(&out->route.prefill, out->route.nics, err) ||
        !check_nics(&out->route.decode, out->route.nics, err) || !resolve_side(config, place, &out->route.prefill, &out->prefill, err) ||
        !resolve_side(config, place, &out->route.decode, &out->decode, err))
        return false;
    if (config->prefill_ticks >= 0) out->prefill.tensor.collectives = 0;
    return sides_fit(config, out, err);
}

// ---- prompts and steps

static int64_t whole_compute(const struct kv_transfer_config *config, const struct model *model, const struct pass_ticks *ticks) {
    if (config->prefill_ticks >= 0) return config->prefill_ticks;
    int64_t total = ticks->head;
    for (int64_t layer = 0; layer < model->layers; layer++)
        total += ticks->attention + (model_layer_has_experts(model, layer) ? ticks->moe : ticks->dense);
    return total;
}

static bool make_prompt(const struct kv_transfer_config *config, const struct inference *inference, size_t i, struct kv_prompt *out,
                        struct error *err) {
    const struct pass pass = pass_prefill(config->prompts.values[i], 0);
    *out = (struct kv_prompt){.part.tokens = pass.tokens, .start = -1, .prefill_end = -1, .send_start = -1, .arrival = -1};
    if (!pass_price(inference, &pass, &out->part.ticks, err)) return false;
    out->compute_ticks = whole_compute(config, &inference->model, &out->part.ticks);
    return true;
}

static bool make_step(const struct kv_transfer_config *config, const struct inference *inference, int64_t i, struct layer_part *out,
                      struct error *err) {
    const struct pass pass = pass_decode(config->decode_batch, config->decode_context + i);
    *out = (struct layer_part){.tokens = pass.tokens};
    return pass_price(inference, &pass, &out->ticks, err);
}

static bool accepts(const void *untyped, const struct workload_place *place, uint32_t *orders, struct error *err) {
    const struct kv_transfer_config *config = untyped;
    struct kv_setup setup;
    struct kv_prompt prompt;
    struct layer_part step;
    if (!resolve(config, place, &setup, err)) return false;
    uint32_t instances = kv_instances(&setup.route.prefill);
    if (instances > MOST_INSTANCES) return error_at(err, "prefill_tp", "%u instances; at most %d are simulated", instances, MOST_INSTANCES);
    *orders = (instances + 1) * PROGRAM_ORDERS;
    for (size_t i = 0; i < config->prompts.count; i++)
        if (!make_prompt(config, &setup.prefill.inference, i, &prompt, err)) return false;
    return config->decode_batch == 0 || make_step(config, &setup.decode.inference, config->decode_steps - 1, &step, err);
}

static bool make_all(struct kv_transfer_job *job, const struct workload_place *place, struct error *err) {
    const struct kv_transfer_config *config = job->config;
    struct kv_setup *setup = &job->setup;
    if (!resolve(config, place, setup, err)) return false;
    job->prompt_count = config->prompts.count;
    job->prompts = allocate_zeroed(job->prompt_count, sizeof *job->prompts);
    for (size_t i = 0; i < job->prompt_count; i++) {
        struct kv_prompt *prompt = &job->prompts[i];
        if (!make_prompt(config, &setup->prefill.inference, i, prompt, err)) return false;
        tensor_choose(&setup->prefill.tensor, place, inference_activation_bytes(&setup->prefill.inference, prompt->part.tokens),
                      prompt->part.algorithms);
    }
    if (config->decode_batch == 0) return true;
    job->steps = allocate_zeroed((size_t)config->decode_steps, sizeof *job->steps);
    job->step_end = allocate_zeroed((size_t)config->decode_steps, sizeof *job->step_end);
    for (int64_t i = 0; i < config->decode_steps; i++) {
        if (!make_step(config, &setup->decode.inference, i, &job->steps[i], err)) return false;
        tensor_choose(&setup->decode.tensor, place, inference_activation_bytes(&setup->decode.inference, config->decode_batch),
                      job->steps[i].algorithms);
    }
    return true;
}

static struct job *prepare(const void *config, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    struct kv_transfer_job *job = allocate_zeroed(1, sizeof *job);
    struct error err = {0};
    (void)outcomes;
    job->config = config, job->ranks = place->ranks;
    if (!make_all(job, place, &err)) fatal("a workload was not checked: %s", err.text);
    kv_transfer_programs(job, place, order);
    if (job->steps) job->decode = kv_decode_program(job, place, order + job->stream_count * PROGRAM_ORDERS);
    job->left = allocate(job->ranks * sizeof *job->left);
    for (uint32_t r = 0; r < job->ranks; r++) job->left[r] = job->stream_count + (job->decode != NULL);
    return &job->job;
}

static void start(struct job *untyped, uint32_t rank) {
    struct kv_transfer_job *job = (struct kv_transfer_job *)untyped;
    for (uint32_t i = 0; i < job->stream_count; i++) program_start(job->streams[i].program, rank);
    if (job->decode) program_start(job->decode, rank);
}

static bool local(const void *untyped) {
    const struct kv_transfer_config *config = untyped;
    const struct tensor_config tensor = {.algorithm = config->algorithm};
    return tensor_local(&tensor);
}

static void describe(const struct job *untyped, char *out, size_t out_size) {
    const struct kv_transfer_job *job = (const struct kv_transfer_job *)untyped;
    for (uint32_t i = 0; i < job->stream_count && !out[0]; i++) program_describe(job->streams[i].program, out, out_size);
}

static void report(const struct job *job, struct figures *figures) { kv_transfer_report((const struct kv_transfer_job *)job, figures); }

static void release(struct job *untyped) {
    struct kv_transfer_job *job = (struct kv_transfer_job *)untyped;
    for (uint32_t i = 0; i < job->stream_count; i++) {
        program_free(job->streams[i].program);
        for (int hop = 0; hop < KV_HOPS; hop++) free(job->streams[i].messages[hop].items);
    }
    if (job->decode) program_free(job->decode);
    free(job->streams);
    free(job->left);
    free(job->prompts);
    free(job->steps);
    free(job->step_end);
    free(job);
}

const struct workload_type kv_transfer_workload = {
    .variant = {.name = "kv-transfer",
                .summary = "keys and values of prompts from ranks that prefill to ranks that decode",
                .fields = fields,
                .config_size = sizeof(struct kv_transfer_config)},
    .accepts = accepts,
    .prepare = prepare,
    .start = start,
    .local = local,
    .describe = describe,
    .report = report,
    .release = release,
};
