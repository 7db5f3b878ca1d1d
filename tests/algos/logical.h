#ifndef TESTS_ALGOS_LOGICAL_H
#define TESTS_ALGOS_LOGICAL_H

#include "algos/algorithm.h"
#include "record/tracker.h"

/// Runs collectives without a network: step by step, all ranks together, every message delivered at once. A rank's messages
/// depend on its own earlier receives only, so what each rank ends with is the same in any order of time.

struct logical {
    struct collective_args args; ///< of the collective whose promise is proven
    struct tracker *tracker;
    uint64_t steps; ///< of the longest machine, over all that was run
    uint64_t messages;
    int64_t *bytes_sent; ///< per rank
    /// Changes what an algorithm does, to see it caught; NULL: nothing.
    void (*mutate)(uint32_t member, uint64_t k, struct step *step);
    struct error error;
};

void logical_start(struct logical *run, const struct collective_args *args);

/// Runs an algorithm on what the ranks hold by now. Every receive must find exactly one message, of as many bytes, from its
/// sender in the same step; no message may be left over. False with run->error.
bool logical_run(struct logical *run, const struct algorithm *algorithm, const struct collective_args *args);

/// Whether the collective's promise was kept.
bool logical_finish(struct logical *run);
void logical_free(struct logical *run);

#endif
