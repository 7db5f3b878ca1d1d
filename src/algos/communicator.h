#ifndef ALGOS_COMMUNICATOR_H
#define ALGOS_COMMUNICATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "algos/algorithm.h"
#include "algos/communicator_group.h"
#include "algos/communicator_replay.h"
#include "algos/communicator_round.h"
#include "base/digest.h"
#include "base/error.h"
#include "engine/sim.h"

/// The ranks of one run, and the only door from algorithms and workloads to the engine: places ranks on endpoints,
/// runs each rank's machines step by step, matches messages to receives, charges a rank's processor, keeps the digest.
struct communicator;

/// What a rank's processor pays (model.md, "Costs"); all 0 by default.
struct rank_costs {
    int64_t send_overhead_ticks;       ///< per posted send
    int64_t launch_overhead_ticks;     ///< per collective and rank
    int64_t reduce_bytes_per_s;        ///< 0: reductions cost nothing
    int64_t switch_reduce_bytes_per_s; ///< of a switch that reduces, per collective; 0: at once
};

/// Finds the tree of switches that some ranks share (NULL: the first `count`); false where there is none.
/// The caller frees its nodes and members.
struct tree_source {
    void *context;
    bool (*find)(void *context, const uint32_t *ranks, uint32_t count, struct reduction_tree *out);
};

/// A message as it goes to the engine.
struct network_message {
    uint64_t message;   ///< as rank_observer.sent calls it
    uint32_t engine_id; ///< as sim_observer calls it; reused after delivery
    uint32_t from, to;  ///< ranks; equal where the network reduces the message and brings back the sum
    int64_t bytes;
    uint32_t order, minor; ///< by which an endpoint's messages of one instant are numbered, before the order of posting
};

struct collective_request;

/// Watches what ranks do (contribution tracker, phases, message list); every pointer may be NULL.
/// `collective` is the id given by communicator_open; `message` numbers all messages of the run from 0 in order of
/// posting. An operation is followed by those joined to it.
struct rank_observer {
    void *context;
    /// A collective was opened under an id; it is closed when all its ranks are done.
    void (*opened)(void *context, uint32_t collective, const struct collective_request *request);
    void (*closed)(void *context, uint32_t collective);
    /// It goes as one went before, and nothing more is told of it but that it is closed.
    void (*replayed)(void *context, uint32_t collective);
    /// So many more, never opened, go as ones that were closed.
    void (*skipped)(void *context, uint64_t collectives);
    /// A member is started `delay_ticks` > 0 late.
    void (*delayed)(void *context, uint32_t collective, uint32_t member, int64_t delay_ticks, int64_t now);
    /// A machine of rank `member` of a collective enters step k.
    void (*step_started)(void *context, uint32_t collective, uint32_t member, uint32_t machine, uint64_t k, const struct step *step,
                         int64_t now);
    /// A machine has ended its last step.
    void (*finished)(void *context, uint32_t collective, uint32_t member, uint32_t machine, int64_t now);
    /// What a send carries is read now: when the step is posted.
    void (*sent)(void *context, uint32_t collective, uint32_t member, const struct operation *operation, uint64_t message, int64_t now);
    /// A receive took its message.
    void (*received)(void *context, uint32_t collective, uint32_t member, const struct operation *operation, uint64_t message, int64_t now);
    /// A message joins the network now, in a collective or not.
    void (*posted)(void *context, const struct network_message *message, int64_t now);
    /// All chunks of a message have arrived (before it is matched); from and to are ranks.
    void (*delivered)(void *context, uint64_t message, uint32_t from, uint32_t to, int64_t bytes, int64_t now);
};

/// A receiver of "rank's part is done".
struct done_call {
    void (*call)(void *context, uint32_t member, int64_t now);
    void *context;
};

/// What is due at many times: each call returns the next, not before now; NOT_AGAIN (sim.h): there is none.
struct stream_call {
    int64_t (*call)(void *context, uint32_t cookie, int64_t now);
    void *context;
};

/// `place[r]` is the endpoint of rank r; borrowed. The communicator creates the simulation.
struct communicator *communicator_create(const struct graph *graph, const struct router *router, const struct sim_config *config,
                                         const uint32_t *place, uint32_t ranks, const struct rank_costs *costs);
void communicator_free(struct communicator *comm);
struct sim *communicator_sim(struct communicator *comm);
void communicator_observe(struct communicator *comm, const struct rank_observer *observer);
void communicator_on_progress(struct communicator *comm, bool (*progress)(void *context, int64_t now, uint64_t chunk_hops), void *context);
void communicator_use_trees(struct communicator *comm, const struct tree_source *trees);
uint32_t communicator_ranks(const struct communicator *comm);

/// Only the ranks whose byte is 1 run here (borrowed; NULL: all): no other is started, and a collective is over, or its step ended for
/// all, when it is for those. Messages may go to any rank, so somebody must see to those for ranks that run elsewhere. Before any
/// collective is opened.
void communicator_set_hosted(struct communicator *comm, const uint8_t *hosted);
bool communicator_hosts(const struct communicator *comm, uint32_t rank);

