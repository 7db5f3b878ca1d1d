#include "record/tracker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/contributors.h"
#include "record/segments.h"

// Places: in an all-to-all slot j of rank i's data comes from place i * VECTOR_MARKS + j * slot; elsewhere all ranks hold
// the same vector, so a mark is its own origin, and where nothing is added up it also tells whose contribution it is.

struct payload {
    struct run run; ///< marks counted from 0 over all its spans
    int64_t marks, bytes;
    struct payload *next_free;
};

struct tracker {
    struct collective_args args;
    struct contributors contributors;
    struct segments *vectors; ///< two a rank: data and result; then what switches have added up
    struct run existing, middle, scratch;
    uint64_t *set, *full; ///< one to work with; and that of all ranks
    struct payload *free_payloads;
    struct error error;
};

static bool adds_up(enum collective_kind kind) { return kind == ALL_REDUCE || kind == REDUCE_SCATTER || kind == REDUCE; }

/// Switches count as one more member.
static size_t vector_count(const struct tracker *tracker) { return 2 * ((size_t)tracker->args.size + 1); }

static struct segments *vector_of(struct tracker *tracker, uint32_t member, uint8_t vector) {
    return &tracker->vectors[2 * (size_t)member + vector];
}

static int64_t slot_marks(const struct collective_args *args) { return VECTOR_MARKS / args->size; }

/// Place of slot `slot` of a rank's data.
static int64_t data_origin(const struct collective_args *args, uint32_t member, uint32_t slot) {
    return member * VECTOR_MARKS + slot * slot_marks(args);
}

static struct segment block_of(const struct collective_args *args, uint32_t block) {
    struct span span = span_block(whole_vector(args->bytes), args->size, block);
    return (struct segment){span.mark, span.marks, span.mark};
}

static const struct segment whole = {0, VECTOR_MARKS, 0};

/// What a rank has at the start, of what is not an all-to-all; false: nothing.
static bool initial(const struct collective_args *args, uint32_t member, struct segment *out) {
    switch (args->kind) {
    case ALL_REDUCE:
    case REDUCE_SCATTER:
    case REDUCE: *out = whole; return true;
    case ALL_GATHER:
    case GATHER:
    case BARRIER: *out = block_of(args, member); return true;
    case BROADCAST:
    case SCATTER: *out = whole; return member == args->root;
    case SEND: *out = whole; return member == args->from;
    case ALL_TO_ALL:
    case COLLECTIVE_KINDS: break;
    }
    return false;
}

/// What it is to have in the end, likewise.
static bool promised(const struct collective_args *args, uint32_t member, struct segment *out) {
    switch (args->kind) {
    case ALL_REDUCE:
    case ALL_GATHER:
    case BARRIER:
    case BROADCAST: *out = whole; return true;
    case REDUCE_SCATTER:
    case SCATTER: *out = block_of(args, member); return true;
    case REDUCE:
    case GATHER: *out = whole; return member == args->root;
    case SEND: *out = whole; return member == args->to;
    case ALL_TO_ALL:
    case COLLECTIVE_KINDS: break;
    }
    return false;
}

static void put(struct tracker *tracker, uint32_t member, uint8_t vector, struct segment segment) {
    tracker->middle.count = 0;
    run_push(&tracker->middle, segment, tracker->set);
    segments_write(vector_of(tracker, member, vector), segment.mark, segment.marks, &tracker->middle, &tracker->scratch);
}

static void fill(struct tracker *tracker) {
    const struct collective_args *args = &tracker->args;
    int64_t slot = slot_marks(args);
    struct segment segment;
    for (uint32_t r = 0; r < args->size; r++) {
        if (adds_up(args->kind)) contributors_single(&tracker->contributors, r, tracker->set);
        if (args->kind == ALL_TO_ALL) {
            put(tracker, r, VECTOR_DATA, (struct segment){0, slot * args->size, data_origin(args, r, 0)});
            put(tracker, r, VECTOR_RESULT, (struct segment){r * slot, slot, data_origin(args, r, r)});
        } else if (initial(args, r, &segment))
            put(tracker, r, VECTOR_DATA, segment);
    }
}

struct tracker *tracker_create(const struct collective_args *args, bool exact) {
    struct tracker *tracker = allocate_zeroed(1, sizeof *tracker);
    tracker->args = *args;
    tracker->contributors = contributors_of(args->size, exact || args->size <= TRACKER_EXACT_RANKS);
    if (!adds_up(args->kind)) tracker->contributors.words = 0;
    size_t words = tracker->contributors.words;
    tracker->existing.words = tracker->middle.words = tracker->scratch.words = words;
    tracker->set = allocate_zeroed(words + 1, sizeof *tracker->set);
    tracker->full = allocate_zeroed(words + 1, sizeof *tracker->full);
    if (words) contributors_all(&tracker->contributors, tracker->full);
    tracker->vectors = allocate_zeroed(vector_count(tracker), sizeof *tracker->vectors);
    for (size_t i = 0; i < vector_count(tracker); i++) tracker->vectors[i].run.words = words;
    fill(tracker);
    return tracker;
}

