#include "engine/sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/units.h"
#include "engine/sim_state.h"

enum { CHECK_EVERY = 1 << 20, SIZE_INDEX = 8192 };

static uint16_t rate_class_of(struct sim *sim, const struct link_info *link) {
    for (size_t i = sim->class_count; i-- > 0;)
        if (sim->classes[i].bandwidth_bytes_per_s == link->bandwidth_bytes_per_s && sim->classes[i].latency_ticks == link->latency_ticks)
            return (uint16_t)i;
    if (sim->class_count == UINT16_MAX) fatal("more than %d different kinds of links", UINT16_MAX);
    ARRAY_RESERVE(sim->classes, sim->class_capacity, sim->class_count + 1);
    sim->classes[sim->class_count] = (struct rate_class){link->bandwidth_bytes_per_s, link->latency_ticks};
    return (uint16_t)sim->class_count++;
}

struct sim *sim_create(const struct graph *graph, const struct router *router, const struct sim_config *config,
                       const struct sim_client *client) {
    struct sim *sim = allocate_zeroed(1, sizeof *sim);
    sim->graph = graph, sim->router = *router, sim->config = *config, sim->client = *client;
    sim->free_message = sim->free_run = sim->free_site = UINT32_MAX;
    sim->next_check = config->max_events && config->max_events < CHECK_EVERY ? config->max_events : CHECK_EVERY;
    sim->next_number = allocate_zeroed(graph->endpoints, sizeof *sim->next_number);
    sim->queues = allocate_zeroed(graph->link_count, sizeof *sim->queues);
    size_t link_bytes = ((size_t)graph->link_count + 1) * sizeof *sim->links;
    if (posix_memalign((void **)&sim->links, 64, link_bytes)) fatal("out of memory (%zu bytes wanted)", link_bytes);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *info = &graph->links[l];
        sim->links[l] = (struct link_state){
            .to = info->to, .in_port = info->to_port, .out_port = info->from_port, .rate_class = rate_class_of(sim, info)};
    }
    sim->size_bytes = allocate(UNCACHED_SIZE * sizeof *sim->size_bytes);
    sim->service_ticks = allocate_zeroed(UNCACHED_SIZE * sim->class_count, sizeof *sim->service_ticks);
    sim->size_index = allocate_zeroed(SIZE_INDEX, sizeof *sim->size_index);
    return sim;
}

void sim_free(struct sim *sim) {
    if (!sim) return;
    for (uint32_t l = 0; l < sim->graph->link_count; l++) free(sim->queues[l].runs);
    free(sim->queues);
    free(sim->links);
    free(sim->classes);
    free(sim->size_bytes);
    free(sim->service_ticks);
    free(sim->size_index);
    free(sim->messages);
    free(sim->next_number);
    free(sim->runs);
    free(sim->posts);
    sim_groups_free(sim);
    heap_free(&sim->timers);
    heap_free(&sim->continuations);
    arena_free(&sim->rings);
    free(sim);
}

void sim_observe(struct sim *sim, const struct sim_observer *observer) { sim->observer = *observer; }

// ---- sizes and times

static int64_t service_of(const struct rate_class *rate, int64_t bytes, int64_t ticks_per_s) {
    int64_t ticks;
    return transfer_ticks(bytes, rate->bandwidth_bytes_per_s, ticks_per_s, &ticks) ? ticks : INT64_MAX;
}

/// The class of a size; UNCACHED_SIZE when the table is full.
uint32_t sim_size_class(struct sim *sim, int64_t bytes) {
    uint32_t slot = (uint32_t)(mix64((uint64_t)bytes) % SIZE_INDEX);
    for (; sim->size_index[slot]; slot = (slot + 1) % SIZE_INDEX)
        if (sim->size_bytes[sim->size_index[slot] - 1] == bytes) return sim->size_index[slot] - 1;
    if (sim->size_count == UNCACHED_SIZE) return UNCACHED_SIZE;
    uint32_t class = (uint32_t)sim->size_count++;
    sim->size_bytes[class] = bytes;
    sim->size_index[slot] = class + 1;
    for (size_t i = 0; i < sim->class_count; i++)
        sim->service_ticks[class * sim->class_count + i] = service_of(&sim->classes[i], bytes, sim->config.ticks_per_s);
    return class;
}

