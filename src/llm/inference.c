#include "llm/inference.h"

#include <stdio.h>

#include "base/units.h"

const char *const kv_sharding_names[] = {"even", "heads", NULL};
const char *const logits_names[] = {"all", "last", "none", NULL};

bool inference_resolve(const struct inference_config *config, int64_t tp, int64_t ticks_per_s, struct inference *out, struct error *err) {
    *out = (struct inference){
        .kv = (enum dtype)config->kv_dtype,
        .activations = (enum dtype)config->activation_dtype,
        .kv_sharding = (enum kv_sharding)config->kv_sharding,
        .logits = (enum logits)config->logits,
        .compute_efficiency = config->compute_efficiency,
        .memory_efficiency = config->memory_efficiency,
        .tp = tp,
        .ticks_per_s = ticks_per_s,
    };
    if (!model_resolve(&config->model, &out->model, err) || !hardware_resolve(&config->hardware, &out->hardware, err)) return false;
    out->weights = config->dtype == DTYPE_OF_MODEL ? out->model.weights : (enum dtype)(config->dtype - 1);
    out->arithmetic = out->hardware.mflops[out->weights] > 0 ? out->weights : out->activations;
    if (out->hardware.mflops[out->activations] > 0) return true;
    return error_at(err, "activation_dtype", "%s has no rate for %s", out->hardware.name, dtype_names[out->activations]);
}

static __int128 divide_up(__int128 value, __int128 by) { return (value + by - 1) / by; }

struct pass pass_decode(int64_t sequences, int64_t context) {
    return (struct pass){sequences, sequences * context, sequences * context, sequences, true};
}

struct pass pass_prefill(int64_t tokens, int64_t past) {
    return (struct pass){tokens, tokens * past + tokens * (tokens + 1) / 2, past + tokens, 1, false};
}

bool work_price(const struct inference *inference, const struct work *work, int64_t *ticks) {
    const struct hardware *hardware = &inference->hardware;
    __int128 second = inference->ticks_per_s, computing, reading;
    // mflops is in millions of operations per second and the efficiency in millionths: together operations per second
    if (__builtin_mul_overflow(work->operations, second, &computing) || __builtin_mul_overflow(work->bytes, second * MILLION, &reading))
        return false;
    computing = divide_up(computing, (__int128)hardware->mflops[work->arithmetic] * inference->compute_efficiency);
    reading = divide_up(reading, (__int128)hardware->memory_bytes_per_s * inference->memory_efficiency);
    __int128 longer = computing > reading ? computing : reading;
    *ticks = (int64_t)longer;
    return longer <= INT64_MAX;
}

/// `parameters` are read, `used` of them meet each token.
static bool price_linear(const struct inference *inference, int64_t parameters, int64_t used, int64_t tokens, int64_t *ticks) {
    const struct work work = {
        .operations = divide_up((__int128)2 * used * tokens, inference->tp),
        .bytes = divide_up(dtype_bytes(inference->weights, parameters), inference->tp),
        .arithmetic = inference->arithmetic,
    };
    return work_price(inference, &work, ticks);
}

static bool price_attention(const struct inference *inference, const struct pass *pass, int64_t *ticks) {
    int64_t linear = 0, attention = 0, parameters = model_attention_parameters(&inference->model);
    const struct work work = {
        .operations = divide_up((__int128)model_attention_flops(&inference->model, pass->decoding) * pass->attended, inference->tp),
        .bytes = inference_kv_device_bytes(inference, 1, pass->kv_read),
        .arithmetic = inference->activations,
    };
    return price_linear(inference, parameters, parameters, pass->tokens, &linear) && work_price(inference, &work, &attention) &&
           !__builtin_add_overflow(linear, attention, ticks);
}

static bool price_moe(const struct inference *inference, int64_t tokens, int64_t *ticks) {
    const struct model *model = &inference->model;
    int64_t touched = tokens < model->experts ? tokens * model->top_k : model->experts;
    if (touched > model->experts) touched = model->experts;
    return price_linear(inference, model_moe_parameters(model, touched), model_moe_parameters(model, model->top_k), tokens, ticks);
}

