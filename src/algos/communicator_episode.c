// Episodes: what begins as something did before is counted as it went then.
#include "algos/communicator_episode.h"

#include <stdlib.h>
#include <string.h>

#include "algos/communicator_state.h"
#include "base/memory.h"
#include "base/random.h"

enum { MOST_DELIVERIES = 4000000, MOST_LINKS_READ = 1 << 30, FIRST_BUCKETS = 64, FAILURES_ALLOWED = 8 };

struct held_start {
    uint32_t collective, member;
};

struct member_end {
    int64_t ticks; ///< after the start
    uint32_t position, member;
};

/// A way in which episodes begin, and how they go then.
struct episode {
    struct episode *next; ///< in its bucket
    uint64_t hash;
    uint64_t *key;
    size_t key_words;
    bool replayable;
    struct rehearsal course;
    size_t delivery_capacity;
    struct member_end *ends; ///< in the order of time
    size_t end_count, end_capacity;
};

enum state { IDLE, RECORDED, REPLAYED };

struct episodes {
    struct replay_rules rules;
    struct held_start *held;
    size_t held_count, held_capacity;
    struct plain_message *messages; ///< held until the clock gets here again
    size_t message_count, message_capacity;

    struct episode **buckets; ///< a power of two
    size_t bucket_count, known_count;
    uint64_t *key; ///< scratch
    size_t key_words, key_capacity;

    enum state state;
    struct episode *present;
    int64_t start;
    uint32_t *ids; ///< its collectives, by the rank of their first member
    size_t id_count, id_capacity;
    size_t told;     ///< how many of its ends
    uint32_t number; ///< tells the timers of one from those of another that was given up
    uint64_t tasks_left;
    int64_t computed_at;       ///< when a rank was last asked to compute
    struct link_totals *links; ///< at the start of what is recorded
    struct sim_totals totals;
    struct rehearsed_sender *members; ///< what each had posted by then; some collectives may be closed when the last ends
    size_t member_count, member_capacity;

    uint64_t in_flight; ///< messages of all kinds
    uint64_t deliveries_kept, links_read;
    uint64_t failures, replays;
    uint64_t *rank_seen; ///< per rank: the last round of checking that saw it
    uint64_t rounds;
    bool gave_up;
};

struct episodes *episodes_create(const struct replay_rules *rules) {
    struct episodes *episodes = allocate_zeroed(1, sizeof *episodes);
    episodes->rules = *rules;
    episodes->bucket_count = FIRST_BUCKETS;
    episodes->buckets = allocate_zeroed(FIRST_BUCKETS, sizeof(struct episode *));
    return episodes;
}

static void free_episode(struct episode *episode) {
    free(episode->key);
    free(episode->ends);
    rehearsal_clear(&episode->course);
    free(episode);
}

void episodes_free(struct episodes *episodes) {
    if (!episodes) return;
    for (size_t b = 0; b < episodes->bucket_count; b++) {
        for (struct episode *episode = episodes->buckets[b], *next; episode; episode = next) {
            next = episode->next;
            free_episode(episode);
        }
    }
    free(episodes->buckets);
    free(episodes->held);
    free(episodes->messages);
    free(episodes->key);
    free(episodes->ids);
    free(episodes->links);
    free(episodes->members);
    free(episodes->rank_seen);
    free(episodes);
}

bool episodes_gave_up(const struct episodes *episodes) { return episodes && episodes->gave_up; }

static bool pays_costs(const struct communicator *comm) {
    return comm->costs.send_overhead_ticks > 0 || comm->costs.launch_overhead_ticks > 0 || comm->costs.reduce_bytes_per_s > 0;
}

// ---- the key: everything that what follows depends on

static void add_word(struct episodes *episodes, uint64_t word) {
    ARRAY_RESERVE(episodes->key, episodes->key_capacity, episodes->key_words + 1);
    episodes->key[episodes->key_words++] = word;
}

