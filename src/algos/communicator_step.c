// A machine and its steps: what it posts, how its messages find its receives, when a step ends and the next begins.
#include "algos/communicator_alike.h"
#include "algos/communicator_episode.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/post.h"

// ---- the end of a step. Functions that return whether a machine goes on leave it to the caller to advance it.

/// The machine's first step from its present one on that is not known to be empty.
static uint32_t next_busy_step(const struct machine *machine) {
    const struct collective_request *request = &machine->collective->request;
    uint32_t index = machine_of(machine->collective, machine->t);
    const struct view view = view_all(member_of(machine->collective, machine->t), request->args.size);
    uint64_t next = algorithm_next_step(request->algorithm, &request->args, &view, index, machine->task->step);
    uint64_t steps = machine->collective->steps[index];
    return (uint32_t)(next < steps ? next : steps);
}

/// The machines of the collective that run here go on: all, or those whose next step comes first.
static void release_barrier(struct communicator *comm, uint32_t id) {
    struct collective *collective = comm->collectives[id];
    struct heap *waiting = &collective->at_later_steps;
    if (waiting->count > 0) {
        for (int64_t step = waiting->entries[0].time; waiting->count > 0 && waiting->entries[0].time == step; collective->at_barrier--)
            communicator_make_ready(comm, id, (uint32_t)heap_pop(waiting).order);
        return;
    }
    collective->at_barrier = 0;
    uint32_t machines = collective->machines;
    for (uint32_t i = 0; i < collective->tasks_hosted; i++) {
        uint32_t t = collective->members ? collective->members[i / machines] * machines + i % machines : i;
        if (collective->tasks[t].state == AT_BARRIER) communicator_make_ready(comm, id, t);
    }
}

/// A machine waits for all others to be done with the step; if it has nothing to do in those that follow, with these too.
static void wait_at_barrier(struct communicator *comm, const struct machine *machine) {
    struct task *task = machine->task;
    struct collective *collective = machine->collective;
    task->state = AT_BARRIER;
    task->since = comm->now;
    if (collective->leaves_out_steps) {
        task->step = next_busy_step(machine);
        heap_push(&collective->at_later_steps, (struct heap_entry){.time = task->step, .order = machine->t});
    }
    if (++collective->at_barrier == collective->tasks_hosted) release_barrier(comm, machine->id);
}

/// The step's receives are in and its sends are posted; returns whether the machine goes on.
static inline bool end_step(struct communicator *comm, const struct machine *machine) {
    machine->task->step++;
    if (!machine->collective->request.step_sync) return true;
    wait_at_barrier(comm, machine);
    return false;
}

void communicator_end_step(struct communicator *comm, uint32_t id, uint32_t t) {
    const struct machine machine = machine_at(comm, id, t);
    if (end_step(comm, &machine)) communicator_make_ready(comm, id, t);
}

/// The operations of step k of a member's machine, in comm->step.
static inline void fill_step(struct communicator *comm, const struct collective *collective, uint32_t member, uint32_t machine,
                             uint64_t k) {
    const struct collective_args *args = &collective->request.args;
    const struct view view = view_all(member, args->size);
    step_clear(&comm->step);
    collective->request.algorithm->step(args, &view, machine, k, &comm->step);
}

void communicator_fill_step(struct communicator *comm, const struct collective *collective, uint32_t t) {
    fill_step(comm, collective, member_of(collective, t), machine_of(collective, t), collective->tasks[t].step);
}

/// Nothing of the step is pending any more: pays for the reductions, then ends it; returns whether the machine goes on.
static inline bool all_received(struct communicator *comm, const struct machine *machine) {
    struct task *task = machine->task;
    if (task->open_sum != 0) fatal("a rank of %s got a message that it does not await", machine->collective->request.algorithm->name);
    if (task->wants) {
        free(task->wants);
        task->wants = NULL;
    }
    if (comm->costs.reduce_bytes_per_s > 0 && communicator_reduce(comm, machine)) return false;
    return end_step(comm, machine);
}

void communicator_one_less_pending(struct communicator *comm, uint32_t id, uint32_t t) {
    const struct machine machine = machine_at(comm, id, t);
    if (--machine.task->pending == 0 && all_received(comm, &machine)) communicator_make_ready(comm, id, t);
}

// ---- messages that come

static void tell_received(struct communicator *comm, const struct machine *machine, uint32_t operation, uint64_t message) {
    if (!comm->observer.received) return;
    comm->observer.received(comm->observer.context, machine->id, member_of(machine->collective, machine->t),
                            &machine->task->kept[operation], message, comm->now);
}

