#include "record/contributors.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"

enum { SUM_WORDS = 2, RANKS_NAMED = 8 };

struct contributors contributors_of(uint32_t ranks, bool exact) {
    return (struct contributors){.ranks = ranks, .words = exact ? (ranks + 63) / 64 : SUM_WORDS, .exact = exact};
}

static void add_words(uint64_t *sum, uint64_t low, uint64_t high) {
    sum[0] += low;
    sum[1] += high + (sum[0] < low);
}

void contributors_single(const struct contributors *kind, uint32_t rank, uint64_t *set) {
    memset(set, 0, kind->words * sizeof *set);
    if (kind->exact) {
        set[rank / 64] = UINT64_C(1) << rank % 64;
        return;
    }
    set[0] = mix64(2 * (uint64_t)rank + 1);
    set[1] = mix64(set[0] ^ UINT64_C(0x9e3779b97f4a7c15));
}

void contributors_all(const struct contributors *kind, uint64_t *set) {
    memset(set, 0, kind->words * sizeof *set);
    for (uint32_t rank = 0; rank < kind->ranks; rank++) {
        uint64_t single[SUM_WORDS];
        if (kind->exact) {
            set[rank / 64] |= UINT64_C(1) << rank % 64;
            continue;
        }
        contributors_single(kind, rank, single);
        add_words(set, single[0], single[1]);
    }
}

bool contributors_disjoint(const struct contributors *kind, const uint64_t *one, const uint64_t *other) {
    uint64_t common = 0;
    for (size_t i = 0; kind->exact && i < kind->words; i++) common |= one[i] & other[i];
    return common == 0;
}

void contributors_add(const struct contributors *kind, uint64_t *set, const uint64_t *more) {
    if (!kind->exact)
        add_words(set, more[0], more[1]);
    else
        for (size_t i = 0; i < kind->words; i++) set[i] |= more[i];
}

void contributors_name(const struct contributors *kind, const uint64_t *set, const uint64_t *other, bool also, char *out) {
    uint32_t named[RANKS_NAMED], count = 0;
    for (uint32_t rank = 0; rank < kind->ranks; rank++) {
        bool in_set = set[rank / 64] >> rank % 64 & 1, in_other = other[rank / 64] >> rank % 64 & 1;
        if (!in_set || in_other != also) continue;
        if (count < RANKS_NAMED) named[count] = rank;
        count++;
    }
    int at = snprintf(out, CONTRIBUTORS_TEXT, count == 1 ? "rank" : "ranks");
    for (uint32_t i = 0; i < count && i < RANKS_NAMED; i++)
        at += snprintf(out + at, (size_t)(CONTRIBUTORS_TEXT - at), "%s %u", i ? "," : "", named[i]);
    if (count > RANKS_NAMED) snprintf(out + at, (size_t)(CONTRIBUTORS_TEXT - at), " … (%u in all)", count);
}
