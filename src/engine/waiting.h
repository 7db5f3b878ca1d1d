#ifndef ENGINE_WAITING_H
#define ENGINE_WAITING_H

#include <string.h>

#include "engine/service.h"

/// Messages of one size, all of whose chunks are equal, that an endpoint posts together wait at their source as lists, one for each
/// first link: the service of a whole list is reserved at once, as that of a run of chunks, and each message gets a record only when its
/// first chunk comes to the link's far end. An exchange at once of 2,000 ranks has millions that wait and thousands under way.
struct waiting {
    struct message like; ///< what they have in common; a cache line, for each gets a copy
    uint32_t count;
    struct waiting_message {
        uint32_t destination, label, selector;
    } items[];
};

/// Appends to sim->injected the lists of what was posted as `message` (sim_post_many), which is freed, and counts them.
void sim_plan_many(struct sim *sim, uint32_t message);
void sim_serve_waiting(struct sim *sim, const struct injected *injection);
void waiting_free(struct sim *sim, struct waiting *waiting); ///< NULL: none

static inline size_t waiting_bytes(const struct waiting *waiting) { return sizeof *waiting + waiting->count * sizeof waiting->items[0]; }

/// Whether the next message of a list is delivered at the far end of the link: then all its chunks are taken with the last.
static inline bool waiting_ends(const struct sim *sim, const struct chunk_run *run) {
    return run->waiting->items[run->next_waiting].destination == sim->links[run->link].to;
}

/// When the next of a list, of which some are left, comes out of the link.
static inline int64_t waiting_next_join(const struct sim *sim, const struct chunk_run *run, int64_t latency) {
    if (waiting_ends(sim, run)) return run->start + run->full_ticks * (int64_t)run->waiting->like.chunks_left + latency;
    return run->start + latency + (cuts_through(sim) ? 0 : run->full_ticks);
}

/// Gives the next message of a list its record; returns which.
static inline uint32_t waiting_record(struct sim *sim, const struct chunk_run *run) {
    const struct waiting *waiting = run->waiting;
    const struct waiting_message *item = &waiting->items[run->next_waiting];
    uint32_t id = sim_new_message(sim);
    struct message *message = &sim->messages[id];
    *message = waiting->like;
    message->destination = item->destination;
    memcpy(message->user, &item->label, sizeof item->label);
    sim->unrecorded--;
    return id;
}

/// The next message of a list begins to come out of the link.
static inline void waiting_begin(struct sim *sim, struct chunk_run *run) {
    const struct waiting_message *item = &run->waiting->items[run->next_waiting];
    run->like.message = waiting_record(sim, run);
    run->like.destination = item->destination;
    run->like.selector = item->selector & 0xfffff;
    run->like.out = next_out(sim, &sim->links[run->link], &run->like);
}

/// Takes the next of a list as it comes out of the link at `join`: a chunk, or where it is delivered there a message; returns how many
/// chunks.
static inline uint64_t waiting_take(struct sim *sim, struct chunk_run *run, int64_t join, int64_t latency, struct chunk *chunk) {
    if (run->next_chunk == 0) waiting_begin(sim, run);
    const uint64_t chunks = run->like.out == DELIVERED ? run->waiting->like.chunks_left : 1;
    copy_chunk(chunk, &run->like);
    run->start += run->full_ticks * (int64_t)chunks;
    chunk->join = join, chunk->tail = run->start + latency;
    run->chunks_left -= chunks;
    run->next_chunk += chunks;
    if (run->next_chunk == run->waiting->like.chunks_left) run->next_chunk = 0, run->next_waiting++;
    return chunks;
}

#endif