uint64_t sim_chunk_count(const struct sim *sim, int64_t bytes) {
    int64_t chunk = sim->config.chunk_bytes;
    if (chunk == 0 || bytes == 0) return 1;
    return (uint64_t)(bytes / chunk + (bytes % chunk != 0));
}

int64_t sim_chunk_bytes(const struct sim *sim, int64_t message_bytes, uint64_t chunk) {
    if (sim->config.chunk_bytes == 0) return message_bytes;
    int64_t before = (int64_t)chunk * sim->config.chunk_bytes;
    int64_t left = message_bytes - before;
    return left < sim->config.chunk_bytes ? left : sim->config.chunk_bytes;
}

int64_t sim_uncached_bytes(const struct sim *sim, const struct chunk *chunk) {
    bool reduced = chunk->destination & REDUCTION_BIT;
    int64_t bytes = reduced ? sim_group_bytes(sim, chunk->destination & ~REDUCTION_BIT) : sim->messages[chunk->message].bytes;
    // only a message's last chunk: full chunks have been in the table since the first
    return sim_chunk_bytes(sim, bytes, sim_chunk_count(sim, bytes) - 1);
}

static struct chunk make_chunk(struct sim *sim, uint32_t message, uint64_t number) {
    const struct message *m = &sim->messages[message];
    uint32_t destination = m->destination;
    if (m->next) sim_group_first_link(sim, message, &destination);
    uint32_t selector =
        sim->router.selector && !m->next ? sim->router.selector(sim->router.state, m->source, m->destination, m->number, number) : 0;
    return (struct chunk){
        .join = sim->now,
        .tail = sim->now,
        .message = message,
        .destination = destination,
        .selector = selector & 0xfffff,
        .size_class = sim_size_class(sim, sim_chunk_bytes(sim, m->bytes, number)) & 0xfff,
    };
}

/// What a clock of this tick reaches, and what to do about it.
static const char *reach(const struct sim *sim) {
    return sim->config.ticks_per_s == TICKS_PER_S_FS
               ? "2^63 ticks of 1 fs, which is 2.5 hours; set \"tick\": \"1ps\" to reach 106 days"
               : "2^63 ticks of 1 ps, which is 106 days; no larger tick exists: make the scenario shorter";
}

static void overflow(struct sim *sim, uint32_t link, uint32_t message) {
    if (sim->overflowed) return;
    sim->overflowed = true;
    const struct message *m = &sim->messages[message];
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE], now[QUANTITY_SIZE];
    graph_node_name(sim->graph, sim->graph->links[link].from, from);
    graph_node_name(sim->graph, sim->graph->links[link].to, to);
    error_set(
        sim->error, ERROR_SIMULATION,
        "the clock overflows: at %s a chunk of the message of %lld bytes from endpoint %u to endpoint %u on link %s->%s would end after %s",
        format_time_exact(sim->now, sim->config.ticks_per_s, now), (long long)m->bytes, m->source, m->destination, from, to, reach(sim));
}

bool sim_all_due(struct sim *sim) {
    if (sim->timers.count == 0) return true;
    char now[QUANTITY_SIZE];
    sim->overflowed = true;
    return error_set(sim->error, ERROR_SIMULATION, "the clock overflows: at %s a rank's delay or work would end after %s",
                     format_time_exact(sim->now, sim->config.ticks_per_s, now), reach(sim));
}

// ---- links

static void grow_ring(struct sim *sim, struct link_state *state) {
    uint32_t count = state->tail - state->head, old_log2 = state->ring_log2;
    uint32_t log2 = state->ring ? old_log2 + 1u : 1;
    if (log2 > 31) fatal("more than 2^31 chunks in flight on one link");
    struct chunk *ring = sim->free_rings[log2];
    if (ring) {
        memcpy(&sim->free_rings[log2], ring, sizeof ring);
    } else {
        ring = arena_allocate(&sim->rings, sizeof *ring << log2);
        sim->ring_bytes += sizeof *ring << log2;
    }
    for (uint32_t i = 0; i < count; i++) ring[i] = state->ring[(state->head + i) & ((1u << old_log2) - 1)];
    if (state->ring) {
        memcpy(state->ring, &sim->free_rings[old_log2], sizeof(struct chunk *));
        sim->free_rings[old_log2] = state->ring;
    }
    state->ring = ring, state->ring_log2 = (uint8_t)log2;
    state->head = 0, state->tail = count;
}

