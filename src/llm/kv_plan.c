#include "llm/kv_plan.h"

/// Where part i of n begins on a line.
static int64_t part_start(int64_t line, int64_t n, int64_t i) { return (int64_t)((__int128)line * i / n); }

struct interval {
    int64_t start, end;
};

static struct interval part_of(int64_t line, int64_t n, int64_t i) {
    return (struct interval){part_start(line, n, i), part_start(line, n, i + 1)};
}

static int64_t overlap(struct interval a, struct interval b) {
    int64_t start = a.start > b.start ? a.start : b.start, end = a.end < b.end ? a.end : b.end;
    return end > start ? end - start : 0;
}

struct kv_block kv_block_of(const struct inference *inference, int64_t layers, int64_t tokens) {
    const struct model *model = &inference->model;
    int64_t heads = model->kv_latent > 0 ? 1 : model->kv_heads;
    return (struct kv_block){
        .sharding = inference->kv_sharding,
        .heads = heads,
        .head_bytes = dtype_bytes(inference->kv, model_kv_width(model) / heads),
        .layers = layers,
        .tokens = tokens,
    };
}

static int64_t bytes_a_head(const struct kv_block *block) { return block->head_bytes * block->layers * block->tokens; }

int64_t kv_block_bytes(const struct kv_block *block) { return bytes_a_head(block) * block->heads; }

/// The heads that device i of n keeps: its share of them, or the one that it keeps together with others.
static struct interval heads_of(const struct kv_block *block, uint32_t n, uint32_t i) {
    if (n <= block->heads) return part_of(block->heads, n, i);
    int64_t head = part_start(block->heads, n, i);
    return (struct interval){head, head + 1};
}

/// The first device of n that keeps a head (or a later one): those with floor(heads * i / n) >= head.
static int64_t first_keeper(const struct kv_block *block, uint32_t n, int64_t head) {
    return (int64_t)(((__int128)head * n + block->heads - 1) / block->heads);
}

/// Which keeper of a head a device is, of how many.
struct keeper {
    int64_t number, count;
};

static struct keeper keeper_of(const struct kv_block *block, uint32_t n, uint32_t i, int64_t head) {
    if (n <= block->heads) return (struct keeper){0, 1};
    int64_t first = first_keeper(block, n, head);
    return (struct keeper){i - first, first_keeper(block, n, head + 1) - first};
}

/// The copies to be made of a head lie in a row: each sender makes an equal part of the row, each receiver gets one copy.
static int64_t head_flow(const struct kv_block *block, struct keeper sender, struct keeper receiver) {
    int64_t copy = bytes_a_head(block);
    struct interval made = part_of(copy * receiver.count, sender.count, sender.number);
    return overlap(made, (struct interval){copy * receiver.number, copy * (receiver.number + 1)});
}

int64_t kv_flow_bytes(const struct kv_block *block, struct kv_groups groups, uint32_t from, uint32_t to) {
    if (block->sharding == KV_EVEN) {
        int64_t line = kv_block_bytes(block);
        return overlap(part_of(line, groups.senders, from), part_of(line, groups.receivers, to));
    }
    struct interval kept = heads_of(block, groups.senders, from), wanted = heads_of(block, groups.receivers, to);
    int64_t start = kept.start > wanted.start ? kept.start : wanted.start, bytes = 0;
    for (int64_t head = start; head < kept.end && head < wanted.end; head++)
        bytes += head_flow(block, keeper_of(block, groups.senders, from, head), keeper_of(block, groups.receivers, to, head));
    return bytes;
}

struct kv_lanes kv_lanes_of(uint32_t devices, uint32_t lanes, uint32_t device) {
    uint32_t first = (uint32_t)part_start(lanes, devices, device);
    if (lanes < devices) return (struct kv_lanes){first, 1};
    return (struct kv_lanes){first, (uint32_t)part_start(lanes, devices, device + INT64_C(1)) - first};
}

uint32_t kv_stripe_count(struct kv_lanes sender, struct kv_lanes receiver) {
    return sender.count > receiver.count ? sender.count : receiver.count;
}

struct kv_stripe kv_stripe(struct kv_lanes sender, struct kv_lanes receiver, int64_t flow_bytes, uint32_t s) {
    struct interval part = part_of(flow_bytes, kv_stripe_count(sender, receiver), s);
    return (struct kv_stripe){sender.first + s % sender.count, receiver.first + s % receiver.count, part.end - part.start};
}
