// An experiment: a scenario whose network is built, whose ranks are placed and whose workload has been asked whether it can run; and what
// all ways of running it make of it.
#include "scenario/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/alpha_beta.h"
#include "base/text.h"
#include "mapping/mapping.h"
#include "record/named_links.h"
#include "scenario/check_schedules.h"
#include "scenario/problems.h"
#include "topo/reduction_tree.h"

// ---- its parts

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

// ---- getting ready

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

// ---- its ranks on its network

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

struct communicator *experiment_communicator_on(const struct experiment *experiment, const struct graph *graph,
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
    struct communicator *comm = experiment_communicator_on(experiment, &experiment->topology->graph, &config);
    const struct tree_source trees = experiment_trees(experiment);
    communicator_use_trees(comm, &trees);
    communicator_on_progress(comm, limits->progress, limits->context);
    return comm;
}

bool experiment_has_costs(const struct experiment *experiment) {
    const struct costs_config *costs = &experiment->scenario->costs;
    return costs->send_overhead_ticks > 0 || costs->launch_overhead_ticks > 0 || costs->reduce_bytes_per_s > 0;
}

static void rank_done(void *context, uint32_t rank, int64_t now) {
    (void)rank, (void)now;
    --*(uint32_t *)context;
}

struct job *experiment_start(const struct experiment *experiment, const struct workload_place *place, struct outcomes *outcomes,
                             uint32_t *ranks_left) {
    const struct variant *workload = &experiment->scenario->workload;
    const struct workload_type *type = workload_type(workload);
    *ranks_left = communicator_hosted(place->comm, NULL, experiment->ranks);
    struct job *job = type->prepare(workload->config, place, 0, outcomes);
    job->type = type;
    job->rank_done = (struct done_call){rank_done, ranks_left};
    for (uint32_t rank = 0; rank < experiment->ranks; rank++)
        if (communicator_hosts(place->comm, rank)) type->start(job, rank);
    return job;
}