static void append(struct sim *sim, uint32_t link, const struct chunk *chunk) {
    struct link_state *state = &sim->links[link];
    bool was_empty = state->head == state->tail;
    if (!state->ring || state->tail - state->head == 1u << state->ring_log2) grow_ring(sim, state);
    state->ring[state->tail++ & ((1u << state->ring_log2) - 1)] = *chunk;
    if (was_empty) sim->link_woke(sim, link, chunk->join);
}

/// Sets join and out of a chunk whose service on `link` began with its head leaving at `first` and ended at `end`.
static bool send_on(const struct sim *sim, uint32_t link, struct chunk *chunk, int64_t first, int64_t end) {
    const struct link_state *state = &sim->links[link];
    int64_t latency = sim->classes[state->rate_class].latency_ticks;
    if (__builtin_add_overflow(end, latency, &chunk->tail)) return false;
    if (state->to == chunk->destination) {
        chunk->out = DELIVERED;
        chunk->join = chunk->tail;
    } else if (chunk->destination & REDUCTION_BIT) {
        chunk->out = REDUCED;
        chunk->join = sim->config.switching == CUT_THROUGH ? first + latency : chunk->tail;
    } else {
        chunk->out = sim->router.next_link(sim->router.state, state->to, chunk->destination, chunk->selector);
        chunk->join = sim->config.switching == CUT_THROUGH ? first + latency : chunk->tail;
    }
    return true;
}

static void chunk_waits(struct sim *sim, uint32_t link, int64_t start, int64_t service, int64_t bytes, uint64_t chunks) {
    struct waiting_run run = {start, service, bytes, chunks};
    queue_peak_wait(&sim->queues[link], &run, sim->now);
}

int64_t sim_serve(struct sim *sim, uint32_t link, const struct chunk *chunk) {
    struct link_state *state = &sim->links[link];
    int64_t bytes, service;
    if (chunk->size_class != UNCACHED_SIZE) {
        bytes = sim->size_bytes[chunk->size_class];
        service = sim->service_ticks[chunk->size_class * sim->class_count + state->rate_class];
    } else {
        bytes = sim_uncached_bytes(sim, chunk);
        service = service_of(&sim->classes[state->rate_class], bytes, sim->config.ticks_per_s);
    }
    int64_t first = sim->now > state->free_at ? sim->now : state->free_at;
    int64_t start = chunk->tail - service > first ? chunk->tail - service : first;
    int64_t end;
    struct chunk sent = *chunk;
    if (__builtin_add_overflow(start, service, &end) || !send_on(sim, link, &sent, first, end)) {
        overflow(sim, link, chunk->message);
        return state->free_at;
    }
    state->free_at = end;
    state->busy_ticks += service;
    state->bytes += (uint64_t)bytes;
    state->chunks++;
    sim->totals.chunk_hops++;
    if (start > sim->now && bytes > 0) chunk_waits(sim, link, start, service, bytes, 1);
    if (sim->observer.service) sim->observer.service(sim->observer.context, link, chunk->message, sim->now, start, end, bytes);
    append(sim, link, &sent);
    return end;
}

// ---- runs: many chunks of one message on one first link

/// The next chunk of a run as it comes out of the link; `end` is set to the end of its service.
static struct chunk next_of_run(struct sim *sim, const struct chunk_run *run, int64_t *end) {
    struct chunk chunk = make_chunk(sim, run->message, run->next_chunk);
    const struct link_state *state = &sim->links[run->link];
    int64_t service = chunk.size_class != UNCACHED_SIZE
                          ? sim->service_ticks[chunk.size_class * sim->class_count + state->rate_class]
                          : service_of(&sim->classes[state->rate_class], sim_uncached_bytes(sim, &chunk), sim->config.ticks_per_s);
    *end = run->start + service;
    send_on(sim, run->link, &chunk, run->start, *end);
    return chunk;
}

