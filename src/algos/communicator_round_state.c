// How everything stands when a round begins, relative to now.
#include <stdlib.h>

#include "algos/communicator_episode_state.h"

// ---- collectives

static void add_tasks(const struct collective *collective, struct word_list *words) {
    words_add(words, (uint64_t)collective->at_barrier << 32 | collective->in_flight);
    for (uint32_t t = 0; t < collective->tasks_total; t++) {
        const struct task *task = &collective->tasks[t];
        words_add(words, (uint64_t)task->step << 32 | task->state);
        if (task->state == NOT_STARTED && task->early == 0) continue;
        words_add(words, (uint64_t)task->pending << 32 | task->early);
        words_add(words, task->open_sum);
    }
    for (uint32_t m = 0; m < collective->request.args.size; m++)
        words_add(words, (uint64_t)collective->machines_left[m] << 1 | (collective->told && collective->told[m]));
}

void communicator_add_collective(struct communicator *comm, uint32_t id, struct word_list *words) {
    struct collective *collective = comm->collectives[id];
    if (collective->held == 0) {
        collective->held = ++comm->episodes->rounds.told;
        episodes_add_request(words, &collective->request);
        add_tasks(collective, words);
    }
    words_add(words, collective->held);
}

/// Its number among those told of; 0: none.
static uint32_t number_of(const struct communicator *comm, uint32_t id) { return comm->collectives[id]->held; }

static void add_starts(struct communicator *comm, struct word_list *words) {
    const struct episodes *episodes = comm->episodes;
    for (size_t i = 0; i < episodes->held_count; i++) {
        communicator_add_collective(comm, episodes->held[i].collective, words);
        words_add(words, episodes->held[i].member);
    }
}

/// Forgets the numbers; returns whether all had one.
static bool end_telling(struct communicator *comm) {
    uint32_t alive = 0, *told = &comm->episodes->rounds.told;
    for (size_t i = 0; i < comm->collective_count; i++) {
        if (!comm->collectives[i]) continue;
        comm->collectives[i]->held = 0;
        alive++;
    }
    bool all = alive == *told;
    *told = 0;
    return all;
}

// ---- messages

static bool add_envelope(const struct communicator *comm, const struct envelope *envelope, struct word_list *words) {
    if (envelope->collective == NOBODY) return false;
    uint32_t number = number_of(comm, envelope->collective);
    words_add(words, (uint64_t)number << 32 | envelope->task);
    words_add(words, (uint64_t)envelope->step << 32 | envelope->sender);
    words_add(words, envelope->piece);
    return number > 0;
}

static bool add_message(void *context, const struct message *message, struct word_list *words) {
    return add_envelope(context, envelope_of(message), words);
}

static int compare(uint32_t a, uint32_t b) { return a < b ? -1 : a > b; }

/// By collective, its number in place of its id, and so on.
static int by_receive(const void *left, const void *right) {
    const struct early_message *a = left, *b = right;
    int order = compare(a->collective, b->collective);
    if (order == 0) order = compare(a->task, b->task);
    if (order == 0) order = compare(a->step, b->step);
    if (order == 0) order = compare(a->sender, b->sender);
    return order ? order : compare(a->piece, b->piece);
}

/// Messages that came before their step, which are kept in no order.
static void add_early(const struct communicator *comm, struct word_list *words) {
    const struct early_messages *early = &comm->early;
    struct early_message *messages = allocate(early->count * sizeof *messages);
    size_t count = 0;
    for (size_t i = 0; i < early->capacity && early->count > 0; i++) {
        if (early->slots[i].collective == NOBODY) continue;
        messages[count] = early->slots[i];
        messages[count].collective = number_of(comm, messages[count].collective);
        count++;
    }
    if (count > 1) qsort(messages, count, sizeof *messages, by_receive);
    for (size_t i = 0; i < count; i++) {
        words_add(words, (uint64_t)messages[i].collective << 32 | messages[i].task);
        words_add(words, (uint64_t)messages[i].step << 32 | messages[i].sender);
        words_add(words, messages[i].piece);
    }
    free(messages);
}

