#ifndef RECORD_CONTRIBUTORS_H
#define RECORD_CONTRIBUTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Sets of ranks whose contributions are in a sum: bit sets, or beyond that the sum mod 2^128 of a random key per rank
/// (equal sums are equal sets, but for a chance of 2^-128).
struct contributors {
    uint32_t ranks;
    size_t words; ///< 64-bit words a set; 0: nothing is added up in this collective
    bool exact;
};

struct contributors contributors_of(uint32_t ranks, bool exact);

/// The set of one rank, and of all.
void contributors_single(const struct contributors *kind, uint32_t rank, uint64_t *set);
void contributors_all(const struct contributors *kind, uint64_t *set);

/// Whether no rank is in both, as far as can be told: sums cannot tell.
bool contributors_disjoint(const struct contributors *kind, const uint64_t *one, const uint64_t *other);

/// Adds `more` to `set`.
void contributors_add(const struct contributors *kind, uint64_t *set, const uint64_t *more);

/// Names in `out` (CONTRIBUTORS_TEXT bytes) the ranks of `set` that are also in `other`, or those that are not: "rank 3",
/// "ranks 1, 2, 5", at most eight and then how many in all. Exact sets only.
enum { CONTRIBUTORS_TEXT = 160 };
void contributors_name(const struct contributors *kind, const uint64_t *set, const uint64_t *other, bool also, char *out);

#endif