/// Takes the open receive of the message. Where sends match receives and nobody observes them, they are only summed up:
/// a message of this step is awaited.
static inline bool take_want(struct communicator *comm, const struct machine *machine, const struct envelope *envelope) {
    struct task *task = machine->task;
    if (task->wants) {
        uint32_t operation;
        if (!want_set_take(task->wants, envelope->sender, envelope->piece, &operation)) return false;
        tell_received(comm, machine, operation, envelope->message);
    }
    task->open_sum -= message_key(envelope->sender, envelope->piece);
    return true;
}

/// Matches a message to its receive, or keeps it until its step; returns whether the machine goes on.
static inline bool arrive(struct communicator *comm, const struct machine *machine, const struct envelope *envelope) {
    struct task *task = machine->task;
    if (task->state == IN_STEP && task->step == envelope->step && take_want(comm, machine, envelope))
        return --task->pending == 0 && all_received(comm, machine);
    task->early++;
    early_put(&comm->early, &(struct early_message){envelope->collective, envelope->task, envelope->step, envelope->sender, envelope->piece,
                                                    envelope->message});
    return false;
}

void communicator_arrive_at_once(struct communicator *comm, const struct envelope *envelope) {
    const struct machine machine = machine_at(comm, envelope->collective, envelope->task);
    if (arrive(comm, &machine, envelope)) communicator_make_ready(comm, machine.id, machine.t);
}

// ---- posting a step

static inline void post_send(struct communicator *comm, const struct machine *machine, const struct sender *sender,
                             const struct operation *operation) {
    uint32_t to = rank_of(machine->collective, operation->peer);
    if (!comm->plain || to == sender->rank || operation->in_network) {
        communicator_post_special(comm, machine, sender, operation);
        return;
    }
    struct envelope *envelope = post_plain(comm, machine, sender, operation->peer, operation_bytes(operation));
    fill_envelope(envelope, machine, sender, operation, comm->message_count++);
    post_end(comm->sim);
}

/// Takes the message of a receive that has come before its step.
static bool take_early(struct communicator *comm, const struct machine *machine, uint32_t index) {
    const struct operation *operation = &comm->step.operations[index];
    struct early_message wanted = {machine->id, machine->t, machine->task->step, operation->peer, operation->piece, 0};
    if (!early_take(&comm->early, &wanted)) return false;
    machine->task->early--;
    tell_received(comm, machine, index, wanted.message);
    return true;
}

/// Posts the receives of the step, of which the first is operation `i` or a later one.
static inline void post_receives(struct communicator *comm, const struct machine *machine, uint32_t i) {
    struct task *task = machine->task;
    uint32_t open = 0;
    uint64_t open_sum = 0;
    for (const struct operation *operation; i < comm->step.count; i += 1 + operation->joined) {
        operation = &comm->step.operations[i];
        if (operation->is_send || (task->early > 0 && take_early(comm, machine, i))) continue;
        open++;
        open_sum += message_key(operation->peer, operation->piece);
        if (task->wants) want_set_add(task->wants, (struct want){operation->peer, operation->piece, i});
    }
    task->pending += open;
    task->open_sum += open_sum;
}

/// The step's operations are kept for an observer of receives.
static void tell_step(struct communicator *comm, const struct machine *machine) {
    const struct step *step = &comm->step;
    struct task *task = machine->task;
    if (comm->observer.received) {
        task->kept = reallocate(task->kept, step->count * sizeof *task->kept);
        if (step->count > 0) memcpy(task->kept, step->operations, step->count * sizeof *task->kept);
    }
    if (comm->observer.step_started)
        comm->observer.step_started(comm->observer.context, machine->id, member_of(machine->collective, machine->t),
                                    machine_of(machine->collective, machine->t), task->step, step, task->since);
}

static uint32_t count_receives(const struct step *step) {
    uint32_t receives = 0;
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) receives += !step->operations[i].is_send;
    return receives;
}

