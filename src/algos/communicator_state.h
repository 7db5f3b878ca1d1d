#ifndef ALGOS_COMMUNICATOR_STATE_H
#define ALGOS_COMMUNICATOR_STATE_H

#include <string.h>

#include "algos/communicator.h"
#include "algos/communicator_group.h"
#include "algos/matching.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "engine/heap.h"

/// What the files of the communicator share: communicator.c (life, collectives, what the engine tells),
/// communicator_step.c (a machine's step: posting, matching, ending), communicator_alike.h (steps alike the one before),
/// communicator_many.c (posting many messages at once), communicator_special.c (posting those that somebody hears of, paying for
/// reductions), communicator_report.c (who waits for whom), communicator_episode.c (replays), communicator_round.c (replays of many at
/// once), communicator_replay.c (counting one), communicator_fold.c (representatives) and communicator_group.c (one of several).

enum { NOBODY = UINT32_MAX, ELSEWHERE = UINT32_MAX - 1 };

enum task_state { NOT_STARTED, POSTING, IN_STEP, AT_BARRIER, FINISHED };

/// A step in which a machine sends one message and awaits one, and those after it that are alike.
struct alike_steps {
    uint32_t until; ///< the first that is not; 0: none are known
    uint32_t to;    ///< the member that it sends to
    int64_t bytes;
    uint64_t awaited; ///< message_key of what it receives
};

/// One machine of one rank in one collective: a step number, and what it still waits for.
struct task {
    uint32_t step;          ///< the step it is in, or the first when it has not started
    uint32_t pending;       ///< open receives, sends not yet posted and reductions not yet done of this step
    uint32_t early;         ///< messages that have come before their step
    uint32_t state;         ///< enum task_state
    uint64_t open_sum;      ///< of message_key over the open receives: 0 again when exactly those have come
    int64_t since;          ///< when it entered the step
    struct want_set *wants; ///< the open receives one by one, where an observer wants to hear of them
    struct operation *kept; ///< and the step's operations
    struct alike_steps alike;
};

struct collective {
    struct collective_request request;
    uint32_t machines, tasks_total;
    uint32_t tasks_hosted;      ///< tasks of ranks that run here
    uint32_t *members;          ///< with step sync, those of such ranks, where they are not all; else NULL
    uint64_t *steps;            ///< per machine; with step sync the most of all
    struct task *tasks;         ///< member * machines + machine
    uint32_t *machines_left;    ///< per member
    uint32_t at_barrier;        ///< tasks
    struct heap at_later_steps; ///< where empty steps are left out: those tasks, by the step that each waits for
    bool leaves_out_steps;
    uint64_t in_flight; ///< messages posted and not delivered
    uint64_t key_sum;   ///< of one message from each member; 0: not asked for yet
    uint32_t reduction; ///< the engine's group of an in-network reduction + 1; 0: none
    bool open;
    uint32_t held; ///< scratch: members whose start is held
    uint8_t *told; ///< members that know of their end from a replay that was given up; NULL: none
};

/// What a message is for, in the engine's record of it.
struct envelope {
    uint32_t task; ///< first, for where many are posted together it is the label of each
    /// NOBODY: a message of communicator_send, whose call `delivered` is told `task`; ELSEWHERE: one to a rank hosted elsewhere,
    /// where the call number `step` of those expected is told `task`.
    uint32_t collective;
    uint64_t message; ///< of those posted together the first one's
    union {
        struct {
            uint32_t step, sender, piece;
        };
        struct done_call delivered;
    };
};

