#include "algos/communicator_replay.h"

#include <stdlib.h>

#include "algos/communicator_state.h"

void rehearsal_clear(struct rehearsal *rehearsal) {
    free(rehearsal->links);
    free(rehearsal->deliveries);
    free(rehearsal->senders);
}

void rehearsal_free(struct rehearsal *rehearsal) {
    if (!rehearsal) return;
    rehearsal_clear(rehearsal);
    free(rehearsal);
}

void communicator_count_deliveries(struct communicator *comm, const struct rehearsal *rehearsal, int64_t start) {
    struct digest sum = comm->digest;
    int64_t ticks = -1;
    uint64_t instant = 0;
    for (size_t i = 0; i < rehearsal->delivery_count; i++) {
        const struct rehearsed_delivery *delivery = &rehearsal->deliveries[i];
        if (delivery->ticks != ticks) instant = digest_instant(start + (ticks = delivery->ticks));
        digest_add_at(&sum, instant, delivery->to, delivery->from, delivery->bytes);
    }
    comm->digest = sum;
}

void communicator_replay(struct communicator *comm, const struct rehearsal *rehearsal, const int64_t *starts, size_t count) {
    for (size_t i = 0; i < rehearsal->link_count; i++)
        sim_count_link(comm->sim, rehearsal->links[i].link, &rehearsal->links[i].totals, count);
    for (size_t i = 0; i < rehearsal->sender_count; i++) {
        const struct rehearsed_sender *sender = &rehearsal->senders[i];
        sim_count_posts(comm->sim, comm->place[sender->rank], sender->messages * count);
        saturating_add(&comm->bytes_sent[sender->rank], sender->bytes, count);
    }
    sim_count_totals(comm->sim, &rehearsal->totals, count);
    comm->saved.collectives += rehearsal->collectives * count;
    comm->saved.messages += rehearsal->totals.messages * count;
    comm->saved.chunk_hops += rehearsal->totals.chunk_hops * count;
    comm->message_count += rehearsal->totals.messages * count;
    for (size_t k = 0; k < count; k++) communicator_count_deliveries(comm, rehearsal, starts[k]);
}

struct replay_savings communicator_saved(const struct communicator *comm) {
    return comm->saved;
}

struct link_totals communicator_link_totals(const struct communicator *comm, uint32_t link) {
    return sim_link_totals(comm->sim, link);
}

uint64_t communicator_chunk_hops(const struct communicator *comm) { return sim_chunk_hops(comm->sim); }