static void observe_run(struct sim *sim, struct chunk_run run, int64_t full, int64_t last) {
    int64_t message_bytes = sim->messages[run.message].bytes;
    for (; run.chunks_left > 0; run.chunks_left--, run.next_chunk += run.stride) {
        int64_t end = run.start + (run.chunks_left == 1 ? last : full);
        sim->observer.service(sim->observer.context, run.link, run.message, sim->now, run.start, end,
                              sim_chunk_bytes(sim, message_bytes, run.next_chunk));
        run.start = end;
    }
}

/// Reserves the service of chunks first, first + stride, … (`count` of them) of a message on `link`.
static void serve_run(struct sim *sim, uint32_t link, uint32_t message, uint64_t first, uint64_t count, uint32_t stride) {
    struct link_state *state = &sim->links[link];
    const struct message *m = &sim->messages[message];
    const struct rate_class *rate = &sim->classes[state->rate_class];
    int64_t full_bytes = sim->config.chunk_bytes, last_bytes = sim_chunk_bytes(sim, m->bytes, first + (count - 1) * stride);
    int64_t full = service_of(rate, full_bytes, sim->config.ticks_per_s), last = service_of(rate, last_bytes, sim->config.ticks_per_s);
    int64_t start = sim->now > state->free_at ? sim->now : state->free_at;
    __int128 end = (__int128)start + (__int128)full * (__int128)(count - 1) + last;
    if (end + rate->latency_ticks > INT64_MAX) {
        overflow(sim, link, message);
        return;
    }
    int64_t total = full_bytes * (int64_t)(count - 1) + last_bytes;
    state->free_at = (int64_t)end;
    state->busy_ticks += (int64_t)end - start;
    state->bytes += (uint64_t)total;
    state->chunks += count;
    sim->totals.chunk_hops += count;
    uint64_t begun = start > sim->now ? 0 : 1; // a chunk that begins at once never waits
    if (count - 1 > begun) chunk_waits(sim, link, start + (int64_t)begun * full, full, full_bytes, count - 1 - begun);
    if (count > begun) chunk_waits(sim, link, (int64_t)end - last, last, last_bytes, 1);

    uint32_t index = sim->free_run;
    if (index == UINT32_MAX) {
        ARRAY_RESERVE(sim->runs, sim->run_capacity, sim->run_count + 1);
        index = (uint32_t)sim->run_count++;
    } else {
        sim->free_run = sim->runs[index].next_free;
    }
    struct chunk_run *run = &sim->runs[index];
    *run =
        (struct chunk_run){.start = start, .next_chunk = first, .chunks_left = count, .message = message, .link = link, .stride = stride};
    if (sim->observer.service) observe_run(sim, *run, full, last);

    struct chunk entry = {.message = index, .out = RUN_OF_CHUNKS};
    if (state->to == m->destination) {
        entry.join = (int64_t)end + rate->latency_ticks; // only the last tail matters
    } else {
        int64_t ignored;
        entry.join = next_of_run(sim, run, &ignored).join;
    }
    append(sim, link, &entry);
}

/// Takes the chunk at the front of a run; false when the run has ended.
static bool take_of_run(struct sim *sim, struct chunk *entry, const struct take_calls *calls) {
    uint32_t index = entry->message;
    struct chunk_run *run = &sim->runs[index];
    if (sim->links[run->link].to == sim->messages[run->message].destination) {
        calls->arrived(calls->context, run->link, run->message, run->chunks_left);
        run->chunks_left = 0;
    } else {
        int64_t end;
        struct chunk chunk = next_of_run(sim, run, &end);
        run->start = end;
        run->next_chunk += run->stride;
        run->chunks_left--;
        calls->joined(calls->context, run->link, &chunk);
        if (run->chunks_left > 0) entry->join = next_of_run(sim, run, &end).join;
    }
    if (run->chunks_left > 0) return true;
    run->next_free = sim->free_run;
    sim->free_run = index;
    return false;
}

void sim_take(struct sim *sim, uint32_t link, const struct take_calls *calls) {
    struct link_state *state = &sim->links[link];
    uint32_t mask = (1u << state->ring_log2) - 1;
    while (state->head != state->tail) {
        struct chunk *chunk = &state->ring[state->head & mask];
        if (chunk->join != sim->now) return;
        if (chunk->out == RUN_OF_CHUNKS) {
            if (take_of_run(sim, chunk, calls)) continue;
        } else if (chunk->out == DELIVERED) {
            calls->arrived(calls->context, link, chunk->message, 1);
        } else {
            calls->joined(calls->context, link, chunk);
        }
        state->head++;
    }
}