/// The network is folded (quotient.h) and ranks are its endpoints in order: the representatives must be what is hosted, the
/// communicator created on the folded graph. What they post to another rank reaches its representative, as from the sender's image.
/// The digest counts every image of each delivery, up to `most_deliveries`; beyond, it is not known.
void communicator_fold(struct communicator *comm, const struct quotient *quotient, uint64_t most_deliveries);
bool communicator_digest_known(const struct communicator *comm);

/// How many of `count` ranks run here; `ranks` NULL: ranks 0 to count-1.
uint32_t communicator_hosted(const struct communicator *comm, const uint32_t *ranks, uint32_t count);

int64_t communicator_now(const struct communicator *comm);

/// Opens a collective: no rank has started. `ranks[i]` is the rank of member i (borrowed until it is closed), NULL for
/// i itself. `order` is the collective number: at one instant an endpoint's messages are numbered by it; a collective
/// takes as many numbers as it has machines. `done` is called once per member. Returns an id, reused after closing.
struct collective_request {
    const struct algorithm *algorithm;
    struct collective_args args;
    const uint32_t *ranks;
    uint32_t order;
    bool step_sync;
    bool unmatched; ///< sends may not match receives (a schedule that was not checked): keep a list, to name who waits for whom
    struct done_call done;
};
uint32_t communicator_open(struct communicator *comm, const struct collective_request *request);
void communicator_close(struct communicator *comm, uint32_t collective);

/// Member starts its part, `delay_ticks` from now (0: at once); allowed during a run and before it.
void communicator_start(struct communicator *comm, uint32_t collective, uint32_t member, int64_t delay_ticks);

/// A message between ranks outside of any collective; `delivered` is told `cookie` in place of a member.
/// `order` and `minor` number the messages of one instant.
void communicator_send(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, uint32_t order, uint32_t minor,
                       struct done_call delivered, uint32_t cookie);

/// The same of a message whose delivery makes its receiver do nothing at that time: `counted` may be told of it sooner, while that is a
/// time to come, and of several in any order.
void communicator_send_unawaited(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, uint32_t order, uint32_t minor,
                                 struct done_call counted, uint32_t cookie);

/// The rank's processor is busy for `ticks` after what it was asked before; then `done` is told `cookie`. Returns when.
int64_t communicator_compute(struct communicator *comm, uint32_t rank, int64_t ticks, struct done_call done, uint32_t cookie);

/// Calls back at `time` >= now, before the links of that instant; an affair of `rank`.
void communicator_timer(struct communicator *comm, uint32_t rank, int64_t time, struct done_call call, uint32_t cookie);

/// As communicator_timer at `first` >= now, and again whenever the call says, as if timers had been set for all its times by now; but
/// it takes one record in all.
void communicator_stream(struct communicator *comm, uint32_t rank, int64_t first, struct stream_call call, uint32_t cookie);

/// What happens to a rank concerns only that rank: no step sync, no barrier, no message that waits for another rank's
/// delivery, no in-network reduction. Faster engines need it (sim_client.local).
void communicator_set_local(struct communicator *comm, bool local);

/// Counts collectives that were rehearsed (communicator_replay.h) as if they had been run from each of `starts` on, their deliveries
/// and the digest included; they must have been over by now, and no other traffic on their links meanwhile. Nobody is told.
void communicator_replay(struct communicator *comm, const struct rehearsal *rehearsal, const int64_t *starts, size_t count);

/// What a link has carried so far, and the chunk-hops of all links.
struct link_totals communicator_link_totals(const struct communicator *comm, uint32_t link);
uint64_t communicator_chunk_hops(const struct communicator *comm);

/// Collectives that all members start at one instant on an idle network are replayed where one before began in the same way
/// (communicator_episode.h). Before any is started; only with the heap engine, without limits, with no observer but one that needs no
/// more than `replayed`; and where ranks pay costs none may compute while it is in a collective.
void communicator_set_replays(struct communicator *comm, const struct replay_rules *rules);
bool communicator_gave_up(const struct communicator *comm);

/// What all replays saved.
struct replay_savings communicator_saved(const struct communicator *comm);

/// Runs to the end; `engine` NULL: the fastest that suits. A stall is ERROR_SIMULATION, its text naming ranks, what each waits for and
/// since when; `communicator_stalled` tells it from an overflow.
bool communicator_run(struct communicator *comm, const struct engine_type *engine, struct error *err);

bool communicator_stalled(const struct communicator *comm);

/// The waiting machines, at most `most`, joined by "; ": "rank 17 all-reduce/ring all-gather step 3/7 waits for rank 16 since 41.2us".
void communicator_describe_waiting(struct communicator *comm, int most, char *out, size_t out_size);

/// The digest over all deliveries so far, and the end of the last rank's work.
struct digest communicator_digest(const struct communicator *comm);
int64_t communicator_end_ticks(const struct communicator *comm);

/// Bytes that each rank posted (self messages not counted).
const int64_t *communicator_bytes_sent(const struct communicator *comm);

#endif
