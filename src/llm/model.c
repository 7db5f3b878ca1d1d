#include "llm/model.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define AT(member) offsetof(struct model_config, member)
#define SIZE(key, member, least, most, text) \
    { .name = key, .kind = FIELD_INTEGER, .offset = AT(member), .fallback = -1, .min = least, .max = most, .help = text }
static const char *known_model(size_t index) { return model_presets[index].name; }

// The largest sizes allowed keep every count of parameters below 2^62.
const struct field model_fields[] = {
    {.name = "base",
     .kind = FIELD_TEXT,
     .offset = AT(base),
     .flags = FIELD_REQUIRED,
     .help = "the preset whose dimensions hold where no others are given",
     .example = "\"llama-3.1-70b\"",
     .known = known_model},
    SIZE("layers", layers, 1, 2000, "transformer layers"),
    SIZE("d_model", d_model, 1, 200000, "width of the residual stream"),
    SIZE("heads", heads, 1, 4096, "query heads"),
    SIZE("head_dim", head_dim, 1, 4096, "width of a head's queries and keys, without MLA's rotated part"),
    SIZE("kv_heads", kv_heads, 1, 4096, "key and value heads"),
    SIZE("ffn", ffn, 0, 2000000, "width of a dense layer's feed-forward network"),
    SIZE("vocabulary", vocabulary, 1, 10000000, "tokens that there are"),
    SIZE("experts", experts, 0, 10000, "routed experts a layer; 0: dense"),
    SIZE("top_k", top_k, 0, 10000, "experts that a token is sent to"),
    SIZE("shared_experts", shared_experts, 0, 10000, "experts that every token passes through"),
    SIZE("expert_ffn", expert_ffn, 0, 200000, "width of an expert"),
    SIZE("dense_layers", dense_layers, 0, 2000, "layers that come first without experts"),
    SIZE("kv_latent", kv_latent, 0, 100000, "width of the latent that MLA caches; 0: grouped-query attention"),
    SIZE("rope_dim", rope_dim, 0, 4096, "MLA: rotated part of a key"),
    SIZE("q_latent", q_latent, 0, 100000, "MLA: width of compressed queries; 0: they are not compressed"),
    SIZE("v_dim", v_dim, 0, 4096, "MLA: width of a head's values"),
    {.name = "dtype", .kind = FIELD_CHOICE, .offset = AT(dtype), .choices = dtype_choices, .help = "format of the weights"},
    {.name = NULL},
};
#undef AT
#undef SIZE

static bool find_preset(const char *name, struct model *model, struct error *err) {
    char known[512], shown[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    const char *names[64] = {NULL};
    size_t count = 0;
    for (const struct model *preset = model_presets; preset->name; preset++) {
        if (!strcmp(preset->name, name)) {
            *model = *preset;
            return true;
        }
        names[count++] = preset->name;
    }
    return error_at(err, "model", "unknown model %s; known: %s%s", text_quote(name, shown), text_join(names, known, sizeof known),
                    text_meant(name, names, meant));
}

static void change(int64_t *value, int64_t given) {
    if (given >= 0) *value = given;
}

bool model_resolve(const struct model_config *config, struct model *model, struct error *err) {
    if (!find_preset(config->base, model, err)) return false;
    change(&model->layers, config->layers);
    change(&model->d_model, config->d_model);
    change(&model->heads, config->heads);
    change(&model->head_dim, config->head_dim);
    change(&model->kv_heads, config->kv_heads);
    change(&model->ffn, config->ffn);
    change(&model->vocabulary, config->vocabulary);
    change(&model->experts, config->experts);
    change(&model->top_k, config->top_k);
    change(&model->shared_experts, config->shared_experts);
    change(&model->expert_ffn, config->expert_ffn);
    change(&model->dense_layers, config->dense_layers);
    change(&model->kv_latent, config->kv_latent);
    change(&model->rope_dim, config->rope_dim);
    change(&model->q_latent, config->q_latent);
    change(&model->v_dim, config->v_dim);
    if (config->dtype != DTYPE_OF_MODEL) model->weights = (enum dtype)(config->dtype - 1);
    if (model->top_k > model->experts)
        return error_at(err, "model", "a token cannot be sent to %lld of %lld experts", (long long)model->top_k, (long long)model->experts);
    if (model->experts > 0 && (model->top_k == 0 || model->expert_ffn == 0))
        return error_at(err, "model", "a model with experts needs \"top_k\" and \"expert_ffn\"");
    if (model->ffn == 0 && (model->experts == 0 || model->dense_layers > 0))
        return error_at(err, "model", "a model with dense layers needs \"ffn\"");
    if (model->kv_latent > 0 && model->v_dim == 0) return error_at(err, "model", "a model with \"kv_latent\" needs \"v_dim\"");
    return true;
}

int64_t model_attention_parameters(const struct model *m) {
    if (m->kv_latent == 0) return 2 * m->d_model * m->head_dim * (m->heads + m->kv_heads);
    int64_t query_width = m->heads * (m->head_dim + m->rope_dim);
    int64_t queries = m->q_latent > 0 ? m->q_latent * (m->d_model + query_width) : m->d_model * query_width;
    int64_t down = m->d_model * (m->kv_latent + m->rope_dim), up = m->kv_latent * m->heads * (m->head_dim + m->v_dim);
    return queries + down + up + m->heads * m->v_dim * m->d_model;
}

int64_t model_ffn_parameters(const struct model *model) { return 3 * model->d_model * model->ffn; }
int64_t model_expert_parameters(const struct model *model) { return 3 * model->d_model * model->expert_ffn; }
int64_t model_head_parameters(const struct model *model) { return model->d_model * model->vocabulary; }

int64_t model_moe_parameters(const struct model *model, int64_t experts) {
    return model->d_model * model->experts + (experts + model->shared_experts) * model_expert_parameters(model);
}

int64_t model_layers_parameters(const struct model *model, int64_t first, int64_t count) {
    int64_t parameters = 0;
    for (int64_t layer = first; layer < first + count; layer++)
        parameters += model_attention_parameters(model) +
                      (model_layer_has_experts(model, layer) ? model_moe_parameters(model, model->experts) : model_ffn_parameters(model));
    return parameters;
}

int64_t model_parameters(const struct model *model) {
    return model_layers_parameters(model, 0, model->layers) + 2 * model_head_parameters(model);
}

int64_t model_kv_width(const struct model *model) {
    return model->kv_latent > 0 ? model->kv_latent + model->rope_dim : 2 * model->kv_heads * model->head_dim;
}

int64_t model_attention_flops(const struct model *model, bool absorbed) {
    if (model->kv_latent == 0) return 4 * model->heads * model->head_dim;
    int64_t scores = (absorbed ? model->kv_latent : model->head_dim) + model->rope_dim;
    int64_t sum = absorbed ? model->kv_latent : model->v_dim;
    return 2 * model->heads * (scores + sum);
}
