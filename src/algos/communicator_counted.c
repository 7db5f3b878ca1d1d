// What a stretch of a run adds to links, ranks and totals: what is counted at its end less what was at its beginning.
#include <stdlib.h>

#include "algos/communicator_episode_state.h"

void counted_begin(const struct communicator *comm, struct counted *counted) {
    uint32_t link_count = sim_link_count(comm->sim);
    if (!counted->links) counted->links = allocate(link_count * sizeof *counted->links);
    for (uint32_t l = 0; l < link_count; l++) counted->links[l] = sim_link_totals(comm->sim, l);
    counted->totals = sim_totals(comm->sim);
    counted->sender_count = 0;
    counted->start = comm->now;
}

void counted_add_sender(const struct communicator *comm, struct counted *counted, uint32_t rank) {
    ARRAY_RESERVE(counted->senders, counted->sender_capacity, counted->sender_count + 1);
    counted->senders[counted->sender_count++] =
        (struct rehearsed_sender){rank, sim_posts(comm->sim, comm->place[rank]), comm->bytes_sent[rank]};
}

/// The peaks are left out: the run has them already.
static void take_links(const struct communicator *comm, const struct counted *counted, struct rehearsal *course) {
    uint32_t link_count = sim_link_count(comm->sim);
    size_t capacity = 0;
    for (uint32_t l = 0; l < link_count; l++) {
        const struct link_totals now = sim_link_totals(comm->sim, l), *before = &counted->links[l];
        if (now.chunks == before->chunks) continue;
        ARRAY_RESERVE(course->links, capacity, course->link_count + 1);
        course->links[course->link_count++] =
            (struct rehearsed_link){l, {now.bytes - before->bytes, now.chunks - before->chunks, now.busy_ticks - before->busy_ticks, 0}};
    }
}

static void take_senders(const struct communicator *comm, const struct counted *counted, struct rehearsal *course) {
    size_t capacity = 0;
    for (size_t i = 0; i < counted->sender_count; i++) {
        const struct rehearsed_sender *before = &counted->senders[i];
        uint32_t messages = sim_posts(comm->sim, comm->place[before->rank]) - before->messages;
        int64_t bytes = comm->bytes_sent[before->rank] - before->bytes;
        if (messages == 0 && bytes == 0) continue;
        ARRAY_RESERVE(course->senders, capacity, course->sender_count + 1);
        course->senders[course->sender_count++] = (struct rehearsed_sender){before->rank, messages, bytes};
    }
}

void counted_take(const struct communicator *comm, const struct counted *counted, struct rehearsal *course) {
    const struct sim_totals totals = sim_totals(comm->sim), *before = &counted->totals;
    take_links(comm, counted, course);
    take_senders(comm, counted, course);
    course->ticks = comm->now - counted->start;
    course->totals = (struct sim_totals){.messages = totals.messages - before->messages,
                                         .chunks = totals.chunks - before->chunks,
                                         .chunk_hops = totals.chunk_hops - before->chunk_hops};
}

void counted_free(struct counted *counted) {
    free(counted->links);
    free(counted->senders);
}
