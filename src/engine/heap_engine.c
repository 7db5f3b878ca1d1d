// The plain engine: a heap of links, keyed by when the head of each link's FIFO joins. It goes from instant to instant;
// at each, timers and deliveries come first, then the links take what joined. The oracle for every faster engine.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/jump.h"

struct engine {
    struct sim *sim;
    struct heap links;
    struct join_list joins;
    struct join *merge_space;
    size_t merge_capacity;
    struct reduced_chunk *reduced;
    size_t reduced_count, reduced_capacity;
    struct delivery *deliveries;
    size_t delivery_count, delivery_capacity;
};

static void link_woke(struct sim *sim, uint32_t link, int64_t join) {
    struct engine *engine = sim->engine;
    heap_push(&engine->links, (struct heap_entry){join, link, link});
}

static void joined(void *context, uint32_t in_link, const struct chunk *chunk) {
    struct engine *engine = context;
    if (chunk->out == REDUCED) {
        ARRAY_RESERVE(engine->reduced, engine->reduced_capacity, engine->reduced_count + 1);
        engine->reduced[engine->reduced_count++] = (struct reduced_chunk){in_link, *chunk};
        return;
    }
    struct join_list *joins = &engine->joins;
    ARRAY_RESERVE(joins->items, joins->capacity, joins->count + 1);
    joins->items[joins->count++] = (struct join){chunk->out, sim_tie(engine->sim, in_link, chunk->out), *chunk};
}

static void arrived(void *context, uint32_t in_link, uint32_t message, uint64_t chunks) {
    struct engine *engine = context;
    ARRAY_RESERVE(engine->deliveries, engine->delivery_capacity, engine->delivery_count + 1);
    const struct sim *sim = engine->sim;
    engine->deliveries[engine->delivery_count++] =
        (struct delivery){sim->links[in_link].to, sim_in_link(sim, in_link)->in_port, message, (uint32_t)chunks};
}

static int by_node_and_port(const void *left, const void *right) {
    const struct delivery *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return a->in_port < b->in_port ? -1 : a->in_port > b->in_port;
}

static inline bool serves_before(const struct join *a, const struct join *b) {
    return a->out != b->out ? a->out < b->out : a->tie < b->tie;
}

/// A stable sort: insertion for few, merging for many.
static void sort_joins(struct join *items, size_t count, struct join *space) {
    if (count <= 16) {
        for (size_t i = 1; i < count; i++) {
            if (!serves_before(&items[i], &items[i - 1])) continue;
            struct join moved = items[i];
            size_t j = i;
            do {
                items[j] = items[j - 1];
                j--;
            } while (j > 0 && serves_before(&moved, &items[j - 1]));
            items[j] = moved;
        }
        return;
    }
    size_t half = count / 2, i = 0, j = half, out = 0;
    sort_joins(items, half, space);
    sort_joins(items + half, count - half, space);
    if (!serves_before(&items[half], &items[half - 1])) return;
    memcpy(space, items, half * sizeof *items);
    while (i < half && j < count) items[out++] = serves_before(&items[j], &space[i]) ? items[j++] : space[i++];
    memcpy(items + out, space + i, (half - i) * sizeof *items);
}

/// Empties the FIFOs of all links whose head joins now.
static void collect(struct engine *engine) {
    struct sim *sim = engine->sim;
    const struct take_calls calls = {engine, joined, arrived};
    engine->joins.count = engine->reduced_count = engine->delivery_count = 0;
    while (engine->links.count > 0 && engine->links.entries[0].time == sim->now) {
        uint32_t link = (uint32_t)engine->links.entries[0].payload;
        sim_take(sim, link, &calls);
        int64_t next = sim_link_next(sim, link);
        if (next == INT64_MAX)
            heap_pop(&engine->links);
        else
            heap_replace(&engine->links, (struct heap_entry){next, link, link});
    }
}

