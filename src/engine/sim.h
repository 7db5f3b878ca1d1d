#ifndef ENGINE_SIM_H
#define ENGINE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/word_list.h"
#include "engine/graph.h"

/// The simulator of model.md: messages cut into chunks, each chunk crossing directed FIFO links one by one.
/// It knows nodes, links and a next-link function; no shape, no rank, no algorithm.

struct sim;
struct chunk;
struct quotient;

/// Where a chunk goes. A route may depend on the message's number and the chunk's number only through a `selector`
/// below 2^20, computed once when the chunk is injected.
struct router {
    const void *state;
    /// The link by which a chunk at `node` leaves for endpoint `destination` (never called at the destination).
    uint32_t (*next_link)(const void *state, uint32_t node, uint32_t destination, uint32_t selector);
    /// NULL: routes depend on the destination only.
    uint32_t (*selector)(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk);
    /// Chunks c and c + period of a message have the same selector; 1: all have; 0: no period.
    uint32_t period;
    /// Messages n and n + message_period of a source have the same selectors; 0: no period.
    uint32_t message_period;
    /// next_link for many chunks (chunk.h), each of which is at the node `out`: reads `destination` and `selector`, sets `out`. NULL: one
    /// by one.
    void (*next_links)(const void *state, struct chunk *const *chunks, size_t count);
};

enum switching { CUT_THROUGH, STORE_AND_FORWARD };
enum injection { INJECT_FIFO, INJECT_ROUND_ROBIN };

struct sim_config {
    int64_t ticks_per_s;
    int64_t chunk_bytes; ///< 0: a message is one chunk
    enum switching switching;
    enum injection injection;
    int64_t until_ticks; ///< stop with ERROR_LIMIT when the clock would pass it; 0: no limit
    uint64_t max_events; ///< stop with ERROR_LIMIT after so many chunk-hops; 0: no limit
    bool solo;           ///< messages that meet nobody may be one event; the window engine does it
    uint64_t max_memory; ///< stop with ERROR_LIMIT above so many bytes of chunks and messages; 0: no limit
};

struct message;

#define NOT_AGAIN (-1) ///< a timer's next time

/// Who posts messages and hears of their delivery. Both are called before the links take what joined at that instant;
/// they may call sim_post and sim_timer.
struct sim_client {
    void *context;
    /// Each call concerns one endpoint only, a delivery its destination: it posts from that endpoint and sets timers of
    /// it. Calls of different endpoints may then come out of the order of time, which the window engine needs.
    bool local;
    void (*delivered)(void *context, const struct message *message, int64_t now);
    /// Returns when the same timer is due again, not before now; NOT_AGAIN: never. It keeps its place among those of equal times: before
    /// what was set after it.
    int64_t (*timer)(void *context, uint32_t cookie, int64_t now);
    /// Called when nothing is left to do at an instant but for the links, again and again until it is false, which means that it has
    /// done nothing. NULL: never. Only the heap engine has instants.
    bool (*settled)(void *context, int64_t now);
    /// Called every now and then (about every 2^20 chunk-hops); returning false ends the run (`interrupted`).
    bool (*progress)(void *context, int64_t now, uint64_t chunk_hops);
    /// How many deliveries must come, whichever they are, before anything is posted or a timer set because of one. NULL: none.
    uint64_t (*quiet)(void *context);
};

#define UNAWAITED UINT32_MAX

/// A message while it lives, one cache line: from sim_post until the call of `delivered` returns.
struct message {
    int64_t bytes;
    uint32_t source, destination; ///< endpoints
    uint32_t number;              ///< counted per source endpoint, in order of posting
    uint32_t next;                ///< while it lives: 1 + its reduction group, 0 without, or UNAWAITED; then the free list
    uint64_t chunks_left;
    uint64_t user[4]; ///< the client's: what the message is for
};

struct link_totals {
    uint64_t bytes, chunks;
    int64_t busy_ticks;
    int64_t peak_queue_bytes; ///< the most that had joined and not begun service, after all events of an instant
};

struct sim_totals {
    uint64_t messages, chunks, chunk_hops;
    unsigned __int128 bytes_on_links;
    int64_t end_ticks; ///< last delivery or timer
};

/// What need not be simulated chunk by chunk.
struct sim_saving {
    uint64_t messages, chunk_hops;
};

/// Watches services for traces; every pointer may be NULL. `joined` <= `start`; the link is busy in [start, end).
struct sim_observer {
    void *context;
    void (*service)(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes);
};

/// A tree of switches that reduces what its members send and sends the sum back to all (model.md, "In-network
/// reduction"). Links lead from child to parent (up) and back (down).
struct tree_node {
    uint32_t parent; ///< index of a tree node; NO_NODE at the root
    uint32_t up_link, down_link;
};
struct tree_member {
    uint32_t endpoint;
    uint32_t parent; ///< index of a tree node
    uint32_t up_link, down_link;
};
struct reduction_tree {
    uint32_t node_count, member_count;
    struct tree_node *nodes;
    struct tree_member *members;
};

/// The order in which events are taken is an engine's own affair; all engines give the same digest.
struct engine_type {
    const char *name;
    bool (*run)(struct sim *sim, struct error *err);
    bool (*suits)(const struct sim *sim); ///< whether it can run this
};
extern const struct engine_type heap_engine, window_engine, quotient_engine;

/// The graph and the router must outlive the simulation.
struct sim *sim_create(const struct graph *graph, const struct router *router, const struct sim_config *config,
                       const struct sim_client *client);
void sim_free(struct sim *sim);

