// From an experiment to a result: chooses how to run it, runs it, and gathers what reports need.
#include "scenario/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "base/memory.h"
#include "record/proof.h"
#include "scenario/auto.h"
#include "scenario/experiment.h"
#include "scenario/network_view.h"
#include "scenario/shortcuts.h"
#include "scenario/threads.h"
#include "workloads/workload.h"

/// All that is known before the run.
static void begin_result(const struct experiment *experiment, struct run_result *result) {
    const struct graph *graph = &experiment->topology->graph;
    *result = (struct run_result){
        .ticks_per_s = experiment->scenario->ticks_per_s,
        .seed = (uint64_t)experiment->scenario->seed,
        .ranks = experiment->ranks,
        .graph = graph,
        .link_count = graph->link_count,
        .load_count = graph->link_count,
        .endpoints = graph->endpoints,
        .switches = graph->switches,
    };
    size_t bytes = experiment->ranks * sizeof *result->place;
    result->place = memcpy(allocate(bytes), experiment->place, bytes);
    result->loads = allocate_zeroed(graph->link_count, sizeof *result->loads);
    if (!graph->names) return;
    result->node_names = allocate_zeroed(graph_nodes(graph), sizeof *result->node_names);
    for (uint32_t v = 0; v < graph_nodes(graph); v++)
        if (graph->names[v]) result->node_names[v] = strcpy(allocate(strlen(graph->names[v]) + 1), graph->names[v]);
}

void experiment_gather_link(struct run_result *result, uint32_t link, struct link_totals totals) {
    result->loads[link] = (struct carried_load){totals.bytes, totals.chunks, totals.busy_ticks, totals.peak_queue_bytes};
}

void experiment_gather_collectives(struct outcomes *outcomes, struct run_result *result) {
    result->collective_count = outcomes->count;
    result->collectives = allocate_zeroed(outcomes->count, sizeof *result->collectives);
    for (size_t i = 0; i < outcomes->count; i++) {
        struct collective_outcome *outcome = outcomes->items[i];
        result->collectives[i] = (struct collective_result){
            .algorithm = outcome->algorithm,
            .args = outcome->args,
            .choice = outcome->choice,
            .repeat = outcome->repeat,
            .start_ticks = outcome->start_ticks > 0 ? outcome->start_ticks : 0,
            .end_ticks = outcome->end_ticks,
            .rank_end_ticks = outcome->rank_end_ticks,
        };
        free(outcome);
    }
    free(outcomes->items);
    *outcomes = (struct outcomes){0};
}

static void gather_links(struct communicator *comm, struct run_result *result) {
    for (uint32_t l = 0; l < result->load_count; l++) experiment_gather_link(result, l, sim_link_totals(communicator_sim(comm), l));
}

void experiment_gather_totals(struct run_result *result, const struct sim_totals *totals) {
    result->messages = totals->messages, result->chunks = totals->chunks, result->chunk_hops = totals->chunk_hops;
    result->bytes_on_links = totals->bytes_on_links;
    result->makespan_ticks = totals->end_ticks;
    result->bytes_sent = allocate_zeroed(result->ranks, sizeof *result->bytes_sent);
}

void experiment_add_ranks(struct run_result *result, struct communicator *comm) {
    const struct digest digest = communicator_digest(comm);
    digest_add_words(&result->digest, digest.low, digest.high);
    int64_t end = communicator_end_ticks(comm);
    if (end > result->makespan_ticks) result->makespan_ticks = end;
    for (uint32_t r = 0; r < result->ranks; r++) result->bytes_sent[r] += communicator_bytes_sent(comm)[r];
    const struct sim_saving solo = sim_solo_saving(communicator_sim(comm));
    struct shortcut_saving *saving = &result->savings[SHORTCUT_SOLO];
    saving->uses += solo.messages, saving->messages += solo.messages, saving->chunk_hops += solo.chunk_hops;
}