// ---- messages

uint32_t sim_post(struct sim *sim, uint32_t source, uint32_t destination, int64_t bytes, uint32_t major, uint32_t minor) {
    uint32_t id = sim->free_message;
    if (id == UINT32_MAX) {
        if (sim->message_count == UINT32_MAX - 1) fatal("more than %u live messages", UINT32_MAX - 2);
        ARRAY_RESERVE(sim->messages, sim->message_capacity, sim->message_count + 1);
        id = (uint32_t)sim->message_count++;
    } else {
        sim->free_message = sim->messages[id].next;
    }
    sim->messages[id] =
        (struct message){.bytes = bytes, .source = source, .destination = destination, .chunks_left = sim_chunk_count(sim, bytes)};
    ARRAY_RESERVE(sim->posts, sim->post_capacity, sim->post_count + 1);
    sim->posts[sim->post_count] = (struct post){id, source, major, minor, (uint32_t)sim->post_count};
    sim->post_count++;
    return id;
}

static int by_source_and_order(const void *left, const void *right) {
    const struct post *a = left, *b = right;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->major != b->major) return a->major < b->major ? -1 : 1;
    if (a->minor != b->minor) return a->minor < b->minor ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static uint32_t first_link(struct sim *sim, const struct chunk *chunk) {
    uint32_t destination;
    if (chunk->destination & REDUCTION_BIT) return sim_group_first_link(sim, chunk->message, &destination);
    return sim->router.next_link(sim->router.state, sim->messages[chunk->message].source, chunk->destination, chunk->selector);
}

/// Chunk `number` of a message joins its first link; with round-robin the next one is due when this one has left it.
static void inject_chunk(struct sim *sim, uint32_t message, uint64_t number) {
    struct chunk chunk = make_chunk(sim, message, number);
    int64_t left_at = sim_serve(sim, first_link(sim, &chunk), &chunk);
    if (sim->config.injection == INJECT_ROUND_ROBIN && number + 1 < sim_chunk_count(sim, sim->messages[message].bytes)) {
        // at one instant the continuations of an endpoint go by message number
        uint64_t order = (uint64_t)sim->messages[message].source << 32 | sim->messages[message].number;
        heap_push(&sim->continuations, (struct heap_entry){left_at, order, (number + 1) << 32 | message});
    }
}

enum { MOST_RUNS = 64 };

/// Whether the chunks of a message can be injected as runs: one where all have the same first link, else one for each
/// selector, if their first links are distinct. `links` gets the first link of each run; returns how many, 0: cannot.
static uint32_t runs_of(struct sim *sim, uint32_t message, uint64_t chunks, uint32_t *links) {
    uint32_t period = sim->router.selector && !sim->messages[message].next ? sim->router.period : 1;
    if (period == 0 || period > MOST_RUNS) return 0;
    uint32_t count = period < chunks ? period : (uint32_t)chunks;
    bool same = true, distinct = true;
    for (uint32_t i = 0; i < count; i++) {
        struct chunk chunk = make_chunk(sim, message, i);
        links[i] = first_link(sim, &chunk);
        same = same && links[i] == links[0];
        for (uint32_t j = 0; j < i; j++) distinct = distinct && links[i] != links[j];
    }
    return same ? 1 : distinct ? count : 0;
}

static void inject_message(struct sim *sim, uint32_t message) {
    uint64_t chunks = sim->messages[message].chunks_left;
    if (chunks > UINT32_MAX) {
        sim->overflowed = true;
        error_set(sim->error, ERROR_SIMULATION,
                  "a message of %lld bytes is more than 2^32 chunks of %lld bytes; choose a larger network.chunk",
                  (long long)sim->messages[message].bytes, (long long)sim->config.chunk_bytes);
        return;
    }
    sim->totals.messages++;
    sim->totals.chunks += chunks;
    if (chunks == 1 || sim->config.injection == INJECT_ROUND_ROBIN) {
        inject_chunk(sim, message, 0);
        return;
    }
    uint32_t links[MOST_RUNS];
    uint32_t runs = runs_of(sim, message, chunks, links);
    for (uint32_t i = 0; i < runs; i++) serve_run(sim, links[i], message, i, (chunks - i + runs - 1) / runs, runs);
    if (runs == 0)
        for (uint64_t k = 0; k < chunks && !sim->overflowed; k++) inject_chunk(sim, message, k);
}

