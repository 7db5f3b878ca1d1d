#ifndef ENGINE_RENUMBER_H
#define ENGINE_RENUMBER_H

#include "engine/sim_state.h"

/// Messages of an endpoint are numbered for ever, in 32 bits. Only two things are made of a number: where routes depend on it, its rest
/// modulo the router's message_period; and with round-robin the order of an endpoint's messages that are under way. So it may become
/// smaller by a multiple of the period, and does before it would go round.

/// To be called when so many more messages have been posted; nothing happens where none has a large number, or routes no period.
enum { RENUMBER_EVERY = 1 << 30 };
void sim_renumber(struct sim *sim);

#endif
