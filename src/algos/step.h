#ifndef ALGOS_STEP_H
#define ALGOS_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algos/span.h"
#include "algos/view.h"
#include "base/pages.h"

/// What a receive does with what was there.
enum combine {
    COMBINE_COPY, ///< replaces
    COMBINE_ADD,  ///< adds: each contribution must be new
};

/// Which of a rank's two vectors: all-to-all reads from one and writes to the other, all else works in place.
enum vector { VECTOR_DATA, VECTOR_RESULT };

struct operation {
    bool is_send;
    bool in_network;  ///< sent to the switches that reduce, and received from them; the peer is the rank itself
    uint8_t combine;  ///< of a receive
    uint8_t vector;   ///< where a send reads, where a receive writes
    uint32_t peer;    ///< rank of the collective (not of a view)
    uint32_t piece;   ///< tells several messages of one pair in one step apart
    uint32_t joined;  ///< how many of the operations that follow are further spans of this same message
    struct span span; ///< what is read or written
};

/// The bytes of an operation's whole message: its own span and those joined to it.
static inline int64_t operation_bytes(const struct operation *operation) {
    int64_t bytes = operation->span.bytes;
    for (uint32_t i = 1; i <= operation->joined; i++) bytes += operation[i].span.bytes;
    return bytes;
}

/// What one rank does in one step: all of it is posted together, then the receives are waited for.
/// Filled by an algorithm's `step`; empty when the rank has nothing to do. Where a message is not contiguous, the
/// operation that stands for it is followed by its `joined` further spans; walk with `i += 1 + operations[i].joined`.
struct step {
    struct operation *operations; ///< free with pages_free
    size_t count, capacity;
    size_t sends;      ///< how many of the messages are sent
    size_t last;       ///< the operation added last, its joined spans not counted
    const char *phase; ///< "all-gather": for people; static text or NULL
    uint64_t phase_step, phase_steps;
};

static inline void step_clear(struct step *step) { step->count = step->sends = 0, step->phase = NULL; }

static inline struct operation *step_add(struct step *step, const struct view *view, uint32_t member, struct span span) {
    PAGES_RESERVE(step->operations, step->capacity, step->count + 1);
    step->last = step->count++;
    struct operation *operation = &step->operations[step->last];
    *operation = (struct operation){.peer = view_member(view, member), .span = span};
    return operation;
}

static inline void step_send(struct step *step, const struct view *view, uint32_t member, struct span span) {
    step_add(step, view, member, span)->is_send = true;
    step->sends++;
}

static inline void step_receive(struct step *step, const struct view *view, uint32_t member, struct span span, enum combine combine) {
    step_add(step, view, member, span)->combine = (uint8_t)combine;
}

/// The operation added last, to set its piece or vector.
static inline struct operation *step_last(struct step *step) { return &step->operations[step->last]; }

/// Adds a span to the message of the operation added last. Sender and receiver list the same spans in the same order.
void step_join(struct step *step, struct span span, enum vector vector);

static inline void step_phase(struct step *step, const char *phase, uint64_t at, uint64_t of) {
    step->phase = phase, step->phase_step = at, step->phase_steps = of;
}

#endif