static bool continuation_before(const struct sim *sim, const struct post *post) {
    if (sim->continuations.count == 0 || sim->continuations.entries[0].time != sim->now) return false;
    // a message posted now has a higher number than any that is under way
    return !post || sim->continuations.entries[0].order >> 32 <= post->source;
}

void sim_inject(struct sim *sim) {
    size_t count = sim->post_count;
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++) sorted = by_source_and_order(&sim->posts[i - 1], &sim->posts[i]) < 0;
    if (!sorted) qsort(sim->posts, count, sizeof *sim->posts, by_source_and_order);
    for (size_t i = 0; i <= count; i++) {
        const struct post *post = i < count ? &sim->posts[i] : NULL;
        while (continuation_before(sim, post)) {
            uint64_t payload = heap_pop(&sim->continuations).payload;
            inject_chunk(sim, (uint32_t)payload, payload >> 32);
        }
        if (!post) break;
        struct message *m = &sim->messages[post->message];
        uint32_t number = sim->next_number[m->source]++;
        if (!m->next) m->number = number;
        inject_message(sim, post->message);
    }
    sim->post_count = 0;
}

void sim_deliver(struct sim *sim, uint32_t message, uint64_t chunks) {
    sim->messages[message].chunks_left -= chunks;
    if (sim->messages[message].chunks_left > 0) return;
    sim->client.delivered(sim->client.context, message, sim->now);
    sim->messages[message].next = sim->free_message;
    sim->free_message = message;
}

void sim_timer(struct sim *sim, int64_t time, uint64_t cookie) {
    heap_push(&sim->timers, (struct heap_entry){time, sim->timer_sequence++, cookie});
}

// ---- running and asking

bool sim_check(struct sim *sim) {
    const struct sim_config *config = &sim->config;
    if (sim->overflowed) return false;
    if (sim->totals.chunk_hops < sim->next_check) return true;
    sim->next_check = sim->totals.chunk_hops + CHECK_EVERY;
    if (config->max_events && sim->totals.chunk_hops >= config->max_events)
        return error_set(sim->error, ERROR_LIMIT, "stopped after %llu chunk-hops (--max-events)",
                         (unsigned long long)sim->totals.chunk_hops);
    if (config->max_events && sim->next_check > config->max_events) sim->next_check = config->max_events;
    size_t memory = sim->ring_bytes + sim->message_capacity * sizeof *sim->messages + sim->run_capacity * sizeof *sim->runs;
    if (config->max_memory && memory > config->max_memory)
        return error_set(sim->error, ERROR_LIMIT, "stopped at %zu bytes of chunks and messages (--max-memory)", memory);
    if (sim->client.progress && !sim->client.progress(sim->client.context, sim->now, sim->totals.chunk_hops)) {
        sim->interrupted = true;
        return false;
    }
    return true;
}

bool sim_run(struct sim *sim, const struct engine_type *engine, struct error *err) {
    sim->error = err;
    bool ok = engine->run(sim, err);
    sim->error = NULL;
    return ok && !sim->overflowed && !sim->interrupted;
}

int64_t sim_now(const struct sim *sim) { return sim->now; }
const struct message *sim_message(const struct sim *sim, uint32_t message) { return &sim->messages[message]; }
uint32_t sim_message_capacity(const struct sim *sim) { return (uint32_t)sim->message_capacity; }
bool sim_interrupted(const struct sim *sim) { return sim->interrupted; }

struct link_totals sim_link_totals(const struct sim *sim, uint32_t link) {
    const struct link_state *state = &sim->links[link];
    return (struct link_totals){state->bytes, state->chunks, state->busy_ticks, sim->queues[link].peak_bytes};
}

struct sim_totals sim_totals(const struct sim *sim) {
    struct sim_totals totals = sim->totals;
    totals.bytes_on_links = 0;
    for (uint32_t l = 0; l < sim->graph->link_count; l++) totals.bytes_on_links += sim->links[l].bytes;
    return totals;
}
