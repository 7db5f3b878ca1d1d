#include "record/ideal_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

enum { MOST_SELECTORS = 64 };

/// What decides the time, as numbers: bytes, then rate and latency of each hop; where chunks part, each chunk's links.
struct key {
    int64_t *words;
    size_t count, capacity;
};

struct known_time {
    int64_t *words; ///< in the arena; NULL: an empty slot
    size_t count;
    int64_t ticks;
};

struct ideal_time {
    const struct graph *graph;
    const struct router *router;
    struct router alone; ///< as `router`, but for the message that is asked about
    struct sim_config config;
    struct sim *sim;
    uint32_t number;         ///< of the message that is asked about
    int64_t delivered_ticks; ///< when the message alone was
    struct key key;
    struct known_time *known; ///< open addressing
    size_t known_count, known_slots;
    struct arena words;
};

/// The engine counts its own messages; the route is that of the message asked about.
static uint32_t next_link(const void *state, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct router *router = ((const struct ideal_time *)state)->router;
    return router->next_link(router->state, node, destination, selector);
}

static uint32_t selector_of(const void *state, uint32_t source, uint32_t destination, uint32_t message_number, uint64_t chunk) {
    (void)message_number;
    const struct ideal_time *ideal = state;
    return ideal->router->selector(ideal->router->state, source, destination, ideal->number, chunk);
}

static void delivered(void *context, const struct message *message, int64_t now) {
    (void)message;
    ((struct ideal_time *)context)->delivered_ticks = now;
}

static void start_engine(struct ideal_time *ideal) {
    const struct sim_client client = {.context = ideal, .delivered = delivered};
    sim_free(ideal->sim);
    ideal->sim = sim_create(ideal->graph, &ideal->alone, &ideal->config, &client);
}

struct ideal_time *ideal_time_create(const struct graph *graph, const struct router *router, const struct sim_config *config) {
    struct ideal_time *ideal = allocate_zeroed(1, sizeof *ideal);
    ideal->graph = graph;
    ideal->router = router;
    ideal->alone = (struct router){
        .state = ideal, .next_link = next_link, .selector = router->selector ? selector_of : NULL, .period = router->period};
    ideal->config = *config;
    ideal->config.until_ticks = 0;
    ideal->config.max_events = ideal->config.max_memory = 0;
    start_engine(ideal);
    return ideal;
}

void ideal_time_free(struct ideal_time *ideal) {
    if (!ideal) return;
    sim_free(ideal->sim);
    free(ideal->key.words);
    free(ideal->known);
    arena_free(&ideal->words);
    free(ideal);
}

static void add_word(struct key *key, int64_t word) {
    ARRAY_RESERVE(key->words, key->capacity, key->count + 1);
    key->words[key->count++] = word;
}

static void add_route(struct ideal_time *ideal, uint32_t source, uint32_t destination, uint32_t selector, bool links_matter) {
    for (uint32_t node = source; node != destination;) {
        uint32_t link = ideal->router->next_link(ideal->router->state, node, destination, selector);
        const struct link_info *info = &ideal->graph->links[link];
        if (links_matter) {
            add_word(&ideal->key, link);
        } else {
            add_word(&ideal->key, info->bandwidth_bytes_per_s);
            add_word(&ideal->key, info->latency_ticks);
        }
        node = info->to;
    }
}

/// False where every chunk may have a route of its own: then nothing is kept.
static bool make_key(struct ideal_time *ideal, uint32_t source, uint32_t destination, int64_t bytes) {
    const struct router *router = ideal->router;
    uint32_t period = router->selector ? router->period : 1;
    if (period == 0 || period > MOST_SELECTORS) return false;
    ideal->key.count = 0;
    add_word(&ideal->key, bytes);
    for (uint32_t chunk = 0; chunk < period; chunk++) {
        uint32_t selector = router->selector ? router->selector(router->state, source, destination, ideal->number, chunk) : 0;
        add_route(ideal, source, destination, selector, period > 1);
        if (period > 1) add_word(&ideal->key, -1);
    }
    return true;
}

static struct known_time *slot_of(struct known_time *known, size_t slots, const int64_t *words, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = mix64(hash ^ (uint64_t)words[i]);
    for (size_t at = hash & (slots - 1);; at = (at + 1) & (slots - 1)) {
        struct known_time *slot = &known[at];
        if (!slot->words || (slot->count == count && !memcmp(slot->words, words, count * sizeof *words))) return slot;
    }
}

static void grow(struct ideal_time *ideal) {
    size_t slots = ideal->known_slots ? 2 * ideal->known_slots : 64;
    struct known_time *known = allocate_zeroed(slots, sizeof *known);
    for (size_t i = 0; i < ideal->known_slots; i++) {
        const struct known_time *old = &ideal->known[i];
        if (old->words) *slot_of(known, slots, old->words, old->count) = *old;
    }
    free(ideal->known);
    ideal->known = known;
    ideal->known_slots = slots;
}

static int64_t simulate(struct ideal_time *ideal, uint32_t source, uint32_t destination, int64_t bytes) {
    struct error err = {0};
    // the engine goes on from where the last message ended: start afresh before the clock runs out
    if (sim_now(ideal->sim) > INT64_MAX / 2) start_engine(ideal);
    int64_t posted = sim_now(ideal->sim);
    sim_post(ideal->sim, source, destination, bytes, 0, 0);
    if (sim_run(ideal->sim, &heap_engine, &err)) return ideal->delivered_ticks - posted;
    start_engine(ideal);
    if (posted == 0) return INT64_MAX;
    return simulate(ideal, source, destination, bytes);
}

int64_t ideal_time_of(struct ideal_time *ideal, uint32_t source, uint32_t destination, uint32_t number, int64_t bytes) {
    ideal->number = number;
    if (!make_key(ideal, source, destination, bytes)) return simulate(ideal, source, destination, bytes);
    if (2 * (ideal->known_count + 1) > ideal->known_slots) grow(ideal);
    struct known_time *slot = slot_of(ideal->known, ideal->known_slots, ideal->key.words, ideal->key.count);
    if (slot->words) return slot->ticks;
    size_t size = ideal->key.count * sizeof *slot->words;
    int64_t *words = memcpy(arena_allocate(&ideal->words, size), ideal->key.words, size);
    *slot = (struct known_time){words, ideal->key.count, simulate(ideal, source, destination, bytes)};
    ideal->known_count++;
    return slot->ticks;
}
