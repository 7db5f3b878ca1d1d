#include "algos/communicator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algos/matching.h"
#include "base/memory.h"
#include "base/units.h"

enum { NOBODY = UINT32_MAX };

enum task_state { NOT_STARTED, IN_STEP, AT_BARRIER, FINISHED };

/// One machine of one rank in one collective: a step number, and what it still waits for.
struct task {
    uint32_t step;                                    ///< the step it is in, or the first when it has not started
    uint32_t pending;                                 ///< open receives, sends not yet posted and reductions not yet done of this step
    uint32_t early;                                   ///< messages that have come before their step
    uint32_t want_sender, want_piece, want_operation; ///< the only open receive; sender NOBODY: none or several
    uint8_t state;
    int64_t since;          ///< when it entered the step
    struct want_set *wants; ///< the open receives when there are several
    struct operation *kept; ///< the step's operations, where an observer wants to hear of receives
};

struct collective {
    struct collective_request request;
    uint32_t machines, tasks_total;
    uint64_t *steps;         ///< per machine; with step sync the most of all
    struct task *tasks;      ///< member * machines + machine
    uint32_t *machines_left; ///< per member
    uint32_t at_barrier;
    uint64_t in_flight; ///< messages posted and not delivered
    uint32_t reduction; ///< the engine's group of an in-network reduction + 1; 0: none
    bool open;
};

/// What a message is for, beside the engine's record of it.
struct envelope {
    uint64_t message;
    uint32_t collective; ///< NOBODY: a message of communicator_send, whose call is `task`
    uint32_t task, step, sender, piece;
};

/// A call that is due at some time or delivery.
struct call {
    enum { CALL_DONE, CALL_START, CALL_LAUNCHED, CALL_SEND, CALL_REDUCED } kind;
    uint32_t next_free;
    uint32_t cookie;     ///< CALL_DONE: for the caller; CALL_START, CALL_LAUNCHED: the member; else the task
    uint32_t collective; ///< but for CALL_DONE
    struct done_call done;
    struct envelope envelope; ///< CALL_SEND, and the next three
    bool reduced;             ///< by the network
    uint32_t rank_from, rank_to;
    int64_t bytes;
};

struct ready {
    uint32_t collective, task;
};

struct communicator {
    struct sim *sim;
    int64_t ticks_per_s;
    const uint32_t *place;
    uint32_t *rank_at; ///< per endpoint
    uint32_t ranks;
    struct rank_costs costs;
    struct tree_source trees;
    struct rank_observer observer;
    bool (*progress)(void *context, int64_t now, uint64_t chunk_hops);
    void *progress_context;

    struct collective **collectives;
    size_t collective_count, collective_capacity;
    uint32_t *free_ids, *closing; ///< ids of no collective; ids closed while machines advance
    size_t free_id_count, free_id_capacity, closing_count, closing_capacity;
    struct envelope *envelopes; ///< by the engine's message id
    size_t envelope_capacity;
    struct early_messages early;
    struct call *calls;
    size_t call_count, call_capacity;
    uint32_t free_call;
    struct ready *ready; ///< machines to advance, a queue
    size_t ready_head, ready_count, ready_capacity;
    bool draining;
    struct step step; ///< scratch

    int64_t *processor_free_at; ///< per rank
    int64_t *bytes_sent;
    uint64_t message_count;
    uint64_t tasks_open; ///< started and not finished
    struct digest digest;
    int64_t end_ticks;
    bool stalled;
};

static void engine_delivered(void *context, uint32_t message, int64_t now);
static void engine_timer(void *context, uint64_t cookie, int64_t now);
static bool engine_progress(void *context, int64_t now, uint64_t chunk_hops);
static void drain(struct communicator *comm);

