// Who sends which keys and values to whom, against counts by hand and against what each device keeps.
#include <check.h>

#include "llm/kv_plan.h"

/// 1.6 GB in 8 heads: 10 layers, 1000 tokens, 20,000 bytes a head.
static struct kv_block heads_block(enum kv_sharding sharding) {
    return (struct kv_block){.sharding = sharding, .heads = 8, .head_bytes = 20000, .layers = 10, .tokens = 1000};
}

static int64_t sent_by(const struct kv_block *block, struct kv_groups groups, uint32_t from) {
    int64_t bytes = 0;
    for (uint32_t to = 0; to < groups.receivers; to++) bytes += kv_flow_bytes(block, groups, from, to);
    return bytes;
}

static int64_t received_by(const struct kv_block *block, struct kv_groups groups, uint32_t to) {
    int64_t bytes = 0;
    for (uint32_t from = 0; from < groups.senders; from++) bytes += kv_flow_bytes(block, groups, from, to);
    return bytes;
}

// 1.6 GB from 4 to 8: each sender keeps two heads for two receivers, 400 MB out and 200 MB in; and the other way round.
START_TEST(between_4_and_8) {
    for (int sharding = KV_EVEN; sharding <= KV_HEADS; sharding++) {
        const struct kv_block block = heads_block((enum kv_sharding)sharding);
        const struct kv_groups up = {4, 8}, down = {8, 4};
        ck_assert_int_eq(kv_block_bytes(&block), 1600000000);
        for (uint32_t from = 0; from < 4; from++) {
            for (uint32_t to = 0; to < 8; to++) {
                ck_assert_int_eq(kv_flow_bytes(&block, up, from, to), to / 2 == from ? 200000000 : 0);
                ck_assert_int_eq(kv_flow_bytes(&block, down, to, from), to / 2 == from ? 200000000 : 0);
            }
            ck_assert_int_eq(sent_by(&block, up, from), 400000000);
        }
    }
}
END_TEST

// 8 heads on 16 receivers: each head twice, so twice the bytes where whole heads are kept, the same where it is split evenly.
START_TEST(more_receivers_than_heads) {
    const struct kv_groups groups = {4, 16};
    const struct kv_block whole = heads_block(KV_HEADS), even = heads_block(KV_EVEN);
    for (uint32_t from = 0; from < 4; from++) ck_assert_int_eq(sent_by(&whole, groups, from), 800000000);
    for (uint32_t to = 0; to < 16; to++) {
        ck_assert_int_eq(kv_flow_bytes(&whole, groups, to / 4, to), 200000000);
        ck_assert_int_eq(received_by(&even, groups, to), 100000000);
    }
}
END_TEST

// 16 senders keep each head twice, and share the sending: half each to one receiver of that head, one each to two.
START_TEST(more_senders_than_heads) {
    const struct kv_block block = heads_block(KV_HEADS);
    for (uint32_t from = 0; from < 16; from++) {
        ck_assert_int_eq(kv_flow_bytes(&block, (struct kv_groups){16, 8}, from, from / 2), 100000000);
        ck_assert_int_eq(kv_flow_bytes(&block, (struct kv_groups){16, 16}, from, from), 200000000);
        ck_assert_int_eq(sent_by(&block, (struct kv_groups){16, 1}, from), 100000000);
    }
}
END_TEST

// The latent of MLA is kept whole by all: everyone of 3 sends an equal part of the 5 copies.
START_TEST(latent) {
    const struct kv_block block = {.sharding = KV_HEADS, .heads = 1, .head_bytes = 1152, .layers = 61, .tokens = 300};
    const struct kv_groups groups = {3, 5};
    int64_t copy = 1152 * 61 * 300;
    ck_assert_int_eq(kv_block_bytes(&block), copy);
    for (uint32_t from = 0; from < 3; from++) ck_assert_int_eq(sent_by(&block, groups, from), 5 * copy / 3);
    for (uint32_t to = 0; to < 5; to++) ck_assert_int_eq(received_by(&block, groups, to), copy);
    ck_assert_int_eq(kv_flow_bytes(&block, groups, 0, 1), 5 * copy / 3 - copy);
}
END_TEST

