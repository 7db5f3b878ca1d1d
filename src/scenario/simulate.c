// From a scenario to a result: builds the network, places the ranks, runs the workload, and gathers what reports need.
#include "scenario/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/alpha_beta.h"
#include "analysis/bounds.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "mapping/mapping.h"
#include "record/named_links.h"
#include "record/proof.h"
#include "scenario/auto.h"
#include "scenario/check_schedules.h"
#include "scenario/experiment.h"
#include "scenario/network_view.h"
#include "scenario/problems.h"
#include "scenario/symmetry.h"
#include "scenario/threads.h"
#include "topo/reduction_tree.h"
#include "workloads/workload.h"

/// The tree of switches that the endpoints of some ranks share.
static bool find_tree(void *context, const uint32_t *ranks, uint32_t count, struct reduction_tree *out) {
    const struct experiment *experiment = context;
    uint32_t *endpoints = allocate(count * sizeof *endpoints);
    for (uint32_t i = 0; i < count; i++) endpoints[i] = experiment->place[ranks ? ranks[i] : i];
    bool found = reduction_tree_find(experiment->topology, endpoints, count, out);
    free(endpoints);
    return found;
}

struct tree_source experiment_trees(const struct experiment *experiment) {
    return (struct tree_source){(void *)experiment, find_tree};
}

struct workload_place experiment_place(const struct experiment *experiment) {
    const struct topology *topology = experiment->topology;
    struct workload_place place = {
        .ranks = experiment->ranks,
        .ticks_per_s = experiment->scenario->ticks_per_s,
        .seed = (uint64_t)experiment->scenario->seed,
        .dim_count = topology->dim_count,
        .group_size = topology->group_size,
    };
    memcpy(place.dims, topology->dims, sizeof place.dims);
    return place;
}

struct site experiment_site(const struct experiment *experiment) {
    return (struct site){experiment->topology, experiment->place, experiment->ranks, experiment->scenario->ticks_per_s};
}

const struct plan *experiment_plan(const struct experiment *experiment, const struct chooser *chooser, struct arena *arena) {
    const struct workload_type *type = workload_type(&experiment->scenario->workload);
    struct workload_place place = experiment_place(experiment);
    place.chooser = chooser;
    return type->plan ? type->plan(experiment->scenario->workload.config, &place, arena) : NULL;
}

static void apply_overrides(struct experiment *experiment, const char *text, struct problems *problems) {
    const struct records *overrides = &experiment->scenario->network.overrides;
    const struct override_config *items = overrides->items;
    for (size_t i = 0; i < overrides->count; i++) {
        struct error err = {0};
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/network/overrides/%zu", i);
        if (!topology_override(experiment->topology, items[i].from, items[i].to, items[i].bandwidth_bytes_per_s, items[i].latency_ticks,
                               &err))
            problems_add_error(problems, text, pointer, &err);
    }
}

static void check_assertions(const struct experiment *experiment, const char *text, struct problems *problems) {
    const struct scenario *scenario = experiment->scenario;
    for (size_t i = 0; i < scenario->assert_texts.count; i++) {
        struct error err = {0};
        char pointer[32];
        snprintf(pointer, sizeof pointer, "/assert/%zu", i);
        if (!assertion_fits(&scenario->assertions[i], &experiment->topology->graph, &err))
            problems_add_error(problems, text, pointer, &err);
    }
}

static bool place_ranks(struct experiment *experiment, const char *text, struct problems *problems) {
    const struct scenario *scenario = experiment->scenario;
    const struct topology *topology = experiment->topology;
    uint32_t endpoints = topology->graph.endpoints;
    if (scenario->ranks > endpoints) {
        problems_add(problems, text, "/ranks", "%lld ranks do not fit on %u endpoints", (long long)scenario->ranks, endpoints);
        return false;
    }
    experiment->ranks = scenario->ranks ? (uint32_t)scenario->ranks : endpoints;
    experiment->place = allocate_zeroed(endpoints, sizeof *experiment->place);
    const struct mapping_request request = {.endpoints = endpoints,
                                            .dim_count = topology->dim_count,
                                            .dims = topology->dims,
                                            .ranks = experiment->ranks,
                                            .seed = (uint64_t)scenario->seed};
    const struct mapping_type *mapping = (const struct mapping_type *)scenario->mapping.type;
    struct error err = {0};
    if (mapping->place(scenario->mapping.config, &request, experiment->place, &err)) return true;
    problems_add_error(problems, text, "/mapping", &err);
    return false;
}

