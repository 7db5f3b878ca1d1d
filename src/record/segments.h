#ifndef RECORD_SEGMENTS_H
#define RECORD_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What lies where in one vector of one rank, for the contribution tracker: sorted disjoint segments of marks
/// (algos/span.h). Neighbours that continue each other are one segment, so that whole vectors cost little.

struct segment {
    int64_t mark, marks;
    int64_t origin; ///< the place that its first mark came from
};

/// Segments in order, each with a set of `words` 64-bit words beside it (how ranks stand in it is the tracker's affair).
struct run {
    struct segment *items;
    uint64_t *sets;
    size_t words, count, capacity;
};

/// Appends; continues the last segment where place, origin and set do.
void run_push(struct run *run, struct segment segment, const uint64_t *set);
void run_free(struct run *run);

static inline const uint64_t *run_set(const struct run *run, size_t i) { return run->words ? run->sets + i * run->words : NULL; }

/// The segments of a vector, kept with a gap where the last change was: changes mostly come side by side.
struct segments {
    struct run run; ///< its count leaves out the gap
    size_t gap;     ///< index of the segment that follows the gap
};

void segments_free(struct segments *list);

/// Appends to `out` what lies in [mark, mark + marks), the first mark becoming `as`. Returns how many marks it found
/// before the first place where nothing lies.
int64_t segments_read(const struct segments *list, int64_t mark, int64_t marks, int64_t as, struct run *out);

/// Puts `middle` in the place of whatever lies in [mark, mark + marks); `scratch` is overwritten.
void segments_write(struct segments *list, int64_t mark, int64_t marks, const struct run *middle, struct run *scratch);

#endif
