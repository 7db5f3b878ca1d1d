// Who waits for whom, for the report of a stall.
#include <stdio.h>

#include "algos/communicator_state.h"
#include "base/units.h"

/// Whether the sender of a receive has come so far that it has posted the message: nothing is on its way any more.
static bool has_sent(const struct collective *collective, uint32_t t, const struct operation *receive) {
    const struct task *task = &collective->tasks[t];
    const struct task *peer = &collective->tasks[receive->peer * collective->machines + t % collective->machines];
    return peer->state != NOT_STARTED && (peer->step > task->step || (peer->step == task->step && peer->state == IN_STEP));
}

/// Whether a receive of the task's step is open. Where they are not listed one by one, those whose sender has not come so
/// far; where all have, any.
static bool is_open(const struct collective *collective, uint32_t t, const struct operation *receive, bool any) {
    const struct task *task = &collective->tasks[t];
    if (task->wants) return want_set_has(task->wants, receive->peer, receive->piece);
    return any || !has_sent(collective, t, receive);
}

static int append_peers(const struct communicator *comm, const struct collective *collective, uint32_t t, bool any, char *out,
                        size_t size) {
    const struct step *step = &comm->step;
    int used = 0, named = 0;
    for (size_t i = 0; i < step->count && named < 4; i += 1 + step->operations[i].joined)
        if (!step->operations[i].is_send && is_open(collective, t, &step->operations[i], any))
            used += snprintf(out + used, size - (size_t)used, "%s %u", named++ ? "," : "", rank_of(collective, step->operations[i].peer));
    return used;
}

static int append_waiting(struct communicator *comm, uint32_t id, uint32_t t, char *out, size_t size) {
    struct collective *collective = comm->collectives[id];
    const struct algorithm *algorithm = collective->request.algorithm;
    struct task *task = &collective->tasks[t];
    char since[QUANTITY_SIZE];
    int used = snprintf(out, size, "rank %u %s/%s ", rank_of(collective, t / collective->machines), collective_names[algorithm->kind],
                        algorithm->name);
    if (task->state == AT_BARRIER)
        return used + snprintf(out + used, size - (size_t)used, "has ended step %u and waits for the others since %s", task->step,
                               format_time(task->since, comm->ticks_per_s, since));
    communicator_fill_step(comm, collective, t);
    const struct step *step = &comm->step;
    if (step->phase)
        used += snprintf(out + used, size - (size_t)used, "%s step %llu/%llu", step->phase, (unsigned long long)step->phase_step + 1,
                         (unsigned long long)step->phase_steps);
    else
        used += snprintf(out + used, size - (size_t)used, "step %u/%llu", task->step + 1,
                         (unsigned long long)collective->steps[t % collective->machines]);
    used += snprintf(out + used, size - (size_t)used, " waits for rank");
    int named = append_peers(comm, collective, t, false, out + used, size - (size_t)used);
    used += named ? named : append_peers(comm, collective, t, true, out + used, size - (size_t)used);
    return used + snprintf(out + used, size - (size_t)used, " since %s", format_time(task->since, comm->ticks_per_s, since));
}

void communicator_describe_waiting(struct communicator *comm, int most, char *out, size_t out_size) {
    size_t used = 0;
    int named = 0;
    if (out_size) out[0] = 0;
    for (uint32_t id = 0; id < comm->collective_count; id++) {
        struct collective *collective = comm->collectives[id];
        for (uint32_t t = 0; collective && t < collective->tasks_total; t++) {
            uint32_t state = collective->tasks[t].state;
            if (state != IN_STEP && state != AT_BARRIER) continue;
            char line[256];
            append_waiting(comm, id, t, line, sizeof line);
            int wrote = snprintf(out + used, out_size - used, "%s%s", named ? "; " : "", line);
            if (wrote < 0 || used + (size_t)wrote >= out_size || ++named == most) return;
            used += (size_t)wrote;
        }
    }
}
