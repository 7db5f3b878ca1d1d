// From posted messages to chunks that join their first links: numbers the messages of an instant, and finds for each how
// its chunks are injected, one by one or as runs.
#include <stdlib.h>
#include <string.h>

#include "engine/inject.h"
#include "engine/service.h"

struct chunk sim_make_chunk(struct sim *sim, uint32_t message, uint64_t number) {
    const struct message *m = &sim->messages[message];
    uint32_t destination = m->destination;
    if (sim_is_reduced(m)) sim_group_first_link(sim, message, &destination);
    uint32_t selector = sim->router.selector && !sim_is_reduced(m)
                            ? sim->router.selector(sim->router.state, m->source, m->destination, m->number, number)
                            : 0;
    return (struct chunk){
        .join = sim->now,
        .tail = sim->now,
        .message = message,
        .destination = destination,
        .selector = selector & 0xfffff,
        .size_class = sim_size_class(sim, sim_chunk_bytes(sim, m->bytes, number)) & 0xfff,
    };
}

static uint32_t first_link(struct sim *sim, const struct chunk *chunk) {
    uint32_t destination;
    if (chunk->destination & REDUCTION_BIT) return sim_group_first_link(sim, chunk->message, &destination);
    return sim->router.next_link(sim->router.state, sim->messages[chunk->message].source, chunk->destination, chunk->selector);
}

/// Stable merging; `space` is for half as many.
static void sort_posts(const struct sim *sim, struct post *posts, size_t count, struct post *space) {
    if (count < 2) return;
    size_t half = count / 2, i = 0, j = half, out = 0;
    sort_posts(sim, posts, half, space);
    sort_posts(sim, posts + half, count - half, space);
    if (sim_compare_posts(sim, &posts[half - 1], &posts[half]) <= 0) return;
    memcpy(space, posts, half * sizeof *posts);
    while (i < half && j < count) posts[out++] = sim_compare_posts(sim, &posts[j], &space[i]) < 0 ? posts[j++] : space[i++];
    memcpy(posts + out, space + i, (half - i) * sizeof *posts);
}

void sim_sort_posts(struct sim *sim) {
    struct post *space = allocate(sim->post_count / 2 * sizeof *space);
    sort_posts(sim, sim->posts, sim->post_count, space);
    free(space);
    sim->posts_unsorted = false;
}

enum { MOST_RUNS = 64 };

/// Whether the chunks of a message can be injected as runs: one where all have the same first link, else one for each
/// selector, if their first links are distinct. `links` gets the first link of each run; returns how many, 0: cannot.
static uint32_t runs_of(struct sim *sim, uint32_t message, uint64_t chunks, uint32_t *links) {
    uint32_t period = sim->router.selector && !sim_is_reduced(&sim->messages[message]) ? sim->router.period : 1;
    if (period == 0 || period > MOST_RUNS) return 0;
    uint32_t count = period < chunks ? period : (uint32_t)chunks;
    bool same = true, distinct = true;
    for (uint32_t i = 0; i < count; i++) {
        struct chunk chunk = sim_make_chunk(sim, message, i);
        links[i] = first_link(sim, &chunk);
        same = same && links[i] == links[0];
        for (uint32_t j = 0; j < i; j++) distinct = distinct && links[i] != links[j];
    }
    return same ? 1 : distinct ? count : 0;
}

static struct injected *add(struct sim *sim) {
    ARRAY_RESERVE(sim->injected, sim->injected_capacity, sim->injected_count + 1);
    return &sim->injected[sim->injected_count++];
}

static void add_chunk(struct sim *sim, uint32_t message, uint64_t number) {
    struct injected *injected = add(sim);
    injected->chunk = sim_make_chunk(sim, message, number);
    injected->link = injected->chunk.out = first_link(sim, &injected->chunk);
    injected->message = message;
    injected->first = number;
    injected->count = 1;
    injected->stride = 1;
    injected->waits = false;
}

void sim_plan_message(struct sim *sim, uint32_t message) {
    uint64_t chunks = sim->messages[message].chunks_left;
    if (chunks > UINT32_MAX) {
        sim->overflowed = true;
        error_set(sim->error, ERROR_SIMULATION,
                  "a message of %lld bytes is 2^32 chunks of %lld bytes or more; choose a larger network.chunk",
                  (long long)sim->messages[message].bytes, (long long)sim->config.chunk_bytes);
        return;
    }
    if (chunks == 1 || sim->config.injection == INJECT_ROUND_ROBIN) {
        add_chunk(sim, message, 0);
        return;
    }
    uint32_t links[MOST_RUNS];
    uint32_t runs = runs_of(sim, message, chunks, links);
    for (uint32_t i = 0; i < runs; i++) {
        uint64_t count = (chunks - i + runs - 1) / runs;
        if (count == 1)
            add_chunk(sim, message, i);
        else
            *add(sim) = (struct injected){.link = links[i], .message = message, .first = i, .count = count, .stride = runs};
    }
    if (runs == 0)
        for (uint64_t k = 0; k < chunks; k++) add_chunk(sim, message, k);
}

/// The round-robin chunks that are due.
static void plan_continuations(struct sim *sim) {
    while (sim->continuations.count > 0 && sim->continuations.entries[0].time == sim->now) {
        uint64_t payload = heap_pop(&sim->continuations).payload;
        add_chunk(sim, (uint32_t)payload, payload >> 32);
    }
}

static void serve_planned(struct sim *sim) {
    for (size_t i = 0; i < sim->injected_count && !sim->overflowed; i++) sim_serve_injected(sim, &sim->injected[i]);
    sim->injected_count = 0;
}

void sim_inject(struct sim *sim) {
    plan_continuations(sim); // what is under way has a lower number than what is posted now
    serve_planned(sim);
    if (sim->posts_unsorted) sim_sort_posts(sim);
    for (size_t i = 0; i < sim->post_count && !sim->overflowed; i++) {
        uint32_t id = sim->posts[i].message;
        struct message *message = &sim->messages[id];
        sim_number_post(sim, message);
        if (sim_is_only_chunk(message)) {
            struct chunk chunk;
            sim_only_chunk(sim, id, &chunk);
            serve(sim, chunk.out, &chunk, sim->now, sim->link_woke);
        } else {
            sim_plan_message(sim, id);
            serve_planned(sim);
        }
    }
    sim->post_count = 0;
}
