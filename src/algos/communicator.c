#include "algos/communicator_episode.h"
#include "algos/communicator_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "engine/post.h"

static int64_t engine_timer(void *context, uint32_t cookie, int64_t now);
static bool engine_settled(void *context, int64_t now);

struct communicator *communicator_create(const struct graph *graph, const struct router *router, const struct sim_config *config,
                                         const uint32_t *place, uint32_t ranks, const struct rank_costs *costs) {
    struct communicator *comm = allocate_zeroed(1, sizeof *comm);
    const struct sim_client client = {comm, false, communicator_delivered, engine_timer, engine_settled, communicator_progress, NULL};
    comm->sim = sim_create(graph, router, config, &client);
    comm->ticks_per_s = config->ticks_per_s;
    comm->place = place, comm->ranks = ranks, comm->costs = *costs;
    comm->free_call = NOBODY;
    comm->digest_time = -1;
    comm->rank_at = allocate(graph->endpoints * sizeof *comm->rank_at);
    memset(comm->rank_at, 0xff, graph->endpoints * sizeof *comm->rank_at);
    for (uint32_t r = 0; r < ranks; r++) comm->rank_at[place[r]] = r;
    comm->processor_free_at = allocate_zeroed(ranks, sizeof *comm->processor_free_at);
    comm->bytes_sent = allocate_zeroed(ranks, sizeof *comm->bytes_sent);
    comm->ready_of = allocate_zeroed(ranks, sizeof *comm->ready_of);
    return comm;
}

static void free_collective(struct communicator *comm, struct collective *collective) {
    if (collective->reduction) sim_group_free(comm->sim, collective->reduction - 1);
    const uint8_t *hosted = collective->request.ranks ? NULL : comm->hosted; // whose ranks these were may be gone
    for (uint32_t member = 0; member < collective->request.args.size; member++) {
        if (hosted && !hosted[member]) continue; // untouched, and takes no memory
        for (uint32_t m = 0; m < collective->machines; m++) {
            struct task *task = &collective->tasks[member * collective->machines + m];
            free(task->wants);
            free(task->kept);
        }
    }
    free(collective->tasks);
    free(collective->machines_left);
    free(collective->steps);
    heap_free(&collective->at_later_steps);
    free(collective->told);
    free(collective->members);
    free(collective);
}

void communicator_free(struct communicator *comm) {
    if (!comm) return;
    for (size_t i = 0; i < comm->collective_count; i++)
        if (comm->collectives[i]) free_collective(comm, comm->collectives[i]);
    sim_free(comm->sim);
    group_member_free(comm->member);
    free(comm->collectives);
    free(comm->free_ids);
    free(comm->closing);
    free(comm->rank_at);
    early_free(&comm->early);
    free(comm->calls);
    free(comm->ready);
    free(comm->ready_of);
    free(comm->first_turns);
    pages_free(comm->step.operations);
    free(comm->peers);
    free(comm->processor_free_at);
    free(comm->bytes_sent);
    episodes_free(comm->episodes);
    communicator_fold_free(comm);
    free(comm);
}

// ---- the rank's processor, timers, plain messages

static uint32_t new_call(struct communicator *comm) {
    uint32_t id = comm->free_call;
    if (id == NOBODY) {
        ARRAY_RESERVE(comm->calls, comm->call_capacity, comm->call_count + 1);
        return (uint32_t)comm->call_count++;
    }
    comm->free_call = comm->calls[id].next_free;
    return id;
}

static void free_call(struct communicator *comm, uint32_t id) {
    comm->calls[id].next_free = comm->free_call;
    comm->free_call = id;
}

/// A timer, unless the clock would overflow: then at the end of time, where sim_run reports it.
void communicator_call_at(struct communicator *comm, int64_t time, const struct call *call) {
    uint32_t id = new_call(comm);
    comm->calls[id] = *call;
    sim_timer(comm->sim, comm->place[call->rank], time, id);
}

