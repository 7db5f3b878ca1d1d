#include "engine/renumber.h"

#include <stdlib.h>

#include "base/memory.h"

static struct message *continued(const struct sim *sim, size_t i) {
    return &sim->messages[(uint32_t)sim->continuations.entries[i].payload];
}

/// By how much an endpoint's numbers become smaller; 0 where one that is still ordered by it is as small itself.
static uint32_t *find_shifts(const struct sim *sim, uint32_t multiple) {
    uint32_t *shifts = allocate_zeroed(sim->graph->endpoints, sizeof *shifts);
    for (uint32_t e = 0; e < sim->graph->endpoints; e++)
        if (sim->next_number[e] >= 2 * (uint32_t)RENUMBER_EVERY) shifts[e] = multiple;
    for (size_t i = 0; i < sim->continuations.count; i++) {
        const struct message *message = continued(sim, i);
        if (message->number < multiple) shifts[message->source] = 0;
    }
    return shifts;
}

void sim_renumber(struct sim *sim) {
    uint32_t period = sim->router.message_period, multiple = period > 0 ? RENUMBER_EVERY - RENUMBER_EVERY % period : 0;
    if (multiple == 0) return;
    uint32_t *shifts = find_shifts(sim, multiple);
    for (uint32_t e = 0; e < sim->graph->endpoints; e++) sim->next_number[e] -= shifts[e];
    for (size_t i = 0; i < sim->continuations.count; i++) {
        struct message *message = continued(sim, i);
        message->number -= shifts[message->source];
        sim->continuations.entries[i].order -= shifts[message->source];
    }
    free(shifts);
}
