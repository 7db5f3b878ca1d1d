// Google TPU v4: a slice of a pod.
#include "systems/tpu.h"

enum { CHIPS_MOST = 4096 };

static bool check(const void *config, struct error *err) { return tpu_cube_check(config, CHIPS_MOST, err); }
static char *expand(const void *config) { return tpu_cube_expand(config, "ici-v4"); }

static const char *const sources[] = {
    "Jouppi et al., TPU v4 (ISCA 2023): 4,096 chips, cubes of 4 x 4 x 4 joined by optical switches, regular and twisted tori",
    TPU_SEND_SOURCE,
    NULL,
};

const struct system_type tpu_v4_system = {
    .variant = {"tpu-v4", "a slice of a TPU v4 pod, three dims", tpu_cube_fields, sizeof(struct tpu_cube_config), check},
    .expand = expand,
    .sources = sources,
};
