#ifndef LLM_MODEL_H
#define LLM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/field.h"
#include "llm/dtype.h"

/// The dimensions of a decoder-only transformer: gated feed-forward networks (three matrices), untied embeddings,
/// grouped-query attention or multi-head latent attention (MLA). Norms, biases and rotary tables are not counted: below
/// 0.01 % of the parameters.
struct model {
    const char *name, *source;
    int64_t layers, d_model, heads, head_dim; ///< head_dim: of queries and keys (MLA: the part without rotation)
    int64_t kv_heads;                         ///< grouped-query attention
    int64_t ffn;                              ///< width of a dense layer's network; 0: there is none
    int64_t vocabulary;
    int64_t experts, top_k, shared_experts, expert_ffn; ///< experts 0: all layers are dense
    int64_t dense_layers;                               ///< of a mixture of experts: how many layers come first without one
    int64_t kv_latent;                                  ///< MLA: width of what is cached; 0: grouped-query attention
    int64_t rope_dim, q_latent, v_dim;                  ///< MLA: rotated part of a key, width of compressed queries, of a value
    enum dtype weights;                                 ///< as published
};

/// All presets; the last has no name.
extern const struct model model_presets[];

/// "model" in the scenario: a preset's name, or an object that changes some of a preset's dimensions.
struct model_config {
    uint64_t given;
    const char *base;
    int64_t layers, d_model, heads, head_dim, kv_heads, ffn, vocabulary, experts, top_k, shared_experts, expert_ffn, dense_layers,
        kv_latent, rope_dim, q_latent, v_dim;
    int dtype; ///< DTYPE_OF_MODEL: the base's
};
extern const struct field model_fields[];

/// The model that is meant; false with error_at(err, "model", …).
bool model_resolve(const struct model_config *config, struct model *model, struct error *err);

static inline bool model_layer_has_experts(const struct model *model, int64_t layer) {
    return model->experts > 0 && layer >= model->dense_layers;
}

/// Parameters of a layer's attention: the query, key, value and output projections.
int64_t model_attention_parameters(const struct model *model);

/// Parameters of a dense layer's network, and of one expert.
int64_t model_ffn_parameters(const struct model *model);
int64_t model_expert_parameters(const struct model *model);

/// Parameters of a layer's network of experts of which `experts` are counted, with the router and the shared ones.
int64_t model_moe_parameters(const struct model *model, int64_t experts);

/// Parameters of the projection to the vocabulary; the embedding has as many.
int64_t model_head_parameters(const struct model *model);

/// Of `count` layers from `first` on, all experts counted; without embedding and head.
int64_t model_layers_parameters(const struct model *model, int64_t first, int64_t count);

/// All parameters, embedding and head included.
int64_t model_parameters(const struct model *model);

/// Numbers that one token leaves in the cache of one layer: keys and values of all KV heads, or the latent and the rotated key.
int64_t model_kv_width(const struct model *model);

/// Multiplications and additions of one query token for each token that it attends to, in all heads of a layer: scores
/// and weighted sum. MLA: on the latent itself as decoding does (`absorbed`), or on keys and values as prefill does.
int64_t model_attention_flops(const struct model *model, bool absorbed);

#endif
