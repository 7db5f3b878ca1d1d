#ifndef ALGOS_COMMUNICATOR_ALIKE_H
#define ALGOS_COMMUNICATOR_ALIKE_H

#include "algos/communicator_machine.h"
#include "engine/post.h"

/// Most steps of a ring are alike the step before: nobody asks the algorithm again what they consist of.

/// Posts a message of `bytes` to another rank's member, of which nobody hears.
static inline struct envelope *post_plain(struct communicator *comm, const struct machine *machine, const struct sender *sender,
                                          uint32_t to, int64_t bytes) {
    const uint32_t rank = rank_of(machine->collective, to);
    struct message *message = post_begin(comm->sim, comm->place[sender->rank], comm->place[rank], bytes, sender->order, 0);
    machine->collective->in_flight++;
    saturating_add(&comm->bytes_sent[sender->rank], bytes, 1);
    return envelope_of(message);
}

/// Notes whether the steps that follow the present one, which is in comm->step, are alike; of a machine whose messages nobody hears of.
static inline void alike_note(const struct communicator *comm, const struct machine *machine, const struct sender *sender) {
    const struct operation *send = comm->step.operations, *receive = send + 1;
    const struct collective_request *request = &machine->collective->request;
    if (comm->step.count != 2 || !request->algorithm->alike_until || request->unmatched) return;
    if (!send->is_send || receive->is_send || send->in_network || receive->in_network || send->piece > 0 || receive->piece > 0) return;
    if (send->joined + receive->joined > 0 || send->peer == sender->member) return;
    struct task *task = machine->task;
    uint64_t until = request->algorithm->alike_until(&request->args, sender->index, task->step);
    task->alike = (struct alike_steps){until < UINT32_MAX ? (uint32_t)until : UINT32_MAX, send->peer, send->span.bytes,
                                       message_key(receive->peer, 0)};
}

/// Whether the machine's present step is alike the one noted, and what it awaits cannot have come.
static inline bool alike_known(const struct communicator *comm, const struct task *task) {
    return task->step < task->alike.until && task->early == 0 && comm->plain;
}

/// Posts such a step.
static inline void alike_post(struct communicator *comm, const struct machine *machine) {
    struct task *task = machine->task;
    const struct sender sender = sender_of(machine);
    const struct operation send = {.peer = task->alike.to};
    fill_envelope(post_plain(comm, machine, &sender, send.peer, task->alike.bytes), machine, &sender, &send, comm->message_count++);
    post_end(comm->sim);
    task->pending = 1;
    task->open_sum = task->alike.awaited;
    task->state = IN_STEP;
}

#endif