static void add_request(struct episodes *episodes, const struct collective_request *request) {
    const struct collective_args *args = &request->args;
    const uint64_t words[] = {(uintptr_t)request->algorithm,
                              args->kind,
                              args->size,
                              (uint64_t)args->bytes,
                              (uint64_t)args->root << 32 | args->pieces,
                              (uint64_t)args->from << 32 | args->to,
                              (uintptr_t)args->inner,
                              (uintptr_t)args->outer,
                              (uintptr_t)args->custom,
                              (uint64_t)args->schedule << 32 | args->order,
                              (uint64_t)args->dim_count << 32 | args->group_size,
                              (uint64_t)request->step_sync << 2 | (uint64_t)(args->matrix != NULL) << 1 | (request->ranks != NULL)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) add_word(episodes, words[i]);
    for (uint32_t i = 0; i < args->dim_count; i++) add_word(episodes, args->dims[i]);
    for (size_t i = 0; args->matrix && i < (size_t)args->size * args->size; i++) add_word(episodes, (uint64_t)args->matrix[i]);
    for (uint32_t i = 0; request->ranks && i < args->size; i++) add_word(episodes, request->ranks[i]);
}

/// The number of a rank's next message, where routes depend on it, and how long its processor is busy.
static void add_member(struct communicator *comm, uint32_t rank) {
    struct episodes *episodes = comm->episodes;
    uint32_t period = episodes->rules.message_period;
    if (period > 1) add_word(episodes, sim_posts(comm->sim, comm->place[rank]) % period);
    if (!pays_costs(comm)) return;
    int64_t busy = comm->processor_free_at[rank] - comm->now;
    add_word(episodes, busy > 0 ? (uint64_t)busy : 0);
}

static uint64_t make_key(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    episodes->key_words = 0;
    for (size_t i = 0; i < episodes->id_count; i++) {
        const struct collective *collective = comm->collectives[episodes->ids[i]];
        add_request(episodes, &collective->request);
        for (uint32_t m = 0; m < collective->request.args.size; m++) add_member(comm, rank_of(collective, m));
    }
    uint64_t hash = episodes->key_words;
    for (size_t i = 0; i < episodes->key_words; i++) hash = mix64(hash ^ episodes->key[i]) + i;
    return hash;
}

static struct episode *find(const struct episodes *episodes, uint64_t hash) {
    struct episode *episode = episodes->buckets[hash & (episodes->bucket_count - 1)];
    for (; episode; episode = episode->next)
        if (episode->hash == hash && episode->key_words == episodes->key_words &&
            memcmp(episode->key, episodes->key, episode->key_words * sizeof *episode->key) == 0)
            break;
    return episode;
}

static void double_buckets(struct episodes *episodes) {
    struct episode **old = episodes->buckets;
    size_t count = episodes->bucket_count;
    episodes->bucket_count = 2 * count;
    episodes->buckets = allocate_zeroed(episodes->bucket_count, sizeof(struct episode *));
    for (size_t b = 0; b < count; b++) {
        for (struct episode *episode = old[b], *next; episode; episode = next) {
            struct episode **bucket = &episodes->buckets[episode->hash & (episodes->bucket_count - 1)];
            next = episode->next;
            episode->next = *bucket;
            *bucket = episode;
        }
    }
    free(old);
}

static struct episode *add(struct episodes *episodes, uint64_t hash) {
    if (++episodes->known_count > episodes->bucket_count) double_buckets(episodes);
    struct episode *episode = allocate_zeroed(1, sizeof *episode), **bucket = &episodes->buckets[hash & (episodes->bucket_count - 1)];
    size_t bytes = episodes->key_words * sizeof *episode->key;
    episode->hash = hash;
    episode->key = memcpy(allocate(bytes), episodes->key, bytes);
    episode->key_words = episodes->key_words;
    episode->next = *bucket;
    *bucket = episode;
    return episode;
}

// ---- recording

static void fail(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    episodes->failures++;
    if (!episodes->rules.may_give_up || episodes->failures <= FAILURES_ALLOWED + 4 * episodes->replays) return;
    episodes->gave_up = true;
    sim_interrupt(comm->sim);
}

