#ifndef LLM_ROUTING_H
#define LLM_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/// Which experts the tokens of a layer go to. Integers throughout, so that a seed means the same on every machine.

/// How popular experts are.
enum popularity {
    POPULARITY_UNIFORM,
    POPULARITY_ZIPF,       ///< the n-th most popular has 1 / n^skew; which that is, the seed decides
    POPULARITY_LOG_NORMAL, ///< e^(skew x z), z of a normal distribution (the sum of 12 uniform numbers, which ends at 6)
};

/// Fills the weights of `count` experts; skew in millionths, at most 4. Each is at least 1, all together are below 2^62.
void popularity_weights(enum popularity popularity, int64_t skew, uint64_t seed, uint32_t count, int64_t *weights);

enum draw {
    DRAW_EVEN,   ///< each expert gets its exact share (rounded to a token), and each token's experts lie as far apart as they can
    DRAW_RANDOM, ///< each token's experts are drawn one after another without replacement
};

/// Every token goes to `picks` different experts. With a limit it first goes to `node_limit` different nodes, by the sum of
/// their weights, and then to as many experts in each; the picks that are left over go to each of the nodes in turn.
enum { ROUTING_NODE_LIMIT = 64 }; ///< the largest
struct routing_config {
    uint32_t experts, picks;
    const int64_t *weights; ///< per expert, not negative; below 2^62 together
    enum draw draw;
    uint64_t seed;
    uint32_t nodes, node_limit;   ///< limit 0, or at least `nodes`: none
    const uint32_t *node_experts; ///< where the experts of each node begin, and where those of the last end: nodes + 1; only for a limit
};
struct routing;

/// NULL with ERROR_INPUT where there are not enough experts of any weight. The config is not kept.
struct routing *routing_create(const struct routing_config *config, struct error *err);
void routing_free(struct routing *routing);

/// The experts of token `token` of `tokens`: `picks` of them.
void routing_pick(const struct routing *routing, uint64_t token, uint64_t tokens, uint32_t *out);

#endif
