#ifndef RECORD_OBSERVERS_H
#define RECORD_OBSERVERS_H

#include <stddef.h>

#include "algos/communicator.h"
#include "engine/sim.h"

/// Something that watches a run: what links serve, what ranks do, or both.
struct recorder {
    struct sim_observer links;
    struct rank_observer ranks;
};

/// All that watch one run, in the order in which they are told. Zero-initialise; must outlive the run.
struct observers {
    struct recorder *items;
    size_t count, capacity;
};

void observers_add(struct observers *observers, const struct recorder *recorder);
void observers_free(struct observers *observers);

/// One observer that tells them all. A call that none of them takes is NULL, so that the run does not pay for it; a sole
/// recorder is told directly.
struct sim_observer observers_of_links(struct observers *observers);
struct rank_observer observers_of_ranks(struct observers *observers);

#endif
