#include "engine/solo.h"

#include <stdlib.h>
#include <string.h>

#include "engine/passage.h"
#include "engine/service.h"
#include "engine/shard.h"

/// Fewest chunks for which it pays.
enum { FEWEST_CHUNKS = 4 };

/// Trying costs time where messages meet all the time: after more failures than successes it rests.
enum { MOST_CREDIT = 32, RENEWED_CREDIT = 4, FAILURE_COSTS = 2, SHORTEST_REST = 64, LONGEST_REST = 1 << 16 };

/// A link after the first of a solo message, and what it was like before. A link may be promised to several, one after the
/// other: each is free of those below when its own first chunk joins.
struct stop {
    struct passage passage;
    uint32_t link, node, solo;
    bool promised; ///< on the link's stack; else all has passed, and others may have used the link since
    struct stop *below, *above;
    int64_t free_before, peak_before;
    int64_t done;    ///< while it is put back: the time up to which it is in the past,
    uint64_t joined; ///< and how many chunks have joined by then
};

struct solo {
    struct stop *stops;
    size_t stop_count, stop_capacity;
    struct coming arriving; ///< at the destination
    uint32_t run, first_link;
    uint32_t next_free;
    bool live;
};

struct solos {
    struct solo *items;
    size_t count, capacity;
    uint32_t free;
    struct stop **top; ///< per link: the last that it is promised to
    int64_t (*done_until)(const struct sim *sim, uint32_t node, bool deliveries);
    int32_t credit;
    uint32_t rest, resting; ///< how long it would rest next; for how many messages more it does
};

void solos_start(struct sim *sim, int64_t (*done_until)(const struct sim *sim, uint32_t node, bool deliveries)) {
    sim->solos = allocate_zeroed(1, sizeof *sim->solos);
    *sim->solos = (struct solos){.free = UINT32_MAX, .done_until = done_until, .credit = MOST_CREDIT, .rest = SHORTEST_REST};
    sim->solos->top = allocate_zeroed(sim->graph->link_count, sizeof(struct stop *));
}

static uint32_t take_slot(struct solos *solos) {
    uint32_t index = solos->free;
    if (index == UINT32_MAX) {
        ARRAY_RESERVE(solos->items, solos->capacity, solos->count + 1);
        index = (uint32_t)solos->count++;
        solos->items[index] = (struct solo){0};
    } else {
        solos->free = solos->items[index].next_free;
    }
    solos->items[index].stop_count = 0;
    return index;
}

static void give_slot(struct solos *solos, uint32_t index) {
    solos->items[index].live = false;
    solos->items[index].next_free = solos->free;
    solos->free = index;
}

// ---- whether it pays to try

static void succeeded(struct solos *solos) {
    if (solos->credit < MOST_CREDIT) solos->credit++;
    if (solos->credit == MOST_CREDIT) solos->rest = SHORTEST_REST;
}

static void failed(struct solos *solos) {
    solos->credit -= FAILURE_COSTS;
    if (solos->credit > 0) return;
    solos->credit = RENEWED_CREDIT;
    solos->resting = solos->rest;
    if (solos->rest < LONGEST_REST) solos->rest *= 2;
}

static bool rests(struct solos *solos) {
    if (solos->resting == 0) return false;
    solos->resting--;
    return true;
}

// ---- the stack of a link

static void promise(struct sim *sim, struct stop *stop) {
    struct stop **top = &sim->solos->top[stop->link];
    stop->below = *top, stop->above = NULL, stop->promised = true;
    if (*top) (*top)->above = stop;
    *top = stop;
    sim->links[stop->link].solo = true;
}

static void unlink_stop(struct sim *sim, struct stop *stop) {
    if (!stop->promised) return;
    struct stop **top = &sim->solos->top[stop->link];
    if (stop->below) stop->below->above = stop->above;
    if (stop->above)
        stop->above->below = stop->below;
    else
        *top = stop->below;
    stop->promised = false;
    sim->links[stop->link].solo = *top != NULL;
}

// ---- a message begins

static int64_t latency_of(const struct sim *sim, uint32_t link) { return sim->classes[sim->links[link].rate_class].latency_ticks; }

static int64_t service_on(const struct sim *sim, uint32_t link, const struct message *m, uint64_t chunk) {
    return sim_service_of(sim, &sim->classes[sim->links[link].rate_class], sim_chunk_bytes(sim, m->bytes, chunk));
}

