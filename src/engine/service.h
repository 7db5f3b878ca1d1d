#ifndef ENGINE_SERVICE_H
#define ENGINE_SERVICE_H

#include <string.h>

#include "engine/sim_state.h"

/// The service of chunks on a link, inline for the engines' inner loops: the rule of model.md, "Links".

void sim_grow_ring(struct sim *sim, struct in_link *in, size_t chunks);
void sim_overflow(struct sim *sim, uint32_t link, uint32_t message);

/// When a chunk's head leaves (`first`) and when the link begins to be busy with it, for `ticks`: its head joins at
/// `join`, its last byte comes at `tail`.
static inline int64_t service_start(int64_t join, int64_t tail, int64_t ticks, int64_t free_at, int64_t *first) {
    *first = join > free_at ? join : free_at;
    return tail - ticks > *first ? tail - ticks : *first;
}

/// The last start after which the chunk's tail still comes before the end of time, which is never.
static inline int64_t last_start_of(int64_t ticks, int64_t latency) {
    return ticks < INT64_MAX - latency ? INT64_MAX - 1 - latency - ticks : -1;
}

static inline bool cuts_through(const struct sim *sim) { return sim->config.switching == CUT_THROUGH; }

/// Where a chunk goes that `state`'s link has brought to its far end.
static inline uint32_t next_out(const struct sim *sim, const struct link_state *state, const struct chunk *chunk) {
    if (state->to == chunk->destination) return DELIVERED;
    if (chunk->destination & REDUCTION_BIT) return REDUCED;
    return sim->router.next_link(sim->router.state, state->to, chunk->destination, chunk->selector);
}

/// A chunk's bytes and how long the link is busy with it.
static inline int64_t chunk_ticks(const struct sim *sim, const struct link_state *state, const struct chunk *chunk, int64_t *bytes) {
    if (chunk->size_class != UNCACHED_SIZE) {
        *bytes = sim->size_bytes[chunk->size_class];
        return sim->service_ticks[chunk->size_class * sim->class_count + state->rate_class];
    }
    *bytes = sim_uncached_bytes(sim, chunk);
    return sim_service_of(sim, &sim->classes[state->rate_class], *bytes);
}

/// Service of chunks of a size on links of a rate.
struct service_kind {
    uint32_t size_class, rate_class; ///< NO_KIND: it is not known
    int64_t bytes, ticks, latency;
    int64_t last_start; ///< later, and the chunk would come after the end of time
};
#define NO_KIND UINT32_MAX

static inline struct service_kind service_kind_of(const struct sim *sim, const struct link_state *state, const struct chunk *chunk) {
    struct service_kind kind = {chunk->size_class, state->rate_class, .latency = sim->classes[state->rate_class].latency_ticks};
    kind.ticks = chunk_ticks(sim, state, chunk, &kind.bytes);
    kind.last_start = last_start_of(kind.ticks, kind.latency);
    return kind;
}

void sim_count_unlike(struct sim *sim, uint32_t link, uint32_t size_class); ///< chunks of another size than those before

/// Counts chunks that a link carries, each with that of a size and the time it takes. Those of the size of the last are a number in
/// its record, which is at hand.
static inline void count_carried(struct sim *sim, uint32_t link, uint32_t size_class, const struct link_count *each, uint32_t chunks) {
    struct link_state *state = &sim->links[link];
    sim->totals.chunk_hops += chunks;
    if (size_class == UNCACHED_SIZE) {
        sim_add_count(&sim->counts[link], each, chunks);
        return;
    }
    if (state->size_class != size_class || state->alike > UINT32_MAX - chunks) sim_count_unlike(sim, link, size_class);
    state->alike += chunks;
}

/// Makes room in the ring of a link's FIFO for so many chunks more.
static inline void reserve_ring(struct sim *sim, struct in_link *in, size_t chunks) {
    if (in->tail - in->head + chunks > in_link_ring_room(in)) sim_grow_ring(sim, in, chunks);
}

/// Gives back the ring of a FIFO if it is empty and of the smallest size. Such a ring, just read, is in the nearest cache; the FIFO
/// that needs one next takes it, so that few are in use and lines far away are seldom touched.
static inline void give_small_ring(struct sim *sim, struct in_link *in) {
    if (in->ring_log2 != 1 || in->head != in->tail) return;
    memcpy(in->ring, &sim->free_rings[1], sizeof sim->free_rings[1]);
    sim->free_rings[1] = in->ring;
    in->ring = &in->first, in->ring_log2 = 0;
    in->head = in->tail = 0;
}

