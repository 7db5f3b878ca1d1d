#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H

#include "analysis/posted.h"
#include "analysis/site.h"

/// Bytes that messages carry, by who sends and receives them, by the halves of the network they lie in, and by link.
struct tally {
    const struct site *site;
    const uint8_t *side;         ///< of the halving cut, per node; NULL: none is known
    uint64_t *sent, *received;   ///< per rank
    unsigned __int128 across[2]; ///< from side 0 to 1, from side 1 to 0
    uint64_t messages;

    uint32_t *route;   ///< NULL: routes are not followed, and nothing is known by link
    uint64_t *on_link; ///< likewise; per link of the graph
    uint32_t *touched; ///< the links that carry something
    uint32_t touched_count;
};

/// An empty tally; `links`: routes (of message 0, chunk 0) are to be followed.
struct tally tally_create(const struct site *site, const uint8_t *side, bool links);
void tally_free(struct tally *tally);
void tally_clear(struct tally *tally);

void tally_add(struct tally *tally, const struct posted_message *message);

/// Adds all of `other` but its links, `times` times.
void tally_add_times(struct tally *tally, const struct tally *other, uint64_t times);

#endif