/// Islands: names a pair of ranks that cannot reach each other.
static bool check_reachable(const struct experiment *experiment, const char *text, struct problems *problems) {
    for (uint32_t r = 1; r < experiment->ranks; r++) {
        uint32_t a = experiment->place[0], b = experiment->place[r];
        bool there = topology_reachable(experiment->topology, a, b);
        if (there && topology_reachable(experiment->topology, b, a)) continue;
        problems_add(problems, text, "/network/topology", "endpoint %u cannot reach endpoint %u: no links lead there", there ? b : a,
                     there ? a : b);
        return false;
    }
    return true;
}

/// Whether the alpha-beta model can price the workload.
static bool has_steps(const struct experiment *experiment, struct error *err) {
    struct arena arena = {0};
    bool ok = alpha_beta_accepts(experiment_plan(experiment, NULL, &arena), err);
    arena_free(&arena);
    return ok;
}

static void check_traced_links(const struct experiment *experiment, const char *text, struct problems *problems) {
    const char *pattern = experiment->scenario->output.link_trace.link;
    char shown[TEXT_QUOTE_SIZE];
    if (pattern && !named_links_any(&experiment->topology->graph, pattern))
        problems_add(problems, text, "/output/link_trace/link",
                     "no link fits %s; links are called \"0->1\", and \"s0->*\" means all from s0", text_quote(pattern, shown));
}

static bool prepare(const struct scenario *scenario, const char *text, struct experiment *out, struct problems *problems) {
    *out = (struct experiment){.scenario = scenario};
    struct error err = {0};
    out->topology = topology_create(&scenario->network.topology, &err);
    if (!out->topology) {
        problems_add_error(problems, text, "/network/topology", &err);
        return false;
    }
    apply_overrides(out, text, problems);
    check_assertions(out, text, problems);
    if (!place_ranks(out, text, problems) || !check_reachable(out, text, problems)) return false;
    struct workload_place place = experiment_place(out);
    const struct tree_source trees = experiment_trees(out);
    place.trees = &trees;
    uint32_t orders;
    if (!workload_type(&scenario->workload)->accepts(scenario->workload.config, &place, &orders, &err))
        problems_add_error(problems, text, "/workload", &err);
    else if (!check_schedules(&scenario->workload, &place, "/workload", text, problems))
        return false;
    else if (scenario->network.model != MODEL_EVENT && !has_steps(out, &err))
        problems_add_error(problems, text, "/network/model", &err);
    check_traced_links(out, text, problems);
    return problems->count == 0;
}

bool experiment_prepare(const struct scenario *scenario, const char *text, struct experiment *out, struct problems *problems) {
    if (prepare(scenario, text, out, problems)) return true;
    experiment_free(out);
    return false;
}

void experiment_free(struct experiment *experiment) {
    topology_free(experiment->topology);
    free(experiment->place);
    *experiment = (struct experiment){0};
}

/// All that is known before the run.
static void begin_result(const struct experiment *experiment, struct run_result *result) {
    const struct graph *graph = &experiment->topology->graph;
    *result = (struct run_result){
        .ticks_per_s = experiment->scenario->ticks_per_s,
        .seed = (uint64_t)experiment->scenario->seed,
        .ranks = experiment->ranks,
        .link_count = graph->link_count,
        .endpoints = graph->endpoints,
        .switches = graph->switches,
    };
    size_t bytes = experiment->ranks * sizeof *result->place;
    result->place = memcpy(allocate(bytes), experiment->place, bytes);
    result->links = allocate_zeroed(graph->link_count, sizeof *result->links);
    for (uint32_t l = 0; l < graph->link_count; l++) {
        const struct link_info *info = &graph->links[l];
        result->links[l] = (struct link_result){
            .from = info->from, .to = info->to, .port = info->from_port, .bandwidth_bytes_per_s = info->bandwidth_bytes_per_s};
    }
    if (!graph->names) return;
    result->node_names = allocate_zeroed(graph_nodes(graph), sizeof *result->node_names);
    for (uint32_t v = 0; v < graph_nodes(graph); v++)
        if (graph->names[v]) result->node_names[v] = strcpy(allocate(strlen(graph->names[v]) + 1), graph->names[v]);
}