static enum run_status status_of(const struct error *err, bool all_done) {
    switch (err->kind) {
    case ERROR_NONE: return all_done ? RUN_COMPLETE : RUN_INTERRUPTED;
    case ERROR_LIMIT: return RUN_LIMIT;
    default: return RUN_OVERFLOW;
    }
}

/// How a run ended in which `left` ranks were not done.
static void end_status(const struct communicator *comm, struct job *job, bool ran, uint32_t left, struct run_result *result) {
    if (!communicator_stalled(comm) && !(ran && left > 0)) {
        result->status = status_of(&result->error, left == 0);
        return;
    }
    char waiting[900] = "";
    if (job->type->describe) job->type->describe(job, waiting, sizeof waiting);
    error_set(&result->error, ERROR_SIMULATION, "nothing is left to happen: %s", waiting);
    result->status = RUN_STALLED;
}

const char *const engine_names[] = {"auto", "heap", "window", NULL};

static const struct engine_type *engine_of(enum engine_choice choice) {
    static const struct engine_type *const engines[] = {NULL, &heap_engine, &window_engine};
    return engines[choice];
}

const char *const proof_choice_names[] = {"auto", "on", "off", NULL};

/// What watches one run: the recorders that were asked for, and the proof.
struct watch {
    struct communicator *comm;
    struct observers all;
    struct proof *proof; ///< NULL: off
};

/// The proof gave up and nobody else watches: the run goes on unwatched.
static void stop_watching(void *context) {
    const struct watch *watch = context;
    if (watch->all.count == 1) communicator_observe(watch->comm, &(struct rank_observer){0});
}

static void watch_begin(struct watch *watch, const struct observers *observers, enum proof_choice choice, bool exact) {
    for (size_t i = 0; observers && i < observers->count; i++) observers_add(&watch->all, &observers->items[i]);
    if (choice != PROOF_CHOICE_OFF) {
        watch->proof = proof_create(exact);
        if (choice == PROOF_CHOICE_AUTO) proof_limit(watch->proof, PROOF_AUTO_MESSAGES, stop_watching, watch);
        observers_add(&watch->all, &(struct recorder){.ranks = proof_observer(watch->proof)});
    }
    const struct sim_observer links = observers_of_links(&watch->all);
    const struct rank_observer ranks = observers_of_ranks(&watch->all);
    sim_observe(communicator_sim(watch->comm), &links);
    communicator_observe(watch->comm, &ranks);
}

/// Takes the proof into the result; a fault is an internal error. True: running again with exact sets will name it.
static bool watch_end(struct watch *watch, struct run_result *result) {
    bool again = watch->proof && proof_wants_exact(watch->proof);
    if (watch->proof && result->status == RUN_COMPLETE && proof_finish(watch->proof, &result->error)) {
        result->proved_collectives = proof_count(watch->proof);
        result->proof = proof_gave_up(watch->proof) ? PROOF_LEFT : result->proved_collectives ? PROOF_PROVED : PROOF_OFF;
    }
    proof_free(watch->proof);
    observers_free(&watch->all);
    return again;
}

static bool is_watched(const struct observers *observers) { return observers && observers->count > 0; }

// ---- ways of running

/// One way of running an experiment.
struct attempt {
    const struct experiment *experiment;
    const struct run_limits *limits;
    struct auto_choices *choices;
    const struct observers *observers;
    bool exact;                          ///< the proof's sets
    bool replays;                        ///< collectives that begin like one before are not simulated again
    bool may_give_up;                    ///< where little comes of that, since another way is cheaper than all in full
    const char *untaken[SHORTCUT_COUNT]; ///< why not, as it is found out
    struct symmetry *symmetry;           ///< only its representatives are simulated, unwatched; NULL: all ranks
};

