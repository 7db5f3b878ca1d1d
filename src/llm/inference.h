#ifndef LLM_INFERENCE_H
#define LLM_INFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/field.h"
#include "base/figures.h"
#include "llm/hardware.h"
#include "llm/model.h"

/// A model on devices, tensor-parallel, and how long its parts take on one of them by the roofline: a part takes the
/// longer of operations / (peak rate x compute efficiency) and bytes / (memory bandwidth x memory efficiency), in ticks,
/// rounded up. Only matrix products and attention count, and only the reading of weights and of cached keys and values.

enum kv_sharding {
    KV_EVEN,  ///< every rank has 1/tp of the cache, whatever the number of heads
    KV_HEADS, ///< whole heads: with more ranks than KV heads several ranks keep the same one; an MLA latent is kept by all
};
enum logits {
    LOGITS_ALL,  ///< of every token
    LOGITS_LAST, ///< of the last token of each sequence
    LOGITS_NONE,
};

/// The keys that all LLM workloads share (INFERENCE_FIELDS).
struct inference_config {
    struct model_config model;
    struct hardware_config hardware;
    int dtype, kv_dtype, activation_dtype, kv_sharding, logits;
    int64_t compute_efficiency, memory_efficiency; ///< millionths
};

extern const char *const kv_sharding_names[], *const logits_names[];

/// Rows of a field table for the member `inference` of a workload's config struct.
// clang-format off
#define INFERENCE_FIELDS(config) INFERENCE_FIELDS_LOGITS(config, LOGITS_ALL)
#define INFERENCE_FIELDS_LOGITS(config, default_logits) \
    {"model", FIELD_OBJECT, offsetof(config, inference.model), FIELD_REQUIRED, .word = "base", .fields = model_fields, \
     .help = "a preset's name, or an object with its name as \"base\" and what differs", .example = "\"llama-3.1-70b\""}, \
    {"hardware", FIELD_OBJECT, offsetof(config, inference.hardware), FIELD_REQUIRED, .word = "base", .fields = hardware_fields, \
     .help = "the devices: a preset's name, or an object with its name as \"base\" and what differs", .example = "\"h100\""}, \
    {"dtype", FIELD_CHOICE, offsetof(config, inference.dtype), .choices = dtype_choices, .help = "format of the weights"}, \
    {"kv_dtype", FIELD_CHOICE, offsetof(config, inference.kv_dtype), .choices = dtype_names, \
     .help = "format of cached keys and values"}, \
    {"activation_dtype", FIELD_CHOICE, offsetof(config, inference.activation_dtype), .choices = dtype_names, \
     .help = "format of what is sent between devices, and of attention"}, \
    {"kv_sharding", FIELD_CHOICE, offsetof(config, inference.kv_sharding), .choices = kv_sharding_names, \
     .help = "even: 1/tp of the cache a device; heads: whole KV heads, kept several times where there are more devices"}, \
    {"logits", FIELD_CHOICE, offsetof(config, inference.logits), .choices = logits_names, .fallback = default_logits, \
     .help = "which tokens pass through the projection to the vocabulary"}, \
    {"compute_efficiency", FIELD_DECIMAL, offsetof(config, inference.compute_efficiency), .fallback = MILLION, .min = 1, .max = MILLION, \
     .help = "share of the peak rate that is reached", .example = "0.7"}, \
    {"memory_efficiency", FIELD_DECIMAL, offsetof(config, inference.memory_efficiency), .fallback = MILLION, .min = 1, .max = MILLION, \
     .help = "share of the memory bandwidth that is reached", .example = "0.9"}
// clang-format on

/// An inference_config made ready.
struct inference {
    struct model model;
    struct hardware hardware;
    enum dtype weights, kv, activations;
    enum dtype arithmetic; ///< of matrix products: that of the weights where the device has it, else that of activations
    enum kv_sharding kv_sharding;
    enum logits logits;
    int64_t compute_efficiency, memory_efficiency; ///< millionths
    int64_t tp;                                    ///< devices that share each layer
    int64_t ticks_per_s;
};

/// False with error_at(err, "model" or another key, …).
bool inference_resolve(const struct inference_config *config, int64_t tp, int64_t ticks_per_s, struct inference *out, struct error *err);

/// What one pass through the layers processes. Decoding: `tokens` sequences of one token each.
struct pass {
    int64_t tokens;   ///< that pass through the layers
    int64_t attended; ///< sum over them of the tokens that each attends to
    int64_t kv_read;  ///< tokens whose keys and values are read
    int64_t sequences;
    bool decoding;
};

/// One new token for each of `sequences`, each attending to `context` tokens, itself included.
struct pass pass_decode(int64_t sequences, int64_t context);

/// `tokens` new tokens of one prompt, after `past` others: causal attention.
struct pass pass_prefill(int64_t tokens, int64_t past);

/// The time of the parts of a pass on each device. False with ERROR_INPUT where a part takes more than 2^63-1 ticks.
struct pass_ticks {
    int64_t attention; ///< of one layer, with its projections
    int64_t dense;     ///< a dense layer's network; 0 where there is none
    int64_t moe;       ///< a layer's network of experts, all split over the same devices; min(experts, tokens x top_k) are read
    int64_t head;
};
bool pass_price(const struct inference *inference, const struct pass *pass, struct pass_ticks *out, struct error *err);

/// The roofline of any work on one device; false where it takes more than 2^63-1 ticks.
struct work {
    __int128 operations, bytes;
    enum dtype arithmetic;
};
bool work_price(const struct inference *inference, const struct work *work, int64_t *ticks);

/// Bytes that `tokens` tokens of activations take when they are sent.
int64_t inference_activation_bytes(const struct inference *inference, int64_t tokens);

/// Bytes of keys and values of one token in all layers, once; and of `tokens` tokens of `layers` layers on each device.
int64_t inference_kv_token_bytes(const struct inference *inference);
int64_t inference_kv_device_bytes(const struct inference *inference, int64_t layers, int64_t tokens);

/// What one device must hold.
struct holding {
    int64_t first_layer, layers;
    bool embedding, head;
    int64_t cached_tokens;
};
int64_t inference_weight_device_bytes(const struct inference *inference, const struct holding *holding);

/// Whether it fits into the device's memory; else by how much not (error_at(err, "hardware", …)).
bool inference_fits(const struct inference *inference, const struct holding *holding, struct error *err);

/// Adds what was assumed: model, device, formats, efficiencies, bytes.
void inference_report(const struct inference *inference, struct figures *figures);

#endif
