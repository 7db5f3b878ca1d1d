#include "algos/step.h"

#include "base/pages.h"

void step_join(struct step *step, struct span span, enum vector vector) {
    PAGES_RESERVE(step->operations, step->capacity, step->count + 1);
    struct operation *operation = &step->operations[step->count++];
    *operation = step->operations[step->last];
    operation->joined = 0;
    operation->vector = (uint8_t)vector;
    operation->span = span;
    step->operations[step->last].joined++;
}
