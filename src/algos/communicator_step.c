// One machine's step: what it posts, how its messages find its receives, and when the step ends.
#include "algos/communicator_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/units.h"

/// Every machine of the collective that runs here goes on to its next step.
static void release_barrier(struct communicator *comm, uint32_t id) {
    struct collective *collective = comm->collectives[id];
    collective->at_barrier = 0;
    for (uint32_t t = 0; t < collective->tasks_total; t++)
        if (collective->tasks[t].state == AT_BARRIER) communicator_make_ready(comm, id, t);
}

/// The step's receives are in and its sends are posted.
void communicator_end_step(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    struct task *task = &collective->tasks[t];
    task->step++;
    if (!collective->request.step_sync) {
        communicator_make_ready(comm, id, t);
        return;
    }
    task->state = AT_BARRIER;
    task->since = comm->now;
    if (++collective->at_barrier == collective->tasks_hosted) release_barrier(comm, id);
}

static int64_t bytes_added(const struct communicator *comm) {
    int64_t bytes = 0;
    for (size_t i = 0; i < comm->step.count; i++)
        if (!comm->step.operations[i].is_send && comm->step.operations[i].combine == COMBINE_ADD)
            bytes += comm->step.operations[i].span.bytes;
    return bytes;
}

void communicator_fill_step(struct communicator *comm, const struct collective *collective, uint32_t t) {
    const struct collective_args *args = &collective->request.args;
    struct view view = view_all(member_of(collective, t), args->size);
    comm->step.count = 0;
    comm->step.phase = NULL;
    collective->request.algorithm->step(args, &view, machine_of(collective, t), collective->tasks[t].step, &comm->step);
}

/// Nothing of the step is pending any more: pay for the reductions, then end it.
static void all_received(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    int64_t rate = comm->costs.reduce_bytes_per_s;
    if (rate > 0) {
        communicator_fill_step(comm, collective, t);
        int64_t ticks, bytes = bytes_added(comm);
        if (!transfer_ticks(bytes, rate, comm->ticks_per_s, &ticks)) ticks = INT64_MAX;
        if (bytes > 0) {
            collective->tasks[t].pending = 1;
            uint32_t rank = rank_of(collective, member_of(collective, t));
            communicator_call_at(comm, communicator_processor_done_at(comm, rank, ticks),
                                 &(struct call){.kind = CALL_REDUCED, .rank = rank, .collective = id, .cookie = t});
            return;
        }
    }
    communicator_end_step(comm, id, t);
}

void communicator_one_less_pending(struct communicator *comm, uint32_t id, uint32_t t) {
    struct task *task = &comm->collectives[id]->tasks[t];
    if (--task->pending > 0) return;
    if (task->open_sum != 0) fatal("a rank of %s got a message that it does not await", comm->collectives[id]->request.algorithm->name);
    if (task->wants) {
        free(task->wants);
        task->wants = NULL;
    }
    all_received(comm, id, t);
}

static void tell_received(struct communicator *comm, uint32_t id, uint32_t t, uint32_t operation, uint64_t message) {
    if (!comm->observer.received) return;
    struct collective *collective = comm->collectives[id];
    comm->observer.received(comm->observer.context, id, member_of(collective, t), &collective->tasks[t].kept[operation], message,
                            comm->now);
}

