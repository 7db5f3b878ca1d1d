#ifndef ENGINE_QUOTIENT_LISTS_H
#define ENGINE_QUOTIENT_LISTS_H

#include "engine/quotient_state.h"

/// Messages of one chunk that a representative posts together: what they have in common is kept once, of each where it goes and its label.
/// They are numbered from LISTED on: which list, and which of it.
#define LISTED 0x80000000u
enum { LIST_BITS = 11, LISTED_BITS = 20, MOST_LISTS = 1 << LIST_BITS, MOST_LISTED = 1 << LISTED_BITS };

struct listed {
    struct message like;
    uint32_t count, left; ///< of all; not delivered yet
    struct message_target targets[];
};

/// Keeps a list posted as `like` (`destination` tells how many they are); returns the number of its first. NOT_KEPT: there are too many.
#define NOT_KEPT 0
uint32_t quotient_keep_list(struct engine *engine, const struct message *like, const struct message_target *targets);

/// One of them as a message with a record of its own; returns which.
uint32_t quotient_record(struct engine *engine, const struct message *like, const struct message_target *target);

/// A message of a list; and when it has been delivered.
struct message quotient_listed(const struct engine *engine, uint32_t message);
void quotient_drop_listed(struct engine *engine, uint32_t message);

void quotient_free_lists(struct engine *engine);

static inline struct listed *list_of(const struct engine *engine, uint32_t message) {
    return engine->lists[(message & ~LISTED) >> LISTED_BITS];
}

/// Soon to be delivered.
static inline void quotient_prefetch(const struct engine *engine, uint32_t message) {
    if (message & LISTED)
        __builtin_prefetch(&list_of(engine, message)->targets[message & (MOST_LISTED - 1)]);
    else
        __builtin_prefetch(&engine->sim->messages[message], 1);
}

#endif
