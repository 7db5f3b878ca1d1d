// Posting a step of many messages that differ only in their peers: the engine keeps them as lists.
#include "algos/communicator_machine.h"

#include <stdlib.h>

static bool may_post_many(const struct communicator *comm) { return posts_unheard(comm) && sim_keeps_lists(comm->sim); }

/// The engine's record of what `count` messages of a machine have in common; the caller fills the targets. NULL: they have to be posted
/// one by one.
static const struct message *post_many(struct communicator *comm, const struct machine *machine, const struct sender *sender,
                                       const struct operation *like, struct message_target **targets, uint32_t count) {
    const struct message_batch batch = {comm->place[sender->rank], count, like->span.bytes, sender->order, 0};
    struct message *message = sim_post_many(comm->sim, &batch, targets);
    if (!message) return NULL;
    fill_envelope(envelope_of(message), machine, sender, like, comm->message_count);
    machine->collective->in_flight += count;
    saturating_add(&comm->bytes_sent[sender->rank], like->span.bytes, count);
    comm->message_count += count;
    return message;
}

static inline struct message_target target_of(const struct communicator *comm, const struct machine *machine, const struct sender *sender,
                                              uint32_t peer) {
    const struct collective *collective = machine->collective;
    return (struct message_target){comm->place[rank_of(collective, peer)], peer * collective->machines + sender->index};
}

static bool are_alike(const struct step *step, const struct machine *machine, const struct sender *sender) {
    const struct operation *first = step->operations;
    for (size_t i = 0; i < step->sends; i++) {
        const struct operation *operation = &step->operations[i];
        if (!operation->is_send || operation->joined || operation->in_network || operation->piece != first->piece) return false;
        if (operation->span.bytes != first->span.bytes || rank_of(machine->collective, operation->peer) == sender->rank) return false;
    }
    return true;
}

bool communicator_post_together(struct communicator *comm, const struct machine *machine, const struct sender *sender) {
    const struct step *step = &comm->step;
    if (!may_post_many(comm) || !are_alike(step, machine, sender)) return false;
    struct message_target *targets;
    if (!post_many(comm, machine, sender, &step->operations[0], &targets, (uint32_t)step->sends)) return false;
    for (size_t i = 0; i < step->sends; i++) targets[i] = target_of(comm, machine, sender, step->operations[i].peer);
    return true;
}

/// The sum of the keys of one message from each member.
static uint64_t key_sum(struct collective *collective) {
    if (collective->key_sum == 0)
        for (uint32_t member = 0; member < collective->request.args.size; member++) collective->key_sum += message_key(member, 0);
    return collective->key_sum;
}

/// To each of comm->peers, one by one: what the engine of a folded network keeps no list of.
static void post_each(struct communicator *comm, const struct machine *machine, const struct sender *sender, int64_t bytes,
                      uint32_t count) {
    struct operation operation = {.is_send = true, .span = {.bytes = bytes}};
    for (uint32_t i = 0; i < count; i++) {
        operation.peer = comm->peers[i];
        uint32_t to = comm->place[rank_of(machine->collective, operation.peer)];
        struct message *message = sim_post(comm->sim, comm->place[sender->rank], to, bytes, sender->order, 0);
        fill_envelope(envelope_of(message), machine, sender, &operation, comm->message_count++);
    }
    machine->collective->in_flight += count;
    saturating_add(&comm->bytes_sent[sender->rank], bytes, count);
}

bool communicator_post_exchange(struct communicator *comm, const struct machine *machine) {
    struct collective *collective = machine->collective;
    const struct collective_request *request = &collective->request;
    struct task *task = machine->task;
    const uint32_t count = request->args.size - 1;
    if (count < FEWEST_TOGETHER || comm->observer.received || comm->observer.step_started) return false;
    if (comm->fold ? !posts_unheard(comm) : !may_post_many(comm)) return false;
    if (request->unmatched || task->early > 0) return false;
    const struct sender sender = sender_of(machine);
    ARRAY_RESERVE(comm->peers, comm->peer_capacity, count);
    const int64_t bytes = request->algorithm->exchanges(&request->args, sender.member, task->step, comm->peers);
    struct message_target *targets;
    if (bytes < 0) return false;
    if (post_many(comm, machine, &sender, &(struct operation){.span = {.bytes = bytes}}, &targets, count))
        for (uint32_t i = 0; i < count; i++) targets[i] = target_of(comm, machine, &sender, comm->peers[i]);
    else if (comm->fold)
        post_each(comm, machine, &sender, bytes, count);
    else
        return false;
    task->state = IN_STEP;
    task->pending = count;
    task->open_sum = key_sum(collective) - message_key(sender.member, 0);
    return true;
}
