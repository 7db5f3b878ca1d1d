#ifndef ENGINE_INJECT_H
#define ENGINE_INJECT_H

#include "engine/sim_state.h"

/// From posted messages to chunks that join their first links. An engine takes the posts of an instant in order
/// (sim_sort_posts), numbers each (sim_number_post), and injects its only chunk (sim_only_chunk) or what
/// sim_plan_message appends to sim->injected.

static inline uint32_t sim_post_source(const struct sim *sim, const struct post *post) { return sim->messages[post->message].source; }

/// The order in which messages of one instant are numbered: < 0, 0 (as they were posted), > 0.
static inline int sim_compare_posts(const struct sim *sim, const struct post *a, const struct post *b) {
    uint32_t from_a = sim_post_source(sim, a), from_b = sim_post_source(sim, b);
    if (from_a != from_b) return from_a < from_b ? -1 : 1;
    if (a->major != b->major) return a->major < b->major ? -1 : 1;
    return a->minor < b->minor ? -1 : a->minor > b->minor;
}

void sim_sort_posts(struct sim *sim); ///< where sim->posts_unsorted

/// Gives a posted message its number and counts it.
static inline void sim_number_post(struct sim *sim, struct message *message) {
    const bool reduced = sim_is_reduced(message);
    uint32_t number = sim->next_number[message->source]++;
    if (!reduced) message->number = number;
    sim->totals.messages++;
    sim->totals.chunks += message->chunks_left;
}

/// A list of messages, posted together (waiting.h).
static inline bool sim_is_list(const struct message *message) { return message->chunks_left == 0; }

/// A message of one chunk that no switch reduces.
static inline bool sim_is_only_chunk(const struct message *message) { return message->chunks_left == 1 && !sim_is_reduced(message); }

/// The only chunk of a message, as it joins its first link now, which is its `out`.
static inline void sim_only_chunk(struct sim *sim, uint32_t id, struct chunk *chunk) {
    const struct message *message = &sim->messages[id];
    const struct router *router = &sim->router;
    const uint32_t source = message->source, destination = message->destination;
    uint32_t selector = router->selector ? router->selector(router->state, source, destination, message->number, 0) & 0xfffff : 0;
    chunk->join = chunk->tail = sim->now;
    chunk->message = id, chunk->destination = destination;
    chunk->out = router->next_link(router->state, source, destination, selector);
    chunk->kind = chunk_kind(selector, sim_size_class(sim, message->bytes));
}

/// Appends to sim->injected how a message's chunks are injected, one by one or as runs.
void sim_plan_message(struct sim *sim, uint32_t id);

/// Chunk `number` of a message, as it joins its first link now.
struct chunk sim_make_chunk(struct sim *sim, uint32_t message, uint64_t number);

#endif
