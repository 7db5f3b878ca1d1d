#ifndef ENGINE_SIM_STATE_H
#define ENGINE_SIM_STATE_H

#include "base/digest.h"
#include "base/memory.h"
#include "base/pages.h"
#include "engine/chunk.h"
#include "engine/heap.h"
#include "engine/in_links.h"
#include "engine/queue_peak.h"
#include "engine/sim.h"

/// The state that all engines share, and the one place where a link serves a chunk. Engines differ only in how they
/// find what joins next.

#define DELIVERED UINT32_MAX           ///< chunk.out: the tail has arrived at the destination
#define RUN_OF_CHUNKS (UINT32_MAX - 1) ///< chunk.out: stands for a run; chunk.message is its index in sim->runs
#define REDUCED (UINT32_MAX - 2)       ///< chunk.out: has come to a switch of its reduction group
#define REDUCTION_BIT 0x80000000u      ///< chunk.destination: a node of a reduction group, not an endpoint
#define UNCACHED_SIZE 4095             ///< chunk.size_class: the size is not in the table

/// Chunks of one message that are injected together: their service on the first link is reserved at once, and each is
/// made when it comes to the far end. Chunk numbers rise by `stride`.
struct chunk_run {
    int64_t start; ///< of the next chunk's service on the first link
    uint64_t next_chunk, chunks_left;
    uint32_t message, link;
    union {
        uint32_t stride;
        uint32_t next_waiting; ///< of a list: the message whose chunk `next_chunk` is next
    };
    union {
        uint32_t next_free;
        uint32_t solo; ///< while it lives: 1 + its solo message, 0 without
    };
    int64_t full_ticks, last_ticks; ///< of the service of a chunk, and of the run's last
    struct waiting *waiting;        ///< NULL; else each chunk is a message of its own, in this list (waiting.h)
    struct chunk like;              ///< the next chunk but for its times and, at the end, its size
    uint32_t last_class;            ///< the size class of the run's last chunk
    bool selectors_differ;          ///< from chunk to chunk, and so may the next links
    bool ends;                      ///< the first link leads to the destination
    bool may_be_solo;               ///< to be tried when the first chunk has crossed the first link
};

/// A link as the node serves it that it leaves, half a cache line. Its FIFO is at the far end (in_links.h).
struct link_state {
    int64_t free_at;
    uint32_t alike; ///< chunks of size_class it has carried that its link_count does not hold yet
    uint32_t to, out_port;
    uint32_t position; ///< among all in-links
    uint16_t rate_class, size_class;
    uint16_t peak_chunks; ///< of its queue while that is even (queueing.h)
    bool uneven;          ///< the queue
    bool solo;            ///< promised to a message (solo.h)
};

/// What a link has carried, but for link_state.alike.
struct link_count {
    int64_t busy_ticks;
    uint64_t bytes, chunks;
};

/// Links of equal rate and latency share a class.
struct rate_class {
    int64_t bandwidth_bytes_per_s, latency_ticks;
};

/// Small, for an instant may post millions.
struct post {
    uint32_t message, major, minor;
};

/// Chunks of a message that join their first link at one instant: one, or a run with rising chunk numbers.
struct injected {
    uint32_t link, message;
    uint64_t first, count;
    uint32_t stride;
    uint32_t run; ///< where they are of a list of messages that wait: that run
    bool waits;
    struct chunk chunk; ///< where it is one
};

struct delivery {
    uint32_t node, in_port, message;
    uint32_t chunks; ///< how many chunks of the message this stands for
};

/// A chunk that joins a link: in the order of out, tie, and then as they came.
struct join {
    uint32_t out, tie;
    struct chunk chunk;
};

/// A chunk that has come to a switch of its reduction group.
struct reduced_chunk {
    uint32_t in_link;
    struct chunk chunk;
};

struct sim {
    const struct graph *graph;
    struct router router;
    struct sim_config config;
    struct sim_client client;
    struct sim_observer observer;

