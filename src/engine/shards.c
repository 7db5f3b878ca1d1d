#include "engine/shards.h"

#include <stdlib.h>

#include "base/barrier.h"
#include "engine/message_pool.h"
#include "engine/partition.h"
#include "engine/service.h"
#include "engine/shard.h"
#include "engine/waiting.h"

/// The longest time that a shard goes alone, whatever the latencies, so that limits and interrupts come through.
#define LONGEST_ALONE (INT64_C(1) << 40)

/// What has crossed the links from one part to another between two meetings.
struct box {
    struct crossing {
        uint32_t link, count;
    } * crossings;
    struct chunk *chunks; ///< of all crossings; of a run `message` is its index here
    struct chunk_run *runs;
    size_t crossing_count, crossing_capacity, chunk_count, chunk_capacity, run_count, run_capacity;
};

/// What a shard tells the others at a meeting; a cache line each.
struct notice {
    _Alignas(64) int64_t next; ///< when something joins, here or of what it hands over
    uint64_t chunk_hops, memory;
    uint64_t served; ///< chunk-hops, but for those of messages that were one event
    bool stops;
};

/// Boxes and notices are written before a meeting and read after it, until the reader comes to the next: so there are two sets.
struct shards {
    uint32_t count;
    int64_t lookahead;
    uint64_t least_hops;
    bool gave_up; ///< told by shard 0
    struct partition partition;
    struct message_pool pool;
    struct barrier barrier;
    struct shard *shards;
    struct sim **sims;
    struct box *boxes[2]; ///< [from * count + to]
    struct notice *notices[2];
};

struct shards *shards_create(const struct graph *graph, uint32_t most, uint64_t least_hops) {
    struct shards *all = allocate_zeroed(1, sizeof *all);
    all->least_hops = least_hops;
    partition_make(graph, most < PARTS_MOST ? most : PARTS_MOST, &all->partition);
    uint32_t count = all->count = all->partition.parts;
    all->lookahead = all->partition.lookahead < LONGEST_ALONE ? all->partition.lookahead : LONGEST_ALONE;
    if (count < 2 || !message_pool_init(&all->pool)) {
        partition_free(&all->partition);
        free(all);
        return NULL;
    }
    barrier_init(&all->barrier, count);
    all->shards = allocate_zeroed(count, sizeof *all->shards);
    all->sims = allocate_zeroed(count, sizeof(struct sim *));
    for (int i = 0; i < 2; i++) {
        all->boxes[i] = allocate_zeroed((size_t)count * count, sizeof *all->boxes[i]);
        all->notices[i] = pages_allocate(count * sizeof *all->notices[i]);
    }
    return all;
}

void shards_free(struct shards *all) {
    if (!all) return;
    for (uint32_t i = 0; i < all->count; i++) {
        free(all->shards[i].crossed);
        free(all->shards[i].classes);
    }
    for (int parity = 0; parity < 2; parity++) {
        for (uint32_t i = 0; i < all->count * all->count; i++) {
            free(all->boxes[parity][i].crossings);
            free(all->boxes[parity][i].chunks);
            free(all->boxes[parity][i].runs);
        }
        free(all->boxes[parity]);
        pages_free(all->notices[parity]);
    }
    free(all->shards);
    free(all->sims);
    barrier_free(&all->barrier);
    message_pool_free(&all->pool);
    partition_free(&all->partition);
    free(all);
}

bool shards_gave_up(const struct shards *all) { return all->gave_up; }
uint32_t shards_count(const struct shards *all) { return all->count; }
uint32_t shards_of_node(const struct shards *all, uint32_t node) { return all->partition.part_of[node]; }

void shards_join(struct shards *all, uint32_t number, struct sim *sim) {
    struct shard *shard = &all->shards[number];
    shard->all = all;
    shard->part_of = all->partition.part_of;
    shard->number = number;
    shard->classes = allocate_zeroed((size_t)all->count * UNCACHED_SIZE, sizeof *shard->classes);
    all->sims[number] = sim;
    sim_share_messages(sim, shard, all->pool.messages);
    // a chunk whose size is in no table is the last of its message, here as where it comes from
}

// ---- messages

void shard_more_messages(struct sim *sim) {
    struct shard *shard = sim->shard;
    uint32_t first;
    shard->held += POOL_CHAIN;
    if (message_pool_take(&shard->all->pool, &first)) {
        sim->free_message = first;
    } else {
        sim->message_count = first;
        sim->message_capacity = (size_t)first + POOL_CHAIN;
        shard->new_bytes += POOL_CHAIN * sizeof *sim->messages;
    }
}

