#ifndef ENGINE_SERVICE_H
#define ENGINE_SERVICE_H

#include <string.h>

#include "engine/queueing.h"
#include "engine/sim_state.h"

/// The service of chunks on a link, inline for the engines' inner loops: the rule of model.md, "Links".

void sim_grow_ring(struct sim *sim, struct in_link *in, size_t chunks);
void sim_overflow(struct sim *sim, uint32_t link, uint32_t message, int64_t now_ticks); ///< of a chunk that joins the link then

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
        return sim_class_ticks(sim, chunk->size_class, state->rate_class);
    }
    *bytes = sim_uncached_bytes(sim, chunk->message, chunk->destination);
    return sim_service_of(sim, &sim->classes[state->rate_class], *bytes);
}

/// Service of chunks of a size on links of a rate.
struct service_kind {
    uint32_t size_class;
    uint32_t serves; ///< the size class of chunks that it holds for; NO_SIZE: of one chunk only
    int64_t bytes, ticks, latency;
    int64_t last_start; ///< later, and the chunk would come after the end of time
};
#define NO_SIZE UINT32_MAX

static inline struct service_kind service_kind_of(const struct sim *sim, const struct link_state *state, const struct chunk *chunk) {
    struct service_kind kind = {chunk->size_class, chunk->size_class, .latency = sim->classes[state->rate_class].latency_ticks};
    if (kind.size_class == UNCACHED_SIZE) kind.serves = NO_SIZE;
    kind.ticks = chunk_ticks(sim, state, chunk, &kind.bytes);
    kind.last_start = last_start_of(kind.ticks, kind.latency);
    return kind;
}

/// Before a link serves chunks of a size.
static inline void meet_size(struct sim *sim, uint32_t link, uint32_t size_class) {
    if (sim->links[link].size_class != size_class) queue_meet_size(sim, link, size_class);
}

/// A link serves chunks of one size that join now, back to back from when it is free.
void sim_reserve(struct sim *sim, uint32_t link, uint32_t size_class, const struct waiting_run *run);

/// Counts chunks that a link carries, whose size it has met. Of a size in the table they are a number in the link's record, which is at
/// hand.
static inline void count_carried(struct sim *sim, uint32_t link, const struct service_kind *kind, uint32_t chunks) {
    struct link_state *state = &sim->links[link];
    sim->totals.chunk_hops += chunks;
    if (kind->serves == NO_SIZE)
        sim_add_count(&sim->counts[link], &(struct link_count){kind->ticks, (uint64_t)kind->bytes, 1}, chunks);
    else if (__builtin_add_overflow(state->alike, chunks, &state->alike))
        sim_carry_alike(sim, link);
}

/// Makes room in the ring of a link's FIFO for so many chunks more.
static inline void reserve_ring(struct sim *sim, struct in_link *in, size_t chunks) {
    if (in->tail - in->head + chunks > in->room) sim_grow_ring(sim, in, chunks);
}

enum { SMALLEST_RING = 2 };

/// Gives back the ring of a FIFO if it is empty and of the smallest size. Such a ring, just read, is in the nearest cache; the FIFO
/// that needs one next takes it, so that few are in use and lines far away are seldom touched.
static inline void give_small_ring(struct sim *sim, struct in_link *in) {
    if (in->room != SMALLEST_RING || in->head != in->tail) return;
    memcpy(in->ring, &sim->free_rings[1], sizeof sim->free_rings[1]);
    sim->free_rings[1] = in->ring;
    in->ring = &in->first, in->room = 0;
    in->head = in->tail = 0;
}

/// Member by member: a copy as a whole would wait for the stores that have just made the chunk.
static inline void copy_chunk(struct chunk *to, const struct chunk *from) {
    to->join = from->join, to->tail = from->tail;
    to->message = from->message, to->destination = from->destination;
    to->out = from->out;
    to->kind = from->kind;
}

/// What is told when a chunk comes into a link's FIFO that was empty.
typedef void wake_call(struct sim *sim, uint32_t link, int64_t join);

/// Room for a chunk at the end of a link's FIFO.
static inline struct chunk *append_room(struct sim *sim, struct in_link *in) {
    if (in_link_is_empty(in)) {
        in->holds_first = true;
        return &in->first;
    }
    if (in->tail - in->head == in->room) sim_grow_ring(sim, in, 1);
    return in_link_at(in, in->tail++);
}

static inline void append(struct sim *sim, uint32_t link, const struct chunk *chunk, wake_call *wake) {
    struct in_link *in = sim_in_link(sim, link);
    struct chunk *last = append_room(sim, in);
    copy_chunk(last, chunk);
    if (last == &in->first) wake(sim, link, chunk->join);
}

/// When a chunk's head comes out of a link, and its tail; NEVER_DEPARTS: the clock overflows.
struct departure {
    int64_t head, tail;
};
#define NEVER_DEPARTS INT64_MAX ///< departure.tail

/// A link is busy with a chunk of that kind that joins it now (its head at `now`, its tail at chunk->tail).
__attribute__((always_inline)) static inline struct departure reserve_service(struct sim *sim, uint32_t link, const struct chunk *chunk,
                                                                              int64_t now, const struct service_kind *kind) {
    struct link_state *state = &sim->links[link];
    const int64_t ticks = kind->ticks, bytes = kind->bytes;
    int64_t first, start = service_start(now, chunk->tail, ticks, state->free_at, &first);
    if (start > kind->last_start) {
        sim_overflow(sim, link, chunk->message, now);
        return (struct departure){NEVER_DEPARTS, NEVER_DEPARTS};
    }
    meet_size(sim, link, kind->size_class);
    if (start > now) queue_join(sim, link, start, ticks, bytes, now);
    const int64_t end = start + ticks;
    state->free_at = end;
    count_carried(sim, link, kind, 1);
    if (sim->observer.service) sim->observer.service(sim->observer.context, link, chunk->message, now, start, end, bytes);
    return (struct departure){first + kind->latency, end + kind->latency};
}

/// Puts a chunk that a link has served into its FIFO. Returns where: to be routed unless its `out` is DELIVERED.
__attribute__((always_inline)) static inline struct chunk *send_unrouted(struct sim *sim, uint32_t link, const struct chunk *chunk,
                                                                         const struct departure *departure, wake_call *wake) {
    const struct link_state *state = &sim->links[link];
    struct in_link *in = &sim->in.items[state->position];
    const bool arrives = chunk->destination == state->to;
    struct chunk *sent = append_room(sim, in);
    copy_chunk(sent, chunk);
    sent->out = arrives ? DELIVERED : state->to;
    sent->tail = departure->tail;
    sent->join = cuts_through(sim) && !arrives ? departure->head : departure->tail;
    if (sent == &in->first) wake(sim, link, sent->join);
    return sent;
}

/// Serves a chunk of any kind that joins `link` now, and routes it. Returns the link's new free_at.
static inline int64_t serve(struct sim *sim, uint32_t link, const struct chunk *chunk, int64_t now, wake_call *wake) {
    const struct service_kind kind = service_kind_of(sim, &sim->links[link], chunk);
    const struct departure departure = reserve_service(sim, link, chunk, now, &kind);
    if (departure.tail != NEVER_DEPARTS) send_unrouted(sim, link, chunk, &departure, wake)->out = next_out(sim, &sim->links[link], chunk);
    return sim->links[link].free_at;
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