/// Deliveries and timers, and all that the client does because of them.
static void settle(struct engine *engine) {
    struct sim *sim = engine->sim;
    if (engine->delivery_count > 1) qsort(engine->deliveries, engine->delivery_count, sizeof *engine->deliveries, by_node_and_port);
    size_t next = 0;
    for (;;) {
        if (sim->timers.count > 0 && sim->timers.entries[0].time <= sim->now) {
            sim_take_timer(sim);
        } else if (next < engine->delivery_count) {
            const struct delivery *delivery = &engine->deliveries[next++];
            sim_deliver(sim, delivery->message, delivery->chunks);
        } else if (!sim->client.settled || !sim->client.settled(sim->client.context, sim->now)) {
            break;
        }
    }
}

static void serve_joins(struct engine *engine) {
    bool reductions = engine->reduced_count > 0 || engine->sim->reductions.count > 0;
    if (reductions) sim_reduce(engine->sim, engine->reduced, engine->reduced_count, &engine->joins);
    struct join *joins = engine->joins.items;
    size_t count = engine->joins.count;
    if (count > 1) {
        ARRAY_RESERVE(engine->merge_space, engine->merge_capacity, count);
        sort_joins(joins, count, engine->merge_space);
    }
    for (size_t i = 0; i < count; i++) sim_serve(engine->sim, joins[i].out, &joins[i].chunk);
}

static int64_t next_instant(const struct engine *engine) {
    const struct sim *sim = engine->sim;
    if (sim->post_count > 0) return sim->now;
    int64_t next = INT64_MAX;
    const struct heap *heaps[] = {&engine->links, &sim->timers, &sim->continuations, &sim->reductions};
    for (int i = 0; i < 4; i++)
        if (heaps[i]->count > 0 && heaps[i]->entries[0].time < next) next = heaps[i]->entries[0].time;
    return next;
}

static bool run_instants(struct engine *engine, struct error *err) {
    struct sim *sim = engine->sim;
    for (;;) {
        int64_t next = next_instant(engine);
        if (next == INT64_MAX) return sim_all_due(sim, sim->timers.count);
        if (sim->config.until_ticks && next > sim->config.until_ticks)
            return error_set(err, ERROR_LIMIT, "stopped at the time limit (--until)");
        sim->now = next;
        collect(engine);
        settle(engine);
        if (engine->delivery_count > 0) sim->totals.end_ticks = sim->now; // the client may have let the clock jump
        serve_joins(engine);
        sim_inject(sim);
        if (!sim_check(sim)) return false;
    }
}

/// What joins links at this instant.
static void add_state(const struct sim *sim, struct state_writer *writer) {
    const struct engine *engine = sim->engine;
    for (size_t i = 0; i < engine->joins.count; i++) {
        const struct join *join = &engine->joins.items[i];
        words_add(writer->words, (uint64_t)join->out << 32 | join->tie);
        sim_add_chunk_state(writer, &join->chunk);
    }
}

static void jump(struct sim *sim, int64_t ticks) {
    struct engine *engine = sim->engine;
    sim_put_off(&engine->links, ticks);
    for (size_t i = 0; i < engine->joins.count; i++) {
        struct chunk *chunk = &engine->joins.items[i].chunk;
        chunk->join += ticks, chunk->tail += ticks;
    }
}

static bool run(struct sim *sim, struct error *err) {
    struct engine engine = {.sim = sim};
    sim->engine = &engine;
    sim->link_woke = link_woke;
    sim->engine_state = add_state, sim->engine_jump = jump;
    bool ok = run_instants(&engine, err);
    heap_free(&engine.links);
    free(engine.joins.items);
    free(engine.reduced);
    free(engine.merge_space);
    free(engine.deliveries);
    sim->engine = NULL;
    sim->engine_state = NULL, sim->engine_jump = NULL;
    return ok;
}

static bool suits(const struct sim *sim) {
    (void)sim;
    return true;
}

const struct engine_type heap_engine = {"heap", run, suits};
