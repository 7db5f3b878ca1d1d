#ifndef ALGOS_COMMUNICATOR_GROUP_H
#define ALGOS_COMMUNICATOR_GROUP_H

#include <stdint.h>

/// Communicators that run the same ranks together: each hosts some of them (communicator_set_hosted) on a shard of the simulation
/// (engine/shards.h), in a thread of its own. Their jobs are the same, so each opens the collectives of an order in the
/// same sequence as the others, though not at the same time; those without a member here it does not open.
struct communicator_group;
struct communicator;
struct done_call;

struct communicator_group *communicator_group_create(void);
void communicator_group_free(struct communicator_group *group);

/// Before any collective is opened. Nobody may observe its ranks.
void communicator_join(struct communicator *comm, struct communicator_group *group);

/// Names whom communicator_send tells of deliveries to ranks that are hosted here: all communicators of a group name the
/// same in the same sequence, before any message is sent. Without a group it has no effect.
void communicator_expect(struct communicator *comm, const struct done_call *delivered);

#endif
