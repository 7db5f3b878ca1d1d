#ifndef RECORD_PHASES_H
#define RECORD_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/observers.h"

/// When each rank was in which collective, phase and step. Machines that a rank runs side by side have a lane each, so
/// the spans of one lane lie inside one another or apart.
struct phases;

enum phase_kind { IN_COLLECTIVE, IN_PHASE, IN_STEP };

/// A span of time of one lane.
struct phase_span {
    int64_t start_ticks, end_ticks;
    uint32_t lane;
    enum phase_kind kind;
    const struct algorithm *algorithm;
    const char *phase;    ///< static text or NULL
    uint64_t step, steps; ///< IN_STEP: from 0, of the phase where there is one, else of all
};

/// A rank that started late, or stood still in the end.
struct phase_instant {
    int64_t ticks;
    uint32_t lane;
    bool stalled;
    int64_t delay_ticks; ///< by how much late
};

struct phase_lane {
    uint32_t rank;
    uint32_t number; ///< lanes 0, 1, … of that rank
};

/// At most `most` spans are kept: when there are more, only those of every 2nd, 4th, 8th … rank; when one rank's alone
/// are more, the later ones are lost.
struct phases *phases_create(uint32_t ranks, size_t most);
void phases_free(struct phases *phases);
struct recorder phases_recorder(struct phases *phases);

/// To be called once, after the run: ends what is open at `end_ticks`, as stalled or just cut off.
void phases_finish(struct phases *phases, int64_t end_ticks, bool stalled);

/// After phases_finish. Spans are in no order. Lane r is the first one of rank r, for all ranks.
struct phase_list {
    const struct phase_span *spans;
    size_t span_count;
    const struct phase_instant *instants;
    size_t instant_count;
    const struct phase_lane *lanes;
    uint32_t lane_count;
    uint32_t every;    ///< the ranks kept are the multiples of this
    int64_t lost_from; ///< spans that ended after this are lost; -1: none
};
struct phase_list phases_all(const struct phases *phases);

#endif
