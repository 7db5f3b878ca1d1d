#ifndef SCENARIO_SYMMETRY_H
#define SCENARIO_SYMMETRY_H

#include "engine/quotient.h"
#include "scenario/experiment.h"

/// Translations under which network, routes, placement and schedule stay the same: then all endpoints that they take into each
/// other do the same at the same times, and one of them is enough to simulate.
struct symmetry {
    struct quotient *quotient; ///< NULL: it has become the result's
    uint8_t *hosted;           ///< per rank: 1 for the representatives
    bool counts_digest;        ///< there are few enough deliveries to count one by one
};

/// Messages beyond which a run's digest is left out.
enum { SYMMETRY_DIGEST_MESSAGES = 1 << 24 };

/// Why there is no need to look for any: the kind of network, of work or of placement has none. NULL: there may be some.
const char *symmetry_obstacle(const struct experiment *experiment, const struct plan *plan);

/// The symmetry of a run that does what the plan says, with every shift that it consists of checked: all links; routes and steps in
/// full where there are few, else from rank 0 and for a sample of others. NULL: there is none, or with fewer than `least_messages` in
/// all it would not pay; `why` is set to which. Only where there is no obstacle.
struct symmetry *symmetry_find(const struct experiment *experiment, const struct plan *plan, uint64_t least_messages, const char **why);
void symmetry_free(struct symmetry *symmetry);

/// Makes of the representatives' result that of the whole run: ranks and totals; links have the loads of folded ones, which are still
/// to be gathered. The quotient becomes the result's.
void symmetry_expand(struct symmetry *symmetry, struct communicator *comm, struct run_result *result);

#endif
