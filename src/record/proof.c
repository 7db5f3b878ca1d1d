#include "record/proof.h"

#include <stdlib.h>

#include "algos/custom.h"
#include "base/memory.h"
#include "base/random.h"
#include "record/tracker.h"

/// A message that was posted and not yet received.
struct carried {
    uint64_t message;
    struct payload *payload; ///< NULL: the slot is free
    uint32_t collective;
};

struct open_collective {
    struct collective_args args;
    struct tracker *tracker; ///< NULL: not open, or nothing is tracked yet
    uint64_t carried;        ///< messages posted and not received
    bool by_sums;
    bool replayed; ///< goes as one before, which was tracked
};

struct proof {
    bool exact, wants_exact;
    struct open_collective *collectives; ///< by id
    size_t collective_count, collective_capacity;
    struct carried *slots; ///< a hash table by message, at most half full; capacity is a power of two
    size_t carried, capacity;
    struct error error;
    uint64_t proved;
    uint64_t messages, most_messages;
    bool gave_up;
    void (*tell_gave_up)(void *context);
    void *tell_context;
};

static size_t home_of(const struct proof *proof, uint64_t message) { return (size_t)mix64(message) & (proof->capacity - 1); }

static void put(struct proof *proof, const struct carried *carried) {
    size_t slot = home_of(proof, carried->message);
    while (proof->slots[slot].payload) slot = (slot + 1) & (proof->capacity - 1);
    proof->slots[slot] = *carried;
}

static void grow(struct proof *proof) {
    struct carried *old = proof->slots;
    size_t old_capacity = proof->capacity;
    proof->capacity = old_capacity ? 2 * old_capacity : 64;
    proof->slots = allocate_zeroed(proof->capacity, sizeof *proof->slots);
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].payload) put(proof, &old[i]);
    free(old);
}

/// Frees a slot and moves back what it had pushed on.
static void remove_at(struct proof *proof, size_t hole) {
    size_t mask = proof->capacity - 1;
    for (size_t next = (hole + 1) & mask; proof->slots[next].payload; next = (next + 1) & mask) {
        size_t home = home_of(proof, proof->slots[next].message);
        if (((next - home) & mask) < ((next - hole) & mask)) continue;
        proof->slots[hole] = proof->slots[next];
        hole = next;
    }
    proof->slots[hole].payload = NULL;
    proof->carried--;
}

struct proof *proof_create(bool exact) {
    struct proof *proof = allocate_zeroed(1, sizeof *proof);
    proof->exact = exact;
    proof->most_messages = UINT64_MAX;
    grow(proof);
    return proof;
}

void proof_limit(struct proof *proof, uint64_t messages, void (*gave_up)(void *context), void *context) {
    proof->most_messages = messages, proof->tell_gave_up = gave_up, proof->tell_context = context;
}

bool proof_gave_up(const struct proof *proof) { return proof->gave_up; }
uint64_t proof_count(const struct proof *proof) { return proof->proved; }

/// What is on its way when a collective ends early goes back to its tracker.
static void drop_carried(struct proof *proof, uint32_t collective) {
    for (size_t i = 0; proof->collectives[collective].carried > 0; i++) {
        while (proof->slots[i].payload && proof->slots[i].collective == collective) {
            tracker_dropped(proof->collectives[collective].tracker, proof->slots[i].payload);
            remove_at(proof, i);
            proof->collectives[collective].carried--;
        }
    }
}

static void forget(struct proof *proof, uint32_t collective) {
    struct open_collective *open = &proof->collectives[collective];
    if (!open->tracker) return;
    drop_carried(proof, collective);
    tracker_free(open->tracker);
    open->tracker = NULL;
}

void proof_free(struct proof *proof) {
    if (!proof) return;
    for (uint32_t i = 0; i < proof->collective_count; i++) forget(proof, i);
    free(proof->collectives);
    free(proof->slots);
    free(proof);
}

static void give_up(struct proof *proof) {
    proof->gave_up = true;
    for (uint32_t i = 0; i < proof->collective_count; i++) forget(proof, i);
    if (proof->tell_gave_up) proof->tell_gave_up(proof->tell_context);
}

