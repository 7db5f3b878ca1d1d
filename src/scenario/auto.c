#include "scenario/auto.h"

#include <stdlib.h>
#include <string.h>

#include "algos/choice.h"
#include "analysis/alpha_beta.h"
#include "base/memory.h"
#include "scenario/experiment.h"

struct known {
    struct collective_request request; ///< its ranks are owned
    struct choice choice;
};

struct auto_choices {
    const struct experiment *experiment;
    const struct run_limits *limits;
    struct tree_source trees;
    struct workload_place place;
    struct known *known;
    size_t count, capacity;
    bool interrupted;
};

struct auto_choices *auto_create(const struct experiment *experiment, const struct run_limits *limits) {
    struct auto_choices *choices = allocate_zeroed(1, sizeof *choices);
    choices->experiment = experiment;
    choices->limits = limits;
    choices->trees = experiment_trees(experiment);
    choices->place = experiment_place(experiment);
    choices->place.trees = &choices->trees;
    return choices;
}

void auto_free(struct auto_choices *choices) {
    if (!choices) return;
    for (size_t i = 0; i < choices->count; i++) free((void *)choices->known[i].request.ranks);
    free(choices->known);
    free(choices);
}

bool auto_interrupted(const struct auto_choices *choices) { return choices->interrupted; }

static bool same_args(const struct collective_args *a, const struct collective_args *b) {
    return a->kind == b->kind && a->size == b->size && a->bytes == b->bytes && a->root == b->root && a->from == b->from && a->to == b->to &&
           a->pieces == b->pieces && a->inner == b->inner && a->outer == b->outer && a->schedule == b->schedule && a->order == b->order;
}

static bool same_ranks(const uint32_t *a, const uint32_t *b, uint32_t count) {
    return a == b || (a && b && !memcmp(a, b, count * sizeof *a));
}

static const struct known *find_known(const struct auto_choices *choices, const struct collective_request *request) {
    for (size_t i = 0; i < choices->count; i++) {
        const struct collective_request *other = &choices->known[i].request;
        if (same_args(&other->args, &request->args) && other->step_sync == request->step_sync &&
            same_ranks(other->ranks, request->ranks, request->args.size))
            return &choices->known[i];
    }
    return NULL;
}

static void keep(struct auto_choices *choices, const struct collective_request *request, const struct choice *choice) {
    ARRAY_RESERVE(choices->known, choices->capacity, choices->count + 1);
    struct known *known = &choices->known[choices->count++];
    *known = (struct known){*request, *choice};
    if (!request->ranks) return;
    size_t bytes = request->args.size * sizeof *request->ranks;
    known->request.ranks = memcpy(allocate(bytes), request->ranks, bytes);
}

static void count_member(void *left, uint32_t member, int64_t now) {
    (void)member, (void)now;
    --*(uint32_t *)left;
}

/// Simulates the request alone, at most to `until_ticks` (0: to its end). False where it was stopped.
static bool simulate_alone(struct auto_choices *choices, const struct collective_request *request, int64_t until_ticks, int64_t *ticks) {
    struct run_limits limits = *choices->limits;
    if (until_ticks > 0 && (limits.until_ticks == 0 || until_ticks < limits.until_ticks)) limits.until_ticks = until_ticks;
    struct communicator *comm = experiment_communicator(choices->experiment, &limits);
    uint32_t left = request->args.size;
    struct collective_request alone = *request;
    alone.order = 0;
    alone.done = (struct done_call){count_member, &left};
    uint32_t id = communicator_open(comm, &alone);
    for (uint32_t member = 0; member < alone.args.size; member++) communicator_start(comm, id, member, 0);
    struct error err = {0};
    bool ran = communicator_run(comm, &heap_engine, &err);
    *ticks = communicator_end_ticks(comm);
    choices->interrupted |= !ran && err.kind == ERROR_NONE;
    communicator_free(comm);
    return ran && left == 0;
}

static bool price_alone(struct auto_choices *choices, const struct collective_request *request, int64_t *ticks) {
    const struct plan plan = {.kind = PLAN_COLLECTIVE,
                              .repeat = 1,
                              .algorithm = request->algorithm,
                              .args = request->args,
                              .ranks = request->ranks,
                              .step_sync = request->step_sync};
    const struct site site = experiment_site(choices->experiment);
    struct alpha_beta priced = {0};
    struct error err = {0};
    const struct alpha_beta_watch watch = {choices->limits->progress, choices->limits->context};
    bool ok = alpha_beta_accepts(&plan, &err) && alpha_beta_price(&site, &plan, &watch, &priced, &err);
    choices->interrupted |= !ok && err.kind == ERROR_NONE;
    *ticks = priced.ticks;
    alpha_beta_free(&priced);
    return ok;
}

static bool run_alone(struct auto_choices *choices, const struct collective_request *request, int64_t until_ticks, int64_t *ticks) {
    bool priced = choices->experiment->scenario->network.model == MODEL_ALPHA_BETA;
    return priced ? price_alone(choices, request, ticks) : simulate_alone(choices, request, until_ticks, ticks);
}

static void rank_candidate(struct choice *choice, const struct algorithm *algorithm, int64_t ticks) {
    bool first = !choice->algorithm || ticks < choice->ticks;
    if (first) {
        choice->next = choice->algorithm, choice->next_ticks = choice->ticks;
        choice->algorithm = algorithm, choice->ticks = ticks;
    } else if (!choice->next || ticks < choice->next_ticks) {
        choice->next = algorithm, choice->next_ticks = ticks;
    }
}

/// Switches reduce only where the scenario says how fast: a network does not have that by itself.
static bool is_candidate(const struct experiment *experiment, const struct workload_place *place, const struct algorithm *algorithm,
                         const struct collective_request *request) {
    struct error refusal = {0};
    bool offered = !algorithm->in_network || experiment->scenario->costs.switch_reduce_bytes_per_s > 0;
    return offered && choice_candidate(algorithm, request->args.kind) &&
           collective_possible(algorithm, &request->args, request->ranks, place, &refusal);
}

size_t auto_candidates(const struct experiment *experiment, const struct collective_config *config, const struct algorithm **out) {
    const struct tree_source trees = experiment_trees(experiment);
    struct workload_place place = experiment_place(experiment);
    place.trees = &trees;
    uint32_t *ranks = collective_ranks(config);
    const struct collective_request request = {.args = collective_args_of(config, &place), .ranks = ranks};
    struct collective_config named = *config;
    size_t count = 0;
    for (size_t i = 0; algorithms[i]; i++) {
        struct error refusal = {0};
        named.algorithm = algorithms[i]->name;
        if (is_candidate(experiment, &place, algorithms[i], &request) && collective_check(&named, &refusal)) out[count++] = algorithms[i];
    }
    free(ranks);
    return count;
}

void auto_choose(void *context, const struct collective_request *request, struct choice *out) {
    struct auto_choices *choices = context;
    const struct known *known = find_known(choices, request);
    *out = known ? known->choice : (struct choice){0};
    if (known) return;
    struct collective_request candidate = *request;
    for (size_t i = 0; algorithms[i] && !choices->interrupted; i++) {
        int64_t ticks;
        if (!is_candidate(choices->experiment, &choices->place, algorithms[i], request)) continue;
        candidate.algorithm = algorithms[i];
        out->candidates++;
        // What is slower than the second so far is neither first nor second.
        if (run_alone(choices, &candidate, out->next ? out->next_ticks : 0, &ticks)) rank_candidate(out, algorithms[i], ticks);
    }
    keep(choices, request, out);
}
