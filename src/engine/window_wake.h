#ifndef ENGINE_WINDOW_WAKE_H
#define ENGINE_WINDOW_WAKE_H

#include "engine/shard.h"
#include "engine/window_state.h"

/// Something joins at the far end of a link at `join`, and nothing was on its way there.
static inline void window_wake(struct engine *engine, uint32_t link, int64_t join) {
    struct sim *sim = engine->sim;
    const struct link_state *state = &sim->links[link];
    if (sim->shard && shard_crosses(sim->shard, state, link)) return;
    due_groups_lower(&engine->due_groups, state->position, join);
    time_tree_lower(&engine->times, sim->in.items[state->position].place, join);
}

#endif
