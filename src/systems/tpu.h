#ifndef SYSTEMS_TPU_H
#define SYSTEMS_TPU_H

#include "systems/system.h"

/// Slices of three dims (TPU v4, v5p): whole cubes of 4 x 4 x 4 close into a torus through optical switches, which may be
/// twisted; anything smaller is a mesh inside one cube.
struct tpu_cube_config {
    uint64_t given;
    struct integers dims;
    bool twisted;
};
extern const struct field tpu_cube_fields[];

bool tpu_cube_check(const struct tpu_cube_config *config, int64_t chips_most, struct error *err);
char *tpu_cube_expand(const struct tpu_cube_config *config, const char *link);

/// "4, 4, 8"; the caller frees it.
char *tpu_dims_text(const struct integers *dims);

#define TPU_SEND_SOURCE "send_overhead: none; no figure is published apart from the latency of a hop"

#endif
