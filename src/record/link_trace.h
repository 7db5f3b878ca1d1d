#ifndef RECORD_LINK_TRACE_H
#define RECORD_LINK_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "record/observers.h"

/// What every link did in each bin of time: bin k of width w covers [k*w, (k+1)*w). All in integers: a link's bins add up
/// to its busy time and its bytes. Memory is O(links x bins in which a link did something).
struct link_trace;

/// A trace starts with bins of `ticks` and doubles them whenever there would be more than `most`. So `ticks` 1 means:
/// more than most / 2 bins in the end, their width a power of two, without the end being known.
struct bin_rule {
    int64_t ticks;
    int64_t most; ///< at least 2
};

/// The bytes of a chunk go to bins by how many of them have passed at each edge, rounded down; so the sum is exact, each
/// bin is within a byte of its part, and wider bins hold the sums of narrower ones.
struct link_bin {
    unsigned __int128 queue_byte_ticks; ///< the queue's bytes summed over the bin's ticks
    int64_t index;
    int64_t busy_ticks;
    int64_t bytes;
    int64_t queue_peak_bytes; ///< as the link's own peak: after all events of an instant
};

struct link_trace *link_trace_create(uint32_t links, struct bin_rule rule);
void link_trace_free(struct link_trace *trace);
struct recorder link_trace_recorder(struct link_trace *trace);

/// To be called once, after the run, with its makespan.
void link_trace_finish(struct link_trace *trace, int64_t makespan_ticks);

/// After link_trace_finish: the width, and how many bins cover the run and all services that were begun.
int64_t link_trace_bin_ticks(const struct link_trace *trace);
int64_t link_trace_bins(const struct link_trace *trace);

/// The bins in which the link did something or something waited for it, by index; returns how many.
size_t link_trace_of(const struct link_trace *trace, uint32_t link, const struct link_bin **bins);

#endif
