#ifndef ENGINE_QUOTIENT_STATE_H
#define ENGINE_QUOTIENT_STATE_H

#include "engine/inject.h"
#include "engine/quotient.h"
#include "engine/service.h"

/// What the files of the engine of a folded network share: quotient_engine.c (windows of time), quotient_window.c (what comes in
/// at a node within one), quotient_settle.c (deliveries, and what is posted because of them; together: quotient_lists.c), quotient_hops.c
/// (where chunks go), quotient_serve.c (links serve what joins them), quotient_link.c (one link's rings and sizes), quotient_stream.c and
/// quotient_stretch.c (one link after the other, a longer way at once).

/// A chunk on its way over a link, or one that joins a link. At so many nodes as `straight` tells it goes on by the link that `follows`
/// the one it has come by, and nobody need ask where to.
struct passing {
    uint32_t message;
    uint32_t destination; ///< as seen from the representative of the far end, the last of these; DELIVERED: it is there
    uint32_t kind;        ///< `straight`, or where hops are not kept the selector, and its size class from bit KIND_SIZE on
    uint32_t hops;        ///< up to there
};
enum { KIND_SIZE = 20 };

/// When chunks that follow each other on a link come to its end. A busy link sends them evenly spaced, so most have their times in
/// common. One that has come to its destination is delivered with its tail, another joins its next link with its head.
struct flight {
    int64_t head;    ///< of the first; in store and forward its tail
    int64_t spacing; ///< from each to the next
    int64_t lag;     ///< from a chunk's head to its tail
    uint32_t count;
};

/// What joins a link within a window, or is delivered at a node.
struct joins {
    struct joining *chunks; ///< as they came
    struct join_key *order; ///< after one that is never after another
    uint32_t first;         ///< those before it have been served
    uint32_t count, room;
    uint32_t out_port; ///< of the link
    bool unsorted;     ///< `order` is still to be sorted
    bool listed;       ///< among engine.joined
};

struct joining {
    struct passing chunk; ///< its destination as seen from beyond the link
    int64_t tail;         ///< when its last byte is there
};

/// By time, then tie, then as they came.
struct join_key {
    int64_t time;
    uint32_t tie;
    uint32_t chunk; ///< which
};
#define TIE_POSTED UINT32_MAX ///< after all others of its instant

/// A folded link: what has left it and not joined yet, and what goes to its link_state in the end.
struct fifo {
    struct passing *ring;
    struct flight *flights;                          ///< of all in the ring
    uint32_t head, tail, room;                       ///< room: a power of 2, or 0
    uint32_t first_flight, last_flight, flight_room; ///< likewise
    uint32_t target;                                 ///< representative at the far end
    uint32_t follows;                                ///< the link by which chunks go straight on there, with this tie; NO_LINK: none do
    uint32_t follows_tie;
    uint32_t followed;   ///< the link that this one follows, or NO_LINK
    uint32_t position;   ///< among all in-links
    uint32_t last_class; ///< of the last chunk; NO_CLASS: it has none to be recognised by
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
    uint32_t link : 20, straight : 12;
    uint32_t destination; ///< after these
};
enum { MOST_LINKS_KEPT = (1 << 20) - 2, MOST_STRAIGHT = (1 << 12) - 1 };

/// Which links can be done with one after the other (quotient_stream.c).
enum { MOST_STREAMS = 64 };
struct streams {
    bool possible;                 ///< there are so few links
    bool changed, in_order;        ///< since `order` was looked for; there is one
    uint64_t feeds[MOST_STREAMS];  ///< per link: bit l: some go on by link l, but not straight
    uint64_t follow[MOST_STREAMS]; ///< per link: bit l: it follows link l, or is followed by it, or both by others between them
    uint32_t order[MOST_STREAMS];  ///< those of `follow` together, as one follows the other, after all that feed them
    int64_t done[MOST_STREAMS];    ///< per link: it has served all that joins it before
    uint64_t quiet_until;          ///< nothing is posted before so many messages have been delivered
    uint64_t ask_at;               ///< and the client is not asked before so many
    bool running;
};

struct engine {
    struct sim *sim;
    const struct quotient *quotient;
    struct fifo *fifos;  ///< per folded link
    struct joins *joins; ///< per folded link: of this window
    uint32_t *joined;    ///< the links that have had some
    uint32_t joined_count;
    struct joins arrivals;  ///< of this window
    uint32_t *first_in;     ///< per representative + 1: positions of its in-links, sorted by port
    uint32_t *in_links;     ///< per position
    int64_t *next;          ///< per position: when the head joins
    int64_t *node_next;     ///< per representative: the first of these
    struct kept_hop **kept; ///< per representative: by destination; NULL: not asked yet
    uint32_t **kept_ports;  ///< fixed switches: hop.out_port likewise
    bool keeps, store_and_forward, ports_move;
    uint32_t straight_bits; ///< of passing.kind
    int64_t window, latest; ///< shortest latency; no tail of what comes in within this window is later
    struct join_key *sort_space;
    size_t sort_capacity;
    struct asked_hop *asked; ///< scratch of quotient_hops.c
    size_t asked_capacity;
    struct streams streams;
    struct listed **lists; ///< quotient_lists.h; NULL: a free number
    uint32_t list_count;
    size_t list_capacity;
};

