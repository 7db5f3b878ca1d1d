#ifndef LLM_KV_PLAN_H
#define LLM_KV_PLAN_H

#include <stdint.h>

#include "llm/inference.h"

/// Who sends which part of the keys and values to whom, when a group of devices that split the model one way (prefill,
/// TP p) hands them to a group that splits it another way (decode, TP d). Arithmetic only: no time, no network.
///
/// KV_EVEN: the cache is one line of bytes; device i of n keeps [i/n, (i+1)/n) of it, and a flow is where the sender's part
/// and the receiver's meet. KV_HEADS: the same holds for whole heads as long as there are as many heads as devices. With
/// more devices than heads (MLA: one latent for all) a head is kept by several: those c that send serve the e that receive
/// evenly, each c-th of the e copies that are to be made.

/// A part of the cache: some layers of some tokens.
struct kv_block {
    enum kv_sharding sharding;
    int64_t heads;      ///< KV heads; MLA: 1
    int64_t head_bytes; ///< keys and values of one token in one layer and head; MLA: the latent and the rotated key
    int64_t layers, tokens;
};
struct kv_block kv_block_of(const struct inference *inference, int64_t layers, int64_t tokens);

/// Bytes of it, each head counted once.
int64_t kv_block_bytes(const struct kv_block *block);

/// Bytes that device `to` of `receivers` gets from device `from` of `senders`. Summed over all senders it is what the
/// receiver keeps.
struct kv_groups {
    uint32_t senders, receivers; ///< devices of each
};
int64_t kv_flow_bytes(const struct kv_block *block, struct kv_groups groups, uint32_t from, uint32_t to);

/// The lanes (NICs) that a device of a group of `devices` uses, of `lanes` that the group has, all numbered alike: its own
/// share where there are more lanes than devices, else one that it shares with others. As many as devices: its own.
struct kv_lanes {
    uint32_t first, count;
};
struct kv_lanes kv_lanes_of(uint32_t devices, uint32_t lanes, uint32_t device);

/// Of a flow that is cut over the lanes of both ends: as many stripes as the end with more lanes has; stripe s leaves by
/// lane `out` of the sender's group, comes in by lane `in` of the receiver's.
struct kv_stripe {
    uint32_t out, in;
    int64_t bytes;
};
uint32_t kv_stripe_count(struct kv_lanes sender, struct kv_lanes receiver);
struct kv_stripe kv_stripe(struct kv_lanes sender, struct kv_lanes receiver, int64_t flow_bytes, uint32_t s);

#endif
