// The model of section 5 of the lecture, and of Hockney: The communication challenge for MPP (1994), with the links of
// each step shared by the messages that are routed over them.
#include "analysis/alpha_beta.h"

#include <stdlib.h>

#include "analysis/step_price.h"
#include "base/memory.h"
#include "base/units.h"

struct pricer {
    const struct site *site;
    struct posted posted;
    struct step_price *step;
};

void alpha_beta_free(struct alpha_beta *priced) {
    free(priced->collectives);
    free(priced->links);
    free(priced->bytes_sent);
    *priced = (struct alpha_beta){0};
}

bool alpha_beta_accepts(const struct plan *plan, struct error *err) {
    if (!plan)
        return error_set(err, ERROR_INPUT,
                         "the alpha-beta model prices steps, and this workload's are not known before it runs: use model \"event\"");
    if (plan->kind == PLAN_MESSAGES)
        return error_set(err, ERROR_INPUT, "the alpha-beta model prices steps, and a list of messages has none: use model \"event\"");
    for (size_t i = 0; i < plan->count; i++)
        if (!alpha_beta_accepts(plan->items[i], err)) return false;
    return true;
}

static bool overflow(const struct pricer *pricer, struct error *err) {
    bool fine = pricer->site->ticks_per_s == TICKS_PER_S_FS;
    return error_set(err, ERROR_SIMULATION, "overflow: the alpha-beta total passes the last tick of the clock%s",
                     fine ? "; \"tick\": \"1ps\" reaches a thousand times as far" : "");
}

/// A part of the plan, `times` times in all; its outcomes are those from `first` on.
struct part {
    const struct plan *plan;
    struct collective_times *first;
    uint64_t times;
};

static bool walk(struct pricer *pricer, struct part part, int64_t *now, struct error *err) {
    struct lockstep *lockstep = lockstep_begin(part.plan, part.first, *now);
    bool ok = true;
    while (ok) {
        posted_clear(&pricer->posted);
        if (!lockstep_next(lockstep, *now, &pricer->posted)) break;
        uint64_t alike = 1 + lockstep_pass_alike(lockstep);
        int64_t ticks;
        ok = step_price(pricer->step, &pricer->posted, part.times * alike, &ticks) && !__builtin_mul_overflow(ticks, alike, &ticks) &&
             !__builtin_add_overflow(*now, ticks, now);
        if (!ok && !step_price_stopped(pricer->step)) overflow(pricer, err);
    }
    lockstep_end(lockstep);
    return ok;
}

/// Moves `now` from the end of the first of `repeat` equal repetitions to that of the last.
static bool repeat_since(const struct pricer *pricer, int64_t start, uint64_t repeat, int64_t *now, struct error *err) {
    int64_t all;
    bool over = __builtin_mul_overflow(*now - start, repeat, &all) || __builtin_add_overflow(start, all, now);
    return !over || overflow(pricer, err);
}

static bool price_collective(struct pricer *pricer, struct part part, int64_t *now, struct error *err) {
    struct plan once = *part.plan;
    int64_t start = *now;
    once.repeat = 1;
    if (!walk(pricer, (struct part){&once, part.first, part.times * part.plan->repeat}, now, err)) return false;
    if (!repeat_since(pricer, start, part.plan->repeat, now, err)) return false;
    part.first->end_ticks = *now;
    return true;
}

static bool price(struct pricer *pricer, struct part part, int64_t *now, struct error *err);

static bool price_sequence(struct pricer *pricer, struct part part, int64_t *now, struct error *err) {
    const struct plan *plan = part.plan;
    int64_t start = *now;
    struct collective_times *next = part.first;
    for (size_t i = 0; i < plan->count; i++) {
        if (!price(pricer, (struct part){plan->items[i], next, part.times * plan->repeat}, now, err)) return false;
        next += plan_collectives(plan->items[i]);
    }
    int64_t once = *now - start;
    if (!repeat_since(pricer, start, plan->repeat, now, err)) return false;
    size_t collectives = (size_t)(next - part.first);
    for (size_t i = collectives; i < collectives * plan->repeat; i++) {
        const struct collective_times *before = &part.first[i - collectives];
        part.first[i] = (struct collective_times){before->start_ticks + once, before->end_ticks + once};
    }
    return true;
}

static bool price(struct pricer *pricer, struct part part, int64_t *now, struct error *err) {
    switch (part.plan->kind) {
    case PLAN_COLLECTIVE: return price_collective(pricer, part, now, err);
    case PLAN_SEQUENCE: return price_sequence(pricer, part, now, err);
    default: return walk(pricer, part, now, err);
    }
}

bool alpha_beta_price(const struct site *site, const struct plan *plan, const struct alpha_beta_watch *watch, struct alpha_beta *out,
                      struct error *err) {
    uint32_t links = site->topology->graph.link_count;
    *out = (struct alpha_beta){.collective_count = plan_collectives(plan)};
    out->collectives = allocate_zeroed(out->collective_count, sizeof *out->collectives);
    out->links = allocate_zeroed(links, sizeof *out->links);
    out->bytes_sent = allocate_zeroed(site->ranks, sizeof *out->bytes_sent);
    struct pricer pricer = {.site = site, .step = step_price_create(site, watch, out)};
    bool ok = price(&pricer, (struct part){plan, out->collectives, 1}, &out->ticks, err);
    posted_free(&pricer.posted);
    step_price_free(pricer.step);
    return ok;
}