static inline uint32_t straight_of(const struct engine *engine, const struct passing *chunk) { return chunk->kind & engine->straight_bits; }

static inline bool is_there(const struct engine *engine, const struct passing *chunk) {
    return chunk->destination == DELIVERED && straight_of(engine, chunk) == 0;
}

/// When the first in it joins its next link or is delivered; INT64_MAX: there is none.
static inline int64_t fifo_next(const struct engine *engine, const struct fifo *fifo) {
    if (fifo->head == fifo->tail) return INT64_MAX;
    const struct flight *flight = &fifo->flights[fifo->first_flight & (fifo->flight_room - 1)];
    return flight->head + (is_there(engine, &fifo->ring[fifo->head & (fifo->room - 1)]) ? flight->lag : 0);
}

// ---- a window

/// Takes all that joins or is delivered at a node before `end`, for which its links' FIFOs are empty beyond.
void quotient_collect(struct engine *engine, uint32_t node, int64_t end);
/// What has arrived is delivered, and what is posted because of it joins its links.
void quotient_settle(struct engine *engine);
/// The same at an instant at which timers may be due, which go before the first delivery, and before the next.
void quotient_settle_at(struct engine *engine, int64_t now);

/// A chunk that does not go straight on, at the end of the link it came by: it joins another, or has arrived.
void quotient_take(struct engine *engine, const struct fifo *fifo, const struct passing *chunk, int64_t head, int64_t tail);

void quotient_start_streams(struct engine *engine);
/// Goes a longer way at once, if it may; false: it may not.
bool quotient_stream(struct engine *engine, int64_t begin);
/// A link serves what joins it before `end`: of the link that it follows it takes away all that has come by then.
void quotient_serve_stream(struct engine *engine, uint32_t link, int64_t end);
/// The same for what comes to the end of a link that none follows.
void quotient_end_stream(struct engine *engine, uint32_t link, int64_t end);

// ---- where chunks go

/// As quotient_hop, and how far it goes straight on from there.
struct long_hop {
    struct hop hop; ///< its destination as in `passing`
    uint32_t straight;
};
struct long_hop quotient_find_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t selector);

static inline struct long_hop ask_hop(struct engine *engine, uint32_t node, uint32_t destination, uint32_t kind) {
    const struct kept_hop *kept = engine->kept[node] ? &engine->kept[node][destination] : NULL;
    if (!kept || kept->link == 0) return quotient_find_hop(engine, node, destination, kind & ((1u << KIND_SIZE) - 1));
    uint32_t out_port = engine->kept_ports[node] ? engine->kept_ports[node][destination] : 0;
    return (struct long_hop){{kept->link - 1, kept->destination, out_port}, kept->straight};
}

// ---- links serve

void quotient_serve(struct engine *engine, uint32_t link); ///< what has joined this one, which is no more in its `joins` then
void quotient_serve_all(struct engine *engine);
void quotient_count(struct fifo *fifo); ///< what `alike` stands for
void quotient_sort(struct engine *engine, struct joins *joins);

void quotient_more_room(struct joins *joins);

enum { INSERTION_MOST = 48 };

static inline bool goes_before(const struct join_key *a, const struct join_key *b) {
    return a->time < b->time || (a->time == b->time && a->tie < b->tie);
}

/// Few are kept in order as they are added: what comes from one in-link is, and there are few of these. Before the first stands a
/// key that is never after another.
static inline struct joining *add_join(struct joins *joins, int64_t time, uint32_t tie) {
    uint32_t at = joins->count;
    if (at == joins->room) quotient_more_room(joins);
    joins->count = at + 1;
    const struct join_key key = {time, tie, at};
    struct join_key *place = &joins->order[at];
    if (goes_before(&key, place - 1)) {
        if (at > INSERTION_MOST)
            joins->unsorted = true;
        else
            for (; goes_before(&key, place - 1); place--) *place = place[-1];
    }
    *place = key;
    return &joins->chunks[at];
}

static inline struct joins *joins_of(struct engine *engine, uint32_t link) {
    struct joins *joins = &engine->joins[link];
    if (joins->count == 0 && !joins->listed) {
        joins->listed = true;
        engine->joined[engine->joined_count++] = link;
    }
    return joins;
}

#endif