/// Gives back of a long list of free messages when others take some: as many, but for those of a time when all post.
static void give_messages(struct sim *sim) {
    enum { WANTED_MOST = 4 };
    struct shard *shard = sim->shard;
    struct message_pool *pool = &shard->all->pool;
    uint32_t takes = atomic_load_explicit(&pool->takes, memory_order_relaxed);
    shard->wanted += takes - shard->takes;
    if (shard->wanted > WANTED_MOST) shard->wanted = WANTED_MOST;
    shard->takes = takes;
    uint64_t listed = shard->held + sim->delivered + sim->unrecorded - sim->totals.messages - (sim->message_capacity - sim->message_count);
    for (; shard->wanted > 0 && listed >= 2 * POOL_CHAIN; shard->wanted--, listed -= POOL_CHAIN) {
        uint32_t first = sim->free_message, last = first;
        for (int i = 1; i < POOL_CHAIN; i++) last = sim->messages[last].next;
        sim->free_message = sim->messages[last].next;
        sim->messages[last].next = UINT32_MAX;
        shard->held -= POOL_CHAIN;
        message_pool_give(pool, first);
    }
}

// ---- what crosses

/// Moves a link's FIFO into the box of the part that it leads to.
static void pack_link(struct sim *sim, uint32_t link, struct box *box) {
    struct in_link *in = sim_in_link(sim, link);
    uint32_t count = in_link_count(in);
    ARRAY_RESERVE(box->crossings, box->crossing_capacity, box->crossing_count + 1);
    box->crossings[box->crossing_count++] = (struct crossing){link, count};
    ARRAY_RESERVE(box->chunks, box->chunk_capacity, box->chunk_count + count);
    for (; !in_link_is_empty(in); in_link_drop(in)) {
        struct chunk *chunk = &box->chunks[box->chunk_count++];
        *chunk = *in_link_oldest(in);
        if (chunk->out != RUN_OF_CHUNKS) continue;
        ARRAY_RESERVE(box->runs, box->run_capacity, box->run_count + 1);
        struct chunk_run *run = &sim->runs[chunk->message];
        box->runs[box->run_count] = *run;
        if (run->waiting) sim->waiting_bytes -= waiting_bytes(run->waiting);
        run->waiting = NULL;
        sim_free_run(sim, chunk->message);
        chunk->message = (uint32_t)box->run_count++;
    }
}

/// Returns when the first of all that crosses joins.
static int64_t pack(struct sim *sim, struct box *boxes) {
    struct shard *shard = sim->shard;
    struct box *mine = &boxes[shard->number * shard->all->count];
    for (uint32_t to = 0; to < shard->all->count; to++) mine[to].crossing_count = mine[to].chunk_count = mine[to].run_count = 0;
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < shard->crossed_count; i++) {
        uint32_t link = shard->crossed[i];
        int64_t join = sim_link_next(sim, link);
        if (join < next) next = join;
        pack_link(sim, link, &mine[shard->part_of[sim->links[link].to]]);
    }
    shard->crossed_count = 0;
    return next;
}

/// The class here of a size that has a class in another shard.
static uint32_t class_here(struct sim *sim, uint32_t from, uint32_t class) {
    if (class == UNCACHED_SIZE) return class;
    uint16_t *known = &sim->shard->classes[(size_t)from * UNCACHED_SIZE + class];
    if (*known == 0) *known = (uint16_t)(1 + sim_size_class(sim, sim->shard->all->sims[from]->size_bytes[class]));
    return *known - 1u;
}

static uint32_t adopt_run(struct sim *sim, uint32_t from, const struct chunk_run *run) {
    uint32_t index = sim_new_run(sim);
    sim->runs[index] = *run;
    sim->runs[index].like.size_class = class_here(sim, from, run->like.size_class) & 0xfff;
    sim->runs[index].last_class = class_here(sim, from, run->last_class);
    sim->runs[index].may_be_solo = false;
    if (run->waiting) sim->waiting_bytes += waiting_bytes(run->waiting);
    return index;
}

static void unpack_box(struct sim *sim, uint32_t from, const struct box *box) {
    const struct chunk *next = box->chunks;
    for (size_t i = 0; i < box->crossing_count; i++) {
        for (uint32_t k = 0; k < box->crossings[i].count; k++) {
            struct chunk chunk = *next++;
            if (chunk.out == RUN_OF_CHUNKS)
                chunk.message = adopt_run(sim, from, &box->runs[chunk.message]);
            else
                chunk.size_class = class_here(sim, from, chunk.size_class) & 0xfff;
            append(sim, box->crossings[i].link, &chunk, sim->link_woke);
        }
    }
}