/// Posts all sends, then all receives of the task's step; returns whether the machine goes on. `pending` counts one for the
/// posting itself, so that nothing ends the step half-way.
static inline bool post_step(struct communicator *comm, const struct machine *machine) {
    struct task *task = machine->task;
    const struct step *step = &comm->step;
    task->since = comm->now;
    if (alike_known(comm, task)) {
        alike_post(comm, machine);
        return false;
    }
    if (machine->collective->request.algorithm->exchanges && communicator_post_exchange(comm, machine)) return false;
    const struct sender sender = sender_of(machine);
    fill_step(comm, machine->collective, sender.member, sender.index, task->step);
    task->state = POSTING;
    task->pending = 1;
    task->open_sum = 0;
    if (comm->plain)
        alike_note(comm, machine, &sender);
    else
        tell_step(comm, machine);
    uint32_t i = 0, passed = UINT32_MAX;
    bool together = step->sends >= FEWEST_TOGETHER && communicator_post_together(comm, machine, &sender);
    if (together) i = (uint32_t)step->sends;
    for (size_t sends = together ? 0 : step->sends; sends > 0 && i < step->count; i += 1 + step->operations[i].joined) {
        if (step->operations[i].is_send) {
            post_send(comm, machine, &sender, &step->operations[i]);
            sends--;
        } else if (passed == UINT32_MAX) {
            passed = i;
        }
    }
    if (machine->collective->request.unmatched || (!comm->plain && comm->observer.received))
        task->wants = want_set_create(count_receives(step));
    post_receives(comm, machine, passed < i ? passed : i);
    task->state = IN_STEP;
    return --task->pending == 0 && all_received(comm, machine);
}

// ---- machines go on

static void finish(struct communicator *comm, const struct machine *machine) {
    struct collective *collective = machine->collective;
    uint32_t member = member_of(collective, machine->t);
    machine->task->state = FINISHED;
    comm->tasks_open--;
    int64_t now = comm->now;
    if (now > comm->end_ticks) comm->end_ticks = now;
    if (comm->observer.finished)
        comm->observer.finished(comm->observer.context, machine->id, member, machine_of(collective, machine->t), now);
    bool whole = --collective->machines_left[member] == 0;
    if (comm->episodes) episodes_finished(comm, machine->id, member, whole);
    if (whole && collective->request.done.call && !(collective->told && collective->told[member]))
        collective->request.done.call(collective->request.done.context, member, now);
}

/// Whether nobody can tell that a machine takes several empty steps in one turn: no other machine, or none that its rank's affairs
/// depend on, has a turn between them.
static bool may_skip(const struct communicator *comm, const struct machine *machine) {
    return !communicator_hears_of_steps(comm) && (comm->ready_count == 0 || (comm->local && comm->ready_of[rank_of_machine(machine)] == 0));
}

/// After an empty step: past those that follow and are empty too.
static void skip_empty_steps(const struct communicator *comm, const struct machine *machine) {
    if (machine->collective->request.algorithm->next_step && may_skip(comm, machine)) machine->task->step = next_busy_step(machine);
}

enum { ASK_EVERY = 1 << 20 };

/// Where an instant has many steps, or messages, the engine does not get to ask.
static inline bool is_to_go_on(struct communicator *comm) {
    uint64_t done = ++comm->advanced + comm->message_count;
    if (done - comm->asked < ASK_EVERY) return true;
    comm->asked = done;
    return sim_has_room(comm->sim) && communicator_progress(comm, comm->now, sim_chunk_hops(comm->sim));
}

/// Advances a machine by a step; returns whether it goes on.
static inline bool advance(struct communicator *comm, const struct machine *machine) {
    if (!is_to_go_on(comm)) {
        sim_interrupt(comm->sim);
        comm->ready_count = 0;
        return false;
    }
    const struct collective *collective = machine->collective;
    if (machine->task->step >= collective->steps[machine_of(collective, machine->t)]) {
        finish(comm, machine);
        return false;
    }
    if (!post_step(comm, machine)) return false;
    if (comm->step.count == 0) skip_empty_steps(comm, machine);
    return true;
}

static struct machine take_ready(struct communicator *comm) {
    struct ready ready = comm->ready[comm->ready_head++];
    if (--comm->ready_count == 0) comm->ready_head = 0;
    const struct machine machine = machine_at(comm, ready.collective, ready.task);
    comm->ready_of[rank_of_machine(&machine)]--;
    return machine;
}

/// Advances a machine, then those in the queue, until none can go on. One that goes on joins the queue's end.
static void go_on(struct communicator *comm, struct machine *machine) {
    comm->draining = true;
    for (;;) {
        bool goes_on = advance(comm, machine);
        if (comm->ready_count > 0) {
            if (goes_on) communicator_make_ready(comm, machine->id, machine->t);
            *machine = take_ready(comm);
        } else if (!goes_on) {
            break;
        }
    }
    while (comm->closing_count > 0) communicator_free_if_idle(comm, comm->closing[--comm->closing_count]);
    comm->draining = false;
}

