#include "analysis/bounds.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/latency_chain.h"
#include "analysis/tally.h"
#include "base/memory.h"

struct bounder {
    const struct site *site;
    struct run_result *result;
    struct path_latency *paths;
    unsigned __int128 *out_rate, *in_rate; ///< per rank: its endpoint's links together, bytes per second
    struct bisection cut;
    unsigned __int128 cut_rate[2]; ///< from side 0 to 1, from side 1 to 0
    uint64_t left;                 ///< messages that may still be followed
    struct tally one;              ///< what the present collective posts, once
    struct tally all;              ///< what the run posts; not by link
    bool alone;                    ///< one collective is all there is
};

/// Raises a bound to floor(bytes / rate) seconds.
static void raise_to_transfer(const struct bounder *bounder, struct lower_bound *bound, unsigned __int128 bytes, unsigned __int128 rate,
                              const char *kind) {
    if (rate == 0 || bytes == 0) return;
    unsigned __int128 ticks;
    if (__builtin_mul_overflow(bytes, (unsigned __int128)bounder->site->ticks_per_s, &ticks)) return;
    ticks /= rate;
    if (ticks > INT64_MAX || (int64_t)ticks <= bound->ticks) return;
    bound->ticks = (int64_t)ticks;
    bound->kind = kind;
}

static void measure_rates(struct bounder *bounder) {
    const struct site *site = bounder->site;
    const struct topology *topology = site->topology;
    const struct graph *graph = &topology->graph;
    if (topology->type->bisect) topology->type->bisect(topology, &bounder->cut);
    const uint8_t *side = bounder->cut.known ? bounder->cut.side : NULL;
    bounder->out_rate = allocate_zeroed(site->ranks, sizeof *bounder->out_rate);
    bounder->in_rate = allocate_zeroed(site->ranks, sizeof *bounder->in_rate);
    uint32_t *rank_at = allocate(graph->endpoints * sizeof *rank_at);
    for (uint32_t e = 0; e < graph->endpoints; e++) rank_at[e] = UINT32_MAX;
    for (uint32_t rank = 0; rank < site->ranks; rank++) rank_at[site->place[rank]] = rank;
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *link = &graph->links[l];
        uint64_t rate = (uint64_t)link->bandwidth_bytes_per_s;
        if (link->from < graph->endpoints && rank_at[link->from] != UINT32_MAX) bounder->out_rate[rank_at[link->from]] += rate;
        if (link->to < graph->endpoints && rank_at[link->to] != UINT32_MAX) bounder->in_rate[rank_at[link->to]] += rate;
        if (side && side[link->from] != side[link->to]) bounder->cut_rate[side[link->from]] += rate;
    }
    free(rank_at);
}

/// The bounds that the tallied bytes set when they are moved `times` times.
static void raise_to_tally(const struct bounder *bounder, struct lower_bound *bound, const struct tally *tally, uint64_t times) {
    for (uint32_t rank = 0; rank < bounder->site->ranks; rank++) {
        raise_to_transfer(bounder, bound, (unsigned __int128)tally->sent[rank] * times, bounder->out_rate[rank], "endpoint");
        raise_to_transfer(bounder, bound, (unsigned __int128)tally->received[rank] * times, bounder->in_rate[rank], "endpoint");
    }
    for (int direction = 0; direction < 2; direction++)
        raise_to_transfer(bounder, bound, tally->across[direction] * times, bounder->cut_rate[direction], "bisection");
}

/// The bytes per second at which an endpoint sends.
static unsigned __int128 rate_out_of(const struct graph *graph, uint32_t endpoint) {
    unsigned __int128 rate = 0;
    for (uint32_t l = graph->first_out[endpoint]; l < graph->first_out[endpoint + 1]; l++)
        rate += (uint64_t)graph->links[l].bandwidth_bytes_per_s;
    return rate;
}

static void raise_to_counted_sends(const struct bounder *bounder, struct lower_bound *bound) {
    const struct run_result *result = bounder->result;
    for (uint32_t i = 0; i < original_ranks(result); i++) {
        uint32_t rank = original_rank(result, i);
        unsigned __int128 rate = rate_out_of(&bounder->site->topology->graph, bounder->site->place[rank]);
        raise_to_transfer(bounder, bound, (uint64_t)result->bytes_sent[rank], rate, "endpoint");
    }
}

/// Takes what latency_chain answered.
static void raise_to_latency(struct lower_bound *bound, int64_t ticks) {
    bound->partial = ticks < 0;
    if (ticks <= bound->ticks) return;
    bound->ticks = ticks;
    bound->kind = "latency";
}

static void raise_to_run_links(const struct bounder *bounder, struct lower_bound *bound) {
    const struct run_result *result = bounder->result;
    for (uint32_t i = 0; i < result->load_count; i++) {
        const struct link_info *link = &bounder->site->topology->graph.links[link_of_load(result, i)];
        raise_to_transfer(bounder, bound, result->loads[i].bytes, (uint64_t)link->bandwidth_bytes_per_s, "link");
    }
}

