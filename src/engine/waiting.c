#include "engine/waiting.h"

#include <stdlib.h>

#include "base/memory.h"

bool sim_keeps_lists(const struct sim *sim) { return sim->keeps_waiting && !sim->observer.service; }

/// Whether messages of so many bytes can wait in a list: their chunks are equal and go one way.
static bool can_wait(struct sim *sim, int64_t bytes) {
    if (!sim_keeps_lists(sim) || bytes == 0) return false;
    if (sim->quotient) return sim_chunk_count(sim, bytes) == 1 && sim_size_class(sim, bytes) != UNCACHED_SIZE;
    if (sim_chunk_count(sim, bytes) == 1) return true;
    bool one_way = !sim->router.selector || sim->router.period == 1;
    return bytes % sim->config.chunk_bytes == 0 && one_way && !sim->solos && sim_chunk_count(sim, bytes) <= UINT32_MAX;
}

/// Until it is planned, a list has a record of its own: `chunks_left` is 0, `destination` how many messages it has, `number` the first
/// of their targets.
struct message *sim_post_many(struct sim *sim, const struct message_batch *batch, struct message_target **targets) {
    if (!can_wait(sim, batch->bytes) || sim->target_count + batch->count > UINT32_MAX) return NULL;
    ARRAY_RESERVE(sim->targets, sim->target_capacity, sim->target_count + batch->count);
    *targets = &sim->targets[sim->target_count];
    struct message *like = sim_post(sim, batch->source, batch->count, batch->bytes, batch->major, batch->minor);
    like->number = (uint32_t)sim->target_count;
    like->chunks_left = 0;
    sim->target_count += batch->count;
    return like;
}

static struct waiting *new_list(struct sim *sim, const struct message *like, uint32_t count) {
    struct waiting *waiting = pages_allocate(sizeof *waiting + count * sizeof waiting->items[0]);
    waiting->like = *like, waiting->count = count;
    sim->waiting_bytes += waiting_bytes(waiting);
    return waiting;
}

void waiting_free(struct sim *sim, struct waiting *waiting) {
    if (!waiting) return;
    sim->waiting_bytes -= waiting_bytes(waiting);
    pages_free(waiting);
}

/// A list for the `count` messages that leave by `link`, which is a run already; returns it.
static struct waiting *plan_list(struct sim *sim, const struct message *like, uint32_t link, uint32_t count) {
    struct waiting *waiting = new_list(sim, like, count);
    uint32_t run = sim_new_run(sim);
    sim->runs[run] = (struct chunk_run){.waiting = waiting};
    ARRAY_RESERVE(sim->injected, sim->injected_capacity, sim->injected_count + 1);
    sim->injected[sim->injected_count++] = (struct injected){.link = link, .count = count, .run = run, .waits = true};
    return waiting;
}

static uint32_t selector_of(const struct sim *sim, const struct message *like, uint32_t destination, uint32_t number) {
    const struct router *router = &sim->router;
    return router->selector ? router->selector(router->state, like->source, destination, number, 0) & 0xfffff : 0;
}

/// Finds the port of the first link of each message, and how many leave by each port.
static void find_ports(const struct sim *sim, const struct message *like, const struct message_target *targets, uint32_t count,
                       uint32_t *ports) {
    const struct router *router = &sim->router;
    uint32_t source = like->source, first_out = sim->graph->first_out[source], number = sim->next_number[source];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = targets[i].destination;
        ports[i] = router->next_link(router->state, source, to, selector_of(sim, like, to, number + i)) - first_out;
    }
}

/// The same in lists, one for each of the ports.
static void plan_lists(struct sim *sim, const struct message *like, const struct message_target *targets, uint32_t count,
                       const uint32_t *ports) {
    uint32_t first_out = sim->graph->first_out[like->source], outs = sim->graph->first_out[like->source + 1] - first_out;
    uint32_t number = sim->next_number[like->source];
    struct waiting_message **next = allocate(outs * sizeof *next);
    uint32_t *counts = allocate_zeroed(outs, sizeof *counts);
    for (uint32_t i = 0; i < count; i++) counts[ports[i]]++;
    for (uint32_t port = 0; port < outs; port++)
        if (counts[port] > 0) next[port] = plan_list(sim, like, first_out + port, counts[port])->items;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = targets[i].destination;
        *next[ports[i]]++ = (struct waiting_message){to, targets[i].label, selector_of(sim, like, to, number + i)};
    }
    free(next);
    free(counts);
}

void sim_plan_many(struct sim *sim, uint32_t id) {
    struct message like = sim->messages[id];
    sim_free_message(sim, id);
    const struct message_target *targets = &sim->targets[like.number];
    uint32_t count = like.destination, *ports = allocate(count * sizeof *ports);
    like.number = like.next = 0, like.chunks_left = sim_chunk_count(sim, like.bytes);
    find_ports(sim, &like, targets, count, ports);
    plan_lists(sim, &like, targets, count, ports);
    free(ports);
    sim->next_number[like.source] += count;
    sim->totals.messages += count;
    sim->totals.chunks += count * like.chunks_left;
    sim->unrecorded += count;
}

/// The service of a chunk would begin after `last_start`: the first of them is told.
static void overflow(struct sim *sim, uint32_t link, struct chunk_run *run, int64_t last_start) {
    uint64_t before = run->start > last_start ? 0 : (uint64_t)((last_start - run->start) / run->full_ticks + 1);
    run->next_waiting = (uint32_t)(before / run->waiting->like.chunks_left);
    sim_overflow(sim, link, waiting_record(sim, run), sim->now);
}

void sim_serve_waiting(struct sim *sim, const struct injected *injection) {
    struct chunk_run *run = &sim->runs[injection->run];
    struct waiting *waiting = run->waiting;
    const uint32_t link = injection->link;
    const struct link_state *state = &sim->links[link];
    const struct rate_class *rate = &sim->classes[state->rate_class];
    const int64_t bytes = sim_chunk_bytes(sim, waiting->like.bytes, 0), ticks = sim_service_of(sim, rate, bytes);
    const int64_t last_start = last_start_of(ticks, rate->latency_ticks), start = sim->now > state->free_at ? sim->now : state->free_at;
    const uint64_t chunks = waiting->count * waiting->like.chunks_left;
    *run = (struct chunk_run){.start = start, .chunks_left = chunks, .link = link, .waiting = waiting, .full_ticks = ticks};
    run->like.size_class = sim_size_class(sim, bytes) & 0xfff;
    if ((__int128)start + (__int128)ticks * (__int128)(chunks - 1) > last_start) {
        overflow(sim, link, run, last_start);
        return;
    }
    sim_reserve(sim, link, run->like.size_class, &(struct waiting_run){start, ticks, bytes, chunks});
    const struct chunk entry = {.join = waiting_next_join(sim, run, rate->latency_ticks), .message = injection->run, .out = RUN_OF_CHUNKS};
    append(sim, link, &entry, sim->link_woke);
}