void experiment_gather_link(struct run_result *result, uint32_t index, struct link_totals totals) {
    struct link_result *link = &result->links[index];
    link->bytes = totals.bytes, link->chunks = totals.chunks;
    link->busy_ticks = totals.busy_ticks, link->peak_queue_bytes = totals.peak_queue_bytes;
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
    for (uint32_t l = 0; l < result->link_count; l++) experiment_gather_link(result, l, sim_link_totals(communicator_sim(comm), l));
}

static void gather_totals(const struct experiment *experiment, struct communicator *comm, struct run_result *result) {
    struct sim_totals totals = sim_totals(communicator_sim(comm));
    result->messages = totals.messages, result->chunks = totals.chunks, result->chunk_hops = totals.chunk_hops;
    result->bytes_on_links = totals.bytes_on_links;
    const struct sim_saving solo = sim_solo_saving(communicator_sim(comm));
    result->savings[SHORTCUT_SOLO] =
        (struct shortcut_saving){.uses = solo.messages, .messages = solo.messages, .chunk_hops = solo.chunk_hops};
    int64_t end = communicator_end_ticks(comm);
    result->makespan_ticks = totals.end_ticks > end ? totals.end_ticks : end;
    result->digest = communicator_digest(comm);
    size_t bytes = experiment->ranks * sizeof *result->bytes_sent;
    result->bytes_sent = memcpy(allocate(bytes), communicator_bytes_sent(comm), bytes);
}

static enum run_status status_of(const struct communicator *comm, const struct error *err, bool all_done) {
    switch (err->kind) {
    case ERROR_NONE: return all_done ? RUN_COMPLETE : RUN_INTERRUPTED;
    case ERROR_LIMIT: return RUN_LIMIT;
    default: return communicator_stalled(comm) ? RUN_STALLED : RUN_OVERFLOW;
    }
}

struct ranks_left {
    uint32_t count;
};

static void rank_done(void *context, uint32_t rank, int64_t now) {
    (void)rank, (void)now;
    ((struct ranks_left *)context)->count--;
}

struct sim_config experiment_sim_config(const struct experiment *experiment) {
    const struct scenario *scenario = experiment->scenario;
    return (struct sim_config){
        .ticks_per_s = scenario->ticks_per_s,
        .chunk_bytes = scenario->network.chunk_bytes,
        .switching = (enum switching)scenario->network.switching,
        .injection = (enum injection)scenario->network.injection,
    };
}

static struct rank_costs costs_of(const struct scenario *scenario) {
    return (struct rank_costs){scenario->costs.send_overhead_ticks, scenario->costs.launch_overhead_ticks,
                               scenario->costs.reduce_bytes_per_s, scenario->costs.switch_reduce_bytes_per_s};
}

static struct communicator *make_communicator(const struct experiment *experiment, const struct graph *graph,
                                              const struct sim_config *config) {
    const struct rank_costs costs = costs_of(experiment->scenario);
    return communicator_create(graph, &experiment->topology->router, config, experiment->place, experiment->ranks, &costs);
}

struct communicator *experiment_communicator(const struct experiment *experiment, const struct run_limits *limits) {
    struct sim_config config = experiment_sim_config(experiment);
    config.until_ticks = limits->until_ticks;
    config.max_events = limits->max_events;
    config.max_memory = limits->max_memory;
    config.solo = limits->shortcuts & 1u << SHORTCUT_SOLO;
    struct communicator *comm = make_communicator(experiment, &experiment->topology->graph, &config);
    const struct tree_source trees = experiment_trees(experiment);
    communicator_use_trees(comm, &trees);
    communicator_on_progress(comm, limits->progress, limits->context);
    return comm;
}

