// How links serve chunks: the one place where the rule of model.md stands (service.h), and the runs of chunks that are
// served together on their first link.
#include "engine/service.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "engine/inject.h"
#include "engine/solo.h"
#include "engine/waiting.h"

/// What a clock of this tick reaches, and what to do about it.
static const char *reach(const struct sim *sim) {
    return sim->config.ticks_per_s == TICKS_PER_S_FS
               ? "2^63 ticks of 1 fs, which is 2.5 hours; set \"tick\": \"1ps\" to reach 106 days"
               : "2^63 ticks of 1 ps, which is 106 days; no larger tick exists: make the scenario shorter";
}

void sim_overflow(struct sim *sim, uint32_t link, uint32_t message, int64_t now_ticks) {
    if (sim->overflowed) return;
    sim->overflowed = true;
    const struct message *m = &sim->messages[message];
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE], now[QUANTITY_SIZE];
    graph_node_name(sim->graph, sim->graph->links[link].from, from);
    graph_node_name(sim->graph, sim->graph->links[link].to, to);
    error_set(
        sim->error, ERROR_SIMULATION,
        "the clock overflows: at %s a chunk of the message of %lld bytes from endpoint %u to endpoint %u on link %s->%s would end after %s",
        format_time_exact(now_ticks, sim->config.ticks_per_s, now), (long long)m->bytes, m->source, m->destination, from, to, reach(sim));
}

bool sim_all_due(struct sim *sim, size_t timers) {
    if (timers == 0) return true;
    char now[QUANTITY_SIZE];
    int64_t last = sim->now > sim->totals.end_ticks ? sim->now : sim->totals.end_ticks;
    if (sim->early_end_ticks > last) last = sim->early_end_ticks;
    sim->overflowed = true;
    return error_set(sim->error, ERROR_SIMULATION, "the clock overflows: at %s a rank's delay or work would end after %s",
                     format_time_exact(last, sim->config.ticks_per_s, now), reach(sim));
}

void sim_grow_ring(struct sim *sim, struct in_link *in, size_t chunks) {
    uint32_t count = in->tail - in->head, log2 = in->room > 0 ? (uint32_t)__builtin_ctz(in->room) + 1 : 1;
    while (log2 < 32 && count + chunks > (size_t)1 << log2) log2++;
    if (log2 > 31) fatal("more than 2^31 chunks in flight on one link");
    if (sim->chunks_move) sim->chunks_move(sim);
    struct chunk *ring = sim->free_rings[log2];
    if (ring) {
        memcpy(&sim->free_rings[log2], ring, sizeof sim->free_rings[log2]);
    } else {
        ring = page_pool_take(&sim->rings, sizeof *ring << log2);
        sim->ring_bytes += sizeof *ring << log2;
    }
    for (uint32_t i = 0; i < count; i++) ring[i] = *in_link_at(in, in->head + i);
    if (in->room > 0) {
        void **free_rings = &sim->free_rings[__builtin_ctz(in->room)];
        memcpy(in->ring, free_rings, sizeof *free_rings);
        *free_rings = in->ring;
    }
    in->ring = ring, in->room = 1u << log2;
    in->head = 0, in->tail = count;
}

int64_t sim_serve(struct sim *sim, uint32_t link, const struct chunk *chunk) { return serve(sim, link, chunk, sim->now, sim->link_woke); }

// ---- runs: many chunks of one message on one first link

void sim_select(const struct sim *sim, struct chunk_run *run) {
    const struct message *m = &sim->messages[run->message];
    run->like.selector = sim->router.selector(sim->router.state, m->source, m->destination, m->number, run->next_chunk) & 0xfffff;
    run->like.out = next_out(sim, &sim->links[run->link], &run->like);
}

uint32_t sim_new_run(struct sim *sim) {
    uint32_t index = sim->free_run;
    if (index == UINT32_MAX) {
        ARRAY_RESERVE(sim->runs, sim->run_capacity, sim->run_count + 1);
        return (uint32_t)sim->run_count++;
    }
    sim->free_run = sim->runs[index].next_free;
    return index;
}

