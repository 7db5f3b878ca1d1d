#ifndef ENGINE_POST_H
#define ENGINE_POST_H

#include "engine/sim_state.h"

/// sim_post in two halves, inline for who posts message by message.

/// The record of a message that is posted now, whose `user` is the caller's to fill until post_end.
static inline struct message *post_begin(struct sim *sim, uint32_t source, uint32_t destination, int64_t bytes, uint32_t major,
                                         uint32_t minor) {
    uint32_t id = sim->free_message;
    struct message *message = &sim->messages[id];
    sim->free_message = message->next;
    message->bytes = bytes;
    message->source = source, message->destination = destination;
    message->number = message->next = 0;
    message->chunks_left = sim_chunk_count(sim, bytes);
    struct post *post = &sim->posts[sim->post_count++];
    post->message = id;
    post->major = major, post->minor = minor;
    return message;
}

/// Nobody awaits the message: its delivery makes the client do nothing at that time.
static inline void post_unawaited(struct sim *sim, struct message *message) {
    if (message->chunks_left > 1 || !sim->counts_early) return;
    message->next = UNAWAITED;
    sim->some_unawaited = true;
}

/// Compares the last two posts of the instant, if there are two, and makes room for the next.
void post_another(struct sim *sim);

static inline void post_end(struct sim *sim) {
    if (sim->post_count > 1 || sim->free_message == UINT32_MAX) post_another(sim);
}

#endif
