#include "algos/communicator_round.h"

#include <stdlib.h>

#include "algos/communicator_episode_state.h"

/// How many beginnings may pass until a round of several repetitions is looked for from a later beginning.
enum { MOST_PATIENCE = 64 };

/// Counted between two looks at whether to go on.
enum { DELIVERIES_AT_ONCE = 1 << 22 };

void communicator_begins_round(struct communicator *comm, const struct round_teller *teller) {
    struct episodes *episodes = comm->episodes;
    if (!episodes || episodes->rounds.asked) return;
    episodes->rounds.asked = true;
    episodes->rounds.teller = *teller;
}

// ---- what has been done since the mark

static void unmark(struct rounds *rounds) {
    rounds->marked = false;
    rehearsal_clear(&rounds->course);
    rounds->course = (struct rehearsal){0};
    rounds->delivery_capacity = rounds->part_count = 0;
    rounds->deliveries = 0;
}

void rounds_free(struct rounds *rounds) {
    unmark(rounds);
    free(rounds->parts);
    free(rounds->words.words);
    free(rounds->before.words);
    counted_free(&rounds->counted);
}

/// Whether so many more are kept.
static bool keeps(struct rounds *rounds, size_t deliveries) {
    if (!rounds->marked) return false;
    rounds->deliveries += deliveries;
    if (rounds->deliveries <= ROUND_DELIVERIES_MOST) return true;
    unmark(rounds);
    return false;
}

void rounds_delivered(struct rounds *rounds, const struct rehearsed_delivery *delivery) {
    if (!keeps(rounds, 1)) return;
    struct rehearsal *course = &rounds->course;
    ARRAY_RESERVE(course->deliveries, rounds->delivery_capacity, course->delivery_count + 1);
    course->deliveries[course->delivery_count] = *delivery;
    course->deliveries[course->delivery_count++].ticks -= rounds->counted.start;
}

void rounds_replayed(struct rounds *rounds, const struct rehearsal *course, int64_t start) {
    if (!keeps(rounds, course->delivery_count)) return;
    ARRAY_RESERVE(rounds->parts, rounds->part_capacity, rounds->part_count + 1);
    rounds->parts[rounds->part_count++] = (struct round_part){start - rounds->counted.start, course};
}

static void mark(struct communicator *comm) {
    struct rounds *rounds = &comm->episodes->rounds;
    unmark(rounds);
    rounds->marked = true;
    rounds->age = 0;
    const struct word_list spare = rounds->before;
    rounds->before = rounds->words, rounds->words = spare;
    counted_begin(comm, &rounds->counted);
    for (uint32_t r = 0; r < comm->ranks; r++) counted_add_sender(comm, &rounds->counted, r);
    rounds->closed_before = rounds->closed;
    rounds->teller.mark(rounds->teller.context);
}

// ---- leaving rounds out

static bool stands_as_before(const struct rounds *rounds) {
    const struct word_list *a = &rounds->words, *b = &rounds->before;
    return a->count == b->count && memcmp(a->words, b->words, a->count * sizeof *a->words) == 0;
}

/// It does not stand as it did at the mark: whether the mark stays for longer rounds.
static bool is_patient(struct rounds *rounds) {
    bool same_teller = rounds->marked && rounds->words.words[0] == rounds->before.words[0];
    if (same_teller && ++rounds->age < rounds->patience) return true;
    rounds->patience = !same_teller ? 1 : rounds->patience < MOST_PATIENCE ? 2 * rounds->patience : MOST_PATIENCE;
    return false;
}

static void count_round(struct communicator *comm, int64_t start) {
    const struct rounds *rounds = &comm->episodes->rounds;
    for (size_t i = 0; i < rounds->part_count; i++)
        communicator_count_deliveries(comm, rounds->parts[i].course, start + rounds->parts[i].ticks);
}

/// Counts up to `times` rounds from now on; fewer where the run is to be stopped. Returns how many.
static uint64_t count_rounds(struct communicator *comm, uint64_t times) {
    const struct rounds *rounds = &comm->episodes->rounds;
    uint64_t at_once = 1 + DELIVERIES_AT_ONCE / (1 + rounds->deliveries), done = 0;
    int64_t *starts = allocate((at_once < times ? at_once : times) * sizeof *starts);
    while (done < times) {
        size_t count = 0;
        for (; count < at_once && done < times; done++, count++) {
            starts[count] = comm->now + (int64_t)done * rounds->course.ticks;
            count_round(comm, starts[count]);
        }
        communicator_replay(comm, &rounds->course, starts, count);
        if (communicator_progress(comm, starts[count - 1], sim_chunk_hops(comm->sim))) continue;
        sim_interrupt(comm->sim);
        break;
    }
    free(starts);
    return done;
}

static void skip(struct communicator *comm, uint64_t times) {
    struct rounds *rounds = &comm->episodes->rounds;
    counted_take(comm, &rounds->counted, &rounds->course);
    rounds->course.collectives = (uint32_t)(rounds->closed - rounds->closed_before);
    times = count_rounds(comm, times);
    int64_t ticks = rounds->course.ticks, all = (int64_t)times * ticks;
    comm->saved.rounds += times;
    if (comm->observer.skipped) comm->observer.skipped(comm->observer.context, times * rounds->course.collectives);
    rounds->teller.skip(rounds->teller.context, times, ticks);
    rounds_put_off(comm, all);
    rounds->vain = 0;
    unmark(rounds);
}

bool rounds_may_come(const struct communicator *comm) {
    enum { FAILURES_A_RANK = 8 }; // more between two beginnings: there are no more
    const struct episodes *episodes = comm->episodes;
    const struct rounds *rounds = &episodes->rounds;
    return rounds->teller.context && rounds->vain <= episodes->rules.vain_rounds &&
           episodes->failures - rounds->failures <= FAILURES_A_RANK * (uint64_t)comm->ranks;
}

bool rounds_settle(struct communicator *comm) {
    struct rounds *rounds = &comm->episodes->rounds;
    int64_t latest;
    if (!rounds->asked) return false;
    rounds->asked = false;
    rounds->vain++;
    rounds->failures = comm->episodes->failures;
    if (!rounds_take_state(comm, &latest)) return false;
    if (!rounds->marked || !stands_as_before(rounds)) {
        if (!is_patient(rounds)) mark(comm);
        return false;
    }
    uint64_t times = rounds->teller.left(rounds->teller.context);
    int64_t ticks = comm->now - rounds->counted.start;
    uint64_t most = ticks > 0 ? (uint64_t)((INT64_MAX - 1 - latest) / ticks) : 0;
    if (times > most) times = most;
    if (times == 0) {
        unmark(rounds);
        return false;
    }
    skip(comm, times);
    return true;
}
