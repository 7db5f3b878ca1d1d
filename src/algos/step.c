#include "algos/step.h"

#include "base/memory.h"

static struct operation *add(struct step *step, const struct view *view, uint32_t member, struct span span) {
    ARRAY_RESERVE(step->operations, step->capacity, step->count + 1);
    struct operation *operation = &step->operations[step->count++];
    *operation = (struct operation){.peer = view_member(view, member), .span = span};
    return operation;
}

void step_send(struct step *step, const struct view *view, uint32_t member, struct span span) {
    add(step, view, member, span)->is_send = true;
}

void step_receive(struct step *step, const struct view *view, uint32_t member, struct span span, enum combine combine) {
    add(step, view, member, span)->combine = (uint8_t)combine;
}
