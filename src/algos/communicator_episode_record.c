// How an episode begins, and the record of how it goes.
#include <stdlib.h>
#include <string.h>

#include "algos/communicator_episode_state.h"
#include "base/memory.h"
#include "base/random.h"

/// What all records may hold (24 bytes a delivery), and how many links' totals may be read for them: a few seconds.
enum { MOST_DELIVERIES = 4000000, MOST_LINKS_READ = 1 << 30 };

/// Where the window engine could run instead: more failures than so many, and four for each replay, cost more than replays save.
enum { FAILURES_ALLOWED = 8, FAILURES_A_REPLAY = 4 };

enum { FIRST_BUCKETS = 64 };

static bool pays_costs(const struct communicator *comm) {
    return comm->costs.send_overhead_ticks > 0 || comm->costs.launch_overhead_ticks > 0 || comm->costs.reduce_bytes_per_s > 0;
}

// ---- the key: everything that what follows depends on

void episodes_add_request(struct word_list *words, const struct collective_request *request) {
    const struct collective_args *args = &request->args;
    const uint64_t fixed[] = {(uintptr_t)request->algorithm,
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
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) words_add(words, fixed[i]);
    for (uint32_t i = 0; i < args->dim_count; i++) words_add(words, args->dims[i]);
    for (size_t i = 0; args->matrix && i < (size_t)args->size * args->size; i++) words_add(words, (uint64_t)args->matrix[i]);
    for (uint32_t i = 0; request->ranks && i < args->size; i++) words_add(words, request->ranks[i]);
}

/// The number of a rank's next message, where routes depend on it, and how long its processor is busy.
static void add_member(struct communicator *comm, uint32_t rank) {
    struct episodes *episodes = comm->episodes;
    uint32_t period = episodes->rules.message_period;
    if (period > 1) words_add(&episodes->key, sim_posts(comm->sim, comm->place[rank]) % period);
    if (!pays_costs(comm)) return;
    int64_t busy = comm->processor_free_at[rank] - comm->now;
    words_add(&episodes->key, busy > 0 ? (uint64_t)busy : 0);
}

uint64_t episodes_make_key(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    episodes->key.count = 0;
    for (size_t i = 0; i < episodes->id_count; i++) {
        const struct collective *collective = comm->collectives[episodes->ids[i]];
        episodes_add_request(&episodes->key, &collective->request);
        for (uint32_t m = 0; m < collective->request.args.size; m++) add_member(comm, rank_of(collective, m));
    }
    uint64_t hash = episodes->key.count;
    for (size_t i = 0; i < episodes->key.count; i++) hash = mix64(hash ^ episodes->key.words[i]) + i;
    return hash;
}

// ---- the known ones, by key

struct episode *episodes_find(const struct episodes *episodes, uint64_t hash) {
    if (episodes->bucket_count == 0) return NULL;
    struct episode *episode = episodes->buckets[hash & (episodes->bucket_count - 1)];
    for (; episode; episode = episode->next)
        if (episode->hash == hash && episode->key_words == episodes->key.count &&
            memcmp(episode->key, episodes->key.words, episode->key_words * sizeof *episode->key) == 0)
            break;
    return episode;
}

static void double_buckets(struct episodes *episodes) {
    struct episode **old = episodes->buckets;
    size_t count = episodes->bucket_count;
    episodes->bucket_count = count > 0 ? 2 * count : FIRST_BUCKETS;
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
    size_t bytes = episodes->key.count * sizeof *episode->key;
    episode->hash = hash;
    episode->key = memcpy(allocate(bytes), episodes->key.words, bytes);
    episode->key_words = episodes->key.count;
    episode->next = *bucket;
    *bucket = episode;
    return episode;
}

static void free_episode(struct episode *episode) {
    free(episode->key);
    free(episode->ends);
    rehearsal_clear(&episode->course);
    free(episode);
}

void episodes_forget_all(struct episodes *episodes) {
    for (size_t b = 0; b < episodes->bucket_count; b++) {
        for (struct episode *episode = episodes->buckets[b], *next; episode; episode = next) {
            next = episode->next;
            free_episode(episode);
        }
    }
    free(episodes->buckets);
}

// ---- recording

void episodes_fail(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    episodes->failures++;
    if (!episodes->rules.may_give_up || episodes->failures <= FAILURES_ALLOWED + FAILURES_A_REPLAY * episodes->replays) return;
    if (rounds_may_come(comm)) return;
    episodes->gave_up = true;
    sim_interrupt(comm->sim);
}

void episodes_spoil(struct communicator *comm) {
    struct episodes *episodes = comm->episodes;
    struct rehearsal *course = &episodes->present->course;
    episodes->deliveries_kept -= course->delivery_count;
    free(course->deliveries);
    course->deliveries = NULL, course->delivery_count = 0;
    episodes->state = IDLE;
    episodes_fail(comm);
}

void episodes_begin_record(struct communicator *comm, uint64_t hash) {
    struct episodes *episodes = comm->episodes;
    if (episodes->deliveries_kept >= MOST_DELIVERIES || episodes->links_read >= MOST_LINKS_READ) return;
    episodes->state = RECORDED;
    episodes->present = add(episodes, hash);
    episodes->tasks_left = 0;
    episodes->computed_at = -1;
    episodes->links_read += sim_link_count(comm->sim);
    counted_begin(comm, &episodes->counted);
    for (size_t i = 0; i < episodes->id_count; i++) {
        const struct collective *collective = comm->collectives[episodes->ids[i]];
        episodes->tasks_left += collective->tasks_total;
        for (uint32_t m = 0; m < collective->request.args.size; m++) counted_add_sender(comm, &episodes->counted, rank_of(collective, m));
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
        episodes_spoil(comm);
        return;
    }
    course->collectives = (uint32_t)episodes->id_count;
    counted_take(comm, &episodes->counted, course);
    episode->replayable = is_replayable(comm, episode);
    episodes->state = IDLE;
}

void episodes_posted(struct episodes *episodes) { episodes->in_flight++; }

void episodes_delivered(struct communicator *comm, uint32_t from, uint32_t to, int64_t bytes) {
    struct episodes *episodes = comm->episodes;
    episodes->in_flight--;
    rounds_delivered(&episodes->rounds, &(struct rehearsed_delivery){comm->now, bytes, from, to});
    if (episodes->state != RECORDED) return;
    if (episodes->deliveries_kept == MOST_DELIVERIES) {
        episodes_spoil(comm);
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