static void raise_to_tallied_links(const struct bounder *bounder, struct lower_bound *bound, uint64_t times) {
    const struct tally *one = &bounder->one;
    for (uint32_t i = 0; i < one->touched_count; i++) {
        const struct link_info *link = &bounder->site->topology->graph.links[one->touched[i]];
        raise_to_transfer(bounder, bound, (unsigned __int128)one->on_link[one->touched[i]] * times, (uint64_t)link->bandwidth_bytes_per_s,
                          "link");
    }
}

/// Follows the collective once for its bytes and its longest chain, as far as messages are left to follow.
static void bound_collective(struct bounder *bounder, const struct plan *plan, struct lower_bound *bound, uint64_t times) {
    tally_clear(&bounder->one);
    struct latency_request request = {bounder->paths, bounder->site->ranks, bounder->left, &bounder->one};
    int64_t latency = latency_chain(&request, plan);
    bounder->left = request.most_messages;
    tally_add_times(&bounder->all, &bounder->one, plan->repeat * times);
    if (bounder->alone) raise_to_counted_sends(bounder, bound);
    raise_to_tally(bounder, bound, &bounder->one, plan->repeat);
    raise_to_latency(bound, latency);
    if (bounder->alone)
        raise_to_run_links(bounder, bound);
    else
        raise_to_tallied_links(bounder, bound, plan->repeat);
}

/// Bounds of all collectives of a part of the plan, done `times` times; those from `first` on are its own.
static void bound_plan(struct bounder *bounder, const struct plan *plan, struct collective_result *first, uint64_t times) {
    if (plan->kind == PLAN_COLLECTIVE) {
        bound_collective(bounder, plan, &first->bound, times);
        return;
    }
    if (plan->kind == PLAN_MESSAGES) {
        for (size_t i = 0; i < plan->count; i++) {
            const struct planned_message *message = &plan->messages[i];
            if (message->from != message->to)
                tally_add(&bounder->all, &(struct posted_message){message->from, message->to, message->bytes});
        }
        return;
    }
    struct collective_result *next = first;
    for (size_t i = 0; i < plan->count; i++) {
        bound_plan(bounder, plan->items[i], next, times * plan->repeat);
        next += plan_collectives(plan->items[i]);
    }
    size_t once = (size_t)(next - first);
    for (size_t i = once; i < once * plan->repeat; i++) first[i].bound = first[i - once].bound;
}

static void bound_run(struct bounder *bounder, const struct plan *plan) {
    struct run_result *result = bounder->result;
    if (bounder->alone) {
        result->bound = result->collectives[0].bound;
        return;
    }
    raise_to_counted_sends(bounder, &result->bound);
    raise_to_tally(bounder, &result->bound, &bounder->all, 1);
    struct latency_request request = {bounder->paths, bounder->site->ranks, BOUND_MESSAGES, NULL};
    bool few = result->messages <= BOUND_MESSAGES;
    raise_to_latency(&result->bound, few ? latency_chain(&request, plan) : -1);
    raise_to_run_links(bounder, &result->bound);
}

/// What the run itself has counted is all there is: its plan is not known, or is too long to follow.
static void bound_counted_run(struct bounder *bounder) {
    struct lower_bound *bound = &bounder->result->bound;
    bound->partial = true;
    raise_to_counted_sends(bounder, bound);
    raise_to_run_links(bounder, bound);
    if (bounder->alone) bounder->result->collectives[0].bound = *bound;
}

void bounds_fill(const struct site *site, const struct plan *plan, struct run_result *result) {
    struct bounder bounder = {.site = site, .result = result, .alone = plan && plan->kind == PLAN_COLLECTIVE, .left = BOUND_MESSAGES};
    if (plan && result->messages <= BOUND_PLANNED_MESSAGES) {
        measure_rates(&bounder);
        const uint8_t *side = bounder.cut.known ? bounder.cut.side : NULL;
        bool fixed_routes = !site->topology->router.selector;
        bounder.paths = path_latency_create(site);
        bounder.one = tally_create(site, side, fixed_routes && !bounder.alone);
        bounder.all = tally_create(site, side, false);
        bound_plan(&bounder, plan, result->collectives, 1);
        bound_run(&bounder, plan);
        tally_free(&bounder.one);
        tally_free(&bounder.all);
        path_latency_free(bounder.paths);
    } else {
        bound_counted_run(&bounder);
    }
    free(bounder.out_rate);
    free(bounder.in_rate);
    free(bounder.cut.side);
}

bool bounds_hold(const struct run_result *result, struct error *err) {
    for (size_t i = 0; i < result->collective_count; i++) {
        const struct collective_result *collective = &result->collectives[i];
        int64_t ticks = collective->end_ticks - collective->start_ticks;
        if (ticks < collective->bound.ticks)
            return error_set(err, ERROR_INTERNAL,
                             "collective %zu (%s/%s) took %" PRId64 " ticks, below its %s bound of %" PRId64
                             " ticks: this is a bug of weft",
                             i, collective_names[collective->args.kind], collective->algorithm->name, ticks, collective->bound.kind,
                             collective->bound.ticks);
    }
    if (result->makespan_ticks >= result->bound.ticks) return true;
    return error_set(err, ERROR_INTERNAL,
                     "the makespan of %" PRId64 " ticks is below the %s bound of %" PRId64 " ticks: this is a bug of weft",
                     result->makespan_ticks, result->bound.kind, result->bound.ticks);
}
