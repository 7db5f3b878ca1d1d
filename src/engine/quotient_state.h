#ifndef ENGINE_QUOTIENT_STATE_H
#define ENGINE_QUOTIENT_STATE_H

#include "engine/inject.h"
#include "engine/quotient.h"
#include "engine/service.h"

/// What the files of the engine of a folded network share: quotient_engine.c (windows, the hops of a chunk that joins alone),
/// quotient_instant.c (all that may happen at one instant, and what a hop needs for the first time).

enum { AHEAD = 8 };

/// A chunk on its way over a link, or one that joins a link now.
struct passing {
    int64_t join; ///< its next link, or when it is delivered
    int64_t tail;
    uint32_t message, destination; ///< as seen from the representative of the far end; DELIVERED: it is there
    uint32_t kind;                 ///< selector, and its size class from bit KIND_SIZE on
    uint32_t hops;
};
enum { KIND_SIZE = 20 };

struct joining {
    struct passing chunk;
    uint32_t link, tie;
};

struct joins {
    struct joining *items;
    size_t count, capacity;
};

/// A folded link: what has left it and not joined yet, and what goes to its link_state in the end.
struct fifo {
    struct passing *ring;
    uint32_t head, tail, room; ///< room: a power of 2, or 0
    uint32_t target;           ///< representative at the far end
    uint32_t position;         ///< among all in-links
    uint32_t last_class;       ///< of the last chunk; NO_CLASS: it has none to be recognised by
    int64_t latency_ticks;
    int64_t free_at;
    int64_t last_bytes, last_ticks; ///< of the last chunk: size and service
    int64_t last_start;             ///< service of such a chunk that begins later would end after the end of time
    int64_t waits_until;            ///< end of service of the last chunk that waited, if it was such a one; else -1
    uint64_t alike;                 ///< chunks like the last that are not in the next three yet
    uint64_t bytes, chunks;
    int64_t busy_ticks;
    uint32_t rate_class, in_port, out_port;
};
#define NO_CLASS (UNCACHED_SIZE + 1)

/// A hop that was asked for before; link 0 stands for none, so numbers are one more.
struct kept_hop {
    uint32_t link, destination;
};

struct arrival {
    uint32_t message, hops;
};

struct engine {
    struct sim *sim;
    const struct quotient *quotient;
    struct fifo *fifos;     ///< per folded link
    uint32_t *first_in;     ///< per representative + 1: positions of its in-links, sorted by port
    uint32_t *in_links;     ///< per position
    int64_t *next;          ///< per position: when the head joins
    int64_t *node_next;     ///< per representative: the first of these
    struct kept_hop **kept; ///< per representative: by destination; NULL: not asked yet
    uint32_t **kept_ports;  ///< fixed switches: hop.out_port likewise
    bool keeps, store_and_forward, ports_move;
    int64_t window;
    struct joins joins; ///< of this instant
    struct arrival *arrivals;
    size_t arrival_count, arrival_capacity;
    struct joining *sort_space;
    size_t sort_capacity;
};

// ---- any instant

/// Takes all that joins at a node at `now`, port by port.
void quotient_collect(struct engine *engine, uint32_t node, int64_t now);
/// What has arrived is delivered. Timers that are due go before the first delivery, and before the next.
void quotient_settle(struct engine *engine);
/// Links serve what has joined, by tie, then what was posted.
void quotient_serve_all(struct engine *engine);

// ---- hops

/// Asks for the first time, or every time where hops are not kept.
struct hop quotient_find_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector);

static inline struct hop ask_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector) {
    const struct kept_hop *kept = engine->kept[node] ? &engine->kept[node][destination] : NULL;
    if (!kept || kept->link == 0) return quotient_find_hop(engine, node, destination, selector);
    return (struct hop){kept->link - 1, kept->destination, engine->kept_ports[node] ? engine->kept_ports[node][destination] : 0};
}

