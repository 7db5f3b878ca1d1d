// The model of section 5 of the lecture, and of Hockney: The communication challenge for MPP (1994), with the links of
// each step shared by the messages that are routed over them.
#include "analysis/alpha_beta.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

struct pricer {
    const struct site *site;
    struct alpha_beta *out;
    struct posted posted;
    uint32_t *route;
    struct step_load {
        uint64_t bytes;
        int64_t ticks;
    } * loads;        ///< per link, of the present step
    uint32_t *loaded; ///< links that carry bytes in it
    uint32_t loaded_count;
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
    if (plan->kind == PLAN_COLLECTIVE && plan->algorithm->in_network)
        return error_set(err, ERROR_INPUT,
                         "the alpha-beta model prices what endpoints send, not what switches reduce: use model \"event\"");
    for (size_t i = 0; i < plan->count; i++)
        if (!alpha_beta_accepts(plan->items[i], err)) return false;
    return true;
}

static bool overflow(const struct pricer *pricer, struct error *err) {
    bool fine = pricer->site->ticks_per_s == TICKS_PER_S_FS;
    return error_set(err, ERROR_SIMULATION, "overflow: the alpha-beta total passes the last tick of the clock%s",
                     fine ? "; \"tick\": \"1ps\" reaches a thousand times as far" : "");
}

/// Puts the bytes of every message on the links of its route; `times` is how often this step is done.
static bool load_links(struct pricer *pricer, uint64_t times) {
    struct alpha_beta *out = pricer->out;
    for (size_t i = 0; i < pricer->posted.count; i++) {
        const struct posted_message *message = &pricer->posted.messages[i];
        uint32_t hops = site_route(pricer->site, message->from, message->to, pricer->route);
        for (uint32_t hop = 0; hop < hops; hop++) {
            uint32_t link = pricer->route[hop];
            struct step_load *load = &pricer->loads[link];
            if (message->bytes > 0 && load->bytes == 0) pricer->loaded[pricer->loaded_count++] = link;
            load->bytes += (uint64_t)message->bytes;
            if (load->bytes > INT64_MAX) return false;
            out->links[link].messages += times;
        }
        out->bytes_sent[message->from] += (int64_t)((uint64_t)message->bytes * times);
        out->hops += hops * times;
    }
    out->messages += pricer->posted.count * times;
    for (uint32_t i = 0; i < pricer->loaded_count; i++) {
        uint32_t link = pricer->loaded[i];
        struct step_load *load = &pricer->loads[link];
        int64_t rate = pricer->site->topology->graph.links[link].bandwidth_bytes_per_s;
        if (!transfer_ticks((int64_t)load->bytes, rate, pricer->site->ticks_per_s, &load->ticks)) return false;
        out->links[link].bytes += load->bytes * times;
        out->links[link].busy_ticks += (uint64_t)load->ticks * times;
    }
    return true;
}

/// Sum of latencies + the slowest link of each message's path, of which the largest.
static bool slowest_message(const struct pricer *pricer, int64_t *most) {
    const struct link_info *links = pricer->site->topology->graph.links;
    for (size_t i = 0; i < pricer->posted.count; i++) {
        const struct posted_message *message = &pricer->posted.messages[i];
        uint32_t hops = site_route(pricer->site, message->from, message->to, pricer->route);
        int64_t ticks = 0, slowest = 0;
        for (uint32_t hop = 0; hop < hops; hop++) {
            uint32_t link = pricer->route[hop];
            if (__builtin_add_overflow(ticks, links[link].latency_ticks, &ticks)) return false;
            if (pricer->loads[link].ticks > slowest) slowest = pricer->loads[link].ticks;
        }
        if (__builtin_add_overflow(ticks, slowest, &ticks)) return false;
        if (ticks > *most) *most = ticks;
    }
    return true;
}

/// The price of the step that was posted.
static bool price_step(struct pricer *pricer, uint64_t times, int64_t *ticks, struct error *err) {
    *ticks = 0;
    bool ok = load_links(pricer, times) && slowest_message(pricer, ticks);
    for (uint32_t i = 0; i < pricer->loaded_count; i++) pricer->loads[pricer->loaded[i]] = (struct step_load){0};
    pricer->loaded_count = 0;
    return ok || overflow(pricer, err);
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
        pricer->posted.count = 0;
        if (!lockstep_next(lockstep, *now, &pricer->posted)) break;
        int64_t ticks;
        ok = price_step(pricer, part.times, &ticks, err) && (!__builtin_add_overflow(*now, ticks, now) || overflow(pricer, err));
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

bool alpha_beta_price(const struct site *site, const struct plan *plan, struct alpha_beta *out, struct error *err) {
    uint32_t links = site->topology->graph.link_count;
    *out = (struct alpha_beta){.collective_count = plan_collectives(plan)};
    out->collectives = allocate_zeroed(out->collective_count, sizeof *out->collectives);
    out->links = allocate_zeroed(links, sizeof *out->links);
    out->bytes_sent = allocate_zeroed(site->ranks, sizeof *out->bytes_sent);
    struct pricer pricer = {.site = site, .out = out};
    pricer.loads = allocate_zeroed(links, sizeof *pricer.loads);
    pricer.loaded = allocate(links * sizeof *pricer.loaded);
    pricer.route = allocate(site_route_capacity(site) * sizeof *pricer.route);
    bool ok = price(&pricer, (struct part){plan, out->collectives, 1}, &out->ticks, err);
    posted_free(&pricer.posted);
    free(pricer.loads);
    free(pricer.loaded);
    free(pricer.route);
    return ok;
}