void sim_free_run(struct sim *sim, uint32_t run) {
    sim->runs[run].next_free = sim->free_run;
    sim->free_run = run;
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

void sim_reserve(struct sim *sim, uint32_t link, uint32_t size_class, const struct waiting_run *run) {
    meet_size(sim, link, size_class);
    queue_join_many(sim, link, run, sim->now);
    sim->links[link].free_at = run->start + run->service_ticks * (int64_t)run->chunks;
    sim_add_count(&sim->counts[link], &(struct link_count){run->service_ticks, (uint64_t)run->chunk_bytes, 1}, run->chunks);
    sim->totals.chunk_hops += run->chunks;
}

/// Reserves the service of chunks first, first + stride, … (`count` of them) of a message on `link`.
static void serve_run(struct sim *sim, const struct injected *injection) {
    uint32_t link = injection->link, message = injection->message, stride = injection->stride;
    uint64_t first = injection->first, count = injection->count;
    struct link_state *state = &sim->links[link];
    const struct message *m = &sim->messages[message];
    const struct rate_class *rate = &sim->classes[state->rate_class];
    int64_t full_bytes = sim->config.chunk_bytes, last_bytes = sim_chunk_bytes(sim, m->bytes, first + (count - 1) * stride);
    int64_t full = sim_service_of(sim, rate, full_bytes), last = sim_service_of(sim, rate, last_bytes);
    int64_t start = sim->now > state->free_at ? sim->now : state->free_at;
    __int128 end = (__int128)start + (__int128)full * (__int128)(count - 1) + last;
    if (end + rate->latency_ticks >= INT64_MAX) {
        sim_overflow(sim, link, message, sim->now);
        return;
    }
    const struct chunk like = sim_make_chunk(sim, message, first);
    const uint32_t last_class = sim_size_class(sim, last_bytes);
    sim_reserve(sim, link, like.size_class, &(struct waiting_run){start, full, full_bytes, count - 1});
    sim_reserve(sim, link, last_class, &(struct waiting_run){(int64_t)end - last, last, last_bytes, 1});

    uint32_t index = sim_new_run(sim);
    struct chunk_run *run = &sim->runs[index];
    *run = (struct chunk_run){
        .start = start,
        .next_chunk = first,
        .chunks_left = count,
        .message = message,
        .link = link,
        .stride = stride,
        .full_ticks = full,
        .last_ticks = last,
        .like = like,
        .last_class = last_class,
        .selectors_differ = sim->router.selector && !sim_is_reduced(m) && stride % sim->router.period != 0,
        .ends = state->to == m->destination,
    };
    run->like.out = next_out(sim, state, &run->like);
    if (sim->observer.service) observe_run(sim, *run, full, last);

    if (!run->ends && solo_begin(sim, index)) return;
    struct chunk entry = {.message = index, .out = RUN_OF_CHUNKS};
    entry.join = run->ends ? (int64_t)end + rate->latency_ticks : run_next_join(sim, run, rate->latency_ticks);
    append(sim, link, &entry, sim->link_woke);
}

/// With round-robin the next chunk of a message is due on its first link when this one has left its own.
static void continue_message(struct sim *sim, uint32_t message, uint64_t next, int64_t at) {
    if (next >= sim_chunk_count(sim, sim->messages[message].bytes)) return;
    // at one instant the continuations of an endpoint go by message number
    uint64_t order = (uint64_t)sim->messages[message].source << 32 | sim->messages[message].number;
    heap_push(&sim->continuations, (struct heap_entry){at, order, next << 32 | message});
}

void sim_serve_injected(struct sim *sim, const struct injected *injected) {
    if (injected->waits) {
        sim_serve_waiting(sim, injected);
        return;
    }
    if (injected->count > 1) {
        serve_run(sim, injected);
        return;
    }
    int64_t left_at = sim_serve(sim, injected->link, &injected->chunk);
    if (sim->config.injection == INJECT_ROUND_ROBIN) continue_message(sim, injected->message, injected->first + 1, left_at);
}

/// What comes of a run at this instant: returns whether it has ended.
static bool take_run(struct sim *sim, uint32_t link, struct chunk *entry, const struct take_calls *calls) {
    struct chunk_run *run = &sim->runs[entry->message];
    if (run->ends) {
        calls->arrived(calls->context, link, run->message, run->chunks_left);
        run->chunks_left = 0;
    } else {
        int64_t latency = sim->classes[sim->links[link].rate_class].latency_ticks;
        struct chunk chunk;
        run_take(sim, run, latency, &chunk);
        calls->joined(calls->context, link, &chunk);
        if (run->chunks_left > 0) entry->join = run_next_join(sim, run, latency);
    }
    if (run->chunks_left > 0) return false;
    sim_free_run(sim, entry->message);
    return true;
}

void sim_take(struct sim *sim, uint32_t link, const struct take_calls *calls) {
    struct in_link *in = sim_in_link(sim, link);
    while (in->first.join == sim->now) {
        struct chunk *chunk = in_link_oldest(in);
        if (chunk->out == RUN_OF_CHUNKS) {
            if (!take_run(sim, link, chunk, calls)) {
                in->first.join = chunk->join;
                continue;
            }
        } else if (chunk->out == DELIVERED) {
            calls->arrived(calls->context, link, chunk->message, 1);
        } else {
            calls->joined(calls->context, link, chunk);
        }
        in_link_drop(in);
    }
}