bool experiment_has_costs(const struct experiment *experiment) {
    const struct costs_config *costs = &experiment->scenario->costs;
    return costs->send_overhead_ticks > 0 || costs->launch_overhead_ticks > 0 || costs->reduce_bytes_per_s > 0;
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

/// Whether collectives are replayed, with the heap engine: not where recorders want to hear of everything, and limits to be met on
/// the way; nor, where the window engine could be taken, for a few repetitions.
static bool replays(const struct experiment *experiment, const struct run_limits *limits, const struct observers *observers,
                    struct replay_rules *rules) {
    enum { FEW_REPETITIONS = 3 };
    const struct variant *workload = &experiment->scenario->workload;
    const struct workload_type *type = workload_type(workload);
    const struct router *router = &experiment->topology->router;
    if (!(limits->shortcuts & 1u << SHORTCUT_REPLAY) || limits->until_ticks || limits->max_events) return false;
    if ((observers && observers->count > 0) || !type->repeats || limits->engine == ENGINE_WINDOW) return false;
    bool local = limits->engine == ENGINE_AUTO && type->local && type->local(workload->config), overlaps = false;
    const struct rank_costs costs = costs_of(experiment->scenario);
    bool pays = costs.send_overhead_ticks > 0 || costs.launch_overhead_ticks > 0 || costs.reduce_bytes_per_s > 0;
    uint64_t times = type->repeats(workload->config, &overlaps);
    *rules = (struct replay_rules){.message_period = router->message_period, .may_give_up = local};
    return router->message_period > 0 && times > (local ? FEW_REPETITIONS : 1) && !(overlaps && pays);
}

/// One way of running an experiment.
struct attempt {
    const struct experiment *experiment;
    const struct run_limits *limits;
    struct auto_choices *choices;
    const struct observers *observers;
    bool exact;                      ///< the proof's sets
    bool replays;                    ///< collectives that begin like one before are not simulated again
    const struct symmetry *symmetry; ///< only its representatives are simulated, unwatched; NULL: all ranks
};

static struct communicator *folded_communicator(const struct attempt *attempt) {
    const struct symmetry *symmetry = attempt->symmetry;
    const struct sim_config config = experiment_sim_config(attempt->experiment);
    struct communicator *comm = make_communicator(attempt->experiment, &symmetry->quotient->folded, &config);
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
    struct replay_rules rules;
    attempt->replays = attempt->replays && replays(experiment, limits, observers, &rules);
    if (attempt->replays) communicator_set_replays(place.comm, &rules);
    const struct tree_source trees = experiment_trees(experiment);
    place.trees = &trees;
    const struct chooser chooser = {choices, auto_choose};
    place.chooser = &chooser;
    struct network_source network = {experiment, limits, place.comm, observers && observers->count > 0};
    const struct network_view view = network_view_of(&network);
    place.network = &view;
    struct outcomes outcomes = {0};
    struct ranks_left left = {communicator_hosted(place.comm, NULL, experiment->ranks)};
    struct job *job = type->prepare(workload->config, &place, 0, &outcomes);
    job->type = type;
    job->rank_done = (struct done_call){rank_done, &left};
    for (uint32_t rank = 0; rank < experiment->ranks; rank++)
        if (communicator_hosts(place.comm, rank)) type->start(job, rank);
    bool local = type->local && type->local(workload->config) && !(attempt->symmetry && experiment_has_costs(experiment));
    communicator_set_local(place.comm, local && !attempt->replays);
    bool ran = !auto_interrupted(choices) && communicator_run(place.comm, engine_of(limits->engine), &result->error);
    bool stalled = communicator_stalled(place.comm) || (ran && left.count > 0);
    if (stalled) {
        char waiting[900] = "";
        if (type->describe) type->describe(job, waiting, sizeof waiting);
        error_set(&result->error, ERROR_SIMULATION, "nothing is left to happen: %s", waiting);
        result->status = RUN_STALLED;
    } else {
        result->status = status_of(place.comm, &result->error, left.count == 0);
    }
    gather_totals(experiment, place.comm, result);
    experiment_gather_collectives(&outcomes, result);
    if (attempt->symmetry)
        symmetry_expand(attempt->symmetry, place.comm, result);
    else
        gather_links(place.comm, result);
    if (type->report) type->report(job, &result->figures);
    type->release(job);
    const struct replay_savings saved = communicator_saved(place.comm);
    result->savings[SHORTCUT_REPLAY] = (struct shortcut_saving){saved.collectives, saved.messages, saved.chunk_hops};
    bool gave_up = communicator_gave_up(place.comm);
    bool wants_exact = watch_end(&watch, result);
    attempt->exact = attempt->exact || wants_exact;
    attempt->replays = attempt->replays && !gave_up;
    communicator_free(place.comm);
    return gave_up || wants_exact;
}

/// Beyond so many messages the proof of its own accord gives up, so a run that nobody watches need not be followed rank by rank.
enum { PROVED_MESSAGES = 1000000 };

/// What of the run's symmetry may be used. A run that is watched, proved or stopped on its way is run in full.
static struct symmetry *usable_symmetry(const struct attempt *attempt, const struct plan *plan) {
    const struct run_limits *limits = attempt->limits;
    bool watched = (attempt->observers && attempt->observers->count > 0) || limits->proof == PROOF_CHOICE_ON;
    bool stopped = limits->until_ticks || limits->max_events || limits->max_memory;
    bool wanted = limits->shortcuts & 1u << SHORTCUT_SYMMETRY && limits->engine != ENGINE_HEAP;
    if (!wanted || watched || stopped || attempt->experiment->scenario->network.injection != (int)INJECT_FIFO) return NULL;
    return symmetry_find(attempt->experiment, plan, limits->proof == PROOF_CHOICE_OFF ? 0 : PROVED_MESSAGES);
}

static void begin_again(const struct experiment *experiment, struct run_result *result) {
    run_result_free(result);
    begin_result(experiment, result);
}

/// By symmetry, if there is any. False: there is none, or the run came to no good end, which one in full can tell more of.
static bool simulate_folded(const struct attempt *attempt, const struct plan *plan, struct run_result *result) {
    struct attempt folded = *attempt;
    struct symmetry *symmetry = usable_symmetry(attempt, plan);
    if (!symmetry) return false;
    folded.symmetry = symmetry;
    folded.replays = false;
    simulate(&folded, result);
    symmetry_free(symmetry);
    if (attempt->limits->proof == PROOF_CHOICE_AUTO && result->status == RUN_COMPLETE) result->proof = PROOF_LEFT;
    if (result->status == RUN_COMPLETE || result->status == RUN_INTERRUPTED) return true;
    begin_again(attempt->experiment, result);
    return false;
}

/// By symmetry, else in threads, else as a whole.
static void run_somehow(struct attempt *attempt, const struct plan *plan, struct run_result *result) {
    const struct run_limits *limits = attempt->limits;
    const char *one_thread = "one representative stands for all";
    if (!simulate_folded(attempt, plan, result)) {
        bool watched = attempt->observers && attempt->observers->count > 0;
        if (run_in_threads(attempt->experiment, plan, limits, watched, result)) {
            bool left = result->status == RUN_COMPLETE && limits->proof != PROOF_CHOICE_OFF && result->collective_count > 0;
            result->proof = left ? PROOF_LEFT : PROOF_OFF;
            return;
        }
        one_thread = result->one_thread;
        while (simulate(attempt, result)) begin_again(attempt->experiment, result);
    }
    result->threads = 1, result->one_thread = one_thread;
}

bool experiment_run(const struct experiment *experiment, const struct run_limits *limits, struct observers *observers,
                    struct run_result *result, struct error *err) {
    struct arena arena = {0};
    struct auto_choices *choices = auto_create(experiment, limits);
    const struct chooser chooser = {choices, auto_choose};
    const struct plan *plan = experiment_plan(experiment, &chooser, &arena);
    begin_result(experiment, result);
    if (experiment->scenario->network.model == MODEL_ALPHA_BETA) {
        experiment_price(experiment, plan, result);
    } else {
        struct attempt attempt = {experiment, limits, choices, observers, .replays = true};
        run_somehow(&attempt, plan, result);
    }
    if (experiment->scenario->network.model == MODEL_BOTH && result->status == RUN_COMPLETE)
        result->has_alpha_beta = experiment_alpha_beta(experiment, &result->alpha_beta_ticks, &result->error);
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
