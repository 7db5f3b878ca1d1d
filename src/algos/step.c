#include "algos/step.h"

#include "base/memory.h"

static struct operation *add(struct step *step, const struct view *view, uint32_t member, struct span span) {
    ARRAY_RESERVE(step->operations, step->capacity, step->count + 1);
    step->last = step->count;
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

void step_join(struct step *step, struct span span, enum vector vector) {
    ARRAY_RESERVE(step->operations, step->capacity, step->count + 1);
    struct operation *operation = &step->operations[step->count++];
    *operation = step->operations[step->last];
    operation->joined = 0;
    operation->vector = (uint8_t)vector;
    operation->span = span;
    step->operations[step->last].joined++;
}
