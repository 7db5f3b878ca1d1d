#include "engine/sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/units.h"
#include "engine/inject.h"
#include "engine/post.h"
#include "engine/queueing.h"
#include "engine/quotient.h"
#include "engine/renumber.h"
#include "engine/shard.h"
#include "engine/waiting.h"

enum { SIZE_INDEX = 8192 };

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
    sim->last_size = -1;
    sim->only_chunk_bytes = config->chunk_bytes ? config->chunk_bytes : INT64_MAX;
    sim->next_check = config->max_events && config->max_events < CHECK_EVERY ? config->max_events : CHECK_EVERY;
    sim->next_renumber = RENUMBER_EVERY;
    sim->next_number = allocate_zeroed(graph->endpoints, sizeof *sim->next_number);
    sim->queues = pages_allocate_zeroed(graph->link_count * sizeof *sim->queues);
    sim->counts = pages_allocate_zeroed(graph->link_count * sizeof *sim->counts);
    sim->links = pages_allocate(graph->link_count * sizeof *sim->links);
    uint32_t *order = allocate(graph->link_count * sizeof *order);
    in_links_index(&sim->in, graph, order);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *info = &graph->links[l];
        sim->links[l] = (struct link_state){.to = info->to, .out_port = info->from_port, .rate_class = rate_class_of(sim, info)};
    }
    for (uint32_t p = 0; p < graph->link_count; p++) sim->links[order[p]].position = p;
    free(order);
    sim->size_bytes = allocate(UNCACHED_SIZE * sizeof *sim->size_bytes);
    sim->service_ticks = allocate_zeroed(UNCACHED_SIZE * sim->class_count, sizeof *sim->service_ticks);
    sim->size_index = allocate_zeroed(SIZE_INDEX, sizeof *sim->size_index);
    if (config->chunk_bytes > 0) sim_size_class(sim, config->chunk_bytes); // whatever else the table will have no room for
    sim_make_room(sim, 0);
    return sim;
}

void sim_share_messages(struct sim *sim, struct shard *shard, struct message *messages) {
    pages_free(sim->messages);
    sim->messages = messages, sim->shard = shard;
    sim->message_count = sim->message_capacity = 0;
    sim->free_message = UINT32_MAX;
    sim_make_room(sim, 0);
}

void sim_free(struct sim *sim) {
    if (!sim) return;
    for (uint32_t l = 0; l < sim->graph->link_count; l++) queue_peak_free(&sim->queues[l]);
    pages_free(sim->queues);
    pages_free(sim->links);
    pages_free(sim->counts);
    in_links_free(&sim->in);
    free(sim->classes);
    free(sim->size_bytes);
    free(sim->service_ticks);
    free(sim->size_index);
    if (!sim->shard) pages_free(sim->messages);
    free(sim->next_number);
    for (size_t r = 0; r < sim->run_count; r++) waiting_free(sim, sim->runs[r].waiting);
    free(sim->runs);
    free(sim->targets);
    free(sim->posts);
    free(sim->injected);
    sim_groups_free(sim);
    heap_free(&sim->timers);
    heap_free(&sim->continuations);
    page_pool_free(&sim->rings);
    free(sim);
}

void sim_fold(struct sim *sim, const struct quotient *quotient, uint64_t (*quiet)(void *context)) {
    sim->quotient = quotient;
    sim->client.quiet = quiet;
    sim->keeps_waiting = true;
    sim->orbit_size = translations_order(&quotient->group);
}

struct digest sim_orbit_digest(const struct sim *sim) {
    return sim->orbit_digest;
}

void sim_observe(struct sim *sim, const struct sim_observer *observer) { sim->observer = *observer; }

// ---- sizes and times

int64_t sim_service_of(const struct sim *sim, const struct rate_class *rate, int64_t bytes) {
    int64_t ticks;
    return transfer_ticks(bytes, rate->bandwidth_bytes_per_s, sim->config.ticks_per_s, &ticks) ? ticks : INT64_MAX;
}

/// The class of a size; UNCACHED_SIZE when the table is full.
static uint32_t find_size_class(struct sim *sim, int64_t bytes) {
    uint32_t slot = (uint32_t)(mix64((uint64_t)bytes) % SIZE_INDEX);
    for (; sim->size_index[slot]; slot = (slot + 1) % SIZE_INDEX)
        if (sim->size_bytes[sim->size_index[slot] - 1] == bytes) return sim->size_index[slot] - 1;
    if (sim->size_count == UNCACHED_SIZE) return UNCACHED_SIZE;
    uint32_t class = (uint32_t)sim->size_count++;
    sim->size_bytes[class] = bytes;
    sim->size_index[slot] = class + 1;
    for (size_t i = 0; i < sim->class_count; i++)
        sim->service_ticks[class * sim->class_count + i] = sim_service_of(sim, &sim->classes[i], bytes);
    return class;
}