static struct communicator *folded_communicator(const struct attempt *attempt) {
    const struct symmetry *symmetry = attempt->symmetry;
    const struct sim_config config = experiment_sim_config(attempt->experiment);
    struct communicator *comm = experiment_communicator_on(attempt->experiment, &symmetry->quotient->folded, &config);
    communicator_set_hosted(comm, symmetry->hosted);
    communicator_fold(comm, symmetry->quotient, symmetry->counts_digest ? SYMMETRY_DIGEST_MESSAGES : 0);
    communicator_on_progress(comm, attempt->limits->progress, attempt->limits->context);
    return comm;
}

/// Returns whether to run again, in the way that the attempt is changed to.
static bool simulate(struct attempt *attempt, struct run_result *result) {
    const struct experiment *experiment = attempt->experiment;
    const struct run_limits *limits = attempt->limits;
    const struct observers *observers = attempt->observers;
    struct auto_choices *choices = attempt->choices;
    const struct variant *workload = &experiment->scenario->workload;
    const struct workload_type *type = workload_type(workload);
    struct workload_place place = experiment_place(experiment);
    place.comm = attempt->symmetry ? folded_communicator(attempt) : experiment_communicator(experiment, limits);
    struct watch watch = {.comm = place.comm};
    if (!attempt->symmetry) watch_begin(&watch, observers, limits->proof, attempt->exact);
    struct replay_rules rules = {0};
    if (attempt->replays) attempt->untaken[SHORTCUT_REPLAY] = replay_obstacle(experiment, limits, is_watched(observers), &rules);
    attempt->replays = attempt->replays && !attempt->untaken[SHORTCUT_REPLAY];
    rules.may_give_up |= attempt->may_give_up;
    if (attempt->replays) communicator_set_replays(place.comm, &rules);
    place.fewest_rounds = attempt->replays ? FEWEST_REPETITIONS : 0;
    const struct tree_source trees = experiment_trees(experiment);
    place.trees = &trees;
    const struct chooser chooser = {choices, auto_choose};
    place.chooser = &chooser;
    struct network_source network = {experiment, limits, place.comm, is_watched(observers)};
    const struct network_view view = network_view_of(&network);
    place.network = &view;
    struct outcomes outcomes = {0};
    uint32_t left;
    struct job *job = experiment_start(experiment, &place, &outcomes, &left);
    bool local = type->local && type->local(workload->config) && !(attempt->symmetry && experiment_has_costs(experiment));
    communicator_set_local(place.comm, local && !attempt->replays);
    bool ran = !auto_interrupted(choices) && communicator_run(place.comm, engine_of(limits->engine), &result->error);
    end_status(place.comm, job, ran, left, result);
    const struct sim_totals totals = sim_totals(communicator_sim(place.comm));
    experiment_gather_totals(result, &totals);
    experiment_add_ranks(result, place.comm);
    experiment_gather_collectives(&outcomes, result);
    if (attempt->symmetry) symmetry_expand(attempt->symmetry, place.comm, result);
    gather_links(place.comm, result);
    if (type->report) type->report(job, &result->figures);
    type->release(job);
    const struct replay_savings saved = communicator_saved(place.comm);
    result->savings[SHORTCUT_REPLAY] = (struct shortcut_saving){saved.collectives, saved.messages, saved.chunk_hops, saved.rounds};
    bool gave_up = communicator_gave_up(place.comm);
    bool wants_exact = watch_end(&watch, result);
    attempt->exact = attempt->exact || wants_exact;
    attempt->replays = attempt->replays && !gave_up;
    communicator_free(place.comm);
    return gave_up || wants_exact;
}

/// What of the run's symmetry may be used. A run that is watched, stopped on its way, or proved is run in full; of its own accord the
/// proof follows only so many messages.
static struct symmetry *usable_symmetry(struct attempt *attempt, const struct plan *plan) {
    const struct run_limits *limits = attempt->limits;
    const char **why = &attempt->untaken[SHORTCUT_SYMMETRY];
    if (!(limits->shortcuts & 1u << SHORTCUT_SYMMETRY)) return NULL;
    *why = symmetry_obstacle(attempt->experiment, plan);
    if (!*why) *why = folding_obstacle(attempt->experiment, limits, is_watched(attempt->observers));
    return *why ? NULL : symmetry_find(attempt->experiment, plan, limits->proof == PROOF_CHOICE_OFF ? 0 : PROOF_AUTO_MESSAGES, why);
}