/// One round of mixing: sums of keys must not be equal because sums of ranks are.
static uint64_t message_key(uint32_t sender, uint32_t piece) {
    uint64_t key = ((uint64_t)piece << 32 | sender) + 1;
    key = (key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

/// Takes the open receive of the message. Where sends match receives and nobody observes them, they are only summed up:
/// a message of this step is awaited.
static bool take_want(struct communicator *comm, struct task *task, const struct envelope *envelope) {
    if (task->wants) {
        uint32_t operation;
        if (!want_set_take(task->wants, envelope->sender, envelope->piece, &operation)) return false;
        tell_received(comm, envelope->collective, envelope->task, operation, envelope->message);
    }
    task->open_sum -= message_key(envelope->sender, envelope->piece);
    return true;
}

void communicator_arrive(struct communicator *comm, const struct envelope *envelope) {
    struct task *task = &comm->collectives[envelope->collective]->tasks[envelope->task];
    if (task->state == IN_STEP && task->step == envelope->step && take_want(comm, task, envelope)) {
        communicator_one_less_pending(comm, envelope->collective, envelope->task);
        return;
    }
    task->early++;
    early_put(&comm->early, &(struct early_message){envelope->collective, envelope->task, envelope->step, envelope->sender, envelope->piece,
                                                    envelope->message});
}

// ---- posting a step

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

/// A send that is handed to the engine.
struct outgoing {
    uint32_t from, to; ///< ranks
    int64_t bytes;
    bool reduced; ///< by the network
};

static void hand_over(struct communicator *comm, uint32_t t, const struct outgoing *send, const struct envelope *envelope) {
    struct collective *collective = comm->collectives[envelope->collective];
    uint32_t order = collective->request.order + machine_of(collective, t);
    collective->in_flight++;
    uint32_t id = send->reduced ? sim_post_reduced(comm->sim, reduction_of(comm, collective), member_of(collective, t), order, 0)
                                : sim_post(comm->sim, comm->place[send->from], comm->place[send->to], send->bytes, order, 0);
    const struct network_message message = {envelope->message, id, send->from, send->to, send->bytes, order, 0};
    communicator_posted(comm, &message, envelope);
}

void communicator_post_late(struct communicator *comm, const struct call *send) {
    hand_over(comm, send->cookie, &(struct outgoing){send->rank, send->rank_to, send->bytes, send->reduced}, &send->envelope);
}

/// Hands it over when the processor has spent the overhead on it.
static void post_late(struct communicator *comm, uint32_t t, const struct outgoing *send, const struct envelope *envelope) {
    comm->collectives[envelope->collective]->tasks[t].pending++;
    int64_t at = communicator_processor_done_at(comm, send->from, comm->costs.send_overhead_ticks);
    communicator_call_at(comm, at,
                         &(struct call){.kind = CALL_SEND,
                                        .rank = send->from,
                                        .cookie = t,
                                        .collective = envelope->collective,
                                        .envelope = *envelope,
                                        .reduced = send->reduced,
                                        .rank_to = send->to,
                                        .bytes = send->bytes});
}

static void post_send(struct communicator *comm, uint32_t id, uint32_t t, const struct operation *operation) {
    struct collective *collective = comm->collectives[id];
    uint32_t member = member_of(collective, t);
    const struct envelope envelope = {.message = comm->message_count++,
                                      .collective = id,
                                      .task = operation->peer * collective->machines + machine_of(collective, t),
                                      .step = collective->tasks[t].step,
                                      .sender = member,
                                      .piece = operation->piece};
    if (comm->observer.sent) comm->observer.sent(comm->observer.context, id, member, operation, envelope.message, comm->now);
    const struct outgoing send = {rank_of(collective, member), rank_of(collective, operation->peer), operation_bytes(operation),
                                  operation->in_network};
    if (send.from == send.to && !send.reduced)
        communicator_arrive(comm, &envelope);
    else if (comm->costs.send_overhead_ticks > 0)
        post_late(comm, t, &send, &envelope);
    else
        hand_over(comm, t, &send, &envelope);
}

static void post_receive(struct communicator *comm, uint32_t id, uint32_t t, uint32_t index) {
    struct task *task = &comm->collectives[id]->tasks[t];
    const struct operation *operation = &comm->step.operations[index];
    if (task->early > 0) {
        struct early_message wanted = {id, t, task->step, operation->peer, operation->piece, 0};
        if (early_take(&comm->early, &wanted)) {
            task->early--;
            tell_received(comm, id, t, index, wanted.message);
            return;
        }
    }
    task->pending++;
    task->open_sum += message_key(operation->peer, operation->piece);
    if (task->wants) want_set_add(task->wants, (struct want){operation->peer, operation->piece, index});
}

/// Copies the step's operations for an observer of receives.
static void keep_operations(struct communicator *comm, struct task *task) {
    size_t bytes = comm->step.count * sizeof *task->kept;
    task->kept = reallocate(task->kept, bytes);
    if (bytes > 0) memcpy(task->kept, comm->step.operations, bytes);
}

static uint32_t count_receives(const struct step *step) {
    uint32_t receives = 0;
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) receives += !step->operations[i].is_send;
    return receives;
}

/// Posts all sends, then all receives of the task's step. `pending` counts one for the posting itself, so that nothing
/// ends the step half-way.
void communicator_post_step(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    struct task *task = &collective->tasks[t];
    communicator_fill_step(comm, collective, t);
    task->state = POSTING;
    task->since = comm->now;
    task->pending = 1;
    task->open_sum = 0;
    if (comm->observer.received) keep_operations(comm, task);
    if (comm->observer.step_started)
        comm->observer.step_started(comm->observer.context, id, member_of(collective, t), machine_of(collective, t), task->step,
                                    &comm->step, task->since);
    const struct step *step = &comm->step;
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined)
        if (step->operations[i].is_send) post_send(comm, id, t, &step->operations[i]);
    if (comm->observer.received || collective->request.unmatched) task->wants = want_set_create(count_receives(step));
    for (uint32_t i = 0; i < step->count; i += 1 + step->operations[i].joined)
        if (!step->operations[i].is_send) post_receive(comm, id, t, i);
    task->state = IN_STEP;
    communicator_one_less_pending(comm, id, t);
}
