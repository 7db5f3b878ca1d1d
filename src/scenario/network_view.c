#include "scenario/network_view.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_NUMBERS = 1024, MOST_HOPS = 256 };

/// Message numbers and chunks 0 and 1 of them that take all ways there are between two endpoints: routes go round after
/// as many as there are selectors, or stay the same (hashed flows).
static uint32_t numbers_of(const struct topology *topology) {
    if (!topology->router.selector) return 1;
    return topology->selector_limit < MOST_NUMBERS ? topology->selector_limit : MOST_NUMBERS;
}

/// Marks the links of a chunk; returns whether all of them were marked before.
static bool mark_route(const struct topology *topology, uint32_t from, uint32_t to, uint64_t chunk, uint8_t *marks) {
    uint32_t links[MOST_HOPS];
    uint32_t hops = topology_route(topology, from, to, (uint32_t)(chunk >> 1), chunk & 1, links, MOST_HOPS);
    bool known = true;
    for (uint32_t i = 0; i < hops; i++) {
        known = known && marks[links[i]];
        marks[links[i]] = 1;
    }
    return known;
}

static void mark_links(void *context, uint32_t from, uint32_t to, uint8_t *marks) {
    const struct experiment *experiment = ((const struct network_source *)context)->experiment;
    uint32_t numbers = numbers_of(experiment->topology);
    for (uint64_t chunk = 0; chunk < 2 * (uint64_t)numbers; chunk++)
        mark_route(experiment->topology, experiment->place[from], experiment->place[to], chunk, marks);
}

/// Whether messages between the members take the same way whatever their numbers are.
static bool routes_are_fixed(const struct experiment *experiment, const struct collective_request *request) {
    const struct topology *topology = experiment->topology;
    uint32_t numbers = numbers_of(topology), size = request->args.size;
    if (numbers == 1) return true;
    uint8_t *marks = allocate_zeroed(topology->graph.link_count, 1);
    bool fixed = true;
    for (uint32_t pair = 0; fixed && pair < size * size; pair++) {
        uint32_t from = experiment->place[request->ranks[pair / size]], to = experiment->place[request->ranks[pair % size]];
        if (from == to) continue;
        uint32_t links[MOST_HOPS];
        uint32_t hops = topology_route(topology, from, to, 0, 0, links, MOST_HOPS);
        for (uint32_t i = 0; i < hops; i++) marks[links[i]] = 1;
        for (uint64_t chunk = 1; fixed && chunk < 2 * (uint64_t)numbers; chunk++) fixed = mark_route(topology, from, to, chunk, marks);
        for (uint32_t i = 0; i < hops; i++) marks[links[i]] = 0;
    }
    free(marks);
    return fixed;
}

// ---- rehearsals

struct notes {
    struct rehearsal *rehearsal;
    size_t capacity;
    uint32_t left;
};

static void note_delivery(void *context, uint64_t message, uint32_t from, uint32_t to, int64_t bytes, int64_t now) {
    struct notes *notes = context;
    struct rehearsal *rehearsal = notes->rehearsal;
    (void)message;
    ARRAY_RESERVE(rehearsal->deliveries, notes->capacity, rehearsal->delivery_count + 1);
    rehearsal->deliveries[rehearsal->delivery_count++] = (struct rehearsed_delivery){now, bytes, from, to};
}

static void note_end(void *context, uint32_t member, int64_t now) {
    struct notes *notes = context;
    (void)member;
    notes->rehearsal->ticks = now;
    notes->left--;
}

static void take_links(const struct sim *sim, uint32_t link_count, struct rehearsal *rehearsal) {
    size_t capacity = 0;
    for (uint32_t l = 0; l < link_count; l++) {
        const struct link_totals totals = sim_link_totals(sim, l);
        if (totals.chunks == 0) continue;
        ARRAY_RESERVE(rehearsal->links, capacity, rehearsal->link_count + 1);
        rehearsal->links[rehearsal->link_count++] = (struct rehearsed_link){l, totals};
    }
}

static void take_senders(const struct communicator *comm, const struct collective_request *request, struct rehearsal *rehearsal) {
    const int64_t *sent = communicator_bytes_sent(comm);
    rehearsal->senders = allocate_zeroed(request->args.size, sizeof *rehearsal->senders);
    rehearsal->sender_count = request->args.size;
    for (uint32_t i = 0; i < request->args.size; i++) {
        struct rehearsed_sender *sender = &rehearsal->senders[i];
        *sender = (struct rehearsed_sender){.rank = request->ranks[i], .bytes = sent[request->ranks[i]]};
        for (size_t k = 0; k < rehearsal->delivery_count; k++) sender->messages += rehearsal->deliveries[k].from == sender->rank;
    }
}

/// Progress is told the clock of the run itself.
static bool go_on(void *context, int64_t now, uint64_t chunk_hops) {
    const struct network_source *source = context;
    (void)now, (void)chunk_hops;
    return !source->limits->progress ||
           source->limits->progress(source->limits->context, communicator_now(source->comm), communicator_chunk_hops(source->comm));
}

static struct rehearsal *rehearse(void *context, const struct collective_request *request) {
    const struct network_source *source = context;
    if (source->watched || !(source->limits->shortcuts & 1u << SHORTCUT_REPLAY) || !routes_are_fixed(source->experiment, request))
        return NULL;
    const struct run_limits limits = {.progress = go_on, .context = context};
    struct communicator *comm = experiment_communicator(source->experiment, &limits);
    struct notes notes = {allocate_zeroed(1, sizeof *notes.rehearsal), 0, request->args.size};
    notes.rehearsal->collectives = 1;
    communicator_observe(comm, &(struct rank_observer){.context = &notes, .delivered = note_delivery});
    struct collective_request alone = *request;
    alone.done = (struct done_call){note_end, &notes};
    uint32_t id = communicator_open(comm, &alone);
    for (uint32_t member = 0; member < alone.args.size; member++) communicator_start(comm, id, member, 0);
    struct error err = {0};
    bool ran = communicator_run(comm, &heap_engine, &err) && notes.left == 0;
    if (ran) {
        notes.rehearsal->totals = sim_totals(communicator_sim(comm));
        take_links(communicator_sim(comm), source->experiment->topology->graph.link_count, notes.rehearsal);
        take_senders(comm, request, notes.rehearsal);
    } else {
        rehearsal_free(notes.rehearsal);
    }
    communicator_free(comm);
    return ran ? notes.rehearsal : NULL;
}

static char *link_name(void *context, uint32_t link, char *out) {
    const struct graph *graph = &((const struct network_source *)context)->experiment->topology->graph;
    char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE];
    snprintf(out, LINK_NAME_SIZE, "%s->%s", graph_node_name(graph, graph->links[link].from, from),
             graph_node_name(graph, graph->links[link].to, to));
    return out;
}

struct network_view network_view_of(struct network_source *source) {
    return (struct network_view){source, source->experiment->topology->graph.link_count, rehearse, mark_links, link_name};
}