struct communicator *communicator_create(const struct graph *graph, const struct router *router, const struct sim_config *config,
                                         const uint32_t *place, uint32_t ranks, const struct rank_costs *costs) {
    struct communicator *comm = allocate_zeroed(1, sizeof *comm);
    const struct sim_client client = {comm, engine_delivered, engine_timer, engine_progress};
    comm->sim = sim_create(graph, router, config, &client);
    comm->ticks_per_s = config->ticks_per_s;
    comm->place = place, comm->ranks = ranks, comm->costs = *costs;
    comm->free_call = NOBODY;
    comm->rank_at = allocate(graph->endpoints * sizeof *comm->rank_at);
    memset(comm->rank_at, 0xff, graph->endpoints * sizeof *comm->rank_at);
    for (uint32_t r = 0; r < ranks; r++) comm->rank_at[place[r]] = r;
    comm->processor_free_at = allocate_zeroed(ranks, sizeof *comm->processor_free_at);
    comm->bytes_sent = allocate_zeroed(ranks, sizeof *comm->bytes_sent);
    return comm;
}

static void free_collective(struct communicator *comm, struct collective *collective) {
    if (collective->reduction) sim_group_free(comm->sim, collective->reduction - 1);
    for (uint32_t i = 0; i < collective->tasks_total; i++) {
        free(collective->tasks[i].wants);
        free(collective->tasks[i].kept);
    }
    free(collective->tasks);
    free(collective->machines_left);
    free(collective->steps);
    free(collective);
}

void communicator_free(struct communicator *comm) {
    if (!comm) return;
    for (size_t i = 0; i < comm->collective_count; i++)
        if (comm->collectives[i]) free_collective(comm, comm->collectives[i]);
    sim_free(comm->sim);
    free(comm->collectives);
    free(comm->free_ids);
    free(comm->closing);
    free(comm->rank_at);
    free(comm->envelopes);
    early_free(&comm->early);
    free(comm->calls);
    free(comm->ready);
    free(comm->step.operations);
    free(comm->processor_free_at);
    free(comm->bytes_sent);
    free(comm);
}

// ---- the rank's processor, timers, plain messages

static uint32_t new_call(struct communicator *comm, const struct call *call) {
    uint32_t id = comm->free_call;
    if (id == NOBODY) {
        ARRAY_RESERVE(comm->calls, comm->call_capacity, comm->call_count + 1);
        id = (uint32_t)comm->call_count++;
    } else {
        comm->free_call = comm->calls[id].next_free;
    }
    comm->calls[id] = *call;
    return id;
}

static struct call take_call(struct communicator *comm, uint32_t id) {
    struct call call = comm->calls[id];
    comm->calls[id].next_free = comm->free_call;
    comm->free_call = id;
    return call;
}

/// A timer, unless the clock would overflow: then at the end of time, where sim_run reports it.
static void call_at(struct communicator *comm, int64_t time, const struct call *call) { sim_timer(comm->sim, time, new_call(comm, call)); }

