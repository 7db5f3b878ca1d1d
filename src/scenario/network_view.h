#ifndef SCENARIO_NETWORK_VIEW_H
#define SCENARIO_NETWORK_VIEW_H

#include "scenario/experiment.h"

/// What a workload may ask about an experiment's network. Both are borrowed; `watched`: a recorder hears of every chunk, so
/// that nothing may be left out.
struct network_source {
    const struct experiment *experiment;
    const struct run_limits *limits;
    const struct communicator *comm; ///< of the run
    bool watched;
};
struct network_view network_view_of(struct network_source *source);

#endif