/// What is being recorded does not stand alone.
static void spoil(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    struct rehearsal *course = &episodes->present->course;
    episodes->deliveries_kept -= course->delivery_count;
    free(course->deliveries);
    course->deliveries = NULL, course->delivery_count = 0;
    episodes->state = IDLE;
    fail(comm);
}

static void begin_record(struct communicator *comm, uint64_t hash) {
    struct episodes *episodes = comm->episodes;
    uint32_t link_count = sim_link_count(comm->sim);
    episodes->state = RECORDED;
    episodes->present = add(episodes, hash);
    episodes->tasks_left = episodes->member_count = 0;
    episodes->computed_at = -1;
    for (size_t i = 0; i < episodes->id_count; i++) {
        const struct collective *collective = comm->collectives[episodes->ids[i]];
        episodes->tasks_left += collective->tasks_total;
        ARRAY_RESERVE(episodes->members, episodes->member_capacity, episodes->member_count + collective->request.args.size);
        for (uint32_t m = 0; m < collective->request.args.size; m++) {
            uint32_t rank = rank_of(collective, m);
            episodes->members[episodes->member_count++] =
                (struct rehearsed_sender){rank, sim_posts(comm->sim, comm->place[rank]), comm->bytes_sent[rank]};
        }
    }
    if (!episodes->links) episodes->links = allocate(link_count * sizeof *episodes->links);
    for (uint32_t l = 0; l < link_count; l++) episodes->links[l] = sim_link_totals(comm->sim, l);
    episodes->links_read += link_count;
    episodes->totals = sim_totals(comm->sim);
}

static void take_senders(struct communicator *comm, struct rehearsal *course) {
    const struct episodes *episodes = comm->episodes;
    size_t capacity = 0;
    for (size_t i = 0; i < episodes->member_count; i++) {
        const struct rehearsed_sender *before = &episodes->members[i];
        uint32_t messages = sim_posts(comm->sim, comm->place[before->rank]) - before->messages;
        if (messages == 0) continue;
        ARRAY_RESERVE(course->senders, capacity, course->sender_count + 1);
        course->senders[course->sender_count++] =
            (struct rehearsed_sender){before->rank, messages, comm->bytes_sent[before->rank] - before->bytes};
    }
}

/// The peaks are left out: the run has them already.
static void take_links(struct communicator *comm, struct rehearsal *course) {
    const struct episodes *episodes = comm->episodes;
    uint32_t link_count = sim_link_count(comm->sim);
    size_t capacity = 0;
    for (uint32_t l = 0; l < link_count; l++) {
        const struct link_totals now = sim_link_totals(comm->sim, l), *before = &episodes->links[l];
        if (now.chunks == before->chunks) continue;
        ARRAY_RESERVE(course->links, capacity, course->link_count + 1);
        course->links[course->link_count++] =
            (struct rehearsed_link){l, {now.bytes - before->bytes, now.chunks - before->chunks, now.busy_ticks - before->busy_ticks, 0}};
    }
}

/// Whether it may be replayed: not one that takes no time, for there may be no end of them at one instant. A collective that is over before
/// the others could not be simulated after all, for it is closed then; nor one that pays for its processor, which the ranks that have ended
/// may have used since.
static bool is_replayable(const struct communicator *comm, const struct episode *episode) {
    if (episode->course.ticks == 0) return false;
    size_t together = 0;
    for (size_t i = episode->end_count; i-- > 0 && episode->ends[i].ticks == episode->course.ticks;) together++;
    if (pays_costs(comm)) return together == episode->end_count;
    for (size_t i = 0; comm->episodes->id_count > 1 && i < comm->episodes->id_count; i++) {
        bool last = false;
        for (size_t k = episode->end_count - together; k < episode->end_count; k++) last = last || episode->ends[k].position == i;
        if (!last) return false;
    }
    return true;
}

