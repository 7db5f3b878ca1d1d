// Episodes: what begins as something did before is counted as it went then.
#include "algos/communicator_episode.h"

#include <stdlib.h>

#include "algos/communicator_episode_state.h"
#include "base/memory.h"

struct episodes *episodes_create(const struct replay_rules *rules) {
    struct episodes *episodes = allocate_zeroed(1, sizeof *episodes);
    episodes->rules = *rules;
    return episodes;
}

void episodes_free(struct episodes *episodes) {
    if (!episodes) return;
    episodes_forget_all(episodes);
    rounds_free(&episodes->rounds);
    free(episodes->held);
    free(episodes->messages);
    free(episodes->key.words);
    free(episodes->ids);
    counted_free(&episodes->counted);
    free(episodes->rank_seen);
    free(episodes);
}

bool episodes_gave_up(const struct episodes *episodes) { return episodes && episodes->gave_up; }

// ---- replaying

/// A timer at the next end that nobody has been told of.
static void await_end(struct communicator *comm) {
    const struct episodes *episodes = comm->episodes;
    const struct episode *episode = episodes->present;
    const struct member_end *end = &episode->ends[episodes->told];
    uint32_t rank = rank_of(comm->collectives[episodes->ids[end->position]], end->member);
    communicator_call_at(comm, episodes->start + end->ticks,
                         &(struct call){.kind = CALL_EPISODE, .rank = rank, .cookie = episodes->number});
}

static void begin_replay(struct communicator *comm, struct episode *episode) {
    struct episodes *episodes = comm->episodes;
    episodes->state = REPLAYED;
    episodes->present = episode;
    episodes->told = 0;
    episodes->number++;
    episodes->replays++;
    await_end(comm);
}

bool episodes_end_due(struct communicator *comm, uint32_t number) {
    return comm->episodes->state == REPLAYED && comm->episodes->number == number;
}

static void count(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    communicator_replay(comm, &episodes->present->course, &episodes->start, 1);
    rounds_replayed(&episodes->rounds, &episodes->present->course, episodes->start);
    for (size_t i = 0; comm->observer.replayed && i < episodes->id_count; i++)
        comm->observer.replayed(comm->observer.context, episodes->ids[i]);
    episodes->state = IDLE;
}

static void tell_end(struct communicator *comm, uint32_t id, uint32_t member) {
    struct collective *collective = comm->collectives[id];
    for (uint32_t m = 0; m < collective->machines; m++) collective->tasks[member * collective->machines + m].state = FINISHED;
    comm->tasks_open -= collective->machines;
    collective->machines_left[member] = 0;
    if (comm->now > comm->end_ticks) comm->end_ticks = comm->now;
    if (collective->request.done.call) collective->request.done.call(collective->request.done.context, member, comm->now);
}

void episodes_tell_ends(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    const struct episode *episode = episodes->present;
    int64_t ticks = comm->now - episodes->start;
    if (ticks == episode->course.ticks) count(comm);
    while (episodes->told < episode->end_count && episode->ends[episodes->told].ticks == ticks) {
        const struct member_end *end = &episode->ends[episodes->told++];
        tell_end(comm, episodes->ids[end->position], end->member);
    }
    if (episodes->told < episode->end_count) await_end(comm);
}

/// Those who were told keep what they were told.
static void forget_end(struct communicator *comm, uint32_t id, uint32_t member) {
    struct collective *collective = comm->collectives[id];
    if (!collective->told) collective->told = allocate_zeroed(collective->request.args.size, 1);
    collective->told[member] = 1;
    for (uint32_t m = 0; m < collective->machines; m++) collective->tasks[member * collective->machines + m].state = NOT_STARTED;
    collective->machines_left[member] = collective->machines;
    comm->tasks_open += collective->machines;
}

/// What is held comes again when the clock gets here again.
static void put_off(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    for (size_t i = 0; i < episodes->held_count; i++) {
        const struct held_start *held = &episodes->held[i];
        communicator_call_at(comm, comm->now,
                             &(struct call){.kind = CALL_START,
                                            .rank = rank_of(comm->collectives[held->collective], held->member),
                                            .collective = held->collective,
                                            .cookie = held->member});
    }
    for (size_t i = 0; i < episodes->message_count; i++) {
        const struct plain_message *held = &episodes->messages[i];
        communicator_call_at(comm, comm->now,
                             &(struct call){.kind = CALL_MESSAGE,
                                            .rank = held->from,
                                            .rank_to = held->to,
                                            .bytes = held->bytes,
                                            .order = held->order,
                                            .minor = held->minor,
                                            .done = held->delivered,
                                            .cookie = held->cookie});
    }
    episodes->held_count = episodes->message_count = 0;
}

