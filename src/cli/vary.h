#ifndef CLI_VARY_H
#define CLI_VARY_H

#include <stdint.h>

#include "base/error.h"
#include "cli/texts.h"

/// What `--vary KEY=VALUES` means: the values one key takes.

struct vary_value {
    char *text;    ///< "snake", "random:20", "64KiB"
    int64_t seeds; ///< 0: one run, the text set as it stands; else runs of the random mapping with seeds 1 … seeds
};

struct vary_axis {
    char *key;
    size_t count, capacity;
    struct vary_value *values;
};

/// All axes, their cross product in order: the last one varies fastest.
struct vary {
    size_t count;
    struct vary_axis *axes;
};

enum { VARY_POINTS_MOST = 100000 };

/// Parses "mapping=snake,linear,random:20", "network.chunk=64KiB,1MiB", "workload.size=1KB..1GB:x4" (each a multiple of
/// the one before), "ranks=1..8:+2". Commas inside brackets do not part; quoted values are taken as they are.
bool vary_parse(const struct texts *texts, struct vary *out, struct error *err);
void vary_free(struct vary *vary);

/// Adds a value that is set as it stands.
void vary_add_value(struct vary_axis *axis, const char *text);

/// How many points the cross product has, and which value of axis `axis` point number `point` takes.
size_t vary_points(const struct vary *vary);
const struct vary_value *vary_value_at(const struct vary *vary, size_t point, size_t axis);

/// How many runs a point needs: those of its seeded mapping, or one.
size_t vary_runs(const struct vary *vary, size_t point);

/// Adds the assignments of run number `run` (from 0) of a point; returns the seed, or 0 where there is none.
int64_t vary_assign(const struct vary *vary, size_t point, size_t run, struct texts *assignments);

#endif