static void begin_again(const struct experiment *experiment, struct run_result *result) {
    run_result_free(result);
    begin_result(experiment, result);
}

/// By replay, where that costs less than by symmetry. False: it does not, or little could be replayed.
static bool simulate_replayed(const struct attempt *attempt, const struct plan *plan, const struct symmetry *symmetry,
                              struct run_result *result) {
    struct attempt replayed = *attempt;
    struct replay_rules rules;
    bool again = true;
    if (!attempt->replays || replay_obstacle(attempt->experiment, attempt->limits, false, &rules)) return false;
    if (!replay_costs_less(attempt->experiment, plan, symmetry, &rules)) return false;
    for (replayed.may_give_up = true; replayed.replays && again;) {
        again = simulate(&replayed, result);
        if (again) begin_again(attempt->experiment, result);
    }
    return !again;
}

/// By symmetry. False: the run came to no good end, which one in full can tell more of.
static bool simulate_folded(const struct attempt *attempt, struct symmetry *symmetry, struct run_result *result) {
    struct attempt folded = *attempt;
    folded.symmetry = symmetry;
    folded.replays = false;
    simulate(&folded, result);
    if (attempt->limits->proof == PROOF_CHOICE_AUTO && result->status == RUN_COMPLETE) result->proof = PROOF_LEFT;
    if (result->status == RUN_COMPLETE || result->status == RUN_INTERRUPTED) return true;
    begin_again(attempt->experiment, result);
    return false;
}

/// In threads, else as a whole.
static void simulate_in_full(struct attempt *attempt, const struct plan *plan, struct run_result *result) {
    const struct run_limits *limits = attempt->limits;
    if (run_in_threads(attempt->experiment, plan, limits, is_watched(attempt->observers), result)) {
        bool left = result->status == RUN_COMPLETE && limits->proof != PROOF_CHOICE_OFF && result->collective_count > 0;
        result->proof = left ? PROOF_LEFT : PROOF_OFF;
        return;
    }
    const char *one_thread = result->one_thread;
    while (simulate(attempt, result)) begin_again(attempt->experiment, result);
    result->threads = 1, result->one_thread = one_thread;
}

/// By what of symmetry and replay costs less, else in full, replays included.
static void run_somehow(struct attempt *attempt, const struct plan *plan, struct run_result *result) {
    struct symmetry *symmetry = usable_symmetry(attempt, plan);
    const char *why_none = symmetry ? NULL : attempt->untaken[SHORTCUT_SYMMETRY];
    if (why_none) note_endless_run(attempt->experiment, plan, attempt->limits, is_watched(attempt->observers), why_none);
    if (symmetry && simulate_replayed(attempt, plan, symmetry, result)) {
        attempt->untaken[SHORTCUT_SYMMETRY] = "replay was taken instead, which costs less";
        result->threads = 1, result->one_thread = "several threads do not replay; --shortcuts none allows more";
    } else if (symmetry && simulate_folded(attempt, symmetry, result)) {
        result->threads = 1, result->one_thread = "symmetry leaves representatives only; --shortcuts none allows more";
    } else {
        simulate_in_full(attempt, plan, result);
    }
    symmetry_free(symmetry);
}

