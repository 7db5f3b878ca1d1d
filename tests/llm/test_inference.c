// Presets against the sizes that their cards state, and the roofline against lecture P5, section 7 (formulas there).
#include <check.h>
#include <string.h>

#include "base/units.h"
#include "llm/inference.h"

/// As a workload's config.
struct holder {
    uint64_t given;
    struct inference_config inference;
};

static struct inference inference_of(const char *model, const char *hardware, int64_t tp) {
    struct holder holder = {0};
    static const struct field fields[] = {INFERENCE_FIELDS(struct holder), {0}};
    field_defaults(fields, &holder);
    holder.inference.model.base = model;
    holder.inference.hardware.base = hardware;
    struct inference inference;
    struct error err = {0};
    ck_assert_msg(inference_resolve(&holder.inference, tp, TICKS_PER_S_FS, &inference, &err), "%s", err.text);
    return inference;
}

static int64_t parameters_of(const char *name) {
    struct inference inference = inference_of(name, "h100", 1);
    return model_parameters(&inference.model);
}

// Norms and biases are left out, which is below 0.01 %.
START_TEST(parameters_as_published) {
    static const struct {
        const char *name;
        double billions, tolerance;
    } published[] = {
        {"llama-3.1-8b", 8.03, 0.005}, {"llama-3.1-70b", 70.55, 0.005}, {"llama-3.1-405b", 405.85, 0.05},
        {"qwen2.5-14b", 14.77, 0.005}, {"mixtral-8x7b", 46.70, 0.005},  {"deepseek-v3", 671.0, 0.1},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        ck_assert_double_eq_tol((double)parameters_of(published[i].name) / 1e9, published[i].billions, published[i].tolerance);
}
END_TEST

// Llama-3.1-70B: 80 layers of 2 x 8192 x 128 x (64 + 8) + 3 x 8192 x 28672, and 8192 x 128256 for the logits; the embedding is not read.
START_TEST(parameters_read) {
    struct inference inference = inference_of("llama-3.1-70b", "h100", 8);
    const struct holding read = {0, 80, false, true, 0};
    ck_assert_int_eq(inference_weight_device_bytes(&inference, &read) * 8, INT64_C(69501714432) * 2);
    const struct holding held = {0, 80, true, true, 0};
    ck_assert_int_eq(inference_weight_device_bytes(&inference, &held) * 8, INT64_C(70552387584) * 2); // 141 GB: lecture, 0.1
}
END_TEST

// 7.5: 2 x 80 layers x 8 heads x 128 x 2 bytes; MLA: 61 x (512 + 64) x 2.
START_TEST(cache_of_a_token) {
    struct inference llama = inference_of("llama-3.1-70b", "h100", 8), deepseek = inference_of("deepseek-v3", "h200", 8);
    ck_assert_int_eq(inference_kv_token_bytes(&llama), 327680);
    ck_assert_int_eq(inference_kv_token_bytes(&deepseek), 70272);
}
END_TEST

// Sixteen devices and eight heads: evenly a sixteenth each, by whole heads an eighth; a latent is whole on each.
START_TEST(cache_of_a_device) {
    struct inference llama = inference_of("llama-3.1-70b", "h100", 16), deepseek = inference_of("deepseek-v3", "h200", 16);
    ck_assert_int_eq(inference_kv_device_bytes(&llama, 80, 1000), 20480000);
    ck_assert_int_eq(inference_kv_device_bytes(&deepseek, 61, 1000), 4392000);
    llama.kv_sharding = deepseek.kv_sharding = KV_HEADS;
    ck_assert_int_eq(inference_kv_device_bytes(&llama, 80, 1000), 40960000);
    ck_assert_int_eq(inference_kv_device_bytes(&deepseek, 61, 1000), 70272000);
}
END_TEST

static int64_t pass_total(const struct inference *inference, const struct pass *pass) {
    struct pass_ticks ticks;
    struct error err = {0};
    ck_assert_msg(pass_price(inference, pass, &ticks, &err), "%s", err.text);
    return inference->model.layers * (ticks.attention + ticks.dense) + ticks.head;
}

// 7.1: (139.0 GB of weights + 64 x 4096 x 327680 B of keys and values) / (8 x 3.35 TB/s) = 8.39 ms: everything waits for memory.
START_TEST(decode_waits_for_memory) {
    struct inference inference = inference_of("llama-3.1-70b", "h100", 8);
    const struct pass pass = pass_decode(64, 4096);
    double expected = (69501714432.0 * 2 + 64 * 4096 * 327680.0) / (8 * 3.35e12) * 1e15;
    ck_assert_double_eq_tol((double)pass_total(&inference, &pass), expected, 300); // each part rounded up
    ck_assert_double_eq_tol(expected / 1e12, 8.39, 8.39 * 0.002);
}
END_TEST

// 7.2: 2 x 69.5 G / (8 x 989 TFLOP/s) = 17.6 us a token; causal attention: n (n+1) / 2 pairs x 4 x 8192 x 80 layers.
START_TEST(prefill_waits_for_arithmetic) {
    struct inference inference = inference_of("llama-3.1-70b", "h100", 8);
    const struct pass pass = pass_prefill(32768, 0);
    double rate = 8 * 989e12, linear = 2 * 69501714432.0 / rate, pairs = 32768.0 * 32769 / 2;
    ck_assert_double_eq_tol((double)pass_total(&inference, &pass), (32768 * linear + pairs * 4 * 8192 * 80 / rate) * 1e15, 300);
    ck_assert_double_eq_tol(linear * 1e6, 17.6, 17.6 * 0.005);
}
END_TEST

// Half the efficiency is twice the time, exactly where nothing is rounded.
START_TEST(efficiencies) {
    struct inference inference = inference_of("llama-3.1-8b", "h100", 1);
    const struct work reading = {.bytes = 3350000}, computing = {.operations = 989000000};
    int64_t ticks = 0;
    ck_assert(work_price(&inference, &reading, &ticks));
    ck_assert_int_eq(ticks, 1000000000); // 1 us
    ck_assert(work_price(&inference, &computing, &ticks));
    ck_assert_int_eq(ticks, 1000000000);
    inference.memory_efficiency = MILLION / 2, inference.compute_efficiency = MILLION / 4;
    ck_assert(work_price(&inference, &reading, &ticks));
    ck_assert_int_eq(ticks, 2000000000);
    ck_assert(work_price(&inference, &computing, &ticks));
    ck_assert_int_eq(ticks, 4000000000);
    const struct work endless = {.bytes = (__int128)1 << 90};
    ck_assert(!work_price(&inference, &endless, &ticks));
}
END_TEST

// Where the device has no rate for the weights' format it multiplies in that of the activations.
START_TEST(arithmetic_of_the_device) {
    ck_assert_int_eq(inference_of("deepseek-v3", "h100", 16).arithmetic, DTYPE_FP8);
    ck_assert_int_eq(inference_of("deepseek-v3", "a100", 16).arithmetic, DTYPE_BF16);
}
END_TEST

// A token of a mixture meets top_k of the experts; a few tokens read a few experts only: one of Mixtral's layers, two of eight.
START_TEST(experts_read) {
    struct inference inference = inference_of("mixtral-8x7b", "h100", 1);
    struct pass_ticks one, many;
    struct error err = {0};
    const struct pass pass_one = pass_decode(1, 1), pass_many = pass_decode(4, 1);
    ck_assert(pass_price(&inference, &pass_one, &one, &err) && pass_price(&inference, &pass_many, &many, &err));
    double expert = 3.0 * 4096 * 14336, router = 4096 * 8;
    ck_assert_double_eq_tol((double)one.moe, (2 * expert + router) * 2 / 3.35e12 * 1e15, 1);
    ck_assert_double_eq_tol((double)many.moe, (8 * expert + router) * 2 / 3.35e12 * 1e15, 1);
}
END_TEST

// 405B in BF16 on eight H100: 405.85 x 2 / 8 = 101.5 GB.
START_TEST(does_not_fit) {
    struct inference inference = inference_of("llama-3.1-405b", "h100", 8);
    const struct holding holding = {0, 126, true, true, 1000};
    struct error err = {0};
    ck_assert(!inference_fits(&inference, &holding, &err));
    ck_assert_str_eq(err.where, "hardware");
    ck_assert_str_eq(err.text,
                     "llama-3.1-405b does not fit: each device needs 101.5 GB for weights (bf16) and 64.51 MB for keys and values "
                     "(bf16), 21.53 GB more than the 80 GB of h100");
    inference.weights = DTYPE_FP8;
    ck_assert(inference_fits(&inference, &holding, &err));
}
END_TEST

Suite *test_inference_suite(void);
Suite *test_inference_suite(void) {
    Suite *suite = suite_create("inference");
    TCase *tcase = tcase_create("inference");
    tcase_add_test(tcase, parameters_as_published);
    tcase_add_test(tcase, parameters_read);
    tcase_add_test(tcase, cache_of_a_token);
    tcase_add_test(tcase, cache_of_a_device);
    tcase_add_test(tcase, decode_waits_for_memory);
    tcase_add_test(tcase, prefill_waits_for_arithmetic);
    tcase_add_test(tcase, efficiencies);
    tcase_add_test(tcase, arithmetic_of_the_device);
    tcase_add_test(tcase, experts_read);
    tcase_add_test(tcase, does_not_fit);
    suite_add_tcase(suite, tcase);
    return suite;
}
