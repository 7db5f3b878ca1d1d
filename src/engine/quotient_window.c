// What comes in at nodes of a folded network within a window. Nothing that leaves a link inside a window comes in within the same.
#include "engine/quotient_lists.h"

/// The tie rule (model.md, "Links"), for the ports of the whole network.
static inline uint32_t tie_of(const struct engine *engine, const struct fifo *in_link, uint32_t node, const struct hop *hop) {
    const struct graph *graph = engine->sim->graph;
    const struct quotient_node *place = &engine->quotient->nodes[node];
    uint32_t in = in_link->in_port, out = place->fixed ? hop->out_port : engine->fifos[hop->link].out_port;
    if (place->node < graph->endpoints) return endpoint_tie(in, out);
    return switch_tie(in, out, graph->switch_ports[place->node - graph->endpoints]);
}

// ---- what comes in

static void refuse_passage(struct sim *sim) {
    sim->overflowed = true;
    sim->next_check = 0;
    error_set(sim->error, ERROR_SIMULATION, "a chunk passes through an endpoint whose ports do not move alike");
}

/// One that has to be asked where it goes on.
static void turn(struct engine *engine, const struct fifo *fifo, const struct passing *chunk, int64_t head, int64_t tail) {
    const uint32_t node = fifo->target;
    if (engine->ports_move && !engine->quotient->nodes[node].fixed) {
        refuse_passage(engine->sim);
        return;
    }
    const struct long_hop way = ask_hop(engine, node, chunk->destination, chunk->kind);
    struct joining *joining = add_join(joins_of(engine, way.hop.link), head, tie_of(engine, fifo, node, &way.hop));
    joining->chunk = (struct passing){chunk->message, way.hop.destination, chunk->kind | way.straight, chunk->hops + 1 + way.straight};
    joining->tail = tail;
}

static inline void arrive(struct engine *engine, const struct passing *chunk, int64_t now) {
    quotient_prefetch(engine, chunk->message);
    add_join(&engine->arrivals, now, 0)->chunk = *chunk;
}

void quotient_take(struct engine *engine, const struct fifo *fifo, const struct passing *chunk, int64_t head, int64_t tail) {
    if (chunk->destination == DELIVERED)
        arrive(engine, chunk, tail);
    else
        turn(engine, fifo, chunk, head, tail);
}

/// Takes chunks of a flight before `end`; returns how many.
static uint32_t take_flight(struct engine *engine, const struct fifo *fifo, const struct flight *flight, int64_t end) {
    const struct passing *const ring = fifo->ring;
    const uint32_t first = fifo->head, mask = fifo->room - 1, count = flight->count, bits = engine->straight_bits;
    const int64_t spacing = flight->spacing, lag = flight->lag;
    int64_t head = flight->head;
    uint32_t i = 0;
    for (; i < count && head < end; i++, head += spacing) {
        const struct passing *chunk = &ring[(first + i) & mask];
        if ((chunk->kind & bits) == 0) {
            if (chunk->destination == DELIVERED && head + lag >= end) return i;
            quotient_take(engine, fifo, chunk, head, head + lag);
            continue;
        }
        struct joining *joining = add_join(joins_of(engine, fifo->follows), head, fifo->follows_tie);
        joining->chunk = *chunk;
        joining->chunk.kind--;
        joining->tail = head + lag;
    }
    return i;
}

/// Takes what comes in before `end` by one link; returns when the next does.
static int64_t collect_from(struct engine *engine, struct fifo *fifo, int64_t end) {
    while (fifo->head != fifo->tail) {
        struct flight *flight = &fifo->flights[fifo->first_flight & (fifo->flight_room - 1)];
        uint32_t taken = take_flight(engine, fifo, flight, end);
        if (taken == 0) break;
        int64_t tail = flight->head + (taken - 1) * flight->spacing + flight->lag;
        if (tail > engine->latest) engine->latest = tail;
        flight->head += taken * flight->spacing;
        flight->count -= taken;
        fifo->head += taken;
        if (flight->count > 0) break;
        fifo->first_flight++;
    }
    return fifo_next(engine, fifo);
}

void quotient_collect(struct engine *engine, uint32_t node, int64_t end) {
    int64_t least = INT64_MAX;
    for (uint32_t p = engine->first_in[node]; p < engine->first_in[node + 1]; p++) {
        if (engine->next[p] < end) engine->next[p] = collect_from(engine, &engine->fifos[engine->in_links[p]], end);
        if (engine->next[p] < least) least = engine->next[p];
    }
    engine->node_next[node] = least;
}
