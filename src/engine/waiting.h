#ifndef ENGINE_WAITING_H
#define ENGINE_WAITING_H

#include <string.h>

#include "engine/service.h"

/// Messages of one chunk each and one size that an endpoint posts together wait at their source as lists, one for each first link:
/// the service of a whole list is reserved at once, as that of a run of chunks, and each message gets a record and a chunk
/// only when it comes to the link's far end. An exchange at once of 2,000 ranks has millions that wait and thousands under way.
struct waiting {
    struct message like; ///< what they have in common
    uint32_t next, count;
    struct waiting_message {
        uint32_t destination, label, selector;
    } items[];
};

/// Appends to sim->injected the lists of what was posted as `message` (sim_post_many), which is freed, and counts them.
void sim_plan_many(struct sim *sim, uint32_t message);
void sim_serve_waiting(struct sim *sim, const struct injected *injection);
void waiting_free(struct sim *sim, struct waiting *waiting); ///< NULL: none

static inline size_t waiting_bytes(const struct waiting *waiting) { return sizeof *waiting + waiting->count * sizeof waiting->items[0]; }

/// When the next message of a list, which is not its last, comes out of the link: its tail where it is delivered there.
static inline int64_t waiting_next_join(const struct sim *sim, const struct chunk_run *run, int64_t latency) {
    bool heads = cuts_through(sim) && run->waiting->items[run->waiting->next].destination != sim->links[run->link].to;
    return run->start + latency + (heads ? 0 : run->full_ticks);
}

/// Gives the next message of a list its record; returns which.
static inline uint32_t waiting_record(struct sim *sim, struct waiting *waiting) {
    const struct waiting_message *item = &waiting->items[waiting->next++];
    uint32_t id = sim_new_message(sim);
    struct message *message = &sim->messages[id];
    *message = waiting->like;
    message->destination = item->destination;
    memcpy(message->user, &item->label, sizeof item->label);
    sim->unrecorded--;
    return id;
}

/// Takes the next message of a list as it comes out of the link.
static inline void waiting_take(struct sim *sim, struct chunk_run *run, int64_t latency, struct chunk *chunk) {
    const struct waiting_message *item = &run->waiting->items[run->waiting->next];
    chunk->join = waiting_next_join(sim, run, latency);
    run->start += run->full_ticks;
    chunk->tail = run->start + latency;
    chunk->destination = item->destination;
    chunk->selector = item->selector & 0xfffff, chunk->size_class = run->like.size_class;
    chunk->message = waiting_record(sim, run->waiting);
    chunk->out = next_out(sim, &sim->links[run->link], chunk);
    run->chunks_left--;
}

#endif
