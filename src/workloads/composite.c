#include "workloads/composite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool children_accept(const struct records *of, const struct workload_place *place, uint32_t *orders, struct error *err) {
    *orders = 0;
    const struct variant *variants = of->items;
    for (size_t i = 0; i < of->count; i++) {
        struct error inner = {0};
        uint32_t taken = 0;
        if (workload_type(&variants[i])->accepts(variants[i].config, place, &taken, &inner)) {
            *orders += taken;
            continue;
        }
        char where[sizeof inner.where + 32];
        snprintf(where, sizeof where, "of/%zu%s%s", i, inner.where[0] ? "/" : "", inner.where);
        return error_at(err, where, "%s", inner.text);
    }
    return true;
}

struct children children_prepare(const struct records *of, const struct workload_place *place, uint32_t order, struct outcomes *outcomes) {
    struct children children = {of->count, allocate(of->count * sizeof *children.jobs)};
    const struct variant *variants = of->items;
    struct workload_place among = *place;
    among.shared = true;
    for (size_t i = 0; i < of->count; i++) {
        const struct workload_type *type = workload_type(&variants[i]);
        uint32_t taken = 0;
        struct error err = {0};
        if (!type->accepts(variants[i].config, place, &taken, &err)) fatal("a workload was not checked: %s", err.text);
        children.jobs[i] = type->prepare(variants[i].config, &among, order, outcomes);
        children.jobs[i]->type = type;
        order += taken;
    }
    return children;
}

struct plan *children_plan(enum plan_kind kind, const struct records *of, const struct workload_place *place, struct arena *arena) {
    const struct variant *variants = of->items;
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    *plan = (struct plan){.kind = kind, .repeat = 1, .count = of->count, .items = arena_allocate(arena, of->count * sizeof *plan->items)};
    for (size_t i = 0; i < of->count; i++) {
        const struct workload_type *type = workload_type(&variants[i]);
        plan->items[i] = type->plan ? type->plan(variants[i].config, place, arena) : NULL;
        if (!plan->items[i]) return NULL;
    }
    return plan;
}

void children_report(const struct children *children, struct figures *figures) {
    for (size_t i = 0; i < children->count; i++) {
        if (!children->jobs[i]->type->report) continue;
        size_t scope = figures_enter(figures, i);
        children->jobs[i]->type->report(children->jobs[i], figures);
        figures_leave(figures, scope);
    }
}

void children_release(struct children *children) {
    for (size_t i = 0; i < children->count; i++) children->jobs[i]->type->release(children->jobs[i]);
    free(children->jobs);
}

uint64_t children_repeats(const struct records *of, bool *overlaps) {
    const struct variant *variants = of->items;
    uint64_t most = 1;
    for (size_t i = 0; i < of->count; i++) {
        const struct workload_type *type = workload_type(&variants[i]);
        uint64_t times = type->repeats ? type->repeats(variants[i].config, overlaps) : 1;
        *overlaps = *overlaps || !type->repeats;
        if (times > most) most = times;
    }
    return most;
}

void children_describe(const struct children *children, char *out, size_t out_size) {
    for (size_t i = 0; i < children->count && !out[0]; i++)
        if (children->jobs[i]->type->describe) children->jobs[i]->type->describe(children->jobs[i], out, out_size);
}

void children_repeat(struct children *children, const struct children *like, int64_t ticks) {
    for (size_t i = 0; i < children->count; i++) children->jobs[i]->type->repeat(children->jobs[i], like->jobs[i], ticks);
}

void children_change_places(struct children *begun, struct children *fresh, int64_t ticks) {
    for (size_t i = 0; i < begun->count; i++) begun->jobs[i]->type->change_places(begun->jobs[i], fresh->jobs[i], ticks);
}

enum promise { LOCAL, UNIFORM, APART, REPEATABLE };

static bool every_child(const struct records *of, enum promise promise) {
    const struct variant *variants = of->items;
    for (size_t i = 0; i < of->count; i++) {
        const struct workload_type *type = workload_type(&variants[i]);
        bool (*const promises[])(const void *) = {
            [LOCAL] = type->local, [UNIFORM] = type->uniform, [APART] = type->apart, [REPEATABLE] = type->repeatable};
        if (!promises[promise] || !promises[promise](variants[i].config)) return false;
    }
    return true;
}

bool children_local(const struct records *of) { return every_child(of, LOCAL); }
bool children_uniform(const struct records *of) { return every_child(of, UNIFORM); }
bool children_apart(const struct records *of) { return every_child(of, APART); }
bool children_repeatable(const struct records *of) { return every_child(of, REPEATABLE); }
