#ifndef ALGOS_NAIVE_STEPS_H
#define ALGOS_NAIVE_STEPS_H

#include "algos/step.h"

/// Member 0 of a view speaks with every other directly, in one step: alpha + (p-1) n/beta.

/// Member 0 sends `data` to 1, 2, … p-1.
static inline void naive_broadcast_step(const struct view *view, struct span data, struct step *out) {
    step_phase(out, "broadcast", 0, 1);
    if (view->rank)
        step_receive(out, view, 0, data, COMBINE_COPY);
    else
        for (uint32_t member = 1; member < view->size; member++) step_send(out, view, member, data);
}

/// All send `data` to member 0, who adds it up.
static inline void naive_reduce_step(const struct view *view, struct span data, struct step *out) {
    step_phase(out, "reduce", 0, 1);
    if (view->rank)
        step_send(out, view, 0, data);
    else
        for (uint32_t member = 1; member < view->size; member++) step_receive(out, view, member, data, COMBINE_ADD);
}

#endif