uint32_t sim_find_size_class(struct sim *sim, int64_t bytes) {
    sim->last_class = find_size_class(sim, bytes);
    sim->last_size = bytes;
    return sim->last_class;
}

int64_t sim_chunk_bytes(const struct sim *sim, int64_t message_bytes, uint64_t chunk) {
    if (sim->config.chunk_bytes == 0) return message_bytes;
    int64_t before = (int64_t)chunk * sim->config.chunk_bytes;
    int64_t left = message_bytes - before;
    return left < sim->config.chunk_bytes ? left : sim->config.chunk_bytes;
}

int64_t sim_uncached_bytes(const struct sim *sim, uint32_t message, uint32_t destination) {
    bool reduced = destination & REDUCTION_BIT;
    int64_t bytes = reduced ? sim_group_bytes(sim, destination & ~REDUCTION_BIT) : sim->messages[message].bytes;
    // only a message's last chunk: that of a full one is in the table from the beginning
    return sim_chunk_bytes(sim, bytes, sim_chunk_count(sim, bytes) - 1);
}

// ---- messages and timers

enum { RECORDS_AT_ONCE = 8 };

struct message *sim_make_room(struct sim *sim, uint32_t id) {
    ARRAY_RESERVE(sim->posts, sim->post_capacity, sim->post_count + 1);
    if (sim->free_message == UINT32_MAX && sim->shard && sim->message_count == sim->message_capacity) shard_more_messages(sim);
    if (sim->free_message != UINT32_MAX) return &sim->messages[id];
    if (sim->message_count > UINT32_MAX - 1 - RECORDS_AT_ONCE) fatal("more than %u live messages", UINT32_MAX - 1 - RECORDS_AT_ONCE);
    PAGES_RESERVE(sim->messages, sim->message_capacity, sim->message_count + RECORDS_AT_ONCE);
    uint32_t first = (uint32_t)sim->message_count, last = first + RECORDS_AT_ONCE - 1;
    for (uint32_t i = first; i < last; i++) sim->messages[i].next = i + 1;
    sim->messages[last].next = UINT32_MAX;
    sim->message_count += RECORDS_AT_ONCE;
    sim->free_message = first;
    return &sim->messages[id];
}

void post_another(struct sim *sim) {
    const struct post *last = &sim->posts[sim->post_count - 1];
    if (sim->post_count > 1 && sim_compare_posts(sim, last - 1, last) > 0) sim->posts_unsorted = true;
    if (sim->free_message == UINT32_MAX || sim->post_count == sim->post_capacity) sim_make_room(sim, 0);
}

struct message *sim_post(struct sim *sim, uint32_t source, uint32_t destination, int64_t bytes, uint32_t major, uint32_t minor) {
    uint32_t id = sim->free_message;
    post_begin(sim, source, destination, bytes, major, minor);
    post_another(sim);
    return &sim->messages[id];
}

void sim_timer(struct sim *sim, uint32_t endpoint, int64_t time, uint32_t cookie) {
    uint64_t sequence = sim->timer_sequence++;
    if (sim->timer_set)
        sim->timer_set(sim, endpoint, time, sequence, cookie);
    else
        heap_push(&sim->timers, (struct heap_entry){time, sequence, (uint64_t)endpoint << 32 | cookie});
}

// ---- running and asking

bool sim_over_memory(struct sim *sim, uint64_t bytes) {
    return error_set(sim->error, ERROR_LIMIT, "stopped at %llu bytes of chunks and messages (--max-memory)", (unsigned long long)bytes);
}

bool sim_over_events(struct sim *sim, uint64_t chunk_hops) {
    return error_set(sim->error, ERROR_LIMIT, "stopped after %llu chunk-hops (--max-events)", (unsigned long long)chunk_hops);
}

static uint64_t memory_of(const struct sim *sim) {
    return sim->ring_bytes + sim->waiting_bytes + sim->message_capacity * sizeof *sim->messages + sim->run_capacity * sizeof *sim->runs;
}

bool sim_has_room(const struct sim *sim) { return sim->shard || !sim->config.max_memory || memory_of(sim) <= sim->config.max_memory; }

