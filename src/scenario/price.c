// A result by the alpha-beta model: what simulate.c gathers from a simulation, from priced steps.
#include <string.h>

#include "analysis/alpha_beta.h"
#include "scenario/auto.h"
#include "scenario/experiment.h"

/// Fills what is known of the collectives of a part of the plan, those from `first` on; returns how many they are.
static size_t describe_collectives(const struct plan *plan, struct collective_result *first) {
    if (plan->kind == PLAN_COLLECTIVE) {
        *first = (struct collective_result){
            .algorithm = plan->algorithm, .args = plan->args, .choice = plan->choice, .repeat = (uint32_t)plan->repeat};
        return 1;
    }
    size_t filled = 0;
    for (uint64_t i = 0; i < plan->repeat; i++)
        for (size_t j = 0; j < plan->count; j++) filled += describe_collectives(plan->items[j], first + filled);
    return filled;
}

static void take_collectives(const struct plan *plan, const struct alpha_beta *priced, struct run_result *result) {
    result->collective_count = priced->collective_count;
    result->collectives = allocate_zeroed(priced->collective_count, sizeof *result->collectives);
    describe_collectives(plan, result->collectives);
    for (size_t i = 0; i < priced->collective_count; i++) {
        struct collective_result *collective = &result->collectives[i];
        collective->start_ticks = priced->collectives[i].start_ticks;
        collective->end_ticks = priced->collectives[i].end_ticks;
        collective->rank_end_ticks = allocate(collective->args.size * sizeof *collective->rank_end_ticks);
        for (uint32_t member = 0; member < collective->args.size; member++) collective->rank_end_ticks[member] = collective->end_ticks;
    }
}

static void take_links(const struct alpha_beta *priced, struct run_result *result) {
    for (uint32_t l = 0; l < result->link_count; l++) {
        struct carried_load *link = &result->loads[l];
        link->bytes = priced->links[l].bytes;
        link->chunks = priced->links[l].messages;
        link->busy_ticks = (int64_t)priced->links[l].busy_ticks;
        result->bytes_on_links += link->bytes;
    }
}

void experiment_price(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits,
                      struct run_result *result) {
    const struct site site = experiment_site(experiment);
    const struct alpha_beta_watch watch = {limits->progress, limits->context};
    struct alpha_beta priced;
    bool ok = alpha_beta_price(&site, plan, &watch, &priced, &result->error);
    result->status = ok ? RUN_COMPLETE : result->error.kind == ERROR_NONE ? RUN_INTERRUPTED : RUN_OVERFLOW;
    result->bytes_sent = priced.bytes_sent;
    priced.bytes_sent = NULL;
    if (ok) {
        result->makespan_ticks = priced.ticks;
        result->messages = result->chunks = priced.messages, result->chunk_hops = priced.hops;
        take_collectives(plan, &priced, result);
        take_links(&priced, result);
    }
    alpha_beta_free(&priced);
}

bool experiment_alpha_beta(const struct experiment *experiment, const struct run_limits *limits, int64_t *ticks, struct error *err) {
    const struct site site = experiment_site(experiment);
    const struct alpha_beta_watch watch = {limits->progress, limits->context};
    struct arena arena = {0};
    const struct run_limits asking = {.progress = limits->progress, .context = limits->context};
    struct auto_choices *choices = auto_create(experiment, &asking);
    const struct chooser chooser = {choices, auto_choose};
    const struct plan *plan = experiment_plan(experiment, &chooser, &arena);
    struct alpha_beta priced = {0};
    bool ok = alpha_beta_accepts(plan, err) && alpha_beta_price(&site, plan, &watch, &priced, err);
    if (ok) *ticks = priced.ticks;
    alpha_beta_free(&priced);
    auto_free(choices);
    arena_free(&arena);
    return ok;
}
