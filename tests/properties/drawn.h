#ifndef TESTS_PROPERTIES_DRAWN_H
#define TESTS_PROPERTIES_DRAWN_H

#include <stdint.h>

#include "base/random.h"

/// Random parts of scenarios, as JSON text with single quotes; the same for a seed for ever. The caller frees every text.

struct drawn_topology {
    char *text;   ///< {'type': …}
    char *faster; ///< the same with twice the bandwidths
    uint32_t endpoints;
    uint32_t dim_count, dims[3]; ///< of a torus
};

enum { DRAW_ANY, DRAW_TORUS };
void draw_topology(struct random_stream *random, int which, struct drawn_topology *out);
void drawn_topology_free(struct drawn_topology *topology);

uint32_t draw(struct random_stream *random, uint32_t least, uint32_t most);
const char *draw_switching(struct random_stream *random); ///< 'switching': …, 'injection': …

/// A list of messages between ranks 0 .. ranks-1. Sizes are multiples of `unit` bytes.
char *draw_messages(struct random_stream *random, uint32_t ranks, uint32_t unit);

/// A collective of `bytes` bytes.
char *draw_collective(struct random_stream *random, int64_t bytes);

/// [3, 0, …]: a permutation of the endpoints.
uint32_t *draw_places(struct random_stream *random, uint32_t endpoints);
char *places_text(const uint32_t *places, uint32_t count);

#endif
