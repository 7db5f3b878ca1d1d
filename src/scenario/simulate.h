#ifndef SCENARIO_SIMULATE_H
#define SCENARIO_SIMULATE_H

#include "record/result.h"
#include "scenario/scenario.h"
#include "workloads/workload.h"

/// A scenario made ready: the network built, ranks placed, the workload checked.
struct experiment {
    const struct scenario *scenario;
    struct topology *topology;
    uint32_t ranks;
    uint32_t *place; ///< rank -> endpoint
};

struct run_limits {
    int64_t until_ticks; ///< 0: none, likewise below
    uint64_t max_events, max_memory;
    /// Asked every now and then; false stops the run (`interrupted`). NULL: never asked.
    bool (*progress)(void *context, int64_t now_ticks, uint64_t chunk_hops);
    void *context;
};

/// Builds and checks everything that needs no simulation; problems carry pointers into the scenario.
/// `text` as in scenario_read. False if there are problems.
bool experiment_prepare(const struct scenario *scenario, const char *text, struct experiment *out, struct problems *problems);
void experiment_free(struct experiment *experiment);

/// Runs it. False only on an internal error or lack of memory; what the simulation ended by is result->status and
/// result->error, with what was done so far.
bool experiment_run(const struct experiment *experiment, const struct run_limits *limits, struct run_result *result, struct error *err);

/// What an experiment gives to workloads that run in it: no communicator, trees and chooser yet.
struct workload_place experiment_workload_place(const struct experiment *experiment);

/// The switches that can reduce for its ranks; the experiment is borrowed.
struct tree_source experiment_trees(const struct experiment *experiment);

/// Its ranks on its network, with nothing to do yet.
struct communicator *experiment_communicator(const struct experiment *experiment, const struct run_limits *limits);

#endif