void tracker_free(struct tracker *tracker) {
    if (!tracker) return;
    for (size_t i = 0; i < vector_count(tracker); i++) segments_free(&tracker->vectors[i]);
    for (struct payload *payload = tracker->free_payloads, *next; payload; payload = next) {
        next = payload->next_free;
        run_free(&payload->run);
        free(payload);
    }
    run_free(&tracker->existing);
    run_free(&tracker->middle);
    run_free(&tracker->scratch);
    free(tracker->vectors);
    free(tracker->set);
    free(tracker->full);
    free(tracker);
}

enum { PLACE_TEXT = 120 };

/// Whether block j is rank j's own at the start.
static bool gathers(enum collective_kind kind) { return kind == ALL_GATHER || kind == GATHER || kind == BARRIER; }

/// Names a place that data comes from: "block 3 (bytes 30 to 39)", "rank 2's block for rank 5".
static char *name_place(const struct tracker *tracker, int64_t origin, char *out) {
    const struct collective_args *args = &tracker->args;
    if (args->kind == ALL_TO_ALL) {
        long long rank = origin / VECTOR_MARKS, slot = origin % VECTOR_MARKS / slot_marks(args);
        snprintf(out, PLACE_TEXT, "rank %lld's block for rank %lld", rank, slot);
        return out;
    }
    int64_t block = (int64_t)((__int128)origin * args->size / VECTOR_MARKS);
    while (block > 0 && split_start(VECTOR_MARKS, args->size, block) > origin) block--;
    const char *whose = gathers(args->kind) ? "that of its rank, " : "";
    long long first = split_start(args->bytes, args->size, block), end = split_start(args->bytes, args->size, block + 1);
    if (end > first)
        snprintf(out, PLACE_TEXT, "block %lld (%sbytes %lld to %lld)", (long long)block, whose, first, end - 1);
    else
        snprintf(out, PLACE_TEXT, "block %lld (%s0 bytes at %lld)", (long long)block, whose, first);
    return out;
}

/// What is wanted at a mark of a vector; of a result of an all-to-all, the block that belongs in its slot.
static int64_t wanted_at(const struct tracker *tracker, uint32_t member, uint8_t vector, int64_t mark) {
    if (tracker->args.kind != ALL_TO_ALL) return mark;
    int64_t slot = mark / slot_marks(&tracker->args);
    if (vector == VECTOR_DATA || slot >= tracker->args.size)
        return data_origin(&tracker->args, member, (uint32_t)slot % tracker->args.size);
    return data_origin(&tracker->args, (uint32_t)slot, member);
}

static struct payload *payload_new(struct tracker *tracker) {
    struct payload *payload = tracker->free_payloads;
    if (payload)
        tracker->free_payloads = payload->next_free;
    else
        payload = allocate_zeroed(1, sizeof *payload);
    payload->run.words = tracker->contributors.words;
    return payload;
}

void tracker_dropped(struct tracker *tracker, struct payload *payload) {
    payload->next_free = tracker->free_payloads;
    tracker->free_payloads = payload;
}

int64_t tracker_bytes_differ(const struct operation *receive, int64_t message_bytes) { return message_bytes - operation_bytes(receive); }

/// Where a receive stands: a span of it, and how far the payload has been used.
struct landing {
    uint32_t member;
    const struct operation *receive, *spanned;
    int64_t at;    ///< mark of the payload at which the span begins
    size_t cursor; ///< the payload's segment that holds it
};

static bool misplaced(struct tracker *tracker, const struct landing *landing, int64_t origin, int64_t wanted) {
    char place[PLACE_TEXT], other[PLACE_TEXT];
    return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u has %s, from rank %u, where %s belongs: a misplaced contribution",
                     collective_names[tracker->args.kind], landing->member, name_place(tracker, origin, place), landing->receive->peer,
                     name_place(tracker, wanted, other));
}