// Of any two sizes every receiver gets what it keeps: a share, or its whole heads.
START_TEST(any_sizes) {
    for (uint32_t p = 1; p <= 20; p++) {
        for (uint32_t d = 1; d <= 20; d++) {
            const struct kv_groups groups = {p, d};
            struct kv_block block = {.sharding = KV_EVEN, .heads = 6, .head_bytes = 7, .layers = 3, .tokens = 11};
            int64_t all = 6 * 7 * 3 * 11, sum = 0;
            for (uint32_t to = 0; to < d; to++) {
                int64_t got = received_by(&block, groups, to);
                ck_assert_int_eq(got, all * (to + 1) / d - all * to / d);
                sum += got;
            }
            ck_assert_int_eq(sum, all);
            block.sharding = KV_HEADS;
            for (uint32_t to = 0; to < d; to++) {
                int64_t heads = d > 6 ? 1 : 6 * (to + 1) / d - 6 * to / d;
                ck_assert_int_eq(received_by(&block, groups, to), heads * 7 * 3 * 11);
            }
        }
    }
}
END_TEST

START_TEST(sizes_of_models) {
    static const struct {
        const char *model;
        int kv_dtype;
        int64_t token_bytes;                            ///< of all layers
    } cases[] = {{"llama-3.1-70b", DTYPE_BF16, 327680}, // lecture P5, 7.5
                 {"llama-3.1-70b", DTYPE_FP8, 163840},       {"llama-3.1-70b", DTYPE_FP4, 81920},
                 {"qwen2.5-14b", DTYPE_BF16, 196608},        {"deepseek-v3", DTYPE_BF16, 61 * (512 + 64) * 2},
                 {"deepseek-v3", DTYPE_FP8, 61 * (512 + 64)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct inference inference = {.kv = (enum dtype)cases[i].kv_dtype};
        struct error err = {0};
        struct model_config config = {.base = cases[i].model};
        field_defaults(model_fields, &config);
        config.base = cases[i].model;
        ck_assert_msg(model_resolve(&config, &inference.model, &err), "%s", err.text);
        const struct kv_block block = kv_block_of(&inference, inference.model.layers, 1000);
        ck_assert_int_eq(kv_block_bytes(&block), 1000 * cases[i].token_bytes);
    }
}
END_TEST

// One device with 8 lanes, 8 with one each, 8 that share 2, 2 with 3 each; a flow between 2 and 3 lanes is cut in 3.
START_TEST(lanes) {
    struct kv_lanes all = kv_lanes_of(1, 8, 0), own = kv_lanes_of(8, 8, 5), shared = kv_lanes_of(8, 2, 5), three = kv_lanes_of(2, 6, 1);
    ck_assert(all.first == 0 && all.count == 8);
    ck_assert(own.first == 5 && own.count == 1);
    ck_assert(shared.first == 1 && shared.count == 1);
    ck_assert(three.first == 3 && three.count == 3);
    const struct kv_lanes two = {4, 2};
    int64_t bytes = 0;
    ck_assert_uint_eq(kv_stripe_count(two, three), 3);
    for (uint32_t s = 0; s < 3; s++) {
        struct kv_stripe stripe = kv_stripe(two, three, 1000, s);
        ck_assert_uint_eq(stripe.out, 4 + s % 2);
        ck_assert_uint_eq(stripe.in, 3 + s);
        bytes += stripe.bytes;
    }
    ck_assert_int_eq(bytes, 1000);
}
END_TEST

Suite *test_kv_plan_suite(void);
Suite *test_kv_plan_suite(void) {
    Suite *suite = suite_create("kv_plan");
    TCase *tests = tcase_create("flows");
    tcase_add_test(tests, between_4_and_8);
    tcase_add_test(tests, more_receivers_than_heads);
    tcase_add_test(tests, more_senders_than_heads);
    tcase_add_test(tests, latent);
    tcase_add_test(tests, any_sizes);
    tcase_add_test(tests, sizes_of_models);
    tcase_add_test(tests, lanes);
    suite_add_tcase(suite, tests);
    return suite;
}