/// A call that is due at some time or delivery.
struct call {
    enum { CALL_DONE, CALL_STREAM, CALL_START, CALL_LAUNCHED, CALL_SEND, CALL_REDUCED, CALL_MESSAGE, CALL_EPISODE } kind;
    uint32_t next_free;
    uint32_t rank;   ///< whose affair it is
    uint32_t cookie; ///< CALL_DONE, CALL_STREAM, CALL_MESSAGE: for the caller; CALL_START, CALL_LAUNCHED: the member; CALL_EPISODE: which;
                     ///< else the task
    uint32_t collective; ///< but for CALL_DONE and CALL_STREAM
    union {
        struct done_call done;
        struct stream_call stream; ///< CALL_STREAM
    };
    struct envelope envelope; ///< CALL_SEND, and the next three
    bool reduced;             ///< by the network
    uint32_t rank_to;
    int64_t bytes;
    uint32_t order, minor; ///< CALL_MESSAGE
};

struct ready {
    uint32_t collective, task;
};

#define FIRST_TURN 0x80000000u ///< cookie of a timer: no call, but this and an index among the first turns

struct communicator {
    struct sim *sim;
    int64_t now; ///< of the engine's present call
    int64_t ticks_per_s;
    const uint32_t *place;
    uint32_t *rank_at; ///< per endpoint
    uint32_t ranks;
    const uint8_t *hosted;       ///< per rank; NULL: all
    struct fold *fold;           ///< representatives stand for all ranks; NULL: every rank for itself
    struct group_member *member; ///< NULL: of no group
    struct rank_costs costs;
    struct tree_source trees;
    struct rank_observer observer;
    bool (*progress)(void *context, int64_t now, uint64_t chunk_hops);
    void *progress_context;

    struct collective **collectives;
    size_t collective_count, collective_capacity;
    uint32_t *free_ids, *closing; ///< ids of no collective; ids closed while machines advance
    size_t free_id_count, free_id_capacity, closing_count, closing_capacity;
    struct early_messages early;
    struct call *calls;
    size_t call_count, call_capacity;
    uint32_t free_call;
    struct ready *ready; ///< machines to advance, a queue
    size_t ready_head, ready_count, ready_capacity;
    uint32_t *ready_of;        ///< per rank: how many of them
    struct ready *first_turns; ///< of machines that begin within the run, by timers of cookies from FIRST_TURN on
    bool draining, local;
    bool unheard;      ///< nobody hears of what is posted or delivered, and all ranks run here, each for itself
    bool plain;        ///< nor of steps, and no processor is paid
    uint64_t advanced; ///< how often a machine went on
    uint64_t asked;    ///< that and messages when it was last asked whether to go on
    struct step step;  ///< scratch
    uint32_t *peers;   ///< scratch: of an exchange
    size_t peer_capacity;

    int64_t *processor_free_at; ///< per rank
    int64_t *bytes_sent;
    uint64_t message_count;
    struct replay_savings saved;
    struct episodes *episodes; ///< NULL: everything is simulated
    uint64_t tasks_open;       ///< started and not finished
    struct digest digest;
    int64_t digest_time; ///< of the delivery added last, and what the digest mixes of it
    uint64_t digest_first;
    int64_t end_ticks;
    bool stalled;
};

/// Somebody hears of each step, or of what makes it matter in which order machines take their turns.
static inline bool communicator_hears_of_steps(const struct communicator *comm) {
    const struct rank_observer *observer = &comm->observer;
    return observer->step_started || observer->posted || observer->delivered;
}

static inline uint32_t rank_of(const struct collective *collective, uint32_t member) {
    return collective->request.ranks ? collective->request.ranks[member] : member;
}

/// Almost always there is one machine: nothing is to be divided ahead of knowing it.
static inline bool has_one_machine(const struct collective *collective) { return __builtin_expect(collective->machines == 1, 1); }

static inline uint32_t member_of(const struct collective *collective, uint32_t task) {
    return has_one_machine(collective) ? task : task / collective->machines;
}

static inline uint32_t machine_of(const struct collective *collective, uint32_t task) {
    return has_one_machine(collective) ? 0 : task % collective->machines;
}

