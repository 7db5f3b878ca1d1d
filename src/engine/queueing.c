#include "engine/queueing.h"

/// More of an even queue are not counted: it is uneven then.
#define EVEN_MOST UINT16_MAX

/// A queue holds nothing but this run.
static void hold_only(struct queue_peak *queue, int64_t last_start, int64_t ticks, int64_t bytes, int64_t waiting) {
    queue->last = (struct waiting_run){last_start - (waiting - 1) * ticks, ticks, bytes, (uint64_t)waiting};
    queue->queued_bytes = waiting * bytes;
    if (queue->queued_bytes > queue->peak_bytes) queue->peak_bytes = queue->queued_bytes;
}

struct queue_peak *queue_uneven(struct sim *sim, uint32_t link) {
    struct link_state *state = &sim->links[link];
    struct queue_peak *queue = &sim->queues[link];
    if (state->uneven) return queue;
    state->uneven = true;
    if (state->peak_chunks == 0) return queue;
    // as many as ever waited: of these the first have begun, and are dropped when it matters
    const int64_t ticks = sim_class_ticks(sim, state->size_class, state->rate_class);
    const int64_t bytes = sim->size_bytes[state->size_class], waiting = state->peak_chunks;
    hold_only(queue, state->free_at - ticks, ticks, bytes, waiting);
    return queue;
}

void queue_meet_size(struct sim *sim, uint32_t link, uint32_t size_class) {
    struct link_state *state = &sim->links[link];
    sim_count_alike(sim, link);
    if (sim->counts[link].chunks > 0 || size_class == UNCACHED_SIZE) queue_uneven(sim, link);
    state->size_class = (uint16_t)size_class;
}

void queue_raise(struct sim *sim, uint32_t link, int64_t wait, int64_t last_start) {
    struct link_state *state = &sim->links[link];
    const int64_t ticks = sim_class_ticks(sim, state->size_class, state->rate_class);
    const int64_t waiting = (wait - 1) / ticks + 1;
    if (waiting <= EVEN_MOST) {
        state->peak_chunks = (uint16_t)waiting;
        return;
    }
    const int64_t bytes = sim->size_bytes[state->size_class];
    hold_only(queue_uneven(sim, link), last_start, ticks, bytes, waiting);
}

void queue_join_unevenly(struct sim *sim, uint32_t link, const struct waiting_run *one, int64_t now) {
    if (one->chunk_bytes > 0) queue_peak_wait(queue_uneven(sim, link), one, now);
}

void queue_join_many(struct sim *sim, uint32_t link, const struct waiting_run *run, int64_t now) {
    const uint64_t begun = run->start > now ? 0 : 1; // what begins at once never waits
    if (run->chunks <= begun) return;
    const struct waiting_run waiting = {run->start + (int64_t)begun * run->service_ticks, run->service_ticks, run->chunk_bytes,
                                        run->chunks - begun};
    const struct link_state *state = &sim->links[link];
    const int64_t wait = waiting.start + (int64_t)(waiting.chunks - 1) * waiting.service_ticks - now;
    if (state->uneven)
        queue_peak_wait(&sim->queues[link], &waiting, now);
    else if (queue_rises(state, wait, run->service_ticks))
        queue_raise(sim, link, wait, now + wait);
}

int64_t queue_peak_bytes(const struct sim *sim, uint32_t link) {
    const struct link_state *state = &sim->links[link];
    const int64_t peak = sim->queues[link].peak_bytes, even = state->uneven ? 0 : state->peak_chunks * sim->size_bytes[state->size_class];
    return peak > even ? peak : even;
}