bool sim_check(struct sim *sim) {
    const struct sim_config *config = &sim->config;
    if (sim->overflowed || sim->interrupted) return false;
    if (sim->totals.messages >= sim->next_renumber) {
        sim->next_renumber = sim->totals.messages + RENUMBER_EVERY;
        sim_renumber(sim);
    }
    if (sim->shard) return true;
    if (!sim_has_room(sim)) return sim_over_memory(sim, memory_of(sim));
    if (sim->totals.chunk_hops < sim->next_check) return true;
    sim->next_check = sim->totals.chunk_hops + CHECK_EVERY;
    if (config->max_events && sim->totals.chunk_hops >= config->max_events) return sim_over_events(sim, sim->totals.chunk_hops);
    if (config->max_events && sim->next_check > config->max_events) sim->next_check = config->max_events;
    if (sim->client.progress && !sim->client.progress(sim->client.context, sim->now, sim->totals.chunk_hops)) {
        sim->interrupted = true;
        return false;
    }
    return true;
}

void sim_settle_start(struct sim *sim) {
    while (sim->timers.count > 0 && sim->timers.entries[0].time <= sim->now) sim_take_timer(sim);
}

bool sim_starts_by_endpoint(const struct sim *sim, const struct engine_type *engine) {
    bool due = sim->timers.count > 0 && sim->timers.entries[0].time <= sim->now;
    return !sim->quotient && (!engine || engine == &window_engine) && window_engine.suits(sim) && sim->post_count == 0 && !due;
}

bool sim_run(struct sim *sim, const struct engine_type *engine, struct error *err) {
    if (sim->quotient)
        engine = &quotient_engine;
    else if (!engine)
        engine = window_engine.suits(sim) ? &window_engine : &heap_engine;
    else if (!engine->suits(sim))
        return error_set(
            err, ERROR_INPUT,
            "the %s engine cannot run this; the heap engine can. It needs fifo injection and ranks of which each acts on its own: no step "
            "sync, barrier, in-network reduction or message that waits for another rank's",
            engine->name);
    sim->error = err;
    bool ok = (!sim->interrupted || sim->shard) && engine->run(sim, err);             // a shard tells the others that it stops
    if (sim->interrupted && !sim_has_room(sim)) sim_over_memory(sim, memory_of(sim)); // while an instant was posted
    sim->error = NULL;
    return ok && !sim->overflowed && !sim->interrupted;
}

void sim_interrupt(struct sim *sim) { sim->interrupted = true; }
void sim_set_local(struct sim *sim, bool local) { sim->client.local = local; }
int64_t sim_now(const struct sim *sim) { return sim->now; }
uint32_t sim_message_id(const struct sim *sim, const struct message *message) { return (uint32_t)(message - sim->messages); }
bool sim_interrupted(const struct sim *sim) { return sim->interrupted; }

void sim_count_link(struct sim *sim, uint32_t link, const struct link_totals *once, uint64_t times) {
    sim_add_count(&sim->counts[link], &(struct link_count){once->busy_ticks, once->bytes, once->chunks}, times);
    if (once->peak_queue_bytes > sim->queues[link].peak_bytes) sim->queues[link].peak_bytes = once->peak_queue_bytes;
}

void sim_count_posts(struct sim *sim, uint32_t source, uint64_t messages) {
    uint32_t period = sim->router.message_period;
    sim->next_number[source] += (uint32_t)(period > 0 ? messages % period : messages);
}

void sim_count_totals(struct sim *sim, const struct sim_totals *once, uint64_t times) {
    sim->totals.messages += once->messages * times;
    sim->totals.chunks += once->chunks * times;
    sim->totals.chunk_hops += once->chunk_hops * times;
}

struct link_totals sim_link_totals(const struct sim *sim, uint32_t link) {
    struct link_count count = sim->counts[link];
    sim_add_alike(sim, &sim->links[link], &count);
    return (struct link_totals){count.bytes, count.chunks, count.busy_ticks, queue_peak_bytes(sim, link)};
}

void sim_go_back(struct sim *sim, int64_t time) { sim->now = time; }
uint32_t sim_posts(const struct sim *sim, uint32_t source) { return sim->next_number[source]; }
uint32_t sim_link_count(const struct sim *sim) { return sim->graph->link_count; }
uint64_t sim_chunk_hops(const struct sim *sim) { return sim->totals.chunk_hops; }
struct sim_saving sim_solo_saving(const struct sim *sim) {
    return sim->solo_saving;
}

struct sim_totals sim_totals(const struct sim *sim) {
    struct sim_totals totals = sim->totals;
    totals.bytes_on_links = 0;
    for (uint32_t l = 0; l < sim->graph->link_count; l++) totals.bytes_on_links += sim_link_totals(sim, l).bytes;
    return totals;
}
