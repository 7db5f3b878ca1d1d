// The clock goes on without what happens meanwhile: how everything stands relative to now, and the same so much later.
#include <stdlib.h>
#include <string.h>

#include "engine/jump.h"

static int by_time(const void *left, const void *right) {
    const struct heap_entry *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/// The entries of a heap in their order; the caller frees them.
static struct heap_entry *sorted(const struct heap *heap) {
    struct heap_entry *entries = allocate(heap->count * sizeof *entries);
    if (heap->count > 0) memcpy(entries, heap->entries, heap->count * sizeof *entries);
    if (heap->count > 1) qsort(entries, heap->count, sizeof *entries, by_time);
    return entries;
}

size_t sim_timer_count(const struct sim *sim) { return sim->timers.count; }

void sim_list_timers(const struct sim *sim, struct set_timer *out) {
    struct heap_entry *entries = sorted(&sim->timers);
    for (size_t i = 0; i < sim->timers.count; i++) out[i] = (struct set_timer){entries[i].time, (uint32_t)entries[i].payload};
    free(entries);
}

// ---- how everything stands

static void see_time(struct state_writer *writer, int64_t time) {
    if (time > writer->latest) writer->latest = time;
}

/// The first mention of a message tells what it is, others which of those told of.
static void add_message(struct state_writer *writer, uint32_t id) {
    const struct sim *sim = writer->sim;
    const struct message *message = &sim->messages[id];
    if (writer->seen[id] == 0) {
        writer->seen[id] = ++writer->messages;
        const uint64_t words[] = {(uint64_t)message->bytes, (uint64_t)message->source << 32 | message->destination,
                                  message->number - sim->next_number[message->source], message->chunks_left};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) words_add(writer->words, words[i]);
        writer->known = writer->add_message(writer->context, message, writer->words) && writer->known;
    }
    words_add(writer->words, writer->seen[id]);
}

void sim_add_chunk_state(struct state_writer *writer, const struct chunk *chunk) {
    words_add_ticks(writer->words, chunk->join - writer->sim->now);
    words_add_ticks(writer->words, chunk->tail - writer->sim->now);
    words_add(writer->words, (uint64_t)chunk->out << 32 | chunk->destination);
    words_add(writer->words, (uint64_t)chunk->selector << 32 | chunk->size_class);
    add_message(writer, chunk->message);
    see_time(writer, chunk->join > chunk->tail ? chunk->join : chunk->tail);
}

static void add_run(struct state_writer *writer, const struct chunk *entry) {
    const struct chunk_run *run = &writer->sim->runs[entry->message];
    const uint64_t words[] = {RUN_OF_CHUNKS,
                              (uint64_t)(entry->join - writer->sim->now),
                              (uint64_t)(run->start - writer->sim->now),
                              run->next_chunk,
                              run->chunks_left,
                              (uint64_t)run->stride << 32 | run->last_class,
                              (uint64_t)run->like.out << 32 | run->like.size_class,
                              run->like.selector};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) words_add(writer->words, words[i]);
    add_message(writer, run->message);
    see_time(writer, entry->join);
}

static void add_on_link(struct state_writer *writer, const struct chunk *chunk) {
    if (chunk->out == RUN_OF_CHUNKS)
        add_run(writer, chunk);
    else
        sim_add_chunk_state(writer, chunk);
}

static void add_link(struct state_writer *writer, uint32_t link) {
    const struct sim *sim = writer->sim;
    const struct link_state *state = &sim->links[link];
    const struct in_link *in = &sim->in.items[state->position];
    if (in_link_is_empty(in) && state->free_at <= sim->now) return;
    words_add(writer->words, (uint64_t)link << 32 | in_link_count(in));
    words_add_ticks(writer->words, state->free_at > sim->now ? state->free_at - sim->now : 0);
    see_time(writer, state->free_at);
    if (in->holds_first) add_on_link(writer, &in->first);
    for (uint32_t i = in->head; i != in->tail; i++) add_on_link(writer, in_link_at(in, i));
}

static void add_continuations(struct state_writer *writer) {
    const struct sim *sim = writer->sim;
    struct heap_entry *entries = sorted(&sim->continuations);
    for (size_t i = 0; i < sim->continuations.count; i++) {
        words_add_ticks(writer->words, entries[i].time - sim->now);
        words_add(writer->words, entries[i].payload >> 32);
        add_message(writer, (uint32_t)entries[i].payload);
        see_time(writer, entries[i].time);
    }
    free(entries);
}

bool sim_add_state(struct sim *sim, struct state_writer *writer) {
    for (size_t i = 0; i < sim->group_count; i++)
        if (sim->groups[i]) return false;
    writer->sim = sim, writer->known = true, writer->messages = 0;
    writer->seen = allocate_zeroed(sim->message_count, sizeof *writer->seen);
    for (size_t i = 0; i < sim->post_count; i++) {
        words_add(writer->words, (uint64_t)sim->posts[i].major << 32 | sim->posts[i].minor);
        add_message(writer, sim->posts[i].message);
    }
    if (sim->engine_state) sim->engine_state(sim, writer);
    for (uint32_t l = 0; l < sim->graph->link_count; l++) add_link(writer, l);
    add_continuations(writer);
    free(writer->seen);
    return writer->known;
}

// ---- later

void sim_put_off(struct heap *heap, int64_t ticks) {
    for (size_t i = 0; i < heap->count; i++) heap->entries[i].time += ticks;
}

static void put_off_chunk(struct sim *sim, struct chunk *chunk, int64_t ticks) {
    chunk->join += ticks, chunk->tail += ticks;
    if (chunk->out == RUN_OF_CHUNKS) sim->runs[chunk->message].start += ticks;
}

static void put_off_link(struct sim *sim, uint32_t link, int64_t ticks) {
    struct in_link *in = &sim->in.items[sim->links[link].position];
    sim->links[link].free_at += ticks;
    queue_peak_put_off(&sim->queues[link], ticks);
    if (in->holds_first) put_off_chunk(sim, &in->first, ticks);
    for (uint32_t i = in->head; i != in->tail; i++) put_off_chunk(sim, in_link_at(in, i), ticks);
    if (!in->holds_first) in_link_renew(in);
}

void sim_jump(struct sim *sim, int64_t ticks) {
    sim->now += ticks;
    sim_put_off(&sim->timers, ticks);
    sim_put_off(&sim->continuations, ticks);
    for (uint32_t l = 0; l < sim->graph->link_count; l++)
        if (!in_link_is_empty(&sim->in.items[sim->links[l].position]) || sim->links[l].free_at > sim->now - ticks)
            put_off_link(sim, l, ticks);
    if (sim->engine_jump) sim->engine_jump(sim, ticks);
}
