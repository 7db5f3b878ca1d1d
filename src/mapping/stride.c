// Every s-th endpoint in turn: 0, s, 2s, …, then 1, 1+s, …
#include "mapping/mapping.h"

struct stride_config {
    uint64_t given;
    int64_t by;
};

static const struct field fields[] = {
    {.name = "by",
     .kind = FIELD_INTEGER,
     .offset = offsetof(struct stride_config, by),
     .fallback = 2,
     .min = 1,
     .max = UINT32_MAX,
     .help = "how far apart consecutive ranks are",
     .example = "4"},
    {.name = NULL},
};

static bool place(const void *config, const struct mapping_request *request, uint32_t *places, struct error *err) {
    (void)err;
    uint64_t by = (uint64_t)((const struct stride_config *)config)->by;
    uint32_t count = 0;
    for (uint64_t first = 0; first < by && count < request->endpoints; first++)
        for (uint64_t endpoint = first; endpoint < request->endpoints; endpoint += by) places[count++] = (uint32_t)endpoint;
    return true;
}

const struct mapping_type stride_mapping = {
    .variant = {.name = "stride", .summary = "0, s, 2s, …, then 1, 1+s, …", .fields = fields, .config_size = sizeof(struct stride_config)},
    .place = place,
};
