// A seeded shuffle of all endpoints (Fisher-Yates), of which the ranks take the first.
#include "mapping/mapping.h"

#include "base/random.h"

struct random_config {
    uint64_t given;
    int64_t seed; ///< -1: the scenario's
};

static const struct field fields[] = {
    {.name = "seed",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct random_config, seed),
     .fallback = -1,
     .max = INT64_MAX,
     .help = "of the shuffle; the scenario's where absent",
     .example = "3"},
    {.name = NULL},
};

static bool place(const void *config, const struct mapping_request *request, uint32_t *places, struct error *err) {
    (void)err;
    const struct random_config *random = config;
    struct random_stream stream;
    random_seed(&stream, random->seed < 0 ? request->seed : (uint64_t)random->seed);
    for (uint32_t i = 0; i < request->endpoints; i++) places[i] = i;
    random_shuffle(&stream, places, request->endpoints);
    return true;
}

const struct mapping_type random_mapping = {
    .variant = {.name = "random", .summary = "a seeded shuffle", .fields = fields, .config_size = sizeof(struct random_config)},
    .place = place,
};