    int64_t now;
    int64_t only_chunk_bytes;  ///< a message of so many or fewer is one chunk
    struct link_state *links;  ///< per link
    struct link_count *counts; ///< per link
    struct in_links in;
    struct queue_peak *queues; ///< per link
    struct rate_class *classes;
    size_t class_count, class_capacity;

    int64_t *size_bytes; ///< per size class
    size_t size_count;
    int64_t *service_ticks; ///< [size class][rate class]; INT64_MAX where it does not fit the clock
    uint32_t *size_index;   ///< open addressing by bytes: class + 1
    int64_t last_size;      ///< the size asked for last, -1: none yet, and its class
    uint32_t last_class;

    struct message *messages;
    size_t message_count, message_capacity;
    uint32_t free_message;
    uint64_t delivered;    ///< messages
    struct shard *shard;   ///< NULL: not one of several
    uint32_t *next_number; ///< per endpoint; smaller by a multiple of router.message_period than how many it has posted

    struct reduction_group **groups; ///< NULL: a free id
    size_t group_count, group_capacity;
    struct reduction_site *sites; ///< the switches of all groups
    size_t site_count, site_capacity;
    uint32_t free_site;
    struct heap reductions; ///< switches of finite rate: when each begins to send on its next chunk

    struct chunk_run *runs;
    size_t run_count, run_capacity;
    uint32_t free_run;

    struct post *posts; ///< of this instant, not yet injected
    size_t post_count, post_capacity;
    struct message_target *targets; ///< of what is posted by sim_post_many
    size_t target_count, target_capacity;
    bool counts_early;         ///< the engine delivers what nobody awaits when its last link serves it
    bool some_unawaited;       ///< and there has been some
    int64_t early_end_ticks;   ///< the last such delivery comes then
    bool keeps_waiting;        ///< the engine takes lists of messages that are posted together
    size_t waiting_bytes;      ///< of such lists
    uint64_t unrecorded;       ///< messages in them, which have been posted and have no record; modulo 2^64, for lists move between shards
    bool posts_unsorted;       ///< they are not in the order of numbering
    struct injected *injected; ///< what follows from them
    size_t injected_count, injected_capacity;
    struct heap timers; ///< payload: endpoint << 32 | cookie
    uint64_t timer_sequence;
    struct heap continuations; ///< round-robin: the next chunk of a message joins its first link

    void *free_rings[32]; ///< per log2 of capacity; a free ring begins with the pointer to the next
    struct page_pool rings;
    size_t ring_bytes;

    /// Called when a link's FIFO was empty before.
    void (*link_woke)(struct sim *sim, uint32_t link, int64_t join);
    /// Called before chunks in FIFOs change their places; NULL: no one else holds any.
    void (*chunks_move)(struct sim *sim);
    /// Where an engine keeps timers itself during a run: told of each instead of `timers`.
    void (*timer_set)(struct sim *sim, uint32_t endpoint, int64_t time, uint64_t sequence, uint32_t cookie);
    void *engine;
    /// Of what an engine holds itself, for sim_add_state and sim_jump; NULL: it holds nothing within a call of `settled`.
    void (*engine_state)(const struct sim *sim, struct state_writer *writer);
    void (*engine_jump)(struct sim *sim, int64_t ticks);

    const struct quotient *quotient; ///< the network is folded: only the quotient engine can run it; else NULL
    uint64_t orbit_size;             ///< how many deliveries one stands for
    struct digest orbit_digest;
    struct solos *solos; ///< NULL: none are tried
    struct sim_saving solo_saving;

    struct sim_totals totals;
    uint64_t next_renumber; ///< messages at which it is seen to that numbers do not go round
    uint64_t next_check;    ///< chunk-hops at which limits and progress are looked at
    bool overflowed, interrupted;
    struct error *error;
};

/// Serves a chunk that joins `link` now (its head at `now`, its tail at chunk->tail). Returns the link's new free_at.
int64_t sim_serve(struct sim *sim, uint32_t link, const struct chunk *chunk);