bool pass_price(const struct inference *inference, const struct pass *pass, struct pass_ticks *out, struct error *err) {
    const struct model *model = &inference->model;
    int64_t dense = model_ffn_parameters(model), head = model_head_parameters(model);
    int64_t logits = inference->logits == LOGITS_ALL ? pass->tokens : pass->sequences;
    *out = (struct pass_ticks){0};
    bool ok = price_attention(inference, pass, &out->attention);
    if (model->ffn > 0) ok = ok && price_linear(inference, dense, dense, pass->tokens, &out->dense);
    if (model->experts > 0) ok = ok && price_moe(inference, pass->tokens, &out->moe);
    if (inference->logits != LOGITS_NONE) ok = ok && price_linear(inference, head, head, logits, &out->head);
    return ok || error_set(err, ERROR_INPUT, "a part of the model takes longer than the clock counts");
}

int64_t inference_activation_bytes(const struct inference *inference, int64_t tokens) {
    return dtype_bytes(inference->activations, tokens * inference->model.d_model);
}

int64_t inference_kv_token_bytes(const struct inference *inference) {
    return inference->model.layers * dtype_bytes(inference->kv, model_kv_width(&inference->model));
}

int64_t inference_kv_device_bytes(const struct inference *inference, int64_t layers, int64_t tokens) {
    const struct model *model = &inference->model;
    int64_t token_bytes = dtype_bytes(inference->kv, model_kv_width(model));
    __int128 all = (__int128)token_bytes * layers * tokens, bytes;
    if (inference->kv_sharding == KV_EVEN)
        bytes = divide_up(all, inference->tp);
    else if (model->kv_latent > 0)
        bytes = all;
    else
        bytes = divide_up(all * divide_up(model->kv_heads, inference->tp), model->kv_heads);
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

int64_t inference_weight_device_bytes(const struct inference *inference, const struct holding *holding) {
    int64_t parameters = model_layers_parameters(&inference->model, holding->first_layer, holding->layers);
    parameters += (holding->embedding + holding->head) * model_head_parameters(&inference->model);
    return (int64_t)divide_up(dtype_bytes(inference->weights, parameters), inference->tp);
}

bool inference_fits(const struct inference *inference, const struct holding *holding, struct error *err) {
    int64_t weights = inference_weight_device_bytes(inference, holding);
    int64_t kv = inference_kv_device_bytes(inference, holding->layers, holding->cached_tokens);
    __int128 excess = (__int128)weights + kv - inference->hardware.memory_bytes;
    char weights_text[QUANTITY_SIZE], kv_text[QUANTITY_SIZE], memory_text[QUANTITY_SIZE], excess_text[QUANTITY_SIZE];
    if (excess <= 0) return true;
    return error_at(err, "hardware",
                    "%s does not fit: each device needs %s for weights (%s) and %s for keys and values (%s), %s more than the %s of %s",
                    inference->model.name, format_bytes((double)weights, weights_text), dtype_names[inference->weights],
                    format_bytes((double)kv, kv_text), dtype_names[inference->kv], format_bytes((double)excess, excess_text),
                    format_bytes((double)inference->hardware.memory_bytes, memory_text), inference->hardware.name);
}

void inference_report(const struct inference *inference, struct figures *figures) {
    static const char group[] = "assumed";
    const struct model *model = &inference->model;
    figures_text(figures, group, "model", model->name);
    figures_text(figures, group, "model source", model->source);
    figures_text(figures, group, "hardware", inference->hardware.name);
    figures_text(figures, group, "hardware source", inference->hardware.source);
    figures_count(figures, group, "tensor parallel devices", inference->tp);
    figures_count(figures, group, "parameters", model_parameters(model));
    figures_text(figures, group, "weights", dtype_names[inference->weights]);
    figures_text(figures, group, "arithmetic", dtype_names[inference->arithmetic]);
    figures_text(figures, group, "keys and values", dtype_names[inference->kv]);
    figures_text(figures, group, "activations", dtype_names[inference->activations]);
    figures_text(figures, group, "split of keys and values", kv_sharding_names[inference->kv_sharding]);
    figures_share(figures, group, "compute efficiency", inference->compute_efficiency, MILLION);
    figures_share(figures, group, "memory efficiency", inference->memory_efficiency, MILLION);
    figures_bytes(figures, group, "all weights", dtype_bytes(inference->weights, model_parameters(model)));
    figures_bytes(figures, group, "keys and values a token", inference_kv_token_bytes(inference));
}
