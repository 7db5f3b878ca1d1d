#include "algos/communicator_group.h"

#include <pthread.h>
#include <stdlib.h>

#include "algos/communicator_state.h"

/// The ids of the collectives of one order, in the sequence in which each communicator opens them.
struct order_ids {
    uint32_t *ids;
    size_t count, capacity;
};

struct communicator_group {
    pthread_mutex_t mutex;
    struct order_ids *orders;
    size_t order_count, order_capacity;
    uint32_t id_count;
};

struct communicator_group *communicator_group_create(void) {
    struct communicator_group *group = allocate_zeroed(1, sizeof *group);
    pthread_mutex_init(&group->mutex, NULL);
    return group;
}

void communicator_group_free(struct communicator_group *group) {
    if (!group) return;
    for (size_t i = 0; i < group->order_count; i++) free(group->orders[i].ids);
    free(group->orders);
    pthread_mutex_destroy(&group->mutex);
    free(group);
}

/// The id of the collective that is the `nth` of its order, here and everywhere.
static uint32_t find_id(struct communicator_group *group, uint32_t order, uint32_t nth) {
    pthread_mutex_lock(&group->mutex);
    ARRAY_RESERVE(group->orders, group->order_capacity, (size_t)order + 1);
    while (group->order_count <= order) group->orders[group->order_count++] = (struct order_ids){0};
    struct order_ids *ids = &group->orders[order];
    while (ids->count <= nth) {
        ARRAY_RESERVE(ids->ids, ids->capacity, ids->count + 1);
        ids->ids[ids->count++] = group->id_count++;
    }
    uint32_t id = ids->ids[nth];
    pthread_mutex_unlock(&group->mutex);
    return id;
}

// ---- one of the group

struct group_member {
    struct communicator_group *group;
    uint32_t *opened; ///< per order: how many collectives
    size_t order_count, order_capacity;
    uint32_t *first_unopened; ///< per id: messages that have come and wait for it to be opened here, as an index + 1; 0: none
    size_t id_count, id_capacity;
    struct unopened {
        uint32_t task, next;
    } * unopened;
    size_t unopened_count, unopened_capacity;
    uint32_t free_unopened; ///< an index + 1
    struct done_call *expected;
    size_t expected_count, expected_capacity, expected_last;
};

void communicator_join(struct communicator *comm, struct communicator_group *group) {
    comm->member = allocate_zeroed(1, sizeof *comm->member);
    comm->member->group = group;
}

void group_member_free(struct group_member *member) {
    if (!member) return;
    free(member->opened);
    free(member->first_unopened);
    free(member->unopened);
    free(member->expected);
    free(member);
}

uint32_t group_open(struct communicator *comm, uint32_t order) {
    struct group_member *member = comm->member;
    ARRAY_RESERVE(member->opened, member->order_capacity, (size_t)order + 1);
    while (member->order_count <= order) member->opened[member->order_count++] = 0;
    uint32_t id = find_id(member->group, order, member->opened[order]++);
    ARRAY_RESERVE(comm->collectives, comm->collective_capacity, (size_t)id + 1);
    while (comm->collective_count <= id) comm->collectives[comm->collective_count++] = NULL;
    return id;
}

/// Keeps a message of a collective that has not been opened here.
static void keep(struct communicator *comm, const struct envelope *envelope) {
    struct group_member *member = comm->member;
    uint32_t id = envelope->collective, index = member->free_unopened;
    ARRAY_RESERVE(member->first_unopened, member->id_capacity, (size_t)id + 1);
    while (member->id_count <= id) member->first_unopened[member->id_count++] = 0;
    if (index == 0) {
        ARRAY_RESERVE(member->unopened, member->unopened_capacity, member->unopened_count + 1);
        index = (uint32_t)++member->unopened_count;
    } else {
        member->free_unopened = member->unopened[index - 1].next;
    }
    member->unopened[index - 1] = (struct unopened){envelope->task, member->first_unopened[id]};
    member->first_unopened[id] = index;
    early_put(&comm->early, &(struct early_message){id, envelope->task, envelope->step, envelope->sender, envelope->piece, 0});
}

void group_opened(struct communicator *comm, uint32_t id) {
    struct group_member *member = comm->member;
    if (id >= member->id_count) return;
    struct collective *collective = comm->collectives[id];
    for (uint32_t index = member->first_unopened[id]; index != 0;) {
        struct unopened *unopened = &member->unopened[index - 1];
        uint32_t next = unopened->next;
        collective->tasks[unopened->task].early++;
        unopened->next = member->free_unopened;
        member->free_unopened = index;
        index = next;
    }
    member->first_unopened[id] = 0;
}

// ---- messages outside of collectives

void communicator_expect(struct communicator *comm, const struct done_call *delivered) {
    struct group_member *member = comm->member;
    if (!member) return;
    ARRAY_RESERVE(member->expected, member->expected_capacity, member->expected_count + 1);
    member->expected[member->expected_count++] = *delivered;
}

uint32_t group_expected(struct communicator *comm, const struct done_call *delivered) {
    struct group_member *member = comm->member;
    for (size_t tried = 0; tried < member->expected_count; tried++) {
        const struct done_call *expected = &member->expected[member->expected_last];
        if (expected->call == delivered->call && expected->context == delivered->context) return (uint32_t)member->expected_last;
        member->expected_last = (member->expected_last + 1) % member->expected_count;
    }
    fatal("a message to a rank that is hosted elsewhere was not expected there");
}

void group_take(struct communicator *comm, const struct envelope *envelope) {
    if (envelope->collective != ELSEWHERE) {
        keep(comm, envelope);
        return;
    }
    const struct done_call *expected = &comm->member->expected[envelope->step];
    expected->call(expected->context, envelope->task, comm->now);
}
