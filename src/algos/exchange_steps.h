#ifndef ALGOS_EXCHANGE_STEPS_H
#define ALGOS_EXCHANGE_STEPS_H

#include "algos/algorithm.h"
#include "algos/step.h"

/// The vectors of an all-to-all. Both have p slots of equal marks. Slot j of a rank's data is its block for rank j; slot i
/// of its result is to hold rank i's block for it. Methods that move blocks through other ranks keep them in the slots
/// of the result, or in further slots behind them.

/// The bytes of rank `from`'s block for rank `to`.
static inline int64_t exchange_bytes(const struct collective_args *args, uint32_t from, uint32_t to) {
    if (args->matrix) return args->matrix[(size_t)from * args->size + to];
    return span_block(args_vector(args), args->size, to).bytes;
}

/// Rank `from`'s block for rank `to`, where it lies in `slot` of a vector.
static inline struct span exchange_span(const struct collective_args *args, uint32_t from, uint32_t to, uint32_t slot) {
    if (args->part.marks == UNMARKED) return (struct span){.bytes = exchange_bytes(args, from, to), .marks = UNMARKED};
    int64_t marks = VECTOR_MARKS / args->size;
    return (struct span){.bytes = exchange_bytes(args, from, to), .mark = marks * slot, .marks = marks};
}

/// Whether all blocks are one span, part.bytes / size long, for nobody asks for their places.
static inline bool exchange_alike(const struct collective_args *args) {
    return !args->matrix && args->part.marks == UNMARKED && args->part.bytes % args->size == 0;
}

/// A message of a span of one of the vectors, to which others may be joined.
static inline void exchange_add(struct step *out, const struct view *view, uint32_t peer, bool is_send, struct span span,
                                enum vector vector) {
    if (is_send)
        step_send(out, view, peer, span);
    else
        step_receive(out, view, peer, span, COMBINE_COPY);
    step_last(out)->vector = (uint8_t)vector;
}

/// Whether there is a message at all: zero entries of a matrix are not sent.
static inline bool exchange_sent(const struct collective_args *args, int64_t bytes) { return bytes > 0 || !args->matrix; }

/// The block for `to`, straight from the own data.
static inline void exchange_send(const struct collective_args *args, const struct view *view, uint32_t to, struct step *out) {
    struct span span = exchange_span(args, view->rank, to, to);
    if (exchange_sent(args, span.bytes)) exchange_add(out, view, to, true, span, VECTOR_DATA);
}

/// The block of `from`, straight into the own result.
static inline void exchange_receive(const struct collective_args *args, const struct view *view, uint32_t from, struct step *out) {
    struct span span = exchange_span(args, from, view->rank, from);
    if (exchange_sent(args, span.bytes)) exchange_add(out, view, from, false, span, VECTOR_RESULT);
}

#endif