void communicator_drain(struct communicator *comm) {
    if (comm->ready_count == 0 || comm->draining) return;
    struct machine first = take_ready(comm);
    go_on(comm, &first);
}

/// Whether the ready machines may take their turns in the order of endpoints: they are of different ranks, and nobody hears of turns
/// or numbers messages across ranks.
static bool may_begin_by_endpoint(const struct communicator *comm) {
    const struct rank_observer *observer = &comm->observer;
    if (observer->step_started || observer->sent || observer->posted || comm->episodes) return false;
    for (size_t i = 0; i < comm->ready_count; i++) {
        const struct ready *ready = &comm->ready[comm->ready_head + i];
        const struct machine machine = machine_at(comm, ready->collective, ready->task);
        if (comm->ready_of[rank_of_machine(&machine)] > 1) return false;
    }
    return comm->ready_count < FIRST_TURN;
}

/// Finds `unheard` and `plain`.
static void see_who_hears(struct communicator *comm) {
    const struct rank_observer *observer = &comm->observer;
    comm->unheard = !observer->posted && !observer->delivered && !comm->episodes && !comm->fold && !comm->member;
    comm->plain = comm->unheard && posts_unheard(comm) && !observer->step_started && !observer->received;
}

void communicator_begin(struct communicator *comm, const struct engine_type *engine) {
    see_who_hears(comm);
    if (!sim_starts_by_endpoint(comm->sim, engine) || !may_begin_by_endpoint(comm)) {
        communicator_drain(comm);
        return;
    }
    comm->first_turns = reallocate(comm->first_turns, comm->ready_count * sizeof *comm->first_turns);
    for (uint32_t i = 0; comm->ready_count > 0; i++) {
        comm->first_turns[i] = comm->ready[comm->ready_head];
        const struct machine machine = take_ready(comm);
        sim_timer(comm->sim, comm->place[rank_of_machine(&machine)], comm->now, FIRST_TURN + i);
    }
}

void communicator_take_first_turn(struct communicator *comm, uint32_t index) {
    if (sim_interrupted(comm->sim)) return; // the engine finishes its window
    struct machine machine = machine_at(comm, comm->first_turns[index].collective, comm->first_turns[index].task);
    go_on(comm, &machine);
}

/// Adds a delivery; those of one instant, which often come together, share a part of the hash.
static inline void add_to_digest(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes) {
    if (comm->now != comm->digest_time) {
        comm->digest_time = comm->now;
        comm->digest_first = digest_instant(comm->now);
    }
    digest_add_at(&comm->digest, comm->digest_first, to, from, bytes);
}

/// Those who want to hear of a delivery.
static void tell_delivered(struct communicator *comm, const struct message *message) {
    struct envelope *envelope = envelope_of(message);
    const bool in_order = comm->fold; // its ranks are the endpoints
    uint32_t from = in_order ? message->source : comm->rank_at[message->source];
    uint32_t to = in_order ? message->destination : comm->rank_at[message->destination];
    uint64_t number = envelope->message;
    if (comm->fold)
        communicator_fold_delivery(comm, from, to, message->bytes, envelope);
    else
        add_to_digest(comm, from, to, message->bytes);
    if (comm->episodes) episodes_delivered(comm, from, to, message->bytes);
    if (comm->observer.delivered) comm->observer.delivered(comm->observer.context, number, from, to, message->bytes, comm->now);
}

void communicator_delivered(void *context, const struct message *message, int64_t now) {
    struct communicator *comm = context;
    comm->now = now;
    const struct envelope *envelope = envelope_of(message); // until something is posted
    uint32_t id = envelope->collective;
    if (comm->unheard)
        add_to_digest(comm, comm->rank_at[message->source], comm->rank_at[message->destination], message->bytes);
    else
        tell_delivered(comm, message);
    if (id == NOBODY) {
        envelope->delivered.call(envelope->delivered.context, envelope->task, now);
    } else if (!comm->plain && comm->member && !group_has_opened(comm, id)) {
        group_take(comm, envelope);
    } else {
        struct machine machine = machine_at(comm, id, envelope->task);
        bool last = --machine.collective->in_flight == 0;
        if (arrive(comm, &machine, envelope)) go_on(comm, &machine);
        if (last) communicator_free_if_idle(comm, id);
    }
    if (comm->ready_count > 0) communicator_drain(comm);
}
