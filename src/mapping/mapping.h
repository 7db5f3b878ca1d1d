#ifndef MAPPING_MAPPING_H
#define MAPPING_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/field.h"

/// Where ranks are placed: an order of the endpoints, of which rank r takes the r-th.
/// `src/mapping/NAME.c` defines `const struct mapping_type NAME_mapping`.

struct mapping_request {
    uint32_t endpoints;
    uint32_t dim_count; ///< 0: the shape has no coordinates
    const uint32_t *dims;
    uint32_t ranks; ///< at most `endpoints`
    uint64_t seed;  ///< of the mapping, or of the scenario where it has none
};

struct mapping_type {
    struct variant_type variant; ///< must be the first member; the config may be empty
    /// Fills place[0 .. endpoints-1] (the list mapping: place[0 .. ranks-1]) with distinct endpoints.
    bool (*place)(const void *config, const struct mapping_request *request, uint32_t *place, struct error *err);
};

extern const struct family mapping_family;

#endif
