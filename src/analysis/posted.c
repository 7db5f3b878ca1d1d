#include "analysis/posted.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"

void posted_free(struct posted *posted) {
    free(posted->messages);
    free(posted->reduced);
    pages_free(posted->step.operations);
}

static uint32_t rank_of(const struct plan *collective, uint32_t member) { return collective->ranks ? collective->ranks[member] : member; }

static void put(struct step_walk *walk, uint32_t member) {
    uint32_t *bucket = &walk->first[walk->due[member] & (walk->buckets - 1)];
    walk->next[member] = *bucket;
    *bucket = member + 1;
}

struct step_walk step_walk_begin(const struct plan *collective, uint32_t machine) {
    uint32_t size = collective->args.size;
    struct step_walk walk = {.collective = collective, .args = collective->args, .machine = machine, .buckets = 1};
    if (walk.args.part.marks <= 0) walk.args.part = (struct span){.bytes = walk.args.bytes, .marks = UNMARKED};
    walk.steps = collective->algorithm->steps(&collective->args, machine);
    if (!collective->algorithm->next_step) return walk;
    while (walk.buckets < size && walk.buckets < walk.steps && walk.buckets < UINT32_C(1) << 31) walk.buckets *= 2;
    walk.due = allocate_zeroed(size, sizeof *walk.due);
    walk.next = allocate(size * sizeof *walk.next);
    walk.first = allocate_zeroed(walk.buckets, sizeof *walk.first);
    for (uint32_t member = size; member-- > 0;) put(&walk, member);
    return walk;
}

void step_walk_end(struct step_walk *walk) {
    free(walk->due);
    free(walk->next);
    free(walk->first);
}

/// Returns whether the member does anything.
static inline bool add_member(struct posted *posted, const struct step_walk *walk, uint32_t member, uint64_t k) {
    const struct plan *collective = walk->collective;
    const struct view view = view_all(member, collective->args.size);
    struct step *step = &posted->step;
    step->count = 0;
    collective->algorithm->step(&walk->args, &view, walk->machine, k, step);
    for (size_t i = 0; i < step->count; i += 1 + step->operations[i].joined) {
        const struct operation *operation = &step->operations[i];
        if (!operation->is_send || (operation->peer == member && !operation->in_network)) continue;
        ARRAY_RESERVE(posted->messages, posted->capacity, posted->count + 1);
        posted->messages[posted->count++] =
            (struct posted_message){rank_of(collective, member), rank_of(collective, operation->peer), operation_bytes(operation)};
    }
    return step->count > 0;
}

/// The step after k in which to look at a member again.
static uint64_t due_after(const struct step_walk *walk, uint32_t member, uint64_t k, bool busy) {
    const struct collective_args *args = &walk->args;
    const struct view view = view_all(member, args->size);
    return busy ? k + 1 : algorithm_next_step(walk->collective->algorithm, args, &view, walk->machine, k + 1);
}

static void add_due(struct posted *posted, struct step_walk *walk, uint64_t k) {
    uint32_t *bucket = &walk->first[k & (walk->buckets - 1)], waiting = *bucket;
    *bucket = 0;
    while (waiting > 0) {
        uint32_t member = waiting - 1;
        waiting = walk->next[member];
        if (walk->due[member] == k) walk->due[member] = due_after(walk, member, k, add_member(posted, walk, member, k));
        if (walk->due[member] < walk->steps) put(walk, member);
    }
}

void posted_add_step(struct posted *posted, struct step_walk *walk) {
    const struct plan *collective = walk->collective;
    if (walk->step == walk->steps) return;
    uint64_t k = walk->step++;
    if (collective->algorithm->in_network) {
        ARRAY_RESERVE(posted->reduced, posted->reduced_capacity, posted->reduced_count + 1);
        posted->reduced[posted->reduced_count++] = collective;
    }
    if (walk->due)
        add_due(posted, walk, k);
    else
        for (uint32_t member = 0; member < collective->args.size; member++) add_member(posted, walk, member, k);
}

uint64_t plan_steps(const struct plan *collective) {
    uint64_t most = 0;
    for (uint32_t machine = plan_machines(collective); machine-- > 0;) {
        uint64_t steps = collective->algorithm->steps(&collective->args, machine);
        if (steps > most) most = steps;
    }
    return most;
}

struct step_walk *plan_walks_begin(const struct plan *collective) {
    struct step_walk *walks = allocate(plan_machines(collective) * sizeof *walks);
    for (uint32_t machine = 0; machine < plan_machines(collective); machine++) walks[machine] = step_walk_begin(collective, machine);
    return walks;
}

void plan_walks_end(const struct plan *collective, struct step_walk *walks) {
    for (uint32_t machine = 0; walks && machine < plan_machines(collective); machine++) step_walk_end(&walks[machine]);
    free(walks);
}
