#include "analysis/lockstep.h"

#include <stdlib.h>

#include "base/memory.h"

/// How far a plan, or a part of one, has come.
struct lockstep {
    const struct plan *plan;
    struct collective_times *times; ///< of the plan's first outcome
    uint64_t repetition;            ///< collective, sequence
    uint64_t step, steps;           ///< collective
    struct step_walk *walks;        ///< collective: per machine, of this repetition; NULL before its first step
    size_t item;                    ///< sequence: the item that open[0] walks
    size_t first;                   ///< sequence: the outcomes of the items before it
    struct lockstep **open;         ///< parallel: those of all items, NULL when ended; sequence: one, NULL between items
};

struct lockstep *lockstep_begin(const struct plan *plan, struct collective_times *times, int64_t now) {
    struct lockstep *at = allocate_zeroed(1, sizeof *at);
    at->plan = plan, at->times = times;
    switch (plan->kind) {
    case PLAN_COLLECTIVE:
        at->steps = plan_steps(plan);
        times->start_ticks = now;
        break;
    case PLAN_SEQUENCE: at->open = allocate_zeroed(1, sizeof *at->open); break;
    case PLAN_PARALLEL:
        at->open = allocate(plan->count * sizeof *at->open);
        for (size_t i = 0; i < plan->count; i++) {
            at->open[i] = lockstep_begin(plan->items[i], times, now);
            times += plan_collectives(plan->items[i]);
        }
        break;
    case PLAN_MESSAGES: fatal("a list of messages has no steps");
    }
    return at;
}

void lockstep_end(struct lockstep *at) {
    if (!at) return;
    size_t children = at->plan->kind == PLAN_PARALLEL ? at->plan->count : at->plan->kind == PLAN_SEQUENCE;
    for (size_t i = 0; i < children; i++) lockstep_end(at->open[i]);
    plan_walks_end(at->plan, at->walks);
    free(at->open);
    free(at);
}

static bool advance_collective(struct lockstep *at, int64_t now, struct posted *posted) {
    const struct plan *plan = at->plan;
    if (at->step == at->steps) {
        at->step = 0, at->repetition++;
        plan_walks_end(plan, at->walks);
        at->walks = NULL;
    }
    if (at->steps == 0 || at->repetition == plan->repeat) {
        at->times->end_ticks = now;
        return false;
    }
    if (!at->walks) at->walks = plan_walks_begin(plan);
    for (uint32_t machine = 0; machine < plan_machines(plan); machine++) posted_add_step(posted, &at->walks[machine]);
    at->step++;
    return true;
}

static bool advance_sequence(struct lockstep *at, int64_t now, struct posted *posted) {
    const struct plan *plan = at->plan;
    while (at->repetition < plan->repeat) {
        if (!at->open[0]) at->open[0] = lockstep_begin(plan->items[at->item], at->times + at->first, now);
        if (lockstep_next(at->open[0], now, posted)) return true;
        lockstep_end(at->open[0]);
        at->open[0] = NULL;
        at->first += plan_collectives(plan->items[at->item]);
        if (++at->item == plan->count) at->item = 0, at->repetition++;
    }
    return false;
}

static bool advance_parallel(struct lockstep *at, int64_t now, struct posted *posted) {
    bool any = false;
    for (size_t i = 0; i < at->plan->count; i++) {
        if (!at->open[i]) continue;
        if (lockstep_next(at->open[i], now, posted)) {
            any = true;
            continue;
        }
        lockstep_end(at->open[i]);
        at->open[i] = NULL;
    }
    return any;
}

bool lockstep_next(struct lockstep *at, int64_t now, struct posted *posted) {
    switch (at->plan->kind) {
    case PLAN_COLLECTIVE: return advance_collective(at, now, posted);
    case PLAN_SEQUENCE: return advance_sequence(at, now, posted);
    default: return advance_parallel(at, now, posted);
    }
}

/// How many steps that come next post the same as the one before, in which this part of the plan posted.
static uint64_t count_alike(const struct lockstep *at) {
    const struct plan *plan = at->plan;
    const struct algorithm *algorithm = plan->algorithm;
    if (plan->kind == PLAN_SEQUENCE) return at->open[0] ? count_alike(at->open[0]) : 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; plan->kind == PLAN_PARALLEL && i < plan->count; i++) {
        uint64_t alike = at->open[i] ? count_alike(at->open[i]) : UINT64_MAX;
        if (alike < least) least = alike;
    }
    if (plan->kind == PLAN_PARALLEL) return least;
    if (!algorithm->alike_until || algorithm->next_step) return 0; // the walks of the latter go from member to member
    for (uint32_t machine = 0; machine < plan_machines(plan); machine++) {
        uint64_t last = at->step - 1, steps = at->walks[machine].steps;
        uint64_t alike = last < steps ? algorithm->alike_until(&plan->args, machine, last) - at->step : at->steps - at->step;
        if (alike < least) least = alike;
    }
    return least;
}

static void pass(struct lockstep *at, uint64_t steps) {
    if (at->plan->kind == PLAN_COLLECTIVE) {
        at->step += steps;
        for (uint32_t machine = 0; machine < plan_machines(at->plan); machine++) {
            struct step_walk *walk = &at->walks[machine];
            walk->step = steps < walk->steps - walk->step ? walk->step + steps : walk->steps;
        }
        return;
    }
    size_t children = at->plan->kind == PLAN_PARALLEL ? at->plan->count : 1;
    for (size_t i = 0; i < children; i++)
        if (at->open[i]) pass(at->open[i], steps);
}

uint64_t lockstep_pass_alike(struct lockstep *at) {
    uint64_t alike = count_alike(at);
    pass(at, alike);
    return alike;
}
