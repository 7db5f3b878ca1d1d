#include "analysis/posted.h"

#include <stdlib.h>

#include "base/memory.h"

void posted_free(struct posted *posted) {
    free(posted->messages);
    free(posted->reduced);
    free(posted->step.operations);
}

static uint32_t rank_of(const struct plan *collective, uint32_t member) { return collective->ranks ? collective->ranks[member] : member; }

void posted_add_step(struct posted *posted, const struct plan *collective, uint32_t machine, uint64_t k) {
    const struct collective_args *args = &collective->args;
    struct step *step = &posted->step;
    if (k >= collective->algorithm->steps(args, machine)) return;
    if (collective->algorithm->in_network) {
        ARRAY_RESERVE(posted->reduced, posted->reduced_capacity, posted->reduced_count + 1);
        posted->reduced[posted->reduced_count++] = collective;
    }
    for (uint32_t member = 0; member < args->size; member++) {
        const struct view view = view_all(member, args->size);
        step->count = 0;
        collective->algorithm->step(args, &view, machine, k, step);
        for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) {
            const struct operation *operation = &step->operations[i];
            if (!operation->is_send || (operation->peer == member && !operation->in_network)) continue;
            ARRAY_RESERVE(posted->messages, posted->capacity, posted->count + 1);
            posted->messages[posted->count++] =
                (struct posted_message){rank_of(collective, member), rank_of(collective, operation->peer), operation_bytes(operation)};
        }
    }
}

uint64_t plan_steps(const struct plan *collective) {
    uint64_t most = 0;
    for (uint32_t machine = plan_machines(collective); machine-- > 0;) {
        uint64_t steps = collective->algorithm->steps(&collective->args, machine);
        if (steps > most) most = steps;
    }
    return most;
}