static struct chunk_sizes sizes_of(const struct sim *sim, uint32_t message, uint64_t chunks) {
    return (struct chunk_sizes){sim->config.chunk_bytes, sim_chunk_bytes(sim, sim->messages[message].bytes, chunks - 1)};
}

/// The chunks of a run at the far end of its first link.
static struct coming beyond_first(const struct sim *sim, const struct chunk_run *run) {
    bool tails = sim->config.switching == STORE_AND_FORWARD;
    int64_t latency = latency_of(sim, run->link), last = run->start + (int64_t)(run->chunks_left - 1) * run->full_ticks;
    struct coming out = {
        .tail = run->start + run->full_ticks + latency, .period = run->full_ticks, .last_tail = last + run->last_ticks + latency};
    out.join = tails ? out.tail : run->start + latency;
    out.last_join = tails ? out.last_tail : last + latency;
    return out;
}

/// Finds how the message passes all its links; false: one is not free or another shard's, or the clock overflows.
static bool find_way(struct sim *sim, const struct chunk_run *run, struct solo *solo) {
    const struct message *m = &sim->messages[run->message];
    struct coming coming = beyond_first(sim, run);
    if (sim->shard && shard_elsewhere(sim->shard, m->destination)) return false;
    for (uint32_t node = sim->links[run->link].to; node != m->destination;) {
        if (sim->shard && shard_elsewhere(sim->shard, node)) return false;
        uint32_t link = sim->router.next_link(sim->router.state, node, m->destination, run->like.selector);
        const struct link_state *state = &sim->links[link];
        if (state->free_at > coming.join) return false;
        ARRAY_RESERVE(solo->stops, solo->stop_capacity, solo->stop_count + 1);
        struct stop *stop = &solo->stops[solo->stop_count++];
        *stop = (struct stop){.link = link, .node = node, .passage = {.in = coming, .chunks = run->chunks_left}};
        int64_t latency = latency_of(sim, link), service = service_on(sim, link, m, 0);
        if (!passage_find(&stop->passage, service, service_on(sim, link, m, run->chunks_left - 1), latency)) return false;
        node = state->to;
        coming = passage_out(&stop->passage, latency, sim->config.switching == STORE_AND_FORWARD || node == m->destination);
    }
    solo->arriving = coming;
    return true;
}

/// Counts on a link all that passes.
static void count_passage(struct sim *sim, struct stop *stop, const struct message *m, struct chunk_sizes sizes) {
    struct link_state *state = &sim->links[stop->link];
    const struct passage *passage = &stop->passage;
    struct queue_peak *queue = queue_uneven(sim, stop->link);
    int64_t peak = passage_peak(passage, sizes, passage->chunks);
    stop->free_before = state->free_at, stop->peak_before = queue->peak_bytes;
    state->free_at = passage->last_end;
    const int64_t busy = passage->service * (int64_t)(passage->chunks - 1) + passage->last_service;
    sim_add_count(&sim->counts[stop->link], &(struct link_count){busy, (uint64_t)m->bytes, passage->chunks}, 1);
    sim->totals.chunk_hops += passage->chunks;
    if (peak > queue->peak_bytes) queue->peak_bytes = peak;
}

static bool begin(struct sim *sim, uint32_t index) {
    struct chunk_run *run = &sim->runs[index];
    struct solos *solos = sim->solos;
    if (rests(solos)) return false;
    uint32_t slot = take_slot(solos);
    struct solo *solo = &solos->items[slot];
    if (!find_way(sim, run, solo)) {
        give_slot(solos, slot);
        return false;
    }
    solo->run = index, solo->first_link = run->link, solo->live = true;
    struct chunk_sizes sizes = sizes_of(sim, run->message, run->chunks_left);
    for (size_t i = 0; i < solo->stop_count; i++) {
        struct stop *stop = &solo->stops[i];
        stop->solo = slot;
        count_passage(sim, stop, &sim->messages[run->message], sizes);
        promise(sim, stop);
    }
    run->solo = slot + 1, run->ends = true;
    run->link = solo->stops[solo->stop_count - 1].link;
    const struct chunk entry = {.join = solo->arriving.last_tail, .message = index, .out = RUN_OF_CHUNKS};
    append(sim, run->link, &entry, sim->link_woke);
    return true;
}

bool solo_begin(struct sim *sim, uint32_t index) {
    struct chunk_run *run = &sim->runs[index];
    const struct message *m = &sim->messages[run->message];
    if (!sim->solos || run->chunks_left < FEWEST_CHUNKS || sim->observer.service) return false;
    if (sim_is_reduced(m) || run->selectors_differ || run->chunks_left != m->chunks_left) return false;
    // one that waits finds other links in other hands when its turn has come
    if (run->start == sim->now && begin(sim, index)) return true;
    run->may_be_solo = true;
    return false;
}

