// A longer way at once. Where what turns from one link to another never comes back to the first (as on a torus whose dims are taken in
// their order), the links of a folded network can be done with one after the other: all that joins one is known when those that feed it
// have come to the same time. It is so only while nothing is posted, which the client tells: an exchange with a million others is quiet
// until the last of them.
//
// What goes straight on does come back: along a dim of a torus a link follows itself, or several links each other, round and round.
// A link that follows itself takes what it has just sent. Several take turns, each as far as is known of the one before.
#include "engine/quotient_state.h"

enum { FEWEST_CHUNKS = 4, MOST_CHUNKS = 512, ASK_EVERY = 64 };

// ---- the order of links

/// Of links that follow each other the one that follows none; round and round the link itself.
static uint32_t first_of(const struct engine *engine, uint32_t link) {
    uint32_t first = link, followed;
    while ((followed = engine->fifos[first].followed) != NO_LINK && followed != link) first = followed;
    return first;
}

void quotient_start_streams(struct engine *engine) {
    struct streams *streams = &engine->streams;
    const uint32_t links = engine->quotient->folded.link_count;
    streams->possible = engine->keeps && links <= MOST_STREAMS;
    streams->changed = true;
    for (uint32_t l = 0; l < links && streams->possible; l++)
        for (uint32_t next = first_of(engine, l); next != NO_LINK && !(streams->follow[l] >> next & 1); next = engine->fifos[next].follows)
            streams->follow[l] |= UINT64_C(1) << next;
}

static uint32_t add_followers(const struct engine *engine, struct streams *streams, uint32_t link, uint32_t count) {
    const uint32_t first = first_of(engine, link);
    uint32_t next = first;
    do {
        streams->order[count++] = next;
        next = engine->fifos[next].follows;
    } while (next != NO_LINK && next != first);
    return count;
}

static bool find_order(struct engine *engine) {
    struct streams *streams = &engine->streams;
    const uint32_t links = engine->quotient->folded.link_count;
    uint64_t placed = 0;
    for (uint32_t count = 0; count < links;) {
        const uint64_t before = placed;
        uint64_t fed = 0;
        for (uint32_t l = 0; l < links; l++)
            if (!(placed >> l & 1)) fed |= streams->feeds[l];
        for (uint32_t l = 0; l < links; l++) {
            if ((placed >> l & 1) || (streams->follow[l] & fed)) continue;
            count = add_followers(engine, streams, l, count);
            placed |= streams->follow[l];
        }
        if (placed == before) return false;
    }
    return true;
}

// ---- how far

/// The shortest service of any chunk; 0: not known.
static int64_t least_service(const struct sim *sim) {
    int64_t least = sim->size_count == UNCACHED_SIZE ? 0 : INT64_MAX;
    for (size_t i = 0; i < sim->size_count * sim->class_count; i++)
        if (sim->service_ticks[i] < least) least = sim->service_ticks[i];
    return least;
}

/// For how many deliveries of each link it is known that nothing will be posted.
static uint64_t quiet_chunks(struct engine *engine) {
    const uint64_t links = engine->quotient->folded.link_count;
    struct sim *sim = engine->sim;
    struct streams *streams = &engine->streams;
    if (streams->quiet_until < sim->delivered + links * MOST_CHUNKS && sim->delivered >= streams->ask_at && sim->client.quiet) {
        streams->quiet_until = sim->delivered + sim->client.quiet(sim->client.context);
        streams->ask_at = sim->delivered + ASK_EVERY;
    }
    uint64_t chunks = streams->quiet_until > sim->delivered ? (streams->quiet_until - sim->delivered) / links : 0;
    return chunks < MOST_CHUNKS ? chunks : MOST_CHUNKS;
}

/// 0: not at all. A link delivers at most one chunk more than it can serve meanwhile.
static int64_t length_of(struct engine *engine) {
    struct streams *streams = &engine->streams;
    if (!streams->possible) return 0;
    uint64_t chunks = quiet_chunks(engine);
    if (chunks < FEWEST_CHUNKS) return 0;
    if (streams->changed) streams->in_order = find_order(engine);
    streams->changed = false;
    int64_t length;
    return streams->in_order && !__builtin_mul_overflow(least_service(engine->sim), chunks - 1, &length) ? length : 0;
}

// ---- going

/// Until when all is known that comes to the end of a link.
static int64_t known_until(const struct engine *engine, uint32_t link) {
    const struct fifo *fifo = &engine->fifos[link];
    int64_t done = engine->streams.done[link];
    return (done > fifo->free_at ? done : fifo->free_at) + fifo->latency_ticks;
}

/// Links that follow each other round and round take turns; otherwise the first is done with before the next.
static void serve_followers(struct engine *engine, const uint32_t *links, uint32_t count, int64_t end) {
    for (uint32_t done = 0; done < count && !engine->sim->overflowed;) {
        done = 0;
        for (uint32_t i = 0; i < count; i++) {
            int64_t *time = &engine->streams.done[links[i]], until = end;
            uint32_t followed = engine->fifos[links[i]].followed;
            if (followed != NO_LINK && followed != links[i] && engine->streams.done[followed] < end) until = known_until(engine, followed);
            if (until > end) until = end;
            if (*time < until) quotient_serve_stream(engine, links[i], until);
            *time = until;
            done += until == end;
        }
    }
    uint32_t last = links[count - 1];
    if (engine->fifos[last].follows == NO_LINK) quotient_end_stream(engine, last, end);
}

static void serve_streams(struct engine *engine, int64_t begin, int64_t end) {
    struct streams *streams = &engine->streams;
    const uint32_t links = engine->quotient->folded.link_count;
    for (uint32_t l = 0; l < links; l++) streams->done[l] = begin;
    for (uint32_t i = 0, count; i < links; i += count) {
        count = (uint32_t)__builtin_popcountll(streams->follow[streams->order[i]]);
        serve_followers(engine, &streams->order[i], count, end);
    }
}

static void find_next(struct engine *engine) {
    const struct quotient *quotient = engine->quotient;
    for (uint32_t v = 0; v < quotient->node_count; v++) engine->node_next[v] = INT64_MAX;
    for (uint32_t l = 0; l < quotient->folded.link_count; l++) {
        const struct fifo *fifo = &engine->fifos[l];
        int64_t next = engine->next[fifo->position] = fifo_next(engine, fifo);
        if (next < engine->node_next[fifo->target]) engine->node_next[fifo->target] = next;
        engine->joins[l].listed = false;
    }
    engine->joined_count = 0;
}

bool quotient_stream(struct engine *engine, int64_t begin) {
    const int64_t length = length_of(engine);
    if (length < 2 * engine->window || begin > INT64_MAX / 2 - length) return false;
    serve_streams(engine, begin, begin + length);
    find_next(engine);
    if (engine->sim->overflowed) return true;
    engine->streams.running = true;
    quotient_settle(engine);
    engine->streams.running = false;
    return true;
}
