#ifndef ALGOS_BLOCKS_STEPS_H
#define ALGOS_BLOCKS_STEPS_H

#include "algos/step.h"

/// `count` of the `parts` blocks of a vector, from `first` on and round the end: one message of one or two spans.
struct blocks {
    struct span data;
    uint32_t parts, first, count;
};

/// The blocks that wrap round the end join the message added last.
static inline void blocks_join_rest(struct step *out, const struct blocks *blocks) {
    if (blocks->count <= blocks->parts - blocks->first) return;
    step_join(out, span_blocks(blocks->data, blocks->parts, 0, blocks->count - (blocks->parts - blocks->first)), VECTOR_DATA);
}

static inline struct span blocks_before_end(const struct blocks *blocks) {
    uint32_t room = blocks->parts - blocks->first, count = blocks->count < room ? blocks->count : room;
    return span_blocks(blocks->data, blocks->parts, blocks->first, (int64_t)blocks->first + count);
}

static inline void blocks_send(struct step *out, const struct view *view, uint32_t member, const struct blocks *blocks) {
    step_send(out, view, member, blocks_before_end(blocks));
    blocks_join_rest(out, blocks);
}

static inline void blocks_receive(struct step *out, const struct view *view, uint32_t member, const struct blocks *blocks,
                                  enum combine combine) {
    step_receive(out, view, member, blocks_before_end(blocks), combine);
    blocks_join_rest(out, blocks);
}

#endif