/// Takes from a link's FIFO all that joins at `now`: `joined` and `arrived` are called for each chunk.
struct take_calls {
    void *context;
    void (*joined)(void *context, uint32_t in_link, const struct chunk *chunk);
    void (*arrived)(void *context, uint32_t in_link, uint32_t message, uint64_t chunks);
};
void sim_take(struct sim *sim, uint32_t link, const struct take_calls *calls);

/// A link's far end.
static inline struct in_link *sim_in_link(const struct sim *sim, uint32_t link) { return &sim->in.items[sim->links[link].position]; }

/// When the head of a link's FIFO joins; INT64_MAX when it is empty.
static inline int64_t sim_link_next(const struct sim *sim, uint32_t link) { return sim_in_link(sim, link)->first.join; }

/// Makes it one of several that take their messages from `messages`; before anything is posted.
void sim_share_messages(struct sim *sim, struct shard *shard, struct message *messages);

/// Serves what was posted at this instant and the round-robin chunks that are due, in the order in which they join.
void sim_inject(struct sim *sim);
void sim_serve_injected(struct sim *sim, const struct injected *injection);
int64_t sim_service_of(const struct sim *sim, const struct rate_class *rate, int64_t bytes); ///< INT64_MAX: too long

/// Makes room for the next message, so that there always is some; returns message `id`.
struct message *sim_make_room(struct sim *sim, uint32_t id);

static inline uint32_t sim_new_message(struct sim *sim) {
    uint32_t id = sim->free_message;
    uint32_t next = sim->free_message = sim->messages[id].next;
    if (next == UINT32_MAX)
        sim_make_room(sim, id);
    else
        __builtin_prefetch(&sim->messages[next], 1); // else each would wait for the one before to come from afar
    return id;
}

static inline void sim_free_message(struct sim *sim, uint32_t id) {
    sim->messages[id].next = sim->free_message;
    sim->free_message = id;
}

static inline bool sim_is_reduced(const struct message *message) { return message->next + 1 > 1; }

/// Counts chunks of a message as delivered now; tells the client when all are.
static inline void sim_deliver(struct sim *sim, uint32_t message, uint64_t chunks) {
    struct message *m = &sim->messages[message];
    if ((m->chunks_left -= chunks) > 0) return;
    sim->client.delivered(sim->client.context, m, sim->now);
    sim_free_message(sim, message);
    sim->delivered++;
}

static inline bool sim_is_unawaited(const struct sim *sim, uint32_t message) { return sim->messages[message].next == UNAWAITED; }

/// Delivers such a message as soon as it is known that it comes at `time`.
static inline void sim_deliver_early(struct sim *sim, uint32_t id, int64_t time) {
    sim->client.delivered(sim->client.context, &sim->messages[id], time);
    sim_free_message(sim, id);
    sim->delivered++;
    if (time > sim->early_end_ticks) sim->early_end_ticks = time;
}

/// A chunk's bytes where its size is not in the table.
int64_t sim_uncached_bytes(const struct sim *sim, uint32_t message, uint32_t destination);

/// Chunks of a message of `bytes`; the bytes of one of them; the class of a size.
static inline uint64_t sim_chunk_count(const struct sim *sim, int64_t bytes) {
    if (bytes <= sim->only_chunk_bytes) return 1;
    int64_t chunk = sim->config.chunk_bytes;
    return (uint64_t)(bytes / chunk + (bytes % chunk != 0));
}
int64_t sim_chunk_bytes(const struct sim *sim, int64_t message_bytes, uint64_t chunk);
uint32_t sim_find_size_class(struct sim *sim, int64_t bytes);
static inline uint32_t sim_size_class(struct sim *sim, int64_t bytes) {
    return bytes == sim->last_size ? sim->last_class : sim_find_size_class(sim, bytes);
}

/// Takes the chunks that came to switches of reduction groups at this instant, in any order, and what such switches have
/// begun to send on; appends to `joins` what the
/// switches send on because of them, which goes before others at a tie.
struct join_list {
    struct join *items;
    size_t count, capacity;
};
void sim_reduce(struct sim *sim, struct reduced_chunk *chunks, size_t count, struct join_list *joins);

