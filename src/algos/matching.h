#ifndef ALGOS_MATCHING_H
#define ALGOS_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Which messages a rank awaits in its step, and which have come before their step: both sets with O(1) look-up.

/// The receives of one step that are still open.
struct want {
    uint32_t sender, piece;
    uint32_t operation; ///< the receive's index among the kept operations
};

struct want_set {
    uint32_t mask; ///< slots - 1
    struct want slots[];
};

struct want_set *want_set_create(uint32_t wants);
void want_set_add(struct want_set *set, struct want want);
/// Takes out the want of that sender and piece; false when there is none.
bool want_set_take(struct want_set *set, uint32_t sender, uint32_t piece, uint32_t *operation);
bool want_set_has(const struct want_set *set, uint32_t sender, uint32_t piece);

/// A message that came before its receive was posted.
struct early_message {
    uint32_t collective, task, step;
    uint32_t sender, piece;
    uint64_t message;
};

struct early_messages {
    struct early_message *slots; ///< open addressing; collective UINT32_MAX: empty
    size_t count, capacity;
};

void early_put(struct early_messages *early, const struct early_message *message);
/// Takes out a message that equals `wanted` in all but its number, which is filled in; false when there is none.
bool early_take(struct early_messages *early, struct early_message *wanted);
void early_free(struct early_messages *early);

#endif