/// Puts a machine in the queue of those that go on.
static inline void communicator_make_ready(struct communicator *comm, uint32_t collective, uint32_t task) {
    bool full = comm->ready_head + comm->ready_count == comm->ready_capacity;
    if (full && comm->ready_head > comm->ready_count) { // so much room that moving is paid for by what was taken
        memmove(comm->ready, comm->ready + comm->ready_head, comm->ready_count * sizeof *comm->ready);
        comm->ready_head = 0;
    }
    ARRAY_RESERVE(comm->ready, comm->ready_capacity, comm->ready_head + comm->ready_count + 1);
    comm->ready[comm->ready_head + comm->ready_count++] = (struct ready){collective, task};
    comm->ready_of[rank_of(comm->collectives[collective], member_of(comm->collectives[collective], task))]++;
}

/// A timer for `call`, an affair of call->rank.
void communicator_call_at(struct communicator *comm, int64_t time, const struct call *call);

/// When the processor of `rank` is done with `ticks` of work, after all that it was asked before.
int64_t communicator_processor_done_at(struct communicator *comm, uint32_t rank, int64_t ticks);

/// What a message is for stands in the engine's record of it.
static inline struct envelope *envelope_of(const struct message *message) {
    _Static_assert(sizeof(struct envelope) <= sizeof message->user, "an envelope fits the engine's record");
    return (struct envelope *)message->user;
}

/// The observer hears of a message that has just been handed to the engine, and whose numbers stand in its record: from whom to whom
/// it goes, and its order, stand in `as`.
void communicator_tell_posted(struct communicator *comm, const struct message *message, struct network_message *as);

bool communicator_progress(void *context, int64_t now, uint64_t chunk_hops);

/// Frees a collective that is closed and has no message on its way.
void communicator_free_if_idle(struct communicator *comm, uint32_t id);

/// The engine has delivered a message.
void communicator_delivered(void *context, const struct message *message, int64_t now);

/// Advances all machines in the queue, until none can go on.
void communicator_drain(struct communicator *comm);

/// Begins a run: machines that are ready take their first turn, now or within it.
void communicator_begin(struct communicator *comm, const struct engine_type *engine);
void communicator_take_first_turn(struct communicator *comm, uint32_t index);

/// Counts the images of a delivery, and turns what it is for into what it means to the receiver's representative.
void communicator_fold_delivery(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, struct envelope *envelope);
void communicator_fold_free(struct communicator *comm);

/// The operations of the task's present step, in comm->step.
void communicator_fill_step(struct communicator *comm, const struct collective *collective, uint32_t task);

/// Both halves of starting: after a late rank's delay, and after the launch overhead.
void communicator_launch(struct communicator *comm, uint32_t collective, uint32_t member);

void communicator_post_late(struct communicator *comm, const struct call *send); ///< after the send overhead
void communicator_one_less_pending(struct communicator *comm, uint32_t collective, uint32_t task);
void communicator_end_step(struct communicator *comm, uint32_t collective, uint32_t task); ///< its receives are in and paid for

/// Of what communicator_replay counts, the digest alone.
void communicator_count_deliveries(struct communicator *comm, const struct rehearsal *rehearsal, int64_t start);

// ---- one of a group (communicator_group.c)

void group_member_free(struct group_member *member);

/// The id of the collective that is opened now, the same in the whole group; comm->collectives has room for it.
uint32_t group_open(struct communicator *comm, uint32_t order);
/// It has been opened: finds the messages that came before.
void group_opened(struct communicator *comm, uint32_t id);

static inline bool group_has_opened(const struct communicator *comm, uint32_t id) {
    return id < comm->collective_count && comm->collectives[id];
}

/// Takes a message that is of no collective that is open here: makes the call of one sent ELSEWHERE, keeps others.
void group_take(struct communicator *comm, const struct envelope *envelope);

/// The number of a call among those expected.
uint32_t group_expected(struct communicator *comm, const struct done_call *delivered);

#endif
