// What is seldom done in a step: posting a message that somebody hears of, that costs its rank something, that the network reduces, or
// of a rank to itself, and paying for reductions.
#include "algos/communicator_episode.h"
#include "algos/communicator_machine.h"

#include <stdlib.h>

#include "base/units.h"

void communicator_tell_posted(struct communicator *comm, const struct message *message, struct network_message *as) {
    as->message = envelope_of(message)->message;
    as->engine_id = sim_message_id(comm->sim, message);
    as->bytes = message->bytes;
    comm->observer.posted(comm->observer.context, as, comm->now);
}

/// The engine's group of the collective, made when its first member posts.
static uint32_t reduction_of(struct communicator *comm, struct collective *collective) {
    if (collective->reduction) return collective->reduction - 1;
    const struct collective_request *request = &collective->request;
    struct reduction_tree tree;
    if (!comm->trees.find || !comm->trees.find(comm->trees.context, request->ranks, request->args.size, &tree))
        fatal("an in-network reduction was not checked: its ranks share no tree of switches");
    collective->reduction = sim_group_create(comm->sim, &tree, request->args.bytes, comm->costs.switch_reduce_bytes_per_s) + 1;
    free(tree.nodes);
    free(tree.members);
    return collective->reduction - 1;
}

/// A message of a machine has been handed to the engine.
static inline void posted(struct communicator *comm, const struct machine *machine, const struct sender *sender,
                          const struct message *message, uint32_t to) {
    machine->collective->in_flight++;
    saturating_add(&comm->bytes_sent[sender->rank], message->bytes, 1);
    if (comm->episodes) episodes_posted(comm->episodes);
    if (comm->observer.posted)
        communicator_tell_posted(comm, message, &(struct network_message){.from = sender->rank, .to = to, .order = sender->order});
}

/// The network reduces the message and brings back the sum.
static void post_reduced(struct communicator *comm, const struct machine *machine, const struct envelope *envelope) {
    const struct sender sender = sender_of(machine);
    struct message *message = sim_post_reduced(comm->sim, reduction_of(comm, machine->collective), sender.member, sender.order, 0);
    *envelope_of(message) = *envelope;
    posted(comm, machine, &sender, message, sender.rank);
}

void communicator_post_late(struct communicator *comm, const struct call *send) {
    const struct machine machine = machine_at(comm, send->collective, send->cookie);
    if (send->reduced) {
        post_reduced(comm, &machine, &send->envelope);
        return;
    }
    const struct sender sender = sender_of(&machine);
    struct message *message = sim_post(comm->sim, comm->place[send->rank], comm->place[send->rank_to], send->bytes, sender.order, 0);
    *envelope_of(message) = send->envelope;
    posted(comm, &machine, &sender, message, send->rank_to);
}

/// Hands it over when the processor has spent the overhead on it.
static void post_late(struct communicator *comm, const struct machine *machine, const struct operation *operation,
                      const struct envelope *envelope) {
    uint32_t rank = rank_of_machine(machine);
    machine->task->pending++;
    int64_t at = communicator_processor_done_at(comm, rank, comm->costs.send_overhead_ticks);
    communicator_call_at(comm, at,
                         &(struct call){.kind = CALL_SEND,
                                        .rank = rank,
                                        .cookie = machine->t,
                                        .collective = machine->id,
                                        .envelope = *envelope,
                                        .reduced = operation->in_network,
                                        .rank_to = rank_of(machine->collective, operation->peer),
                                        .bytes = operation_bytes(operation)});
}

void communicator_post_special(struct communicator *comm, const struct machine *machine, const struct sender *sender,
                               const struct operation *operation) {
    uint64_t number = comm->message_count++;
    if (comm->observer.sent) comm->observer.sent(comm->observer.context, machine->id, sender->member, operation, number, comm->now);
    uint32_t to = rank_of(machine->collective, operation->peer);
    bool to_itself = to == sender->rank && !operation->in_network;
    if (to_itself || operation->in_network || comm->costs.send_overhead_ticks > 0) {
        struct envelope envelope;
        fill_envelope(&envelope, machine, sender, operation, number);
        if (to_itself)
            communicator_arrive_at_once(comm, &envelope);
        else if (comm->costs.send_overhead_ticks > 0)
            post_late(comm, machine, operation, &envelope);
        else
            post_reduced(comm, machine, &envelope);
        return;
    }
    struct message *message = sim_post(comm->sim, comm->place[sender->rank], comm->place[to], operation_bytes(operation), sender->order, 0);
    fill_envelope(envelope_of(message), machine, sender, operation, number);
    posted(comm, machine, sender, message, to);
}

// ---- reductions

static int64_t bytes_added(const struct communicator *comm) {
    int64_t bytes = 0;
    for (size_t i = 0; i < comm->step.count; i++)
        if (!comm->step.operations[i].is_send && comm->step.operations[i].combine == COMBINE_ADD)
            bytes += comm->step.operations[i].span.bytes;
    return bytes;
}

bool communicator_reduce(struct communicator *comm, const struct machine *machine) {
    communicator_fill_step(comm, machine->collective, machine->t);
    int64_t ticks, bytes = bytes_added(comm);
    if (bytes == 0) return false;
    if (!transfer_ticks(bytes, comm->costs.reduce_bytes_per_s, comm->ticks_per_s, &ticks)) ticks = INT64_MAX;
    uint32_t rank = rank_of_machine(machine);
    communicator_call_at(comm, communicator_processor_done_at(comm, rank, ticks),
                         &(struct call){.kind = CALL_REDUCED, .rank = rank, .collective = machine->id, .cookie = machine->t});
    return true;
}
