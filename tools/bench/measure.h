#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "row.h"

/// The best of several runs of a row, each in a process of its own, whose peak memory is thus its own.
struct measured {
    struct measurement best;
    double spread; ///< (slowest - fastest) / fastest
    uint32_t runs;
};

/// Up to `repeats` runs, no more once they have taken `ENOUGH_S` seconds together; of short ones more, until they have taken
/// `LEAST_MS` together. False where a run failed.
enum { ENOUGH_S = 15, LEAST_MS = 200, MOST_RUNS = 100 };
bool measure(const struct row *row, const char *engine, bool store_and_forward, uint32_t repeats, struct measured *out);

#endif