static int64_t add_ticks(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// The processor of `rank` works for `ticks` after all that it was asked before.
int64_t communicator_processor_done_at(struct communicator *comm, uint32_t rank, int64_t ticks) {
    int64_t now = comm->now, *free_at = &comm->processor_free_at[rank];
    *free_at = add_ticks(*free_at > now ? *free_at : now, ticks);
    return *free_at;
}

void communicator_timer(struct communicator *comm, uint32_t rank, int64_t time, struct done_call done, uint32_t cookie) {
    uint32_t id = new_call(comm);
    struct call *call = &comm->calls[id];
    call->kind = CALL_DONE, call->rank = rank, call->cookie = cookie, call->done = done;
    sim_timer(comm->sim, comm->place[rank], time, id);
}

void communicator_stream(struct communicator *comm, uint32_t rank, int64_t first, struct stream_call stream, uint32_t cookie) {
    uint32_t id = new_call(comm);
    struct call *call = &comm->calls[id];
    call->kind = CALL_STREAM, call->rank = rank, call->cookie = cookie, call->stream = stream;
    sim_timer(comm->sim, comm->place[rank], first, id);
}

int64_t communicator_compute(struct communicator *comm, uint32_t rank, int64_t ticks, struct done_call done, uint32_t cookie) {
    if (comm->episodes) episodes_computes(comm, rank);
    int64_t end = communicator_processor_done_at(comm, rank, ticks);
    communicator_timer(comm, rank, end, done, cookie);
    return end;
}

/// To the rank itself, where others hear of it, or where the rank it goes to runs elsewhere.
__attribute__((noinline)) static void send_special(struct communicator *comm, struct plain_message m) {
    if (m.from == m.to) {
        communicator_timer(comm, m.to, comm->now, m.delivered, m.cookie);
        return;
    }
    if (comm->episodes && episodes_hold_message(comm, &m)) return;
    struct message *message = sim_post(comm->sim, comm->place[m.from], comm->place[m.to], m.bytes, m.order, m.minor);
    struct envelope *envelope = envelope_of(message);
    *envelope = (struct envelope){.task = m.cookie, .collective = NOBODY, .message = comm->message_count++, .delivered = m.delivered};
    if (comm->member && !communicator_hosts(comm, m.to))
        envelope->collective = ELSEWHERE, envelope->step = group_expected(comm, &m.delivered);
    saturating_add(&comm->bytes_sent[m.from], m.bytes, 1);
    if (comm->episodes) episodes_posted(comm->episodes);
    if (comm->observer.posted)
        communicator_tell_posted(comm, message, &(struct network_message){.from = m.from, .to = m.to, .order = m.order, .minor = m.minor});
}

static inline void send_message(struct communicator *comm, const struct plain_message *m, bool awaited) {
    if (m->from == m->to || !comm->unheard) {
        send_special(comm, *m);
        return;
    }
    struct message *message = post_begin(comm->sim, comm->place[m->from], comm->place[m->to], m->bytes, m->order, m->minor);
    struct envelope *envelope = envelope_of(message);
    envelope->task = m->cookie, envelope->collective = NOBODY;
    envelope->message = comm->message_count++;
    envelope->delivered = m->delivered;
    if (!awaited) post_unawaited(comm->sim, message);
    saturating_add(&comm->bytes_sent[m->from], m->bytes, 1);
    post_end(comm->sim);
}

void communicator_send(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, uint32_t order, uint32_t minor,
                       struct done_call delivered, uint32_t cookie) {
    send_message(comm, &(struct plain_message){from, to, bytes, order, minor, delivered, cookie}, true);
}

void communicator_send_unawaited(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes, uint32_t order, uint32_t minor,
                                 struct done_call counted, uint32_t cookie) {
    send_message(comm, &(struct plain_message){from, to, bytes, order, minor, counted, cookie}, false);
}

// ---- collectives

static uint32_t new_id(struct communicator *comm, const struct collective_request *request) {
    if (comm->member) return group_open(comm, request->order);
    if (comm->free_id_count > 0) return comm->free_ids[--comm->free_id_count];
    ARRAY_RESERVE(comm->collectives, comm->collective_capacity, comm->collective_count + 1);
    return (uint32_t)comm->collective_count++;
}

/// The places of spans are for observers: without one, steps are cheaper to find.
static void mark_spans(const struct communicator *comm, struct collective_args *args) {
    bool observed = comm->observer.step_started || comm->observer.sent || comm->observer.received;
    if (args->part.marks <= 0) args->part = observed ? (struct span){0} : (struct span){args->bytes, 0, UNMARKED};
}

/// The members whose ranks run here.
static uint32_t *list_members(const struct communicator *comm, const struct collective *collective) {
    uint32_t *members = allocate(collective->tasks_hosted * sizeof *members), count = 0;
    for (uint32_t i = 0; i < collective->request.args.size; i++)
        if (communicator_hosts(comm, rank_of(collective, i))) members[count++] = i;
    return members;
}

uint32_t communicator_open(struct communicator *comm, const struct collective_request *request) {
    struct collective *collective = allocate_zeroed(1, sizeof *collective);
    const struct collective_args *args = &request->args;
    collective->request = *request;
    mark_spans(comm, &collective->request.args);
    collective->open = true;
    collective->machines = algorithm_machines(request->algorithm, args);
    collective->tasks_total = collective->machines * args->size;
    collective->tasks_hosted = collective->machines * communicator_hosted(comm, request->ranks, args->size);
    if (request->step_sync && collective->tasks_hosted < collective->tasks_total) collective->members = list_members(comm, collective);
    collective->steps = allocate(collective->machines * sizeof *collective->steps);
    uint64_t most = 0;
    for (uint32_t m = 0; m < collective->machines; m++) {
        collective->steps[m] = request->algorithm->steps(args, m);
        if (collective->steps[m] > most) most = collective->steps[m];
    }
    for (uint32_t m = 0; request->step_sync && m < collective->machines; m++) collective->steps[m] = most;
    collective->leaves_out_steps = request->algorithm->next_step && !communicator_hears_of_steps(comm);
    collective->tasks = allocate_zeroed(collective->tasks_total, sizeof *collective->tasks);
    collective->machines_left = allocate(args->size * sizeof *collective->machines_left);
    for (uint32_t i = 0; i < args->size; i++) collective->machines_left[i] = collective->machines;
    uint32_t id = new_id(comm, request);
    comm->collectives[id] = collective;
    if (comm->member) group_opened(comm, id);
    if (comm->observer.opened) comm->observer.opened(comm->observer.context, id, request);
    return id;
}

void communicator_free_if_idle(struct communicator *comm, uint32_t id) {
    struct collective *collective = comm->collectives[id];
    // what one of a group has in flight is delivered to another, and the other way round
    if (!collective || collective->open || (collective->in_flight > 0 && !comm->member)) return;
    free_collective(comm, collective);
    comm->collectives[id] = NULL;
    if (comm->member) return; // ids are the group's
    ARRAY_RESERVE(comm->free_ids, comm->free_id_capacity, comm->free_id_count + 1);
    comm->free_ids[comm->free_id_count++] = id;
}

void communicator_close(struct communicator *comm, uint32_t id) {
    comm->collectives[id]->open = false;
    if (comm->episodes) episodes_closed(comm->episodes);
    if (comm->observer.closed) comm->observer.closed(comm->observer.context, id);
    if (comm->draining) {
        ARRAY_RESERVE(comm->closing, comm->closing_capacity, comm->closing_count + 1);
        comm->closing[comm->closing_count++] = id;
    } else {
        communicator_free_if_idle(comm, id);
    }
}

void communicator_launch(struct communicator *comm, uint32_t id, uint32_t member) {
    const struct collective *collective = comm->collectives[id];
    int64_t overhead = comm->costs.launch_overhead_ticks;
    if (overhead == 0) {
        for (uint32_t m = 0; m < collective->machines; m++) communicator_make_ready(comm, id, member * collective->machines + m);
        return;
    }
    uint32_t rank = rank_of(collective, member);
    communicator_call_at(comm, communicator_processor_done_at(comm, rank, overhead),
                         &(struct call){.kind = CALL_LAUNCHED, .rank = rank, .collective = id, .cookie = member});
}

static void start_now(struct communicator *comm, uint32_t id, uint32_t member) {
    if (comm->episodes)
        episodes_start(comm, id, member);
    else
        communicator_launch(comm, id, member);
}

void communicator_start(struct communicator *comm, uint32_t id, uint32_t member, int64_t delay_ticks) {
    comm->tasks_open += comm->collectives[id]->machines;
    if (delay_ticks == 0) {
        start_now(comm, id, member);
        return;
    }
    int64_t now = comm->now, at = add_ticks(now, delay_ticks);
    if (comm->observer.delayed) comm->observer.delayed(comm->observer.context, id, member, delay_ticks, now);
    uint32_t rank = rank_of(comm->collectives[id], member);
    communicator_call_at(comm, at, &(struct call){.kind = CALL_START, .rank = rank, .collective = id, .cookie = member});
}

// ---- what the engine tells

/// A call that is an affair of a collective.
__attribute__((noinline)) static void call_machine(struct communicator *comm, uint32_t id) {
    const struct call call = comm->calls[id];
    free_call(comm, id);
    if (call.kind == CALL_EPISODE && !episodes_end_due(comm, call.cookie)) return;
    if (comm->now > comm->end_ticks) comm->end_ticks = comm->now;
    switch (call.kind) {
    case CALL_DONE:
    case CALL_STREAM: break; // the workload's
    case CALL_START: start_now(comm, call.collective, call.cookie); break;
    case CALL_LAUNCHED: {
        uint32_t machines = comm->collectives[call.collective]->machines;
        for (uint32_t m = 0; m < machines; m++) communicator_make_ready(comm, call.collective, call.cookie * machines + m);
        break;
    }
    case CALL_SEND:
        communicator_post_late(comm, &call);
        communicator_one_less_pending(comm, call.collective, call.cookie);
        break;
    case CALL_REDUCED: communicator_end_step(comm, call.collective, call.cookie); break;
    case CALL_MESSAGE: communicator_send(comm, call.rank, call.rank_to, call.bytes, call.order, call.minor, call.done, call.cookie); break;
    case CALL_EPISODE: episodes_tell_ends(comm); break;
    }
}

static bool engine_settled(void *context, int64_t now) {
    struct communicator *comm = context;
    if (!comm->episodes || sim_interrupted(comm->sim)) return false;
    comm->now = now;
    bool held = episodes_settle(comm);
    communicator_drain(comm);
    return held;
}

static int64_t engine_timer(void *context, uint32_t cookie, int64_t now) {
    struct communicator *comm = context;
    comm->now = now;
    if (cookie >= FIRST_TURN) {
        communicator_take_first_turn(comm, cookie - FIRST_TURN);
        return NOT_AGAIN;
    }
    int64_t again = NOT_AGAIN;
    const struct call *call = &comm->calls[cookie];
    if (call->kind == CALL_STREAM) {
        if (now > comm->end_ticks) comm->end_ticks = now;
        again = call->stream.call(call->stream.context, call->cookie, now);
        if (again == NOT_AGAIN) free_call(comm, cookie);
    } else if (call->kind == CALL_DONE) { // the workload's
        const struct done_call done = call->done;
        uint32_t told = call->cookie;
        free_call(comm, cookie);
        if (now > comm->end_ticks) comm->end_ticks = now;
        done.call(done.context, told, now);
    } else {
        call_machine(comm, cookie);
    }
    if (comm->ready_count > 0) communicator_drain(comm);
    return again;
}

bool communicator_progress(void *context, int64_t now, uint64_t chunk_hops) {
    struct communicator *comm = context;
    return !comm->progress || comm->progress(comm->progress_context, now, chunk_hops);
}

// ---- running

bool communicator_run(struct communicator *comm, const struct engine_type *engine, struct error *err) {
    communicator_begin(comm, engine);
    while (engine_settled(comm, comm->now)) continue;
    if (!sim_run(comm->sim, engine, err)) return false;
    if (comm->tasks_open == 0) return true;
    comm->stalled = true;
    char waiting[900];
    communicator_describe_waiting(comm, 8, waiting, sizeof waiting);
    return error_set(err, ERROR_SIMULATION, "nothing is left to happen: %s", waiting);
}

bool communicator_stalled(const struct communicator *comm) { return comm->stalled; }
struct sim *communicator_sim(struct communicator *comm) {
    return comm->sim;
}
void communicator_observe(struct communicator *comm, const struct rank_observer *observer) {
    comm->observer = *observer;
    comm->plain = comm->unheard = false; // until the next run begins
    for (size_t i = 0; i < comm->collective_count; i++)
        if (comm->collectives[i]) mark_spans(comm, &comm->collectives[i]->request.args);
}
void communicator_on_progress(struct communicator *comm, bool (*progress)(void *context, int64_t now, uint64_t chunk_hops), void *context) {
    comm->progress = progress, comm->progress_context = context;
}
void communicator_use_trees(struct communicator *comm, const struct tree_source *trees) { comm->trees = *trees; }
void communicator_set_replays(struct communicator *comm, const struct replay_rules *rules) { comm->episodes = episodes_create(rules); }
bool communicator_gave_up(const struct communicator *comm) { return episodes_gave_up(comm->episodes); }
void communicator_set_local(struct communicator *comm, bool local) {
    comm->local = local;
    sim_set_local(comm->sim, local);
}
uint32_t communicator_ranks(const struct communicator *comm) { return comm->ranks; }
void communicator_set_hosted(struct communicator *comm, const uint8_t *hosted) { comm->hosted = hosted; }
bool communicator_hosts(const struct communicator *comm, uint32_t rank) { return !comm->hosted || comm->hosted[rank]; }

uint32_t communicator_hosted(const struct communicator *comm, const uint32_t *ranks, uint32_t count) {
    if (!comm->hosted) return count;
    uint32_t hosted = 0;
    for (uint32_t i = 0; i < count; i++) hosted += comm->hosted[ranks ? ranks[i] : i];
    return hosted;
}

int64_t communicator_now(const struct communicator *comm) { return comm->now; }
struct digest communicator_digest(const struct communicator *comm) {
    return comm->digest;
}
int64_t communicator_end_ticks(const struct communicator *comm) { return comm->end_ticks; }
const int64_t *communicator_bytes_sent(const struct communicator *comm) { return comm->bytes_sent; }