/// Something else will use the network before its end: it is simulated from its beginning.
static void go_back(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    struct episode *episode = episodes->present;
    put_off(comm);
    for (size_t i = 0; i < episodes->told; i++) forget_end(comm, episodes->ids[episode->ends[i].position], episode->ends[i].member);
    episode->replayable = false;
    episodes->state = IDLE;
    episodes->replays--;
    comm->now = episodes->start;
    sim_go_back(comm->sim, episodes->start);
    for (size_t i = 0; i < episodes->id_count; i++)
        for (uint32_t m = 0; m < comm->collectives[episodes->ids[i]]->request.args.size; m++)
            communicator_launch(comm, episodes->ids[i], m);
    episodes_fail(comm);
}

// ---- what is held

void episodes_start(struct communicator *comm, uint32_t collective, uint32_t member) {
    struct episodes *episodes = comm->episodes;
    ARRAY_RESERVE(episodes->held, episodes->held_capacity, episodes->held_count + 1);
    episodes->held[episodes->held_count++] = (struct held_start){collective, member};
}

static bool is_replaying(const struct communicator *comm) {
    const struct episodes *episodes = comm->episodes;
    return episodes->state == REPLAYED && comm->now < episodes->start + episodes->present->course.ticks;
}

bool episodes_hold_message(struct communicator *comm, const struct plain_message *message) {
    struct episodes *episodes = comm->episodes;
    if (episodes->state == RECORDED) episodes_spoil(comm);
    if (!is_replaying(comm)) return false;
    ARRAY_RESERVE(episodes->messages, episodes->message_capacity, episodes->message_count + 1);
    episodes->messages[episodes->message_count++] = *message;
    return true;
}

static int by_first_rank(const void *left, const void *right) {
    const struct held_start *a = left, *b = right;
    return a->member < b->member ? -1 : a->member > b->member;
}

/// Collects the collectives of what is held, by the rank of their first member.
static void collect_ids(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    struct held_start *firsts = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < episodes->held_count; i++) {
        uint32_t id = episodes->held[i].collective;
        if (comm->collectives[id]->held++ > 0) continue;
        ARRAY_RESERVE(firsts, capacity, count + 1);
        firsts[count++] = (struct held_start){id, rank_of(comm->collectives[id], 0)};
    }
    if (count > 1) qsort(firsts, count, sizeof *firsts, by_first_rank);
    ARRAY_RESERVE(episodes->ids, episodes->id_capacity, count);
    episodes->id_count = count;
    for (size_t i = 0; i < count; i++) episodes->ids[i] = firsts[i].collective;
    free(firsts);
}

static bool ranks_are_distinct(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    if (episodes->id_count == 1) return true;
    if (!episodes->rank_seen) episodes->rank_seen = allocate_zeroed(comm->ranks, sizeof *episodes->rank_seen);
    episodes->checks++;
    for (size_t i = 0; i < episodes->id_count; i++) {
        const struct collective *collective = comm->collectives[episodes->ids[i]];
        for (uint32_t m = 0; m < collective->request.args.size; m++) {
            uint64_t *seen = &episodes->rank_seen[rank_of(collective, m)];
            if (*seen == episodes->checks) return false;
            *seen = episodes->checks;
        }
    }
    return true;
}

/// Whether what is held is an episode: nothing else is under way, and every member is there.
static bool is_episode(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    if (episodes->state != IDLE || episodes->in_flight > 0) return false;
    collect_ids(comm);
    uint64_t tasks = 0;
    bool complete = true;
    for (size_t i = 0; i < episodes->id_count; i++) {
        struct collective *collective = comm->collectives[episodes->ids[i]];
        complete = complete && collective->held == collective->request.args.size && collective->request.args.part.marks <= 0;
        tasks += collective->tasks_total;
        collective->held = 0;
    }
    return complete && tasks == comm->tasks_open && ranks_are_distinct(comm);
}

/// Whether it is replayed; else it may be recorded now.
static bool begin(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    uint64_t hash = episodes_make_key(comm);
    struct episode *known = episodes_find(episodes, hash);
    int64_t end;
    episodes->start = comm->now;
    if (known && known->replayable && !__builtin_add_overflow(comm->now, known->course.ticks, &end)) {
        begin_replay(comm, known);
        return true;
    }
    if (known && !known->replayable) episodes_fail(comm);
    if (!known) episodes_begin_record(comm, hash);
    return false;
}

void episodes_closed(struct episodes *episodes) { episodes->rounds.closed++; }

bool episodes_settle(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    if (rounds_settle(comm)) return true;
    if (episodes->held_count == 0 && episodes->message_count == 0) return false;
    if (is_replaying(comm)) {
        go_back(comm);
        return true;
    }
    bool replayed = false;
    if (is_episode(comm)) {
        replayed = begin(comm);
    } else {
        if (episodes->state == RECORDED) episodes_spoil(comm);
        episodes_fail(comm);
    }
    for (size_t i = 0; !replayed && i < episodes->held_count; i++)
        communicator_launch(comm, episodes->held[i].collective, episodes->held[i].member);
    episodes->held_count = 0;
    return true;
}
