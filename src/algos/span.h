#ifndef ALGOS_SPAN_H
#define ALGOS_SPAN_H

#include <stdint.h>

/// A contiguous part of a collective's vector: how many bytes, and its place for the proof. Places are counted in
/// marks, 2^40 to the whole vector, split by the same rule as the bytes; so a block of 0 bytes still has a place of its
/// own, and the contribution tracker sees it lost or doubled.
struct span {
    int64_t bytes;
    int64_t mark;  ///< first mark
    int64_t marks; ///< how many, at least 1 unless split more finely than 2^40; UNMARKED: nobody asks for places
};

#define UNMARKED INT64_C(-1)

#define VECTOR_MARKS (INT64_C(1) << 40)

static inline struct span whole_vector(int64_t bytes) { return (struct span){bytes, 0, VECTOR_MARKS}; }

/// Where block `i` starts when a total is split into blocks of `shorter`, of which the first `longer` have one more.
static inline int64_t split_at(int64_t shorter, int64_t longer, int64_t i) { return shorter * i + (i < longer ? i : longer); }

/// Where block `i` of `parts` starts when `total` is split so that the first total mod parts blocks have one more.
static inline int64_t split_start(int64_t total, int64_t parts, int64_t i) { return split_at(total / parts, total % parts, i); }

/// Blocks first .. end-1 of `parts` of a span.
static inline struct span span_blocks(struct span span, int64_t parts, int64_t first, int64_t end) {
    int64_t bytes = span.bytes / parts, longer = span.bytes % parts;
    if (span.marks == UNMARKED)
        return (struct span){.bytes = split_at(bytes, longer, end) - split_at(bytes, longer, first), .marks = UNMARKED};
    int64_t marks = span.marks / parts, more_marks = span.marks % parts;
    int64_t mark = split_at(marks, more_marks, first);
    return (struct span){
        .bytes = split_at(bytes, longer, end) - split_at(bytes, longer, first),
        .mark = span.mark + mark,
        .marks = split_at(marks, more_marks, end) - mark,
    };
}

/// Block i of `parts` of a span.
static inline struct span span_block(struct span span, int64_t parts, int64_t i) {
    if (span.marks == UNMARKED) return (struct span){.bytes = span.bytes / parts + (i < span.bytes % parts), .marks = UNMARKED};
    return span_blocks(span, parts, i, i + 1);
}

#endif
