// The clock goes on without what happens meanwhile: nothing is on the network, and what is to come is put off.
#include <stdlib.h>
#include <string.h>

#include "engine/sim_state.h"

static int by_time(const void *left, const void *right) {
    const struct heap_entry *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

size_t sim_timer_count(const struct sim *sim) { return sim->timers.count; }

void sim_list_timers(const struct sim *sim, struct set_timer *out) {
    size_t count = sim->timers.count;
    struct heap_entry *entries = allocate(count * sizeof *entries);
    if (count > 0) memcpy(entries, sim->timers.entries, count * sizeof *entries);
    if (count > 1) qsort(entries, count, sizeof *entries, by_time);
    for (size_t i = 0; i < count; i++) out[i] = (struct set_timer){entries[i].time, (uint32_t)entries[i].payload};
    free(entries);
}

void sim_jump(struct sim *sim, int64_t ticks) {
    sim->now += ticks;
    for (size_t i = 0; i < sim->timers.count; i++) sim->timers.entries[i].time += ticks;
}
