#ifndef SCENARIO_EXPERIMENT_H
#define SCENARIO_EXPERIMENT_H

#include "analysis/site.h"
#include "base/memory.h"
#include "scenario/simulate.h"
#include "workloads/workload.h"

/// What the parts of an experiment share; not for other folders.

/// The place without a communicator and trees.
struct workload_place experiment_place(const struct experiment *experiment);
struct site experiment_site(const struct experiment *experiment);

/// The switches that can reduce for its ranks; the experiment is borrowed.
struct tree_source experiment_trees(const struct experiment *experiment);

/// Its ranks on its network, with nothing to do yet.
struct communicator *experiment_communicator(const struct experiment *experiment, const struct run_limits *limits);

/// The same on `graph`, with the routes of its topology and no switches that reduce.
struct communicator *experiment_communicator_on(const struct experiment *experiment, const struct graph *graph,
                                                const struct sim_config *config);

/// Prepares the workload and starts all ranks that place->comm hosts. Until the job is released `ranks_left` counts those of them that
/// are not done. The caller releases the job, before the communicator.
struct job *experiment_start(const struct experiment *experiment, const struct workload_place *place, struct outcomes *outcomes,
                             uint32_t *ranks_left);

/// Whether ranks' processors take time for anything.
bool experiment_has_costs(const struct experiment *experiment);

/// What the workload will post; NULL where that is not known before a run. Borrows from the scenario. Without a chooser the
/// default stands in for auto.
const struct plan *experiment_plan(const struct experiment *experiment, const struct chooser *chooser, struct arena *arena);

/// Takes what the run knows of a link into the result.
void experiment_gather_link(struct run_result *result, uint32_t link, struct link_totals totals);
/// The totals of the network; then what each communicator knows of the ranks that it hosts is added: digest, end, bytes sent, solo
/// messages.
void experiment_gather_totals(struct run_result *result, const struct sim_totals *totals);
void experiment_add_ranks(struct run_result *result, struct communicator *comm);
/// Moves the outcomes into the result, which leaves none.
void experiment_gather_collectives(struct outcomes *outcomes, struct run_result *result);

/// Prices the plan by the alpha-beta model instead of running it.
void experiment_price(const struct experiment *experiment, const struct plan *plan, const struct run_limits *limits,
                      struct run_result *result);

#endif
