// Google TPU v5p: a slice of a pod.
#include "systems/tpu.h"

enum { CHIPS_MOST = 6144 };

static bool check(const void *config, struct error *err) { return tpu_cube_check(config, CHIPS_MOST, err); }
static char *expand(const void *config) { return tpu_cube_expand(config, "ici-v5p"); }

static const char *const sources[] = {
    "Google Cloud documentation, TPU v5p: slices of up to 16 x 16 x 24 = 6,144 chips, 3D torus from 4 x 4 x 4 on, twisted shapes",
    TPU_SEND_SOURCE,
    NULL,
};

const struct system_type tpu_v5p_system = {
    .variant = {"tpu-v5p", "a slice of a TPU v5p pod, three dims", tpu_cube_fields, sizeof(struct tpu_cube_config), check},
    .expand = expand,
    .sources = sources,
};