// ---- meeting

static bool asks_progress(struct sim *sim) {
    const struct shard *shard = sim->shard;
    if (shard->number != 0 || shard->chunk_hops < sim->next_check || !sim->client.progress) return true;
    sim->next_check = shard->chunk_hops + CHECK_EVERY;
    return sim->client.progress(sim->client.context, sim->now, shard->chunk_hops);
}

/// Whether the windows after the first few held too little to be worth the meetings.
static bool gives_up(struct shard *shard, uint64_t served) {
    enum { FIRST = 8, LAST = FIRST + 64 };
    if (shard->meetings == FIRST) shard->first_hops = served;
    const struct shards *all = shard->all;
    return shard->meetings == LAST && served - shard->first_hops < all->least_hops * all->count * (LAST - FIRST);
}

/// As sim_check and the end of a run, for all shards: each comes to the same verdict.
static enum shard_verdict judge(struct sim *sim, const struct notice *notices, int64_t *end) {
    struct shard *shard = sim->shard;
    const struct sim_config *config = &sim->config;
    struct notice all = {.next = INT64_MAX};
    for (uint32_t i = 0; i < shard->all->count; i++) {
        if (notices[i].next < all.next) all.next = notices[i].next;
        all.chunk_hops += notices[i].chunk_hops;
        all.memory += notices[i].memory;
        all.served += notices[i].served;
        all.stops = all.stops || notices[i].stops;
    }
    shard->chunk_hops = all.chunk_hops;
    if (all.stops) return SHARD_STOP;
    if (gives_up(shard, all.served)) {
        if (shard->number == 0) shard->all->gave_up = true;
        return SHARD_STOP;
    }
    bool begun = shard->meetings > 1; // limits are looked at after a window
    if (begun && config->max_memory && all.memory > config->max_memory) return sim_over_memory(sim, all.memory), SHARD_STOP;
    if (begun && config->max_events && all.chunk_hops >= config->max_events) return sim_over_events(sim, all.chunk_hops), SHARD_STOP;
    if (all.next == INT64_MAX) return SHARD_DONE;
    if (config->until_ticks && all.next > config->until_ticks) {
        *end = config->until_ticks + 1;
        return error_set(sim->error, ERROR_LIMIT, "stopped at the time limit (--until)"), SHARD_STOP;
    }
    int64_t ahead = shard->all->lookahead;
    *end = all.next < INT64_MAX - ahead ? all.next + ahead : INT64_MAX;
    if (config->until_ticks && *end > config->until_ticks) *end = config->until_ticks + 1;
    return SHARD_GO_ON;
}

enum shard_verdict shard_meet(struct sim *sim, int64_t next, int64_t *end) {
    struct shard *shard = sim->shard;
    struct shards *all = shard->all;
    uint64_t parity = shard->meetings++ & 1;
    give_messages(sim);
    if (!asks_progress(sim)) sim->interrupted = true;
    int64_t crossing = pack(sim, all->boxes[parity]);
    all->notices[parity][shard->number] = (struct notice){
        .next = crossing < next ? crossing : next,
        .chunk_hops = sim->totals.chunk_hops,
        .served = sim->totals.chunk_hops - sim->solo_saving.chunk_hops,
        .memory = sim->ring_bytes + sim->waiting_bytes + sim->run_capacity * sizeof *sim->runs + shard->new_bytes -
                  (sim->message_capacity - sim->message_count) * sizeof *sim->messages,
        .stops = sim->overflowed || sim->interrupted,
    };
    barrier_wait(&all->barrier, &shard->patience);
    for (uint32_t from = 0; from < all->count; from++)
        if (from != shard->number) unpack_box(sim, from, &all->boxes[parity][from * all->count + shard->number]);
    return judge(sim, all->notices[parity], end);
}

// ---- after the runs

struct link_totals shards_link_totals(const struct shards *all, uint32_t link) {
    uint32_t node = all->sims[0]->graph->links[link].from;
    return sim_link_totals(all->sims[all->partition.part_of[node]], link);
}

struct sim_totals shards_totals(const struct shards *all) {
    struct sim_totals sum = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        struct sim_totals totals = sim_totals(all->sims[i]);
        sum.messages += totals.messages;
        sum.chunks += totals.chunks;
        sum.chunk_hops += totals.chunk_hops;
        sum.bytes_on_links += totals.bytes_on_links;
        if (totals.end_ticks > sum.end_ticks) sum.end_ticks = totals.end_ticks;
    }
    return sum;
}