/// Adds what arrived to tracker->set, all of one part of a vector.
static bool add_part(struct tracker *tracker, const struct landing *landing, int64_t origin, const uint64_t *arrived) {
    if (contributors_disjoint(&tracker->contributors, tracker->set, arrived)) {
        contributors_add(&tracker->contributors, tracker->set, arrived);
        return true;
    }
    char who[32] = "the switches add", place[PLACE_TEXT], ranks[CONTRIBUTORS_TEXT];
    if (landing->member < tracker->args.size) snprintf(who, sizeof who, "rank %u adds", landing->member);
    contributors_name(&tracker->contributors, tracker->set, arrived, true, ranks);
    return error_set(&tracker->error, ERROR_INTERNAL, "%s: %s to %s, from rank %u, a doubled contribution: that of %s",
                     collective_names[tracker->args.kind], who, name_place(tracker, origin, place), landing->receive->peer, ranks);
}

/// Makes tracker->middle what the span holds once the message has been combined with what was there (tracker->existing,
/// in the payload's marks; all of it new where nothing is added).
static bool combine(struct tracker *tracker, struct landing *landing, const struct payload *payload) {
    const struct span *span = &landing->spanned->span;
    bool adds = landing->receive->combine == COMBINE_ADD;
    int64_t end = landing->at + span->marks;
    for (size_t i = 0; landing->at < end;) {
        const struct segment *arrived = &payload->run.items[landing->cursor], *old = adds ? &tracker->existing.items[i] : arrived;
        int64_t arrived_end = arrived->mark + arrived->marks, old_end = old->mark + old->marks;
        int64_t stop = arrived_end < old_end ? arrived_end : old_end;
        if (stop > end) stop = end;
        struct segment part = {span->mark + span->marks - (end - landing->at), stop - landing->at,
                               arrived->origin + landing->at - arrived->mark};
        const uint64_t *arrived_set = run_set(&payload->run, landing->cursor);
        if (tracker->args.kind != ALL_TO_ALL && part.origin != part.mark) return misplaced(tracker, landing, part.origin, part.mark);
        if (adds) {
            memcpy(tracker->set, run_set(&tracker->existing, i), tracker->contributors.words * sizeof *tracker->set);
            if (!add_part(tracker, landing, part.origin, arrived_set)) return false;
        }
        run_push(&tracker->middle, part, adds ? tracker->set : arrived_set);
        landing->at = stop;
        landing->cursor += stop == arrived_end;
        i += stop == old_end;
    }
    return true;
}

static bool land(struct tracker *tracker, struct landing *landing, const struct payload *payload) {
    const struct span *span = &landing->spanned->span;
    struct segments *vector = vector_of(tracker, landing->member, landing->spanned->vector);
    tracker->middle.count = tracker->existing.count = 0;
    if (landing->receive->combine == COMBINE_ADD) {
        char place[PLACE_TEXT];
        if (!adds_up(tracker->args.kind))
            return error_set(&tracker->error, ERROR_INTERNAL,
                             "%s: rank %u adds what rank %u sends, a doubled contribution: nothing adds up here",
                             collective_names[tracker->args.kind], landing->member, landing->receive->peer);
        int64_t found = segments_read(vector, span->mark, span->marks, landing->at, &tracker->existing);
        if (found < span->marks)
            return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u adds to what it does not have: %s",
                             collective_names[tracker->args.kind], landing->member, name_place(tracker, span->mark + found, place));
    }
    if (!combine(tracker, landing, payload)) return false;
    segments_write(vector, span->mark, span->marks, &tracker->middle, &tracker->scratch);
    return true;
}

static bool fits(struct tracker *tracker, uint32_t member, const struct operation *receive, const struct payload *payload) {
    const char *collective = collective_names[tracker->args.kind];
    int64_t marks = 0;
    for (uint32_t i = 0; i <= receive->joined; i++) marks += receive[i].span.marks;
    if (tracker_bytes_differ(receive, payload->bytes))
        return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u expects %lld bytes from rank %u, who sends %lld", collective, member,
                         (long long)operation_bytes(receive), receive->peer, (long long)payload->bytes);
    if (marks != payload->marks)
        return error_set(&tracker->error, ERROR_INTERNAL,
                         "%s: rank %u expects other blocks from rank %u than it sends: a misplaced contribution", collective, member,
                         receive->peer);
    return true;
}

/// Reads the spans of a message from the vectors of a member; false where it does not have them all.
static bool take_spans(struct tracker *tracker, uint32_t member, const struct operation *send, struct payload *payload) {
    payload->run.count = 0;
    payload->marks = payload->bytes = 0;
    for (uint32_t i = 0; i <= send->joined; i++) {
        const struct span *span = &send[i].span;
        int64_t found = segments_read(vector_of(tracker, member, send[i].vector), span->mark, span->marks, payload->marks, &payload->run);
        payload->marks += span->marks;
        payload->bytes += span->bytes;
        if (found == span->marks) continue;
        char place[PLACE_TEXT];
        return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u sends rank %u what it does not have: %s",
                         collective_names[tracker->args.kind], member, send->peer,
                         name_place(tracker, wanted_at(tracker, member, send[i].vector, span->mark + found), place));
    }
    return true;
}