/// The first link of a member's message, and where it leads.
uint32_t sim_group_first_link(const struct sim *sim, uint32_t message, uint32_t *destination);
int64_t sim_group_bytes(const struct sim *sim, uint32_t site);
void sim_groups_free(struct sim *sim);

/// Rank of input port `in` at output port `out`: the tie rule (model.md, "Links"). 0 is left for what a switch sends on
/// by itself.
static inline uint32_t endpoint_tie(uint32_t in, uint32_t out) { return 1 + ((in - 1) ^ (out - 1)); }
static inline uint32_t switch_tie(uint32_t in, uint32_t out, uint32_t ports) { return 1 + in - out + (in < out ? ports : 0); }

static inline uint32_t sim_tie(const struct sim *sim, uint32_t in_link, uint32_t out_link) {
    uint32_t in = sim_in_link(sim, in_link)->in_port, out = sim->links[out_link].out_port, node = sim->links[in_link].to;
    if (node < sim->graph->endpoints) return endpoint_tie(in, out);
    return switch_tie(in, out, sim->graph->switch_ports[node - sim->graph->endpoints]);
}

/// Timers of the very instant at which a run starts, for engines that inject what was posted before it apart: what is posted because
/// of them is numbered with that.
void sim_settle_start(struct sim *sim);

/// The first of sim->timers, which is due.
static inline void sim_take_timer(struct sim *sim) {
    const struct heap_entry due = sim->timers.entries[0]; // it stays the first: what is set meanwhile comes after it
    int64_t again = sim->client.timer(sim->client.context, (uint32_t)due.payload, sim->now);
    if (again == NOT_AGAIN)
        heap_pop(&sim->timers);
    else
        heap_replace(&sim->timers, (struct heap_entry){again, due.order, due.payload});
}

/// When nothing is left before the end of time: false with an overflow if there are `timers` left, for they were set beyond.
bool sim_all_due(struct sim *sim, size_t timers);

static inline void sim_add_count(struct link_count *count, const struct link_count *more, uint64_t times) {
    count->busy_ticks += more->busy_ticks * (int64_t)times;
    count->bytes += more->bytes * times;
    count->chunks += more->chunks * times;
}

/// Service of chunks of a size in the table on links of a rate.
static inline int64_t sim_class_ticks(const struct sim *sim, uint32_t size_class, uint32_t rate_class) {
    return sim->service_ticks[size_class * sim->class_count + rate_class];
}

/// Adds so many chunks of link_state.size_class.
static inline void sim_add_chunks(const struct sim *sim, const struct link_state *state, uint64_t chunks, struct link_count *count) {
    if (chunks == 0) return; // before the first there is no size
    const struct link_count one = {sim_class_ticks(sim, state->size_class, state->rate_class), (uint64_t)sim->size_bytes[state->size_class],
                                   1};
    sim_add_count(count, &one, chunks);
}

/// Adds what link_state.alike stands for.
static inline void sim_add_alike(const struct sim *sim, const struct link_state *state, struct link_count *count) {
    sim_add_chunks(sim, state, state->alike, count);
}

/// Counts what link_state.alike stands for in its link_count.
static inline void sim_count_alike(struct sim *sim, uint32_t link) {
    sim_add_alike(sim, &sim->links[link], &sim->counts[link]);
    sim->links[link].alike = 0;
}

/// link_state.alike has gone round: counts 2^32 of them.
static inline void sim_carry_alike(struct sim *sim, uint32_t link) {
    sim_add_chunks(sim, &sim->links[link], UINT64_C(1) << 32, &sim->counts[link]);
}

/// Limits and progress, every CHECK_EVERY chunk-hops or at the limit; false: stop now. Shards look at them when they meet.
enum { CHECK_EVERY = 1 << 20 };
bool sim_check(struct sim *sim);
bool sim_over_memory(struct sim *sim, uint64_t bytes); ///< sets the error; false
bool sim_over_events(struct sim *sim, uint64_t chunk_hops);

#endif