bool solo_begin_late(struct sim *sim, uint32_t index) {
    sim->runs[index].may_be_solo = false;
    return begin(sim, index);
}

void solo_end(struct sim *sim, uint32_t index) {
    struct chunk_run *run = &sim->runs[index];
    struct solo *solo = &sim->solos->items[run->solo - 1];
    sim->solo_saving.messages++;
    sim->solo_saving.chunk_hops += solo->stops[0].passage.chunks * (solo->stop_count + 1);
    for (size_t i = 0; i < solo->stop_count; i++) unlink_stop(sim, &solo->stops[i]);
    give_slot(sim->solos, run->solo - 1);
    run->solo = 0;
    succeeded(sim->solos);
}

// ---- its chunks are put back

/// Moves the chunk that a FIFO holds in place to the ring, so that all are there.
static void leave_place(struct sim *sim, struct in_link *in) {
    if (!in->holds_first) return;
    reserve_ring(sim, in, 1);
    *in_link_at(in, --in->head) = in->first;
    in->holds_first = false;
}

/// Makes room for `count` entries in a link's FIFO, which go before or after those of the same time; returns where in the ring.
static uint32_t open_fifo(struct sim *sim, struct in_link *in, int64_t join, uint64_t count, bool before_equal) {
    leave_place(sim, in);
    reserve_ring(sim, in, count);
    uint32_t place = in->tail;
    for (; place != in->head; place--) {
        struct chunk *entry = in_link_at(in, place - 1);
        if (before_equal ? entry->join < join : entry->join <= join) break;
        *in_link_at(in, place - 1 + (uint32_t)count) = *entry;
    }
    in->tail += (uint32_t)count;
    return place;
}

/// The FIFO of a link has changed.
static void changed(struct sim *sim, uint32_t link, struct in_link *in) {
    in_link_renew(in);
    sim->link_woke(sim, link, in->first.join);
}

/// Chunks on their way to a node from a link: heads of one instant leave it in the order in which they came, and a tail comes
/// no later than any head after it.
static void put_chunks(struct sim *sim, uint32_t link, const struct chunk_run *run, const struct coming *coming, uint64_t from,
                       uint64_t end, uint64_t chunks, uint32_t out) {
    if (from == end) return;
    bool tails = out == DELIVERED || sim->config.switching == STORE_AND_FORWARD;
    struct in_link *in = sim_in_link(sim, link);
    uint32_t place = open_fifo(sim, in, coming_join(coming, chunks, from), end - from, tails);
    for (uint64_t i = from; i < end; i++, place++) {
        struct chunk chunk = run->like;
        chunk.join = coming_join(coming, chunks, i), chunk.tail = coming_tail(coming, chunks, i), chunk.out = out;
        if (i == chunks - 1) chunk.size_class = run->last_class & 0xfff;
        *in_link_at(in, place) = chunk;
    }
    changed(sim, link, in);
}

/// Takes the event of the message's end out of the FIFO of its last link.
static void take_back_end(struct sim *sim, uint32_t link, uint32_t run) {
    struct in_link *in = sim_in_link(sim, link);
    leave_place(sim, in);
    uint32_t place = in->tail - 1;
    while (in_link_at(in, place)->out != RUN_OF_CHUNKS || in_link_at(in, place)->message != run) place--;
    for (; place + 1 != in->tail; place++) *in_link_at(in, place) = *in_link_at(in, place + 1);
    in->tail--;
    changed(sim, link, in);
}

/// The link as it is after those chunks that have joined it.
static void uncount_passage(struct sim *sim, const struct stop *stop, struct chunk_sizes sizes) {
    if (!stop->promised) return;
    struct link_state *state = &sim->links[stop->link];
    const struct passage *passage = &stop->passage;
    struct queue_peak *queue = queue_uneven(sim, stop->link);
    uint64_t left = passage->chunks - stop->joined;
    if (left > 0) {
        state->free_at = stop->joined > 0 ? passage_end(passage, stop->joined - 1) : stop->free_before;
        struct link_count *count = &sim->counts[stop->link];
        count->busy_ticks -= passage->service * (int64_t)(left - 1) + passage->last_service;
        count->bytes -= (uint64_t)sizes.full * (left - 1) + (uint64_t)sizes.last;
        count->chunks -= left;
        sim->totals.chunk_hops -= left;
        queue->peak_bytes = stop->peak_before;
    }
    if (stop->joined == 0) return;
    int64_t peak = passage_peak(passage, sizes, stop->joined);
    if (peak > queue->peak_bytes) queue->peak_bytes = peak;
    passage_wait(passage, sizes, stop->joined, stop->done - 1, queue);
}

