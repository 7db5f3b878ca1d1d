// Boustrophedon: every line of the grid runs against the one before it, so that consecutive ranks are neighbours.
// In d dims: plane x of the first dim holds the snake of the other dims, forwards where x is even, backwards where it is odd.
#include "mapping/mapping.h"

/// The endpoint at place `i` of the snake over `dims`; `endpoints` is their product.
static uint32_t endpoint_at(uint32_t i, const struct mapping_request *request) {
    uint32_t endpoint = 0, block = request->endpoints;
    for (uint32_t d = 0; d < request->dim_count; d++) {
        block /= request->dims[d];
        uint32_t x = i / block;
        i %= block;
        if (x % 2) i = block - 1 - i;
        endpoint += x * block;
    }
    return endpoint;
}

static bool place(const void *config, const struct mapping_request *request, uint32_t *places, struct error *err) {
    (void)config, (void)err;
    for (uint32_t i = 0; i < request->endpoints; i++) places[i] = request->dim_count ? endpoint_at(i, request) : i;
    return true;
}

const struct mapping_type snake_mapping = {
    .variant = {.name = "snake", .summary = "every line of the grid against the one before it; linear where there are no dims"},
    .place = place,
};
