#ifndef ENGINE_JUMP_H
#define ENGINE_JUMP_H

#include "engine/sim_state.h"

/// What engines add to sim_add_state and sim_jump of what they hold themselves.

void sim_add_chunk_state(struct state_writer *writer, const struct chunk *chunk);
void sim_put_off(struct heap *heap, int64_t ticks); ///< every entry so much later

#endif