static void end_record(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    struct episode *episode = episodes->present;
    struct rehearsal *course = &episode->course;
    if (episodes->in_flight > 0 || (episodes->computed_at >= 0 && episodes->computed_at < comm->now)) {
        spoil(comm);
        return;
    }
    const struct sim_totals totals = sim_totals(comm->sim);
    course->collectives = (uint32_t)episodes->id_count;
    course->ticks = comm->now - episodes->start;
    course->totals = (struct sim_totals){.messages = totals.messages - episodes->totals.messages,
                                         .chunks = totals.chunks - episodes->totals.chunks,
                                         .chunk_hops = totals.chunk_hops - episodes->totals.chunk_hops};
    take_links(comm, course);
    take_senders(comm, course);
    episode->replayable = is_replayable(comm, episode);
    episodes->state = IDLE;
}

void episodes_posted(struct episodes *episodes) { episodes->in_flight++; }

void episodes_delivered(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes) {
    struct episodes *episodes = comm->episodes;
    episodes->in_flight--;
    if (episodes->state != RECORDED) return;
    if (episodes->deliveries_kept == MOST_DELIVERIES) {
        spoil(comm);
        return;
    }
    struct episode *episode = episodes->present;
    struct rehearsal *course = &episode->course;
    episodes->deliveries_kept++;
    ARRAY_RESERVE(course->deliveries, episode->delivery_capacity, course->delivery_count + 1);
    course->deliveries[course->delivery_count++] = (struct rehearsed_delivery){comm->now - episodes->start, bytes, from, to};
}

void episodes_finished(struct communicator *comm, uint32_t collective, uint32_t member, bool whole) {
    struct episodes *episodes = comm->episodes;
    if (episodes->state != RECORDED) return;
    if (whole) {
        struct episode *episode = episodes->present;
        uint32_t position = 0;
        while (episodes->ids[position] != collective) position++;
        ARRAY_RESERVE(episode->ends, episode->end_capacity, episode->end_count + 1);
        episode->ends[episode->end_count++] = (struct member_end){comm->now - episodes->start, position, member};
    }
    if (--episodes->tasks_left == 0) end_record(comm);
}

void episodes_computes(struct communicator *comm, uint32_t rank) {
    struct episodes *episodes = comm->episodes;
    if (!pays_costs(comm)) return;
    episodes->computed_at = comm->now;
    if (episodes->state == REPLAYED && comm->now < episodes->start + episodes->present->course.ticks)
        fatal("rank %u computes while it is in a collective that is replayed", rank);
}

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
    fail(comm);
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
    if (episodes->state == RECORDED) spoil(comm);
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
    episodes->rounds++;
    for (size_t i = 0; i < episodes->id_count; i++) {
        const struct collective *collective = comm->collectives[episodes->ids[i]];
        for (uint32_t m = 0; m < collective->request.args.size; m++) {
            uint64_t *seen = &episodes->rank_seen[rank_of(collective, m)];
            if (*seen == episodes->rounds) return false;
            *seen = episodes->rounds;
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
    uint64_t hash = make_key(comm);
    struct episode *known = find(episodes, hash);
    int64_t end;
    episodes->start = comm->now;
    if (known && known->replayable && !__builtin_add_overflow(comm->now, known->course.ticks, &end)) {
        begin_replay(comm, known);
        return true;
    }
    if (known && !known->replayable) fail(comm);
    if (!known && episodes->deliveries_kept < MOST_DELIVERIES && episodes->links_read < MOST_LINKS_READ) begin_record(comm, hash);
    return false;
}

bool episodes_settle(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    if (episodes->held_count == 0 && episodes->message_count == 0) return false;
    if (is_replaying(comm)) {
        go_back(comm);
        return true;
    }
    bool replayed = false;
    if (is_episode(comm)) {
        replayed = begin(comm);
    } else {
        if (episodes->state == RECORDED) spoil(comm);
        fail(comm);
    }
    for (size_t i = 0; !replayed && i < episodes->held_count; i++)
        communicator_launch(comm, episodes->held[i].collective, episodes->held[i].member);
    episodes->held_count = 0;
    return true;
}