/// A message to the switches joins what they have of it; the first one is all they have.
static void add_at_switches(struct tracker *tracker, uint32_t member, const struct operation *send, const struct payload *payload) {
    struct operation arriving = *send;
    struct landing landing = {.member = tracker->args.size, .receive = &arriving, .spanned = &arriving};
    tracker->existing.count = 0;
    int64_t found = segments_read(vector_of(tracker, landing.member, send->vector), send->span.mark, 1, 0, &tracker->existing);
    arriving.combine = found ? COMBINE_ADD : COMBINE_COPY;
    arriving.peer = member;
    land(tracker, &landing, payload);
}

struct payload *tracker_sent(struct tracker *tracker, uint32_t member, const struct operation *send) {
    struct payload *payload = payload_new(tracker);
    if (take_spans(tracker, member, send, payload) && send->in_network) add_at_switches(tracker, member, send, payload);
    return payload;
}

void tracker_received(struct tracker *tracker, uint32_t member, const struct operation *receive, struct payload *payload) {
    struct landing landing = {.member = member, .receive = receive};
    bool good = tracker->error.kind == ERROR_NONE && fits(tracker, member, receive, payload);
    if (good && receive->in_network) good = take_spans(tracker, tracker->args.size, receive, payload);
    for (uint32_t i = 0; good && i <= receive->joined; i++) {
        landing.spanned = &receive[i];
        good = land(tracker, &landing, payload);
    }
    tracker_dropped(tracker, payload);
}

int64_t tracker_origin(const struct tracker *tracker, uint32_t member, enum vector vector, int64_t mark) {
    struct run found = {.words = tracker->contributors.words};
    int64_t marks = segments_read(&tracker->vectors[2 * (size_t)member + vector], mark, 1, mark, &found);
    int64_t origin = marks ? found.items[0].origin : -1;
    run_free(&found);
    return origin;
}

/// Whether a rank's vector holds this, with all contributions where they add up.
static bool holds(struct tracker *tracker, uint32_t member, uint8_t vector, struct segment wanted) {
    const char *collective = collective_names[tracker->args.kind];
    const struct contributors *contributors = &tracker->contributors;
    struct run *found = &tracker->existing;
    char place[PLACE_TEXT], other[PLACE_TEXT], ranks[CONTRIBUTORS_TEXT] = "some rank, or one is doubled";
    found->count = 0;
    int64_t marks = segments_read(vector_of(tracker, member, vector), wanted.mark, wanted.marks, wanted.mark, found);
    for (size_t i = 0; i < found->count; i++) {
        int64_t origin = wanted.origin + found->items[i].mark - wanted.mark;
        const uint64_t *set = run_set(found, i);
        if (found->items[i].origin != origin)
            return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u ends with %s where %s belongs: a misplaced contribution",
                             collective, member, name_place(tracker, found->items[i].origin, place), name_place(tracker, origin, other));
        if (!set || memcmp(set, tracker->full, contributors->words * sizeof *set) == 0) continue;
        if (contributors->exact) contributors_name(contributors, tracker->full, set, false, ranks);
        return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u ends with %s lacking a lost contribution: that of %s", collective,
                         member, name_place(tracker, origin, place), ranks);
    }
    if (marks == wanted.marks) return true;
    return error_set(&tracker->error, ERROR_INTERNAL, "%s: rank %u ends without %s: a lost contribution", collective, member,
                     name_place(tracker, wanted.origin + marks, place));
}

static bool holds_exchange(struct tracker *tracker, uint32_t member) {
    const struct collective_args *args = &tracker->args;
    int64_t slot = slot_marks(args);
    for (uint32_t from = 0; from < args->size; from++) {
        if (args->matrix && args->matrix[(size_t)from * args->size + member] == 0) continue;
        if (!holds(tracker, member, VECTOR_RESULT, (struct segment){from * slot, slot, data_origin(args, from, member)})) return false;
    }
    return true;
}

bool tracker_finish(struct tracker *tracker, struct error *err) {
    struct segment wanted;
    bool good = tracker->error.kind == ERROR_NONE;
    for (uint32_t r = 0; good && r < tracker->args.size; r++) {
        if (tracker->args.kind == ALL_TO_ALL)
            good = holds_exchange(tracker, r);
        else if (promised(&tracker->args, r, &wanted))
            good = holds(tracker, r, VECTOR_DATA, wanted);
    }
    return good || error_set(err, tracker->error.kind, "%s", tracker->error.text);
}