static void opened(void *context, uint32_t collective, const struct collective_request *request) {
    const struct collective_args *args = &request->args;
    struct proof *proof = context;
    if (proof->gave_up) return;
    ARRAY_RESERVE(proof->collectives, proof->collective_capacity, (size_t)collective + 1);
    while (proof->collective_count <= collective) proof->collectives[proof->collective_count++] = (struct open_collective){0};
    proof->collectives[collective] = (struct open_collective){.args = *args, .by_sums = !proof->exact && args->size > TRACKER_EXACT_RANKS};
}

static struct tracker *tracker_of(struct proof *proof, uint32_t collective) {
    struct open_collective *open = &proof->collectives[collective];
    if (!open->tracker) open->tracker = tracker_create(&open->args, proof->exact);
    return open->tracker;
}

/// What was proved of the first of its kind holds for this: a fault would have been kept.
static void replayed(void *context, uint32_t collective) {
    struct proof *proof = context;
    if (!proof->gave_up) proof->collectives[collective].replayed = true;
}

static void skipped(void *context, uint64_t collectives) {
    struct proof *proof = context;
    if (!proof->gave_up) proof->proved += collectives;
}

/// weft's own algorithms promise what they do; of a user's schedule, run unchecked, it is the user who is told.
static void keep_fault(struct proof *proof, const struct collective_args *args, const char *fault) {
    if (args->custom)
        error_set(&proof->error, ERROR_INPUT, "%s, %u ranks: %s (\"check\": true finds that before the run, --proof off does not look)",
                  args->custom->file, args->size, fault);
    else
        error_set(&proof->error, ERROR_INTERNAL, "%s", fault);
}

static void closed(void *context, uint32_t collective) {
    struct proof *proof = context;
    if (proof->gave_up) return;
    struct open_collective *open = &proof->collectives[collective];
    bool good = proof->error.kind == ERROR_NONE;
    struct error fault = {0};
    if (open->carried > 0)
        error_set(&fault, ERROR_INTERNAL, "a collective ended with messages that no rank received: %llu",
                  (unsigned long long)open->carried);
    if (open->replayed || tracker_finish(tracker_of(proof, collective), &fault))
        proof->proved++;
    else if (good)
        proof->wants_exact = open->by_sums;
    if (fault.kind != ERROR_NONE) keep_fault(proof, &open->args, fault.text);
    forget(proof, collective);
}

static void sent(void *context, uint32_t collective, uint32_t member, const struct operation *operation, uint64_t message, int64_t now) {
    struct proof *proof = context;
    (void)now;
    if (!proof->gave_up && ++proof->messages > proof->most_messages) give_up(proof);
    if (proof->gave_up) return;
    struct open_collective *open = &proof->collectives[collective];
    if (2 * (proof->carried + 1) > proof->capacity) grow(proof);
    put(proof, &(struct carried){message, tracker_sent(tracker_of(proof, collective), member, operation), collective});
    proof->carried++;
    open->carried++;
}

static void received(void *context, uint32_t collective, uint32_t member, const struct operation *operation, uint64_t message,
                     int64_t now) {
    struct proof *proof = context;
    (void)now;
    if (proof->gave_up) return;
    size_t slot = home_of(proof, message);
    while (proof->slots[slot].payload && proof->slots[slot].message != message) slot = (slot + 1) & (proof->capacity - 1);
    struct payload *payload = proof->slots[slot].payload;
    if (!payload)
        fatal("rank %u of collective %u received message %llu, which was not posted", member, collective, (unsigned long long)message);
    remove_at(proof, slot);
    proof->collectives[collective].carried--;
    tracker_received(proof->collectives[collective].tracker, member, operation, payload);
}

struct rank_observer proof_observer(struct proof *proof) {
    return (struct rank_observer){
        .context = proof, .opened = opened, .closed = closed, .replayed = replayed, .skipped = skipped, .sent = sent, .received = received};
}

bool proof_finish(const struct proof *proof, struct error *err) {
    return proof->error.kind == ERROR_NONE || error_set(err, proof->error.kind, "%s", proof->error.text);
}

bool proof_wants_exact(const struct proof *proof) { return proof->wants_exact; }