/// What a chunk will ask for when it comes to be taken.
static inline void prefetch_hop(const struct engine *engine, uint32_t node, const struct passing *chunk) {
    if (chunk->destination == DELIVERED)
        __builtin_prefetch(&engine->sim->messages[chunk->message]);
    else if (engine->kept[node])
        __builtin_prefetch(&engine->kept[node][chunk->destination]);
}

/// The tie rule (model.md, "Links"), for the ports of the whole network.
static inline uint32_t tie_of(const struct engine *engine, const struct fifo *in_link, uint32_t node, const struct hop *hop) {
    const struct graph *graph = engine->sim->graph;
    const struct quotient_node *place = &engine->quotient->nodes[node];
    uint32_t in = in_link->in_port, out = place->fixed ? hop->out_port : engine->fifos[hop->link].out_port;
    if (place->node < graph->endpoints) return endpoint_tie(in, out);
    return switch_tie(in, out, graph->switch_ports[place->node - graph->endpoints]);
}

static inline uint32_t selector_of(const struct passing *chunk) { return chunk->kind & ((1u << KIND_SIZE) - 1); }

// ---- links serve

void quotient_grow(struct sim *sim, struct fifo *fifo);
void quotient_count(struct fifo *fifo);                                                            ///< what `alike` stands for
void quotient_size_up(struct engine *engine, struct fifo *fifo, uint32_t class, uint32_t message); ///< a chunk unlike the last
void quotient_overflow(struct sim *sim);

/// A chunk waits until `start`. Most prolong the run of the one before without a new peak; else the long way.
static inline void chunk_waits(struct fifo *fifo, struct queue_peak *peak, int64_t start, int64_t now) {
    int64_t bytes = fifo->last_bytes, ticks = fifo->last_ticks;
    if (start == fifo->waits_until && peak->queued_bytes + bytes <= peak->peak_bytes) {
        peak->last.chunks++;
        peak->queued_bytes += bytes;
    } else {
        queue_peak_wait(peak, &(struct waiting_run){start, ticks, bytes, 1}, now);
    }
    fifo->waits_until = start + ticks;
}

/// A chunk joins a link now, its destination as seen from the far end's representative.
static inline void serve_chunk(struct engine *engine, uint32_t link, const struct passing *chunk, int64_t now) {
    struct sim *sim = engine->sim;
    struct fifo *fifo = &engine->fifos[link];
    if (chunk->kind >> KIND_SIZE != fifo->last_class) quotient_size_up(engine, fifo, chunk->kind >> KIND_SIZE, chunk->message);
    int64_t ticks = fifo->last_ticks, first, start = service_start(now, chunk->tail, ticks, fifo->free_at, &first);
    if (start > fifo->last_start) {
        quotient_overflow(sim);
        return;
    }
    int64_t end = start + ticks, tail = end + fifo->latency_ticks;
    fifo->free_at = end;
    fifo->alike++;
    sim->totals.chunk_hops++;
    if (start > now && fifo->last_bytes > 0) chunk_waits(fifo, &sim->queues[link], start, now);
    bool whole = engine->store_and_forward || chunk->destination == DELIVERED;
    int64_t join = whole ? tail : first + fifo->latency_ticks;
    uint32_t waiting = fifo->tail - fifo->head;
    if (waiting == 0) {
        engine->next[fifo->position] = join;
        if (join < engine->node_next[fifo->target]) engine->node_next[fifo->target] = join;
    }
    if (waiting == fifo->room) quotient_grow(sim, fifo);
    uint32_t mask = fifo->room - 1;
    __builtin_prefetch(&fifo->ring[(fifo->tail + AHEAD) & mask], 1);
    struct passing *sent = &fifo->ring[fifo->tail++ & mask];
    sent->join = join, sent->tail = tail;
    sent->message = chunk->message, sent->destination = chunk->destination;
    sent->kind = chunk->kind, sent->hops = chunk->hops + 1;
}

#endif
