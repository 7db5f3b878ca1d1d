#ifndef WORKLOADS_PLAN_H
#define WORKLOADS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algos/choice.h"

/// What a workload will post, as data: lower bounds and the alpha-beta model read it without a simulation. A tree whose
/// leaves are collectives (enumerated by their algorithm's `step`) and lists of messages. Its collectives, depth first
/// and with the items of a sequence listed once per repetition, are those of `struct outcomes`, in the same order.

enum plan_kind { PLAN_COLLECTIVE, PLAN_MESSAGES, PLAN_SEQUENCE, PLAN_PARALLEL };

struct planned_message {
    uint32_t from, to; ///< ranks
    int64_t bytes;
    int64_t at_ticks;     ///< not before this time after the sender began
    const int64_t *after; ///< nor before these messages have been delivered; borrowed
    size_t after_count;
};

struct plan {
    enum plan_kind kind;
    uint64_t repeat; ///< collective, sequence: how many times in a row; else 1

    const struct algorithm *algorithm; ///< collective, likewise the next four
    struct collective_args args;
    struct choice choice;  ///< no candidates unless the scenario says auto
    const uint32_t *ranks; ///< member -> rank; NULL: the same
    bool step_sync;

    bool barrier; ///< sequence: a rank goes on when every rank has ended its item
    size_t count; ///< of messages, or of items
    const struct planned_message *messages;
    const struct plan **items; ///< sequence, parallel
};

/// How many outcomes it stands for.
size_t plan_collectives(const struct plan *plan);

#endif
