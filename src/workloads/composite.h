#ifndef WORKLOADS_COMPOSITE_H
#define WORKLOADS_COMPOSITE_H

#include "workloads/workload.h"

/// What sequence and parallel share: a list of workloads, in the order of the file.
struct composite_config {
    uint64_t given;
    struct records of; ///< struct variant
    bool barrier;      ///< sequence
    int64_t repeat;    ///< sequence
};

struct children {
    size_t count;
    struct job **jobs;
};

/// Accepts every child; the error's `where` is "of/3/…".
bool children_accept(const struct records *of, const struct workload_place *place, uint32_t *orders, struct error *err);

/// Prepares every child, numbering their collectives from `order` on, depth-first.
struct children children_prepare(const struct records *of, const struct workload_place *place, uint32_t order, struct outcomes *outcomes);
/// The plan of every child, in a plan of that kind.
struct plan *children_plan(enum plan_kind kind, const struct records *of, const struct workload_place *place, struct arena *arena);
/// The figures of every child, below its number.
void children_report(const struct children *children, struct figures *figures);
void children_release(struct children *children);

/// Rounds (workload_type.repeatable), of all children.
bool children_repeatable(const struct records *of);
void children_repeat(struct children *children, const struct children *like, int64_t ticks);
void children_change_places(struct children *begun, struct children *fresh, int64_t ticks);

/// Whether every child is local; whether every one works apart.
bool children_local(const struct records *of);
bool children_apart(const struct records *of);

/// The most that a child repeats (workload_type.repeats).
uint64_t children_repeats(const struct records *of, bool *overlaps);
/// Whether every child is uniform.
bool children_uniform(const struct records *of);

/// The first child that has something to say of what it waits for.
void children_describe(const struct children *children, char *out, size_t out_size);

#endif