/// Member by member: a copy as a whole would wait for the stores that have just made the chunk.
static inline void copy_chunk(struct chunk *to, const struct chunk *from) {
    to->join = from->join, to->tail = from->tail;
    to->message = from->message, to->destination = from->destination;
    to->out = from->out;
    to->kind = from->kind;
}

/// `wake` is told when the link's FIFO was empty.
static inline void append(struct sim *sim, uint32_t link, const struct chunk *chunk, void (*wake)(struct sim *, uint32_t, int64_t)) {
    struct in_link *in = sim_in_link(sim, link);
    if (in_link_is_empty(in)) {
        copy_chunk(&in->first, chunk);
        in->holds_first = true;
        wake(sim, link, chunk->join);
    } else {
        reserve_ring(sim, in, 1);
        copy_chunk(in_link_at(in, in->tail++), chunk);
    }
}

/// Serves a chunk of that kind that joins `link` now (its head at `now`, its tail at chunk->tail). Returns the link's new free_at.
__attribute__((always_inline)) static inline int64_t serve_kind(struct sim *sim, uint32_t link, const struct chunk *chunk, int64_t now,
                                                                const struct service_kind *kind,
                                                                void (*wake)(struct sim *, uint32_t, int64_t)) {
    struct link_state *state = &sim->links[link];
    const int64_t ticks = kind->ticks, bytes = kind->bytes;
    int64_t first, start = service_start(now, chunk->tail, ticks, state->free_at, &first), end;
    if (start > kind->last_start) {
        sim_overflow(sim, link, chunk->message);
        return state->free_at;
    }
    state->free_at = end = start + ticks;
    struct chunk sent;
    copy_chunk(&sent, chunk);
    sent.out = next_out(sim, state, chunk);
    sent.tail = end + kind->latency;
    sent.join = sent.out != DELIVERED && cuts_through(sim) ? first + kind->latency : sent.tail;
    append(sim, link, &sent, wake);
    count_carried(sim, link, kind->size_class, &(struct link_count){ticks, (uint64_t)bytes, 1}, 1);
    if (sim->observer.service) sim->observer.service(sim->observer.context, link, chunk->message, now, start, end, bytes);
    if (start > now && bytes > 0) queue_peak_wait(&sim->queues[link], &(struct waiting_run){start, ticks, bytes, 1}, now);
    return end;
}

/// The same of a chunk of any kind.
static inline int64_t serve(struct sim *sim, uint32_t link, const struct chunk *chunk, int64_t now,
                            void (*wake)(struct sim *, uint32_t, int64_t)) {
    const struct service_kind kind = service_kind_of(sim, &sim->links[link], chunk);
    return serve_kind(sim, link, chunk, now, &kind, wake);
}

// ---- runs: many chunks of one message on one first link, of which each is made when it comes to the far end

static inline int64_t next_service(const struct chunk_run *run) { return run->chunks_left > 1 ? run->full_ticks : run->last_ticks; }

/// When the next chunk of a run joins beyond the link, which is not its last.
static inline int64_t run_next_join(const struct sim *sim, const struct chunk_run *run, int64_t latency) {
    return run->start + latency + (cuts_through(sim) ? 0 : next_service(run));
}

void sim_select(const struct sim *sim, struct chunk_run *run); ///< finds the way of the run's next chunk
uint32_t sim_new_run(struct sim *sim);                         ///< an index in sim->runs
void sim_free_run(struct sim *sim, uint32_t run);

/// Takes the next chunk of a run as it comes out of the link, which is not its last.
static inline void run_take(const struct sim *sim, struct chunk_run *run, int64_t latency, struct chunk *chunk) {
    if (run->selectors_differ) sim_select(sim, run);
    *chunk = run->like;
    if (run->chunks_left == 1) chunk->size_class = run->last_class & 0xfff;
    chunk->join = run_next_join(sim, run, latency);
    chunk->tail = run->start + next_service(run) + latency;
    run->start += next_service(run);
    run->next_chunk += run->stride;
    run->chunks_left--;
}

#endif
