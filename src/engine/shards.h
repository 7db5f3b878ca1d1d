#ifndef ENGINE_SHARDS_H
#define ENGINE_SHARDS_H

#include "engine/sim.h"

/// One network simulated by several threads. Each thread has a simulation of its own over the whole graph, a shard, whose client posts
/// from the endpoints of one part only; it serves the links that leave the part's nodes. All go through a window as long as
/// the least latency of a link between two parts, then meet and hand over what crosses such links: nothing that leaves a
/// part within the window joins elsewhere before its end. Ids of messages differ between shards, so one may deliver what
/// another has posted. The window engine runs them; what each link carries and when is the same for any number.
struct shards;

/// NULL where there is nothing to divide, or the system gives no room for messages at fixed addresses. At most PARTS_MOST.
/// `least_hops`: all give up, as if interrupted, when in the first windows (but for the very first, where much is posted at once) a shard
/// serves fewer chunks a window on average; 0: never.
struct shards *shards_create(const struct graph *graph, uint32_t most, uint64_t least_hops);
void shards_free(struct shards *shards); ///< after its simulations
bool shards_gave_up(const struct shards *shards);

uint32_t shards_count(const struct shards *shards);
uint32_t shards_of_node(const struct shards *shards, uint32_t node);

/// Makes a simulation, in which nothing has been posted yet, the shard of that number. Limits are of all shards together and the same
/// in all; only the progress of shard 0 is asked. Then every shard must be run, each by a thread of its own; sim_run returns in all of them
/// when it does in one.
void shards_join(struct shards *shards, uint32_t number, struct sim *sim);

/// After the runs: the totals of all. Peaks and times of a link are those of the shard that served it.
struct link_totals shards_link_totals(const struct shards *shards, uint32_t link);
struct sim_totals shards_totals(const struct shards *shards);

#endif