// ---- timers and processors

static bool add_call(const struct communicator *comm, const struct call *call, struct word_list *words) {
    words_add(words, call->kind);
    words_add(words, (uint64_t)call->rank << 32 | call->cookie);
    if (call->kind == CALL_DONE) {
        words_add(words, (uintptr_t)call->done.call);
        words_add(words, (uintptr_t)call->done.context);
        return true;
    }
    if (call->kind == CALL_MESSAGE || call->kind == CALL_STREAM) return false;
    words_add(words, number_of(comm, call->collective));
    if (call->kind != CALL_SEND) return true;
    words_add(words, (uint64_t)call->bytes << 1 | call->reduced);
    words_add(words, call->rank_to);
    return add_envelope(comm, &call->envelope, words);
}

/// False: one is of a kind that is not understood. *latest becomes the last one's time, if that is later.
static bool add_timers(const struct communicator *comm, struct word_list *words, int64_t *latest) {
    size_t count = sim_timer_count(comm->sim);
    struct set_timer *timers = allocate(count * sizeof *timers);
    bool known = true;
    sim_list_timers(comm->sim, timers);
    for (size_t i = 0; i < count && known; i++) {
        const struct call *call = &comm->calls[timers[i].cookie];
        if (call->kind == CALL_EPISODE) continue; // of a replay that was given up
        words_add_ticks(words, timers[i].time - comm->now);
        known = add_call(comm, call, words);
    }
    if (count > 0 && timers[count - 1].time > *latest) *latest = timers[count - 1].time;
    free(timers);
    return known;
}

static void add_ranks(const struct communicator *comm, struct word_list *words, int64_t *latest) {
    uint32_t period = comm->episodes->rules.message_period;
    for (uint32_t r = 0; r < comm->ranks; r++) {
        int64_t free_at = comm->processor_free_at[r];
        if (period > 1) words_add(words, sim_posts(comm->sim, comm->place[r]) % period);
        words_add_ticks(words, free_at > comm->now ? free_at - comm->now : 0);
        if (free_at > *latest) *latest = free_at;
    }
}

// ---- everything

static bool add_network(struct communicator *comm, struct word_list *words, int64_t *latest) {
    if (comm->episodes->in_flight == 0) return true;
    struct state_writer writer = {.words = words, .context = comm, .add_message = add_message, .latest = *latest};
    bool known = sim_add_state(comm->sim, &writer);
    *latest = writer.latest;
    return known;
}

static bool add_all(struct communicator *comm, struct word_list *words, int64_t *latest) {
    const struct round_teller *teller = &comm->episodes->rounds.teller;
    words_add(words, (uintptr_t)teller->context);
    if (!teller->state(teller->context, words)) return false;
    add_starts(comm, words);
    add_ranks(comm, words, latest);
    add_early(comm, words);
    return add_timers(comm, words, latest) && add_network(comm, words, latest);
}

bool rounds_take_state(struct communicator *comm, int64_t *latest) {
    struct episodes *episodes = comm->episodes;
    *latest = comm->now;
    episodes->rounds.words.count = 0;
    if (episodes->state != IDLE || episodes->message_count > 0 || comm->ready_count > 0) return false;
    bool known = add_all(comm, &episodes->rounds.words, latest);
    return end_telling(comm) && known;
}

void rounds_put_off(struct communicator *comm, int64_t ticks) {
    for (uint32_t r = 0; r < comm->ranks; r++)
        if (comm->processor_free_at[r] > comm->now) comm->processor_free_at[r] += ticks;
    for (size_t i = 0; i < comm->collective_count; i++) {
        struct collective *collective = comm->collectives[i];
        for (uint32_t t = 0; collective && t < collective->tasks_total; t++) collective->tasks[t].since += ticks;
    }
    comm->now += ticks;
    sim_jump(comm->sim, ticks);
}