static int64_t add_ticks(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// The processor of `rank` works for `ticks` after all that it was asked before.
static int64_t processor_done_at(struct communicator *comm, uint32_t rank, int64_t ticks) {
    int64_t now = sim_now(comm->sim), *free_at = &comm->processor_free_at[rank];
    *free_at = add_ticks(*free_at > now ? *free_at : now, ticks);
    return *free_at;
}

void communicator_timer(struct communicator *comm, int64_t time, struct done_call done, uint32_t cookie) {
    call_at(comm, time, &(struct call){.kind = CALL_DONE, .done = done, .cookie = cookie});
}

void communicator_compute(struct communicator *comm, uint32_t rank, int64_t ticks, struct done_call done, uint32_t cookie) {
    communicator_timer(comm, processor_done_at(comm, rank, ticks), done, cookie);
}

static void keep_envelope(struct communicator *comm, uint32_t id, const struct envelope *envelope) {
    if (id >= comm->envelope_capacity) ARRAY_RESERVE(comm->envelopes, comm->envelope_capacity, sim_message_capacity(comm->sim));
    comm->envelopes[id] = *envelope;
}

/// Hands a message to the engine. Ranks differ.
static void post(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, uint32_t order, uint32_t minor,
                 const struct envelope *envelope) {
    keep_envelope(comm, sim_post(comm->sim, comm->place[from], comm->place[to], bytes, order, minor), envelope);
    comm->bytes_sent[from] += bytes;
}

void communicator_send(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, uint32_t order, uint32_t minor,
                       struct done_call delivered, uint32_t cookie) {
    const struct call call = {.kind = CALL_DONE, .done = delivered, .cookie = cookie};
    if (from == to) {
        call_at(comm, sim_now(comm->sim), &call);
        return;
    }
    const struct envelope envelope = {.message = comm->message_count++, .collective = NOBODY, .task = new_call(comm, &call)};
    post(comm, from, to, bytes, order, minor, &envelope);
}

// ---- collectives

uint32_t communicator_open(struct communicator *comm, const struct collective_request *request) {
    struct collective *collective = allocate_zeroed(1, sizeof *collective);
    const struct collective_args *args = &request->args;
    collective->request = *request;
    collective->open = true;
    collective->machines = algorithm_machines(request->algorithm, args);
    collective->tasks_total = collective->machines * args->size;
    collective->steps = allocate(collective->machines * sizeof *collective->steps);
    uint64_t most = 0;
    for (uint32_t m = 0; m < collective->machines; m++) {
        collective->steps[m] = request->algorithm->steps(args, m);
        if (collective->steps[m] > most) most = collective->steps[m];
    }
    for (uint32_t m = 0; request->step_sync && m < collective->machines; m++) collective->steps[m] = most;
    collective->tasks = allocate_zeroed(collective->tasks_total, sizeof *collective->tasks);
    collective->machines_left = allocate(args->size * sizeof *collective->machines_left);
    for (uint32_t i = 0; i < args->size; i++) collective->machines_left[i] = collective->machines;
    uint32_t id = comm->free_id_count > 0 ? comm->free_ids[--comm->free_id_count] : (uint32_t)comm->collective_count++;
    ARRAY_RESERVE(comm->collectives, comm->collective_capacity, comm->collective_count);
    comm->collectives[id] = collective;
    if (comm->observer.opened) comm->observer.opened(comm->observer.context, id, args);
    return id;
}

static void free_if_idle(struct communicator *comm, uint32_t id) {
    struct collective *collective = comm->collectives[id];
    if (!collective || collective->open || collective->in_flight > 0) return;
    free_collective(comm, collective);
    comm->collectives[id] = NULL;
    ARRAY_RESERVE(comm->free_ids, comm->free_id_capacity, comm->free_id_count + 1);
    comm->free_ids[comm->free_id_count++] = id;
}

void communicator_close(struct communicator *comm, uint32_t id) {
    comm->collectives[id]->open = false;
    if (comm->observer.closed) comm->observer.closed(comm->observer.context, id);
    if (comm->draining) {
        ARRAY_RESERVE(comm->closing, comm->closing_capacity, comm->closing_count + 1);
        comm->closing[comm->closing_count++] = id;
    } else {
        free_if_idle(comm, id);
    }
}

static uint32_t rank_of(const struct collective *collective, uint32_t member) {
    return collective->request.ranks ? collective->request.ranks[member] : member;
}

static void make_ready(struct communicator *comm, uint32_t collective, uint32_t task) {
    if (comm->ready_head + comm->ready_count == comm->ready_capacity && comm->ready_head > 0) {
        memmove(comm->ready, comm->ready + comm->ready_head, comm->ready_count * sizeof *comm->ready);
        comm->ready_head = 0;
    }
    ARRAY_RESERVE(comm->ready, comm->ready_capacity, comm->ready_head + comm->ready_count + 1);
    comm->ready[comm->ready_head + comm->ready_count++] = (struct ready){collective, task};
}

/// Both halves of starting: after a late rank's delay, and after the launch overhead.
static void launch(struct communicator *comm, uint32_t id, uint32_t member) {
    const struct collective *collective = comm->collectives[id];
    int64_t overhead = comm->costs.launch_overhead_ticks;
    if (overhead == 0) {
        for (uint32_t m = 0; m < collective->machines; m++) make_ready(comm, id, member * collective->machines + m);
        return;
    }
    int64_t at = processor_done_at(comm, rank_of(collective, member), overhead);
    call_at(comm, at, &(struct call){.kind = CALL_LAUNCHED, .collective = id, .cookie = member});
}

void communicator_start(struct communicator *comm, uint32_t id, uint32_t member, int64_t delay_ticks) {
    comm->tasks_open += comm->collectives[id]->machines;
    if (delay_ticks == 0) {
        launch(comm, id, member);
        return;
    }
    int64_t at = add_ticks(sim_now(comm->sim), delay_ticks);
    call_at(comm, at, &(struct call){.kind = CALL_START, .collective = id, .cookie = member});
}

/// Every machine of the collective goes on to its next step.
static void release_barrier(struct communicator *comm, uint32_t id) {
    struct collective *collective = comm->collectives[id];
    collective->at_barrier = 0;
    for (uint32_t t = 0; t < collective->tasks_total; t++) make_ready(comm, id, t);
}

/// The step's receives are in and its sends are posted.
static void end_step(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    struct task *task = &collective->tasks[t];
    task->step++;
    if (!collective->request.step_sync) {
        make_ready(comm, id, t);
        return;
    }
    task->state = AT_BARRIER;
    task->since = sim_now(comm->sim);
    if (++collective->at_barrier == collective->tasks_total) release_barrier(comm, id);
}

static int64_t bytes_added(const struct communicator *comm) {
    int64_t bytes = 0;
    for (size_t i = 0; i < comm->step.count; i++)
        if (!comm->step.operations[i].is_send && comm->step.operations[i].combine == COMBINE_ADD)
            bytes += comm->step.operations[i].span.bytes;
    return bytes;
}

static void fill_step(struct communicator *comm, const struct collective *collective, uint32_t t) {
    const struct collective_args *args = &collective->request.args;
    struct view view = view_all(t / collective->machines, args->size);
    comm->step.count = 0;
    comm->step.phase = NULL;
    collective->request.algorithm->step(args, &view, t % collective->machines, collective->tasks[t].step, &comm->step);
}

/// Nothing of the step is pending any more: pay for the reductions, then end it.
static void all_received(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    int64_t rate = comm->costs.reduce_bytes_per_s;
    if (rate > 0) {
        fill_step(comm, collective, t);
        int64_t ticks, bytes = bytes_added(comm);
        if (!transfer_ticks(bytes, rate, comm->ticks_per_s, &ticks)) ticks = INT64_MAX;
        if (bytes > 0) {
            collective->tasks[t].pending = 1;
            int64_t at = processor_done_at(comm, rank_of(collective, t / collective->machines), ticks);
            call_at(comm, at, &(struct call){.kind = CALL_REDUCED, .collective = id, .cookie = t});
            return;
        }
    }
    end_step(comm, id, t);
}

static void one_less_pending(struct communicator *comm, uint32_t id, uint32_t t) {
    struct task *task = &comm->collectives[id]->tasks[t];
    if (--task->pending > 0) return;
    free(task->wants);
    task->wants = NULL;
    all_received(comm, id, t);
}

static void tell_received(struct communicator *comm, uint32_t id, uint32_t t, uint32_t operation, uint64_t message) {
    if (!comm->observer.received) return;
    struct collective *collective = comm->collectives[id];
    comm->observer.received(comm->observer.context, id, t / collective->machines, &collective->tasks[t].kept[operation], message,
                            sim_now(comm->sim));
}

/// Takes the open receive of (sender, piece) in the task's present step.
static bool take_want(struct task *task, uint32_t sender, uint32_t piece, uint32_t *operation) {
    if (task->wants) return want_set_take(task->wants, sender, piece, operation);
    if (task->want_sender != sender || task->want_piece != piece) return false;
    task->want_sender = NOBODY;
    *operation = task->want_operation;
    return true;
}

static void arrive(struct communicator *comm, const struct envelope *envelope) {
    struct task *task = &comm->collectives[envelope->collective]->tasks[envelope->task];
    uint32_t operation;
    if (task->state == IN_STEP && task->step == envelope->step && take_want(task, envelope->sender, envelope->piece, &operation)) {
        tell_received(comm, envelope->collective, envelope->task, operation, envelope->message);
        one_less_pending(comm, envelope->collective, envelope->task);
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

/// Hands a collective's message to the engine, now.
static void post_of(struct communicator *comm, uint32_t id, uint32_t t, const struct call *send) {
    struct collective *collective = comm->collectives[id];
    uint32_t order = collective->request.order + t % collective->machines;
    collective->in_flight++;
    if (send->reduced) {
        uint32_t member = t / collective->machines;
        keep_envelope(comm, sim_post_reduced(comm->sim, reduction_of(comm, collective), member, order, 0), &send->envelope);
        comm->bytes_sent[send->rank_from] += send->bytes;
    } else {
        post(comm, send->rank_from, send->rank_to, send->bytes, order, 0, &send->envelope);
    }
}

static void post_send(struct communicator *comm, uint32_t id, uint32_t t, const struct operation *operation) {
    struct collective *collective = comm->collectives[id];
    int64_t bytes = operation_bytes(operation);
    uint32_t machines = collective->machines, member = t / machines, machine = t % machines;
    const struct envelope envelope = {.message = comm->message_count++,
                                      .collective = id,
                                      .task = operation->peer * machines + machine,
                                      .step = collective->tasks[t].step,
                                      .sender = member,
                                      .piece = operation->piece};
    if (comm->observer.sent) comm->observer.sent(comm->observer.context, id, member, operation, envelope.message, sim_now(comm->sim));
    uint32_t from = rank_of(collective, member), to = rank_of(collective, operation->peer);
    const struct call send = {.kind = CALL_SEND,
                              .collective = id,
                              .cookie = t,
                              .envelope = envelope,
                              .reduced = operation->in_network,
                              .rank_from = from,
                              .rank_to = to,
                              .bytes = bytes};
    if (from == to && !operation->in_network) {
        arrive(comm, &envelope);
    } else if (comm->costs.send_overhead_ticks > 0) {
        collective->tasks[t].pending++;
        call_at(comm, processor_done_at(comm, from, comm->costs.send_overhead_ticks), &send);
    } else {
        post_of(comm, id, t, &send);
    }
}

static void post_receive(struct communicator *comm, uint32_t id, uint32_t t, uint32_t index, bool only) {
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
    if (only) {
        task->want_sender = operation->peer, task->want_piece = operation->piece, task->want_operation = index;
    } else {
        want_set_add(task->wants, (struct want){operation->peer, operation->piece, index});
    }
}

/// Copies the step's operations for an observer of receives.
static void keep_operations(struct communicator *comm, struct task *task) {
    size_t bytes = comm->step.count * sizeof *task->kept;
    task->kept = reallocate(task->kept, bytes);
    memcpy(task->kept, comm->step.operations, bytes);
}

static uint32_t count_receives(const struct step *step) {
    uint32_t receives = 0;
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) receives += !step->operations[i].is_send;
    return receives;
}

/// Posts all sends, then all receives of the task's step. `pending` counts one for the posting itself, so that nothing
/// ends the step half-way.
static void post_step(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    struct task *task = &collective->tasks[t];
    fill_step(comm, collective, t);
    task->state = IN_STEP;
    task->since = sim_now(comm->sim);
    task->pending = 1;
    task->want_sender = NOBODY;
    if (comm->observer.received) keep_operations(comm, task);
    if (comm->observer.step_started)
        comm->observer.step_started(comm->observer.context, id, t / collective->machines, t % collective->machines, task->step, &comm->step,
                                    task->since);
    const struct step *step = &comm->step;
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined)
        if (step->operations[i].is_send) post_send(comm, id, t, &step->operations[i]);
    uint32_t receives = count_receives(step);
    if (receives > 1) task->wants = want_set_create(receives);
    for (uint32_t i = 0; i < step->count; i += 1 + step->operations[i].joined)
        if (!step->operations[i].is_send) post_receive(comm, id, t, i, receives == 1);
    one_less_pending(comm, id, t);
}

static void finish(struct communicator *comm, uint32_t id, uint32_t t) {
    struct collective *collective = comm->collectives[id];
    uint32_t member = t / collective->machines;
    collective->tasks[t].state = FINISHED;
    comm->tasks_open--;
    int64_t now = sim_now(comm->sim);
    if (now > comm->end_ticks) comm->end_ticks = now;
    if (--collective->machines_left[member] == 0 && collective->request.done.call)
        collective->request.done.call(collective->request.done.context, member, now);
}

/// Advances all machines that can go on, until none can.
static void drain(struct communicator *comm) {
    if (comm->draining) return;
    comm->draining = true;
    while (comm->ready_count > 0) {
        struct ready ready = comm->ready[comm->ready_head++];
        if (--comm->ready_count == 0) comm->ready_head = 0;
        struct collective *collective = comm->collectives[ready.collective];
        if (collective->tasks[ready.task].step == collective->steps[ready.task % collective->machines])
            finish(comm, ready.collective, ready.task);
        else
            post_step(comm, ready.collective, ready.task);
    }
    while (comm->closing_count > 0) free_if_idle(comm, comm->closing[--comm->closing_count]);
    comm->draining = false;
}

// ---- what the engine tells

static void engine_delivered(void *context, uint32_t id, int64_t now) {
    struct communicator *comm = context;
    const struct message *message = sim_message(comm->sim, id);
    struct envelope envelope = comm->envelopes[id];
    uint32_t from = comm->rank_at[message->source], to = comm->rank_at[message->destination];
    digest_add_delivery(&comm->digest, now, to, from, message->bytes);
    if (comm->observer.delivered) comm->observer.delivered(comm->observer.context, envelope.message, from, to, message->bytes, now);
    if (envelope.collective == NOBODY) {
        struct call call = take_call(comm, envelope.task);
        call.done.call(call.done.context, call.cookie, now);
    } else {
        comm->collectives[envelope.collective]->in_flight--;
        arrive(comm, &envelope);
        free_if_idle(comm, envelope.collective);
    }
    drain(comm);
}

static void engine_timer(void *context, uint64_t cookie, int64_t now) {
    struct communicator *comm = context;
    struct call call = take_call(comm, (uint32_t)cookie);
    if (now > comm->end_ticks) comm->end_ticks = now;
    switch (call.kind) {
    case CALL_DONE: call.done.call(call.done.context, call.cookie, now); break;
    case CALL_START: launch(comm, call.collective, call.cookie); break;
    case CALL_LAUNCHED: {
        uint32_t machines = comm->collectives[call.collective]->machines;
        for (uint32_t m = 0; m < machines; m++) make_ready(comm, call.collective, call.cookie * machines + m);
        break;
    }
    case CALL_SEND:
        post_of(comm, call.collective, call.cookie, &call);
        one_less_pending(comm, call.collective, call.cookie);
        break;
    case CALL_REDUCED:
        comm->collectives[call.collective]->tasks[call.cookie].pending = 0;
        end_step(comm, call.collective, call.cookie);
        break;
    }
    drain(comm);
}

static bool engine_progress(void *context, int64_t now, uint64_t chunk_hops) {
    struct communicator *comm = context;
    return !comm->progress || comm->progress(comm->progress_context, now, chunk_hops);
}

// ---- running, and what is said about it

static int append_waiting(struct communicator *comm, uint32_t id, uint32_t t, char *out, size_t size) {
    struct collective *collective = comm->collectives[id];
    const struct algorithm *algorithm = collective->request.algorithm;
    struct task *task = &collective->tasks[t];
    char since[QUANTITY_SIZE];
    int used = snprintf(out, size, "rank %u %s/%s ", rank_of(collective, t / collective->machines), collective_names[algorithm->kind],
                        algorithm->name);
    if (task->state == AT_BARRIER)
        return used + snprintf(out + used, size - (size_t)used, "has ended step %u and waits for the others since %s", task->step,
                               format_time(task->since, comm->ticks_per_s, since));
    fill_step(comm, collective, t);
    const struct step *step = &comm->step;
    if (step->phase)
        used += snprintf(out + used, size - (size_t)used, "%s step %llu/%llu", step->phase, (unsigned long long)step->phase_step + 1,
                         (unsigned long long)step->phase_steps);
    else
        used += snprintf(out + used, size - (size_t)used, "step %u/%llu", task->step + 1,
                         (unsigned long long)collective->steps[t % collective->machines]);
    used += snprintf(out + used, size - (size_t)used, " waits for rank");
    if (task->want_sender != NOBODY) used += snprintf(out + used, size - (size_t)used, " %u", rank_of(collective, task->want_sender));
    int named = 0;
    for (uint32_t slot = 0; task->wants && slot <= task->wants->mask && named < 4; slot++) {
        const struct want *want = want_set_slot(task->wants, slot);
        if (want) used += snprintf(out + used, size - (size_t)used, "%s %u", named++ ? "," : "", rank_of(collective, want->sender));
    }
    return used + snprintf(out + used, size - (size_t)used, " since %s", format_time(task->since, comm->ticks_per_s, since));
}

void communicator_describe_waiting(struct communicator *comm, int most, char *out, size_t out_size) {
    size_t used = 0;
    int named = 0;
    if (out_size) out[0] = 0;
    for (uint32_t id = 0; id < comm->collective_count; id++) {
        struct collective *collective = comm->collectives[id];
        for (uint32_t t = 0; collective && t < collective->tasks_total; t++) {
            uint8_t state = collective->tasks[t].state;
            if (state != IN_STEP && state != AT_BARRIER) continue;
            char line[256];
            append_waiting(comm, id, t, line, sizeof line);
            int wrote = snprintf(out + used, out_size - used, "%s%s", named ? "; " : "", line);
            if (wrote < 0 || used + (size_t)wrote >= out_size || ++named == most) return;
            used += (size_t)wrote;
        }
    }
}

bool communicator_run(struct communicator *comm, const struct engine_type *engine, struct error *err) {
    drain(comm);
    if (!sim_run(comm->sim, engine, err)) return false;
    if (comm->tasks_open == 0) return true;
    comm->stalled = true;
    char waiting[900];
    communicator_describe_waiting(comm, 8, waiting, sizeof waiting);
    return error_set(err, ERROR_SIMULATION, "stalled, nothing is left to happen: %s", waiting);
}

bool communicator_stalled(const struct communicator *comm) { return comm->stalled; }
struct sim *communicator_sim(struct communicator *comm) {
    return comm->sim;
}
void communicator_observe(struct communicator *comm, const struct rank_observer *observer) { comm->observer = *observer; }
void communicator_on_progress(struct communicator *comm, bool (*progress)(void *context, int64_t now, uint64_t chunk_hops), void *context) {
    comm->progress = progress, comm->progress_context = context;
}
void communicator_use_trees(struct communicator *comm, const struct tree_source *trees) { comm->trees = *trees; }
uint32_t communicator_ranks(const struct communicator *comm) { return comm->ranks; }
int64_t communicator_now(const struct communicator *comm) { return sim_now(comm->sim); }
struct digest communicator_digest(const struct communicator *comm) {
    return comm->digest;
}
int64_t communicator_end_ticks(const struct communicator *comm) { return comm->end_ticks; }
const int64_t *communicator_bytes_sent(const struct communicator *comm) { return comm->bytes_sent; }
