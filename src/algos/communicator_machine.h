#ifndef ALGOS_COMMUNICATOR_MACHINE_H
#define ALGOS_COMMUNICATOR_MACHINE_H

#include "algos/communicator_state.h"

/// What the files that post a machine's step share: communicator_step.c, communicator_alike.h (steps alike the one before),
/// communicator_many.c (many messages at once) and communicator_special.c (those that somebody hears of, and reductions).

/// A machine that something happens to.
struct machine {
    struct collective *collective;
    struct task *task;
    uint32_t id, t; ///< the collective's and the task's
};

static inline struct machine machine_at(const struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    return (struct machine){collective, &collective->tasks[t], id, t};
}

static inline uint32_t rank_of_machine(const struct machine *machine) {
    return rank_of(machine->collective, member_of(machine->collective, machine->t));
}

/// Mixed, for sums of keys must not be equal because sums of ranks are.
static inline uint64_t message_key(uint32_t sender, uint32_t piece) {
    uint64_t key = (((uint64_t)piece << 32 | sender) + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

/// A machine that posts its step.
struct sender {
    uint32_t member, index; ///< which member, and which of its machines
    uint32_t rank, order;
};

static inline struct sender sender_of(const struct machine *machine) {
    const struct collective *collective = machine->collective;
    uint32_t member = member_of(collective, machine->t), index = machine_of(collective, machine->t);
    return (struct sender){member, index, rank_of(collective, member), collective->request.order + index};
}

/// Member by member: a copy as a whole would wait for the stores that have just made it.
static inline void fill_envelope(struct envelope *envelope, const struct machine *machine, const struct sender *sender,
                                 const struct operation *operation, uint64_t number) {
    envelope->message = number;
    envelope->collective = machine->id;
    envelope->task = operation->peer * machine->collective->machines + sender->index;
    envelope->step = machine->task->step;
    envelope->sender = sender->member;
    envelope->piece = operation->piece;
}

/// Whether nobody hears of each message that is posted, and no processor is paid for it.
static inline bool posts_unheard(const struct communicator *comm) {
    return !comm->observer.sent && !comm->observer.posted && !comm->episodes && comm->costs.send_overhead_ticks == 0;
}

/// Posts a send that somebody hears of, that costs something, or that is not to be sent to another rank.
void communicator_post_special(struct communicator *comm, const struct machine *machine, const struct sender *sender,
                               const struct operation *operation);

/// Puts the rank's processor to the reductions of the step, whose receives are in; false where there are none.
bool communicator_reduce(struct communicator *comm, const struct machine *machine);

/// A message of a rank to itself has come.
void communicator_arrive_at_once(struct communicator *comm, const struct envelope *envelope);

enum { FEWEST_TOGETHER = 8 };

/// Posts the sends of the present step, at least FEWEST_TOGETHER, at once: they are its first operations. False: they have to be posted
/// one by one.
bool communicator_post_together(struct communicator *comm, const struct machine *machine, const struct sender *sender);

/// Posts a step in which a rank exchanges equal blocks with all others; false: it has to be posted as any other.
bool communicator_post_exchange(struct communicator *comm, const struct machine *machine);

#endif
