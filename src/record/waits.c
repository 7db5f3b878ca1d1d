#include "record/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

struct sender {
    uint64_t message;
    uint32_t from, to;
};

/// The chunk that a link served last; a link that served none has `free_at` 0.
struct last_served {
    struct sender sender;
    int64_t free_at;
};

struct waits {
    struct last_served *links;
    struct sender *senders; ///< by the engine's message id
    size_t sender_capacity;
    struct wait_pair *pairs;
    size_t pair_count, pair_capacity;
    uint32_t *slots; ///< open addressing: index of a pair + 1
    size_t slot_count;
};

struct waits *waits_create(uint32_t links) {
    struct waits *waits = allocate_zeroed(1, sizeof *waits);
    waits->links = allocate_zeroed(links, sizeof *waits->links);
    return waits;
}

void waits_free(struct waits *waits) {
    if (!waits) return;
    free(waits->links);
    free(waits->senders);
    free(waits->pairs);
    free(waits->slots);
    free(waits);
}

static bool same_pair(const struct wait_pair *a, const struct wait_pair *b) {
    return a->link == b->link && a->from == b->from && a->to == b->to && a->before_from == b->before_from && a->before_to == b->before_to;
}

static uint32_t *slot_of(const struct waits *waits, const struct wait_pair *pair) {
    uint64_t hash = mix64((uint64_t)pair->from << 32 | pair->to);
    hash = mix64(hash ^ ((uint64_t)pair->before_from << 32 | pair->before_to));
    hash = mix64(hash ^ pair->link);
    for (size_t at = hash & (waits->slot_count - 1);; at = (at + 1) & (waits->slot_count - 1)) {
        uint32_t *slot = &waits->slots[at];
        if (*slot == 0 || same_pair(&waits->pairs[*slot - 1], pair)) return slot;
    }
}

static void grow(struct waits *waits) {
    free(waits->slots);
    waits->slot_count = waits->slot_count ? 2 * waits->slot_count : 256;
    waits->slots = allocate_zeroed(waits->slot_count, sizeof *waits->slots);
    for (size_t i = 0; i < waits->pair_count; i++) *slot_of(waits, &waits->pairs[i]) = (uint32_t)i + 1;
}

static void add_wait(struct waits *waits, const struct wait_pair *pair) {
    if (2 * (waits->pair_count + 1) > waits->slot_count) grow(waits);
    uint32_t *slot = slot_of(waits, pair);
    if (*slot == 0) {
        if (waits->pair_count == UINT32_MAX - 1) fatal("more than %u pairs of ranks wait for one another", UINT32_MAX - 1);
        ARRAY_RESERVE(waits->pairs, waits->pair_capacity, waits->pair_count + 1);
        waits->pairs[waits->pair_count++] = *pair;
        *slot = (uint32_t)waits->pair_count;
        return;
    }
    waits->pairs[*slot - 1].chunks += pair->chunks;
    waits->pairs[*slot - 1].ticks += pair->ticks;
}

static void posted(void *context, const struct network_message *message, int64_t now) {
    (void)now;
    struct waits *waits = context;
    ARRAY_RESERVE(waits->senders, waits->sender_capacity, (size_t)message->engine_id + 1);
    waits->senders[message->engine_id] = (struct sender){message->message, message->from, message->to};
}

static void service(void *context, uint32_t link, uint32_t message, int64_t joined, int64_t start, int64_t end, int64_t bytes) {
    (void)start, (void)bytes;
    struct waits *waits = context;
    struct last_served *last = &waits->links[link];
    const struct sender *sender = &waits->senders[message];
    if (last->free_at > joined && last->sender.message != sender->message) {
        const struct wait_pair pair = {
            .link = link,
            .from = sender->from,
            .to = sender->to,
            .before_from = last->sender.from,
            .before_to = last->sender.to,
            .chunks = 1,
            .ticks = (unsigned __int128)(last->free_at - joined),
        };
        add_wait(waits, &pair);
    }
    *last = (struct last_served){*sender, end};
}

struct recorder waits_recorder(struct waits *waits) {
    return (struct recorder){.links = {waits, service}, .ranks = {.context = waits, .posted = posted}};
}

static int compare(uint32_t a, uint32_t b) { return a < b ? -1 : a > b; }

static int by_wait(const void *left, const void *right) {
    const struct wait_pair *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
    int order = compare(a->link, b->link);
    if (order == 0) order = compare(a->from, b->from);
    if (order == 0) order = compare(a->to, b->to);
    if (order == 0) order = compare(a->before_from, b->before_from);
    return order ? order : compare(a->before_to, b->before_to);
}

size_t waits_finish(struct waits *waits, const struct wait_pair **pairs) {
    if (waits->pair_count > 1) qsort(waits->pairs, waits->pair_count, sizeof *waits->pairs, by_wait);
    *pairs = waits->pairs;
    return waits->pair_count;
}