/// The graph is that of a folded network (quotient.h), the router that of the whole one: messages go from representatives to any
/// endpoint, and are delivered as if to the representative of that.
/// `quiet` becomes the client's.
void sim_fold(struct sim *sim, const struct quotient *quotient, uint64_t (*quiet)(void *context));
/// Over all deliveries of a folded network: of their times, bytes and hops.
struct digest sim_orbit_digest(const struct sim *sim);

void sim_observe(struct sim *sim, const struct sim_observer *observer);

/// Posts a message now; source and destination differ. Messages of one instant and one source are numbered by
/// (major, minor), then in order of posting. Returns its record, whose `user` is the caller's to fill: it stays in place
/// until the next message is posted.
struct message *sim_post(struct sim *sim, uint32_t source, uint32_t destination, int64_t bytes, uint32_t major, uint32_t minor);

/// Messages of a source that differ only in where they go and in their labels, which are the first four bytes of `user`.
struct message_batch {
    uint32_t source, count;
    int64_t bytes;
    uint32_t major, minor;
};
struct message_target {
    uint32_t destination, label;
};

/// As sim_post for one after the other. Returns a record of what they have in common, whose `user` is the caller's to fill, and room
/// for the target of each: both until the next message is posted. NULL: nothing is posted, they have to be posted one by one.
struct message *sim_post_many(struct sim *sim, const struct message_batch *batch, struct message_target **targets);

bool sim_keeps_lists(const struct sim *sim); ///< false: it always is NULL, and nobody need find targets

/// Makes a group that will reduce one vector of `bytes`, whose chunks each switch can reduce at `reduce_bytes_per_s`
/// (0: at once). The tree is copied. Free it when all its messages have been delivered.
uint32_t sim_group_create(struct sim *sim, const struct reduction_tree *tree, int64_t bytes, int64_t reduce_bytes_per_s);
void sim_group_free(struct sim *sim, uint32_t group);

/// A member posts its vector; the message is delivered to the same member when the sum has come back to it.
struct message *sim_post_reduced(struct sim *sim, uint32_t group, uint32_t member, uint32_t major, uint32_t minor);

/// Calls client->timer at `time` >= now, before the links of that instant. It is an affair of `endpoint`.
void sim_timer(struct sim *sim, uint32_t endpoint, int64_t time, uint32_t cookie);

/// Whether sim_run, given this engine, goes through windows and visits one endpoint after the other from the first instant on: then
/// what each posts at that instant, by a timer, is injected before the next posts anything. False where something has been posted already.
bool sim_starts_by_endpoint(const struct sim *sim, const struct engine_type *engine);

int64_t sim_now(const struct sim *sim);
/// As sim_observer calls a message; reused after delivery.
uint32_t sim_message_id(const struct sim *sim, const struct message *message);

/// Runs until nothing is left to happen. `engine` NULL: the fastest that suits. Errors: ERROR_INPUT (an engine that does not
/// suit), ERROR_SIMULATION (overflow of the clock), ERROR_LIMIT.
bool sim_run(struct sim *sim, const struct engine_type *engine, struct error *err);

/// Ends the run at the next opportunity, as if `progress` had asked for it.
void sim_interrupt(struct sim *sim);

/// Whether chunks and messages are within sim_config.max_memory; of what posts much at one instant, which the engine sees only then.
bool sim_has_room(const struct sim *sim);

/// True when `progress` asked to stop.
bool sim_interrupted(const struct sim *sim);

void sim_set_local(struct sim *sim, bool local); ///< sim_client.local, where it is known later

/// Counts what was simulated apart and would go the same way here, `times` times: a collective on links that nothing else
/// uses meanwhile. A link's peak becomes at least that of `once`; `messages` are numbers that the source has used up, of which routes know
/// the rest modulo router.message_period only.
void sim_count_link(struct sim *sim, uint32_t link, const struct link_totals *once, uint64_t times);
void sim_count_posts(struct sim *sim, uint32_t source, uint64_t messages);
void sim_count_totals(struct sim *sim, const struct sim_totals *once, uint64_t times);

/// Sets the clock back to an earlier time, within a call of `settled`: since then nothing has been on the network.
void sim_go_back(struct sim *sim, int64_t time);

/// The timers that are set, in the order in which they are due; for engines that keep none themselves.
struct set_timer {
    int64_t time;
    uint32_t cookie;
};
size_t sim_timer_count(const struct sim *sim);
void sim_list_timers(const struct sim *sim, struct set_timer *out);
/// Adds how all that is on the network stands relative to now, within a call of `settled` of an engine that knows how: equal words, and
/// it goes on in the same way. False: it cannot be told.
struct state_writer {
    struct word_list *words;
    void *context;
    /// What a message is for; false: that cannot be told.
    bool (*add_message)(void *context, const struct message *message, struct word_list *words);
    int64_t latest;        ///< becomes the last time of all, if that is later
    const struct sim *sim; ///< this and the rest are set meanwhile
    uint32_t *seen;        ///< per message: 1 + its number among those told of
    uint32_t messages;
    bool known;
};
bool sim_add_state(struct sim *sim, struct state_writer *writer);
/// Sets the clock and all that is to come so much later, within a call of `settled`.
void sim_jump(struct sim *sim, int64_t ticks);

/// How many messages it has posted up to now, less some multiple of router.message_period: the next one's number.
uint32_t sim_posts(const struct sim *sim, uint32_t source);
uint32_t sim_link_count(const struct sim *sim);
struct link_totals sim_link_totals(const struct sim *sim, uint32_t link);
uint64_t sim_chunk_hops(const struct sim *sim); ///< of sim_totals, without adding up the links
struct sim_totals sim_totals(const struct sim *sim);
struct sim_saving sim_solo_saving(const struct sim *sim); ///< messages that were one event

#endif
