#ifndef ENGINE_WINDOW_SERVICE_H
#define ENGINE_WINDOW_SERVICE_H

#include "engine/window_wake.h"

/// The service of one chunk in the window engine, which routes it later (bucket_route).

static inline const struct service_kind *kind_of(struct bucket_server *server, const struct link_state *state, const struct chunk *chunk) {
    struct service_kind *kind = &server->kinds[state->rate_class];
    if (kind->serves != chunk->size_class) *kind = service_kind_of(server->sim, state, chunk);
    return kind;
}

static inline void link_woke(struct sim *sim, uint32_t link, int64_t join) { window_wake(sim->engine, link, join); }

/// Its link `out` serves a chunk that joins it now. False: the clock overflows.
__attribute__((always_inline)) static inline bool window_serve(struct bucket_server *server, const struct chunk *chunk, int64_t now) {
    struct sim *sim = server->sim;
    const uint32_t link = chunk->out;
    const struct link_state *state = &sim->links[link];
    const struct departure departure = reserve_service(sim, link, chunk, now, kind_of(server, state, chunk));
    if (departure.tail == NEVER_DEPARTS) return false;
    if (sim->some_unawaited && chunk->destination == state->to && sim_is_unawaited(sim, chunk->message)) {
        sim_deliver_early(sim, chunk->message, departure.tail);
        return true;
    }
    struct chunk *sent = send_unrouted(sim, link, chunk, &departure, link_woke);
    ARRAY_RESERVE(server->sent, server->sent_capacity, server->sent_count + 1);
    server->sent[server->sent_count] = sent;
    server->sent_count += sent->out != DELIVERED;
    return true;
}

#endif
