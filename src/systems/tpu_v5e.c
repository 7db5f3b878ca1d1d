// Google TPU v5e: a slice of a pod of 16 x 16 chips. The whole pod closes into a torus; smaller slices are meshes.
#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"
#include "systems/tpu.h"

enum { POD = 16 };

struct config {
    uint64_t given;
    struct integers dims;
};

static const struct field fields[] = {
    {.name = "dims",
     .kind = FIELD_INTEGERS,
     .offset = offsetof(struct config, dims),
     .flags = FIELD_REQUIRED,
     .min = 1,
     .max = POD,
     .help = "chips along the two dims: 2 x 2, 2 x 4, 4 x 4, 4 x 8, 8 x 8 or 16 x 16",
     .example = "[4, 8]"},
    {.name = NULL},
};

static bool check(const void *untyped, struct error *err) {
    static const int64_t shapes[][2] = {{2, 2}, {2, 4}, {4, 4}, {4, 8}, {8, 8}, {POD, POD}};
    const struct integers *dims = &((const struct config *)untyped)->dims;
    if (dims->count != 2) return error_at(err, "dims", "has %zu dims: a slice has two, such as [4, 8]", dims->count);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (dims->values[0] == shapes[s][0] && dims->values[1] == shapes[s][1]) return true;
    return error_at(err, "dims",
                    "a slice is 2 x 2, 2 x 4, 4 x 4, 4 x 8, 8 x 8 or 16 x 16 (8 x 16, which closes along one dim only, is not modelled)");
}

static char *expand(const void *untyped) {
    const struct config *config = untyped;
    char *dims = tpu_dims_text(&config->dims);
    char *text = text_format("{\"network\": {\"topology\": {\"type\": \"%s\", \"dims\": [%s], \"link\": \"ici-v5e\"}}}",
                             config->dims.values[0] == POD ? "torus" : "mesh", dims);
    free(dims);
    return text;
}

static const char *const sources[] = {
    "Google Cloud documentation, TPU v5e: slice shapes, a pod of 256 chips, 2D torus",
    "Austin et al., How to Scale Your Model (2025): only a dim of 16 closes into a ring",
    TPU_SEND_SOURCE,
    NULL,
};

const struct system_type tpu_v5e_system = {
    .variant = {"tpu-v5e", "a slice of a TPU v5e pod, two dims", fields, sizeof(struct config), check},
    .expand = expand,
    .sources = sources,
};