/// The chunks that are not beyond the first link yet are a run again.
static void put_run(struct sim *sim, const struct solo *solo, uint64_t chunks) {
    struct chunk_run *run = &sim->runs[solo->run];
    uint64_t gone = solo->stops[0].joined;
    run->solo = 0;
    if (gone == chunks) {
        sim_free_run(sim, solo->run);
        return;
    }
    run->link = solo->first_link, run->ends = false;
    run->start += (int64_t)gone * run->full_ticks;
    run->next_chunk = gone, run->chunks_left = chunks - gone;
    int64_t join = coming_join(&solo->stops[0].passage.in, chunks, gone);
    struct in_link *in = sim_in_link(sim, run->link);
    uint32_t place = open_fifo(sim, in, join, 1, sim->config.switching == STORE_AND_FORWARD);
    *in_link_at(in, place) = (struct chunk){.join = join, .message = solo->run, .out = RUN_OF_CHUNKS};
    changed(sim, run->link, in);
}

static void put_back(struct sim *sim, uint32_t slot);

/// Finds how far the chunks have come. Messages to which a link was promised after this one cannot keep it, unless this one
/// is through.
static void find_joined(struct sim *sim, uint32_t slot, uint64_t chunks) {
    struct solos *solos = sim->solos;
    for (size_t i = 0; i < solos->items[slot].stop_count; i++) {
        struct stop *stop = &solos->items[slot].stops[i];
        stop->done = solos->done_until(sim, stop->node, false);
        stop->joined = stop->promised ? coming_before(&stop->passage.in, chunks, stop->done) : chunks;
        if (stop->joined == chunks) continue;
        while (solos->top[stop->link] != stop) put_back(sim, solos->top[stop->link]->solo);
    }
}

static void note_arrival(struct sim *sim, int64_t time) {
    if (time > sim->totals.end_ticks) sim->totals.end_ticks = time;
}

static void put_back(struct sim *sim, uint32_t slot) {
    struct solos *solos = sim->solos;
    struct solo *solo = &solos->items[slot];
    uint32_t message = sim->runs[solo->run].message;
    uint64_t chunks = solo->stops[0].passage.chunks;
    struct message *m = &sim->messages[message];
    struct chunk_sizes sizes = sizes_of(sim, message, chunks);
    find_joined(sim, slot, chunks);
    uint64_t arrived = coming_before(&solo->arriving, chunks, solos->done_until(sim, m->destination, true));
    m->chunks_left -= arrived;
    if (arrived > 0) note_arrival(sim, coming_tail(&solo->arriving, chunks, arrived - 1));
    take_back_end(sim, solo->stops[solo->stop_count - 1].link, solo->run);
    for (size_t i = 0; i < solo->stop_count; i++) {
        struct stop *stop = &solo->stops[i];
        bool last = i + 1 == solo->stop_count;
        const struct coming *next = last ? &solo->arriving : &stop[1].passage.in;
        uncount_passage(sim, stop, sizes);
        unlink_stop(sim, stop);
        put_chunks(sim, stop->link, &sim->runs[solo->run], next, last ? arrived : stop[1].joined, stop->joined, chunks,
                   last ? DELIVERED : stop[1].link);
    }
    put_run(sim, solo, chunks);
    give_slot(solos, slot);
}

bool solo_in_the_way(const struct sim *sim, uint32_t link, int64_t time) {
    const struct stop *top = sim->solos->top[link];
    return top && top->passage.last_end > time;
}

void solo_make_way(struct sim *sim, uint32_t link, int64_t time) {
    struct solos *solos = sim->solos;
    while (solo_in_the_way(sim, link, time)) {
        put_back(sim, solos->top[link]->solo);
        failed(solos);
    }
    while (solos->top[link]) unlink_stop(sim, solos->top[link]);
}

void solos_stop(struct sim *sim) {
    struct solos *solos = sim->solos;
    for (uint32_t i = (uint32_t)solos->count; i-- > 0;)
        if (solos->items[i].live) put_back(sim, i);
    for (size_t i = 0; i < solos->count; i++) free(solos->items[i].stops);
    free(solos->items);
    free(solos->top);
    free(solos);
    sim->solos = NULL;
}