/// Why shortcuts that were allowed saved nothing.
static void explain_shortcuts(const struct attempt *attempt, struct run_result *result) {
    bool folded = result->savings[SHORTCUT_SYMMETRY].uses > 0;
    for (int s = 0; s < SHORTCUT_COUNT; s++) {
        bool allowed = attempt->limits->shortcuts & 1u << s;
        if (!allowed || result->savings[s].uses > 0 || result->status != RUN_COMPLETE) continue;
        const char *why = attempt->untaken[s];
        if (folded)
            why = "symmetry was taken instead";
        else if (s == SHORTCUT_SOLO)
            why = solo_obstacle(attempt->experiment, attempt->limits, result);
        else if (s == SHORTCUT_REPLAY && !why)
            why = result->threads > 1 ? "several threads do not replay" : "no collective began on an idle network as one did before";
        result->untaken[s] = why;
    }
}

static bool carries_too_much(const struct run_result *result, uint32_t link) {
    const struct link_result carried = link_result_of(result, link);
    return (__int128)carried.busy_ticks * carried.bandwidth_bytes_per_s >= (__int128)result->ticks_per_s << 63;
}

/// Bytes are counted up to 2^63. A link's own count has gone round when there are more: its busy time tells.
static bool bytes_fit(const struct run_result *result, struct error *err) {
    const char *much = "2^63 bytes or more, which is beyond what is counted: make the scenario shorter";
    for (uint32_t r = 0; r < result->ranks; r++)
        if (result->bytes_sent[r] == INT64_MAX) return error_set(err, ERROR_SIMULATION, "rank %u sent %s", r, much);
    bool fits = true;
    for (uint32_t i = 0; i < result->load_count; i++) fits = fits && !carries_too_much(result, link_of_load(result, i));
    for (uint32_t l = 0; l < result->link_count && !fits; l++) {
        if (!carries_too_much(result, l)) continue;
        char from[NODE_NAME_SIZE], to[NODE_NAME_SIZE];
        graph_node_name(result->graph, result->graph->links[l].from, from);
        graph_node_name(result->graph, result->graph->links[l].to, to);
        return error_set(err, ERROR_SIMULATION, "link %s->%s carried %s", from, to, much);
    }
    return true;
}

bool experiment_run(const struct experiment *experiment, const struct run_limits *limits, struct observers *observers,
                    struct run_result *result, struct error *err) {
    struct arena arena = {0};
    struct auto_choices *choices = auto_create(experiment, limits);
    const struct chooser chooser = {choices, auto_choose};
    const struct plan *plan = experiment_plan(experiment, &chooser, &arena);
    begin_result(experiment, result);
    if (experiment->scenario->network.model == MODEL_ALPHA_BETA && auto_interrupted(choices)) {
        result->status = RUN_INTERRUPTED;
    } else if (experiment->scenario->network.model == MODEL_ALPHA_BETA) {
        experiment_price(experiment, plan, limits, result);
        for (int s = 0; s < SHORTCUT_COUNT; s++) result->untaken[s] = "the alpha-beta model simulates nothing";
    } else {
        struct attempt attempt = {experiment, limits, choices, observers, .replays = limits->shortcuts & 1u << SHORTCUT_REPLAY};
        run_somehow(&attempt, plan, result);
        explain_shortcuts(&attempt, result);
    }
    if (experiment->scenario->network.model == MODEL_BOTH && result->status == RUN_COMPLETE) {
        result->has_alpha_beta = experiment_alpha_beta(experiment, limits, &result->alpha_beta_ticks, &result->error);
        if (!result->has_alpha_beta && result->error.kind == ERROR_NONE) result->status = RUN_INTERRUPTED;
    }
    if (result->status == RUN_COMPLETE && !bytes_fit(result, &result->error)) result->status = RUN_OVERFLOW;
    enum error_kind kind = result->error.kind;
    bool ok = (kind != ERROR_INTERNAL && kind != ERROR_INPUT) || error_set(err, kind, "%s", result->error.text);
    if (result->status == RUN_COMPLETE) {
        const struct site site = experiment_site(experiment);
        bounds_fill(&site, plan, result);
        ok = bounds_hold(result, err) && ok;
    }
    auto_free(choices);
    arena_free(&arena);
    return ok;
}
